package builtin

import (
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// What is said of a curve: single values with their steps, means and medians with
// the number of steps that they were taken over.
func TestLossWords(t *testing.T) {
	curve := func(from int64, values ...float64) *lossCurve {
		c := &lossCurve{}
		for n, x := range values {
			c.step(from+int64(n), []rule.Item{{Info: &rule.TensorInfo{Name: "loss"}, Value: x}})
		}
		return c
	}
	for _, tt := range []struct {
		name                   string
		c                      *lossCurve
		began, quarter, lately string
		peak                   int64
	}{
		{"one step", curve(0, 2), "2 at step 0", "2 (the last step)", "2 (the last step)", 0},
		{"from the start", curve(0, 3, 2, 1, 5), "3 at step 0", "5 (the last step)", "3 (median of the last 2 steps)", 3},
		{"from step 100 on", curve(100, 3, 2, 1, 1, 1, 1, 2, 4), "3 at step 100", "3 (mean of the last 2 steps)", "3 (median of the last 2 steps)", 107},
		{"a lucky first batch", curve(0, 1, 2, 2, 2, 2), "2 (median of the first 5 steps)", "2 (mean of the last 2 steps)", "2 (median of the last 2 steps)", 1},
	} {
		if got := tt.c.began(); got != tt.began {
			t.Errorf("%s: began at %q, want %q", tt.name, got, tt.began)
		}
		if got := tt.c.quarter(); got != tt.quarter {
			t.Errorf("%s: stands at %q, want %q", tt.name, got, tt.quarter)
		}
		if got := tt.c.lately(2); got != tt.lately {
			t.Errorf("%s: stands at %q, want %q", tt.name, got, tt.lately)
		}
		if got := tt.c.at(tt.c.PeakAt); got != tt.peak {
			t.Errorf("%s: highest at step %d, want %d", tt.name, got, tt.peak)
		}
	}
}
