package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// calls has a stack end in a function without a frame.
func calls(name string, s rule.StackShare) rule.StackShare {
	s.Call = name
	return s
}

// inGraph has a stack be between forward and backward.
func inGraph(s rule.StackShare) rule.StackShare {
	s.Graph = true
	return s
}

// What takes the time between the parts of a step, and what of it is said to be next to
// training.
func TestOtherWork(t *testing.T) {
	batch := stack(rule.OtherPart, 3, 0, user+":Memory.sample@34")
	encoder := stack(rule.OtherPart, 3, 0, "/usr/lib/python3.12/json/encoder.py:encode", user+":log")
	const (
		work       = "The script's other work in each step takes 84 % of the time"
		converting = "other_work warning 6.3 " + work + ", most of it to make arrays or tensors of other data (conversion) line 34"
	)
	for _, c := range []struct {
		name   string
		stacks []rule.StackShare
		used   float64
		want   string
	}{
		{"a list of arrays becomes a tensor", []rule.StackShare{calls("torch.tensor", batch)}, 1, converting},
		{"as another module is called", []rule.StackShare{calls("th.tensor", batch)}, 1, converting},
		{"while a model's output waits for backward", []rule.StackShare{inGraph(calls("torch.tensor", batch))}, 1, converting},
		{"on a machine that others use", []rule.StackShare{calls("np.array", batch)}, 0.2, converting},
		{"another function", []rule.StackShare{calls("environment.step", batch)}, 1, "other_work info 6.3 " + work + " line 34"},
		{"a function that waits", []rule.StackShare{calls("time.sleep", batch)}, 0.2, ""},
		{"operations of the model, or of its loss", []rule.StackShare{inGraph(batch)}, 1, ""},
		{"logs of the loss before backward", []rule.StackShare{inGraph(encoder)}, 1, "other_work warning 6.3 " + work + " line 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := training{parts: stepsWith(rule.OtherPart, 0.29), used: c.used, stacks: stacks(c.stacks...)}
			if got := says(t, tr, "other_work"); got != c.want {
				t.Errorf("said %q, want %q", got, c.want)
			}
		})
	}
}
