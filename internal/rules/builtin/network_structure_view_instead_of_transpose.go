package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// viewedNotTransposed finds a view or a reshape that gives two axes each other's lengths where
// they should have been exchanged: it leaves the values where they are, so that
// samples, steps or channels are mixed.
func (r *structure) viewedNotTransposed(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.Renamed == nil {
		return
	}
	x := f.Graph.Renamed
	before := ""
	if x.At != "" {
		before = " before " + x.At
	}
	of := "channel"
	if x.At == "the loss" {
		of = "class"
	}
	v := rule.Violation{
		Check: "renamed_axes", Subject: x.At, Observed: 1, Threshold: 0, Comparator: ">", Steps: 1,
		Cause:  "view or reshape in place of permute or transpose",
		Remedy: "use permute or transpose: view and reshape rename the axes and leave the values where they are",
		Message: fmt.Sprintf("A view or reshape%s makes %v of %v: two axes get each other's lengths, but the values stay where they are, so that every %s is a mix of all. Exchange the axes with transpose or permute.",
			before, x.To, x.From, of),
		Context: map[string]any{"from": x.From, "to": x.To},
	}
	if len(x.From) != len(x.To) && !x.Samples {
		v.Message = fmt.Sprintf("A view or reshape%s makes %v of %v: rows as long as there are channels, but the channels are the second axis and the values stay where they are, so that every %s is a mix of all. Bring the channels last with permute before.",
			before, x.To, x.From, of)
	}
	if x.At == "attention" {
		v.Remedy = "divide the last axis first and exchange the axes then: view(samples, places, heads, -1).transpose(1, 2)"
		v.Message = fmt.Sprintf("A view or reshape makes %v of %v before attention: the heads are put before the places, but the values stay where they are, so that every head sees pieces of several places in each. Divide the last axis first, view(samples, places, heads, -1), and exchange the axes with transpose(1, 2).",
			x.To, x.From)
	}
	if x.Samples {
		v.Cause = "view or reshape in place of transpose: the axes of samples and of steps are named anew"
		v.Remedy = "bring the values to the shape that they have, samples first (view(samples, steps, …)), and exchange the axes with transpose(0, 1) where steps are to come first"
		v.Message = fmt.Sprintf("A view or reshape%s makes %v of %v: the axes of samples and steps are named anew, but the values stay where they are, so that every sequence is a mix of several samples. Exchange the axes with transpose.",
			before, x.To, x.From)
	}
	r.say(rep, v)
}
