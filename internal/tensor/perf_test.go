package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkHostile shows what data costs that leave the fast path, next to data
// that do not. bench/kernels compares the fast path with a memory copy.
func BenchmarkHostile(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	data := hostile(r)
	for _, name := range []string{"normal", "relu", "nan", "mixed", "rarely special", "large mean", "subnormal", "tiny", "float32 max"} {
		v := View{F32, []int64{1 << 18}, encode(F32, fillWith(1<<18, data[name]))}
		for _, hist := range []bool{false, true} {
			b.Run(name+map[bool]string{false: "", true: " with histogram"}[hist], func(b *testing.B) {
				b.SetBytes(int64(len(v.Data)))
				for b.Loop() {
					Compute(v, hist)
				}
			})
		}
	}
}

func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{1, 10, 64, 512, 4096} {
		v := View{F32, []int64{int64(n)}, encode(F32, fillWith(n, func(i int) float64 { return math.Sin(float64(i)) }))}
		for _, hist := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/hist=%t", n, hist), func(b *testing.B) {
				for b.Loop() {
					Compute(v, hist)
				}
			})
		}
	}
}
