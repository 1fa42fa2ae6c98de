package builtin

import (
	"github.com/vigil-ml/vigil/rule"
)

// factual is a rule that judges the facts of a training and nothing else. Facts
// come again with more in them; what was said of a subject is not said twice.
type factual struct {
	judge func(*rule.Facts) []rule.Violation
	said  map[string]bool
}

// onFacts makes the rule of a judgement.
func onFacts(judge func(*rule.Facts) []rule.Violation) func(rule.Params) (rule.Rule, error) {
	return func(rule.Params) (rule.Rule, error) { return &factual{judge, map[string]bool{}}, nil }
}

func (*factual) Select() []rule.Selector       { return nil }
func (*factual) Step(*rule.View, *rule.Report) {}
func (*factual) Finish(*rule.Report)           {}
func (r *factual) Save() ([]byte, error)       { return save(r.said) }
func (r *factual) Restore(b []byte) error      { return restoreSaid(b, &r.said) }

// Facts implements rule.FactReader.
func (r *factual) Facts(f *rule.Facts, rep *rule.Report) {
	rep.Inspect(1)
	for _, v := range r.judge(f) {
		if k := key(v.Check, v.Subject); !r.said[k] {
			r.said[k] = true
			rep.Violate(v)
		}
	}
}

// restoreSaid takes a set back, which may be null.
func restoreSaid(b []byte, said *map[string]bool) error {
	if err := restore(b, said); err != nil {
		return err
	}
	if *said == nil {
		*said = map[string]bool{}
	}
	return nil
}

// noNeeds is what a rule on facts asks of capture.
func noNeeds(rule.Params) []rule.Need { return nil }
