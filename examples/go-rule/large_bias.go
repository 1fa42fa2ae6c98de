package main

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

var LargeBias = rule.Definition{
	Name: "large_bias", Class: "LargeBias", Family: rule.Tensors, Severity: rule.Warning,
	Summary: "A bias has become large.",
	Why:     "Units with a large bias no longer react to their input.",
	Parameters: []rule.Parameter{
		{Name: "threshold", Type: rule.Float, Default: "10", Range: rule.Above(0), Meaning: "largest magnitude allowed"},
	},
	CauseClass: "learning-rate",
	Causes:     []string{"a learning rate that is too high"},
	Remedies:   []string{"lower the learning rate"},
	Asks:       []rule.Advice{rule.LowerLearningRate},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"biases"}}, Schedule: rule.TrainOnly(rule.Auto), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) { return &largeBias{limit: p.Float("threshold")}, nil },
}

type largeBias struct{ limit float64 }

func (r *largeBias) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"biases"}}}
}

func (r *largeBias) Step(v *rule.View, rep *rule.Report) {
	for _, it := range v.Tensors(0) {
		if it.Stats == nil || it.Stats.NonFinite() {
			rep.Skip(rule.SkipNonFinite)
			continue
		}
		rep.Inspect(1)
		if m := it.Stats.AbsMax(); m > r.limit {
			rep.Violate(rule.Violation{
				Check: "size", Subject: it.Info.Name, Worker: it.Worker, Observed: m, Threshold: r.limit, Comparator: ">",
				Message: fmt.Sprintf("The bias %s reaches %.3g.", it.Info.Name, m),
			})
		}
	}
}

func (r *largeBias) Finish(*rule.Report)        {}
func (r *largeBias) Save() ([]byte, error)      { return []byte("null"), nil }
func (r *largeBias) Restore(state []byte) error { return nil }
