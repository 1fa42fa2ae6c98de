package builtin

import "github.com/vigil-ml/vigil/rule"

// factual is a rule that judges the facts of a training and nothing else. Facts
// come again with more in them; what was said of a subject is not said twice.
type factual struct {
	told
	has   func(*rule.Facts) bool // what it judges is among the facts
	judge func(*rule.Facts) []rule.Violation
}

// onFacts makes the rule of a judgement, and of what that needs.
func onFacts(has func(*rule.Facts) bool, judge func(*rule.Facts) []rule.Violation) func(rule.Params) (rule.Rule, error) {
	return func(rule.Params) (rule.Rule, error) { return &factual{newTold(), has, judge}, nil }
}

// hasLoss reports whether the facts hold what a loss got, or which function it is.
func hasLoss(f *rule.Facts) bool {
	return f.Predictions != nil || viewLoss(f).loss != "" || hasAddends(f)
}

func hasAddends(f *rule.Facts) bool { return f.Graph != nil && len(f.Graph.Addends) > 0 }

// Facts implements rule.FactReader.
func (r *factual) Facts(f *rule.Facts, rep *rule.Report) {
	if r.has(f) {
		rep.Inspect(1)
	}
	for _, v := range r.judge(f) {
		r.say(rep, v)
	}
}
