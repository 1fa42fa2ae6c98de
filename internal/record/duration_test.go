package record_test

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestDuration(t *testing.T) {
	for _, v := range []float64{0, 0.5, 1, 3600, 0.01, 1.0 / 3, 2.1e-5, 86400.123, 1e9 - 1, 5e-324} {
		d := record.Duration(v)
		if math.Abs(d-v) > v/4096+5e-324 || record.Duration(d) != d || v == 0.5 && d != 0.5 {
			t.Errorf("%g s is stored as %g", v, d)
		}
	}
	if !math.IsNaN(record.Duration(math.NaN())) || !math.IsInf(record.Duration(math.Inf(1)), 1) {
		t.Error("what is no length is stored as one")
	}
}
