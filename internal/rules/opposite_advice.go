package rules

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

// opposites are pairs of advice of which a training can follow only one. Kinds of
// causes exclude each other through them: what wants more epochs and what stops
// early, a learning rate that is too low and one that is too high.
var opposites = [][2]record.Advice{
	{record.TrainLonger, record.StopEarly},
	{record.RaiseLearningRate, record.LowerLearningRate},
	{record.RegulariseMore, record.RegulariseLess},
	{record.ClipMore, record.ClipLess},
	{record.LargerModel, record.SmallerModel},
}

// opposed reports whether a and b ask for opposite things.
func opposed(a, b *record.Finding) bool {
	for _, p := range opposites {
		if slices.Contains(a.Asks, p[0]) && slices.Contains(b.Asks, p[1]) || slices.Contains(a.Asks, p[1]) && slices.Contains(b.Asks, p[0]) {
			return true
		}
	}
	return false
}

// outweigh takes groups that are ordered by evidence (severity, then step) and
// puts each whose root asks for the opposite of a root before it among the
// findings that this one outweighs: a run gets no opposite advice.
func outweigh(groups []record.Group) []record.Group {
	out := groups[:0]
	for _, g := range groups {
		i := slices.IndexFunc(out, func(o record.Group) bool { return opposed(&o.Root, &g.Root) })
		if i < 0 {
			g.Root.OutweighedBy = "" // by a symptom, or by what came first and weighs less
			out = append(out, g)
			continue
		}
		by := out[i].Root.Rule + "/" + out[i].Root.Check
		for _, f := range append([]record.Finding{g.Root}, g.Symptoms...) {
			if f.OutweighedBy == "" && opposed(&out[i].Root, &f) {
				f.OutweighedBy = by
			}
			out[i].Outweighed = append(out[i].Outweighed, f)
		}
	}
	return out
}

// outweigher is the check of a finding with at least as much evidence, among
// those of the same training that came before, that asks for the opposite of f; "" when there is none.
func (e *Engine) outweigher(f *record.Finding) string {
	if f.Muted || len(f.Asks) == 0 {
		return ""
	}
	for _, in := range e.runs {
		for i := range in.findings {
			if o := &in.findings[i]; !o.Muted && e.facts.Training(o.Step) == e.facts.Training(f.Step) && weight(o.Severity) <= weight(f.Severity) && opposed(o, f) {
				return o.Rule + "/" + o.Check
			}
		}
	}
	return ""
}
