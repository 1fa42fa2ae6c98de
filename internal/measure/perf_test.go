package measure

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// BenchmarkPair is statistics and a pair with the step before, of one tensor.
func BenchmarkPair(b *testing.B) {
	for _, n := range []int{64, 4096, 1 << 18, 1 << 22} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, err := New(Options{Spill: filepath.Join(b.TempDir(), "spill")})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			d := pairsOf(every(1), plan.Pair{Lag: 1})
			v := tensor.View{DType: tensor.F32, Shape: []int64{int64(n)}, Data: make([]byte, 4*n)}
			for i := range v.Data {
				v.Data[i] = byte(i*7) & 0x3f
			}
			b.SetBytes(int64(4 * n))
			step := int64(0)
			for b.Loop() {
				if _, _, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, step, v); err != nil {
					b.Fatal(err)
				}
				step++
			}
		})
	}
}
