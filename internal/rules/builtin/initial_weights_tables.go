package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// tables judges models that are made of embeddings alone, such as
// factorisations: when all of them begin with one value, every entry of a row
// gets the same gradient and they stay alike, and when that value is 0 none
// moves. One table of zeros or ones that is added to something else, or scales
// it, does no harm, nor does any beside weights that are random.
func (r *initial) tables(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.More > 0 || len(f.Models) != 1 {
		return
	}
	var names, stuck []string
	zeros := true
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if len(p.Shape) < 2 || p.Shape[0] < 2 || p.Shape[1] < 2 || p.Bias {
			continue // a bias for each row is one column
		}
		v := p.First
		if p.Kind != record.EmbeddingModule || !p.Trained || v == nil || v.NonFinite > 0 || v.Elements < 2 || v.Min != v.Max {
			return
		}
		zeros = zeros && v.Min == 0
		names = append(names, p.Module)
		if !p.Changed && p.Gradient == record.GradientZero {
			stuck = append(stuck, p.Module)
		}
	}
	if len(names) == 0 || zeros && len(stuck) < len(names) {
		return
	}
	v := rule.Violation{
		Check: "equal_weights", Subject: names[0], Severity: rule.Error, Observed: float64(len(names)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "tables that were initialised with a constant",
		Context: map[string]any{"tables": names, "stuck": stuck},
		Message: fmt.Sprintf("All entries of %s begin with one value, so that the entries of a row get one gradient and stay alike: initialise them at random.", someNames(names)),
	}
	if zeros {
		v.Check = "zero_weights"
		v.Message = fmt.Sprintf("All entries of %s begin with 0, and %s not moved since, because each waits for the other: initialise them at random.", someNames(names), these(stuck, "has", "have"))
	}
	if slices.Contains(names, "") {
		v.Subject = "embedding"
	}
	r.say(rep, v)
}
