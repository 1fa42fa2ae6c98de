package builtin

import "github.com/vigil-ml/vigil/rule"

// factual is a rule that judges the facts of a training and nothing else. Facts
// come again with more in them; what was said of a subject is not said twice.
type factual struct {
	told
	judge func(*rule.Facts) []rule.Violation
}

// onFacts makes the rule of a judgement.
func onFacts(judge func(*rule.Facts) []rule.Violation) func(rule.Params) (rule.Rule, error) {
	return func(rule.Params) (rule.Rule, error) { return &factual{newTold(), judge}, nil }
}

// Facts implements rule.FactReader.
func (r *factual) Facts(f *rule.Facts, rep *rule.Report) {
	rep.Inspect(1)
	for _, v := range r.judge(f) {
		r.say(rep, v)
	}
}
