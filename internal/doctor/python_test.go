package doctor

import "testing"

// A Python in which nothing can be captured is a failure; one framework is enough.
func TestFramework(t *testing.T) {
	for _, c := range []struct {
		name string
		a    answer
		want bool // it keeps capture from working
	}{
		{"neither", answer{}, true},
		{"XGBoost alone", answer{XGBoostThere: true}, false},
		{"PyTorch", answer{TorchThere: true, Torch: "2.15.0"}, false},
		{"PyTorch of an unknown version", answer{TorchThere: true}, false},
		{"an old PyTorch", answer{TorchThere: true, Torch: "1.12.1"}, true},
	} {
		if got := Failed([]Check{torch(c.a)}); got != c.want {
			t.Errorf("%s: a failure: %t, want %t", c.name, got, c.want)
		}
	}
}
