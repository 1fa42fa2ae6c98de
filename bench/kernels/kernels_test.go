package main

import "testing"

func BenchmarkKernels(b *testing.B) {
	for _, c := range cases() {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(c.bytes))
			for b.Loop() {
				c.run()
			}
		})
	}
}
