package record

import "testing"

func TestOverheadText(t *testing.T) {
	for _, c := range []struct {
		of   Overhead
		want string
	}{
		{Overhead{StepSeconds: 90, Percent: 1.25}, "1.2 % of the step time"}, // of a version that knew no more
		{Overhead{StepSeconds: 0.5, OnceSeconds: 0.047}, "47 ms once"},
		{Overhead{StepSeconds: 2, OnceSeconds: 0.047, SinceSeconds: 1.5, SincePercent: 2}, "47 ms once, 30 ms in the 1.5 s of training since"},
		{Overhead{StepSeconds: 90, OnceSeconds: 0.2, SinceSeconds: 80, SincePercent: 0.63}, "200 ms once, 0.6 % of each step since"},
		{Overhead{StepSeconds: 90, OnceSeconds: 0.2, SinceSeconds: 80, SincePercent: 0.004}, "200 ms once, 0.004 % of each step since"},
		{Overhead{StepSeconds: 90, OnceSeconds: 0.2, SinceSeconds: 80, SincePercent: 12.34}, "200 ms once, 12.3 % of each step since"},
	} {
		if got := c.of.Text(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}
