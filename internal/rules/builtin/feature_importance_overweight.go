package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// sumSlack is the tolerance on a limit for a sum of shares that sits on it.
const sumSlack = 1e-12

// featureImportanceOverweight judges what share of the importance the largest
// features have together.
var featureImportanceOverweight = rule.Definition{
	Name: "feature_importance_overweight", Class: "FeatureImportanceOverweight", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     featureImportanceOverweightChecks,
	Summary:    "A few features have most of the importance.",
	Why:        "They may leak the target, or be a shortcut that does not generalise; a model that depends on them is fragile.",
	Frameworks: []string{"xgboost"},
	Parameters: []rule.Parameter{
		{Name: "threshold", Type: rule.Float, Default: "0.8", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "allowed share of the largest features together"},
		{Name: "nfeatures", Type: rule.Int, Default: "3", Range: rule.AtLeast(1), Unit: "features", Meaning: "how many of the largest are summed"},
		{Name: "tensor_regex", Type: rule.List, Default: ".*feature_importance/weight", Meaning: "importances, called feature_importance/TYPE/FEATURE"},
		every("500"),
	},
	CauseClass: "structure",
	Causes:     []string{"a feature that leaks the target", "a column that identifies the sample", "one predictor that dominates"},
	Remedies:   []string{"check the feature, or drop it", "regularise", "sample columns for each tree"},
	Asks:       []rule.Advice{rule.RegulariseMore},
	Needs:      func(p rule.Params) []rule.Need { return featureNeeds(p, p.List("tensor_regex")...) },
	New: func(p rule.Params) (rule.Rule, error) {
		return &overweight{sel: rule.Selector{Regex: p.List("tensor_regex")}, threshold: p.Float("threshold"), n: int(p.Int("nfeatures"))}, nil
	},
}

type overweight struct {
	sel       rule.Selector
	threshold float64
	n         int
	state     map[string]int // by type: steps in a row above the limit
}

func (r *overweight) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *overweight) Finish(*rule.Report)     {}
func (r *overweight) Save() ([]byte, error)   { return save(r.state) }
func (r *overweight) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *overweight) Step(v *rule.View, rep *rule.Report) {
	types, values := importances(v, 0)
	for _, kind := range types {
		list, unused := shares(values[kind])
		if len(list) < r.n+1 {
			rep.Skip("too_few_features")
			continue
		}
		rep.Inspect(1)
		top := 0.0
		for _, f := range list[:r.n] {
			top += float64(f.Share)
		}
		if r.state == nil {
			r.state = map[string]int{}
		}
		if !(top > r.threshold+sumSlack) {
			delete(r.state, kind)
			continue
		}
		r.state[kind]++
		rep.Violate(rule.Violation{
			Check: "overweight", Subject: "feature_importance/" + kind, Observed: top, Threshold: r.threshold, Comparator: ">", Steps: r.state[kind],
			Message: fmt.Sprintf("%s of %d features have %s %% of the importance (%s), the largest being %s.", plural(r.n, "feature"), len(list)+unused, num(math.Round(1000*top)/10), kind, list[0].Name),
			Context: map[string]any{"type": kind, "top": r.n, "features": append([]feature(nil), first(list, max(r.n, 10))...), "used": len(list), "never_used": unused},
		})
	}
}
