package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	largeTable = 20 // deviation of a table, where 1 and less is usual
	drownTable = 20 // times as large as one that is added to it
)

// oneTable judges a single table of embeddings: one of zeros that nobody trains says
// nothing of what is looked up, and next to one that is far larger another one of
// the same width is not seen.
func (r *initial) oneTable(f *rule.Facts, rep *rule.Report) {
	var all []*rule.ParameterFact
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Kind == record.EmbeddingModule && len(p.Shape) == 2 && p.Shape[0] > 1 && p.Shape[1] > 1 && p.First != nil && p.First.NonFinite == 0 && !p.Loaded {
			all = append(all, p)
		}
	}
	for _, p := range all {
		v := rule.Violation{
			Subject: p.Module, Severity: rule.Warning, Observed: float64(p.First.Std), Steps: int(updates(f)),
			Context: map[string]any{"parameter": p.Name, "shape": p.Shape, "first": p.First, "trained": p.Trained},
		}
		if !p.Trained && !p.Changed && p.First.Min == 0 && p.First.Max == 0 && len(all) == 1 && f.Parameters.More == 0 {
			v.Check, v.CauseClass, v.Threshold, v.Comparator = "frozen_zeros", "initialisation", 0, "="
			v.Cause = "the embedding table is neither filled with pretrained vectors nor trained"
			v.Remedy = "pass the pretrained vectors to from_pretrained; with freeze=False if they should be trained"
			v.Message = fmt.Sprintf("All entries of the %s are 0 and it is not trained, so every token looks the same to the network.", called("Embedding layer", p.Module))
			r.say(rep, v)
			continue
		}
		for _, other := range all {
			if p.Trained && other.Trained && p != other && p.Shape[1] == other.Shape[1] && float64(p.First.Std) >= largeTable && float64(p.First.Std) >= drownTable*float64(other.First.Std) && other.First.Std > 0 {
				v.Check, v.Threshold, v.Comparator = "large_table", largeTable, ">="
				v.Cause, v.Remedy = "an embedding table with far too large initial values", "initialise all embedding tables with the same std, 0.02 to 1"
				v.Message = fmt.Sprintf("The initial std of the %s is %s, that of the %s, which is as wide, only %s: when they are added, the second has no effect.",
					called("Embedding layer", p.Module), num(float64(p.First.Std)), called("one", other.Module), num(float64(other.First.Std)))
				r.say(rep, v)
				break
			}
		}
	}
}

// tables judges models that are made of embeddings alone, such as
// factorisations: when all of them begin with one value, every entry of a row
// gets the same gradient and they stay alike, and when that value is 0 none
// moves. One table of zeros or ones that is added to something else, or scales
// it, does no harm, nor does any next to weights that are random.
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
		if p.Kind != record.EmbeddingModule || !p.Trained || p.Loaded || v == nil || v.NonFinite > 0 || v.Elements < 2 || v.Min != v.Max {
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
		Cause:   "the embedding tables were initialised with a constant",
		Context: map[string]any{"tables": names, "stuck": stuck},
		Message: fmt.Sprintf("All entries of %s start with the same value, so the entries of a row get the same gradient and stay equal. Initialise them randomly.", someNames(names)),
	}
	if zeros {
		v.Check = "zero_weights"
		v.Message = fmt.Sprintf("All entries of %s were initialised with 0 and %s not changed since, because no gradient gets through. Initialise them randomly.", someNames(names), these(stuck, "has", "have"))
	}
	if slices.Contains(names, "") {
		v.Subject = "embedding"
	}
	r.say(rep, v)
}
