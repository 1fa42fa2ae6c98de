package plan

import "testing"

// A plan with the defaults is asked once for each tensor of each process.
func BenchmarkDecide(b *testing.B) {
	p, err := New(Options{}, []Collection{regex("mine", Every(3), Raw, `attn.*weight`, `^(?=.*bias)(?:(?!fc).)*$`)}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(relu)
		p.Decide(gradW)
	}
}
