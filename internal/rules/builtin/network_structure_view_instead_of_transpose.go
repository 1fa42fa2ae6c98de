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
		Cause:  "view or reshape instead of permute or transpose",
		Remedy: "use permute or transpose: view and reshape relabel the axes without moving values",
		Message: fmt.Sprintf("A view or reshape%s returns shape %v for %v: two axes swap lengths but the values do not move, so every %s is a mix of all. Swap the axes with transpose or permute.",
			before, x.To, x.From, of),
		Context: map[string]any{"from": x.From, "to": x.To},
	}
	if len(x.From) != len(x.To) && !x.Samples {
		v.Message = fmt.Sprintf("A view or reshape%s returns shape %v for %v: the channels are on axis 1, but each row takes consecutive values, so every %s is a mix of all. Move the channels last with permute first.",
			before, x.To, x.From, of)
	}
	if x.At == "attention" {
		v.Remedy = "split the last axis first, then swap the axes: view(batch, length, heads, -1).transpose(1, 2)"
		v.Message = fmt.Sprintf("A view or reshape returns shape %v for %v before attention: heads come before positions but the values do not move, so every head sees pieces of several positions. Use view(batch, length, heads, -1).transpose(1, 2).",
			x.To, x.From)
	}
	if x.Samples {
		v.Cause = "view or reshape instead of transpose: the batch and time axes are only relabelled"
		v.Remedy = "keep the batch axis first, view(batch, steps, …), and swap the axes with transpose(0, 1) if time comes first"
		v.Message = fmt.Sprintf("A view or reshape%s returns shape %v for %v: the batch and time axes are relabelled but the values do not move, so every sequence is a mix of several samples. Swap the axes with transpose.",
			before, x.To, x.From)
	}
	r.say(rep, v)
}
