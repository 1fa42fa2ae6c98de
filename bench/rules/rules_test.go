package main

import "testing"

// BenchmarkJudge is for profiles: go test ./bench/rules -bench . -cpuprofile cpu.out.
func BenchmarkJudge(b *testing.B) {
	list, err := conditions()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range list {
		b.Run(c.name, func(b *testing.B) {
			j, err := newJudge(c)
			if err != nil {
				b.Fatal(err)
			}
			defer j.close()
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				if err := j.prepare(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				j.observe()
			}
		})
	}
}
