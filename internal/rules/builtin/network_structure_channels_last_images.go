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
		Check: "channels_reshaped", Subject: "", Observed: float64(shape[1]), Threshold: 1, Comparator: ">", Steps: int(f.Inputs.Steps),
		Cause:  "view or reshape instead of permute, on channels-last images",
		Remedy: "use permute(0, 3, 1, 2), or transpose(0, 3, 1, 2) in NumPy: view and reshape relabel the axes without moving values",
		Message: fmt.Sprintf("The images of shape %v have scrambled channels: values %d apart are neighbours, not adjacent ones. They were channels-last and reshaped instead of permuted, so every channel is a mix of all.",
			shape, shape[1]),
		Context: map[string]any{"inputs": shape},
	})
}
