package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// interleaved finds images whose channels come last and that were given the shape
// of images whose channels come first, without exchanging the axes.
func (r *structure) interleaved(f *rule.Facts, rep *rule.Report) {
	if f.Inputs == nil || !f.Inputs.Interleaved {
		return
	}
	var shape []int64
	for _, t := range f.Inputs.Tensors {
		if len(t.Shape) == 4 && (t.Shape[1] == 3 || t.Shape[1] == 4) {
			shape = t.Shape
			break
		}
	}
	if shape == nil {
		return
	}
	r.say(rep, rule.Violation{
		Check: "interleaved", Subject: "", Observed: float64(shape[1]), Threshold: 1, Comparator: ">", Steps: int(f.Inputs.Steps),
		Cause:  "view or reshape in place of permute, on images with their channels last",
		Remedy: "use permute(0, 3, 1, 2), or transpose(0, 3, 1, 2) in numpy: view and reshape rename the axes and leave the values where they are",
		Message: fmt.Sprintf("The images of shape %v hold their channels side by side: values that lie %d apart are neighbours, not those next to each other. They had their channels last and were reshaped in place of permuted, so that every channel is a mix of all.",
			shape, shape[1]),
		Context: map[string]any{"inputs": shape},
	})
}
