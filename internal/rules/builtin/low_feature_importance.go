package builtin

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// lowFeatureImportance counts, at the end of the job, the features that hardly
// matter.
var lowFeatureImportance = rule.Definition{
	Name: "low_feature_importance", Class: "LowFeatureImportance", Family: rule.Tensors, Severity: rule.Info,
	Checks:     lowFeatureImportanceChecks,
	Summary:    "Most features contribute almost nothing to the model.",
	Why:        "They cost memory and time, and make the model harder to understand. Typical are features that hardly vary, or that duplicate another one.",
	Frameworks: []string{"xgboost"},
	Parameters: []rule.Parameter{
		{Name: "threshold", Type: rule.Float, Default: "0.001", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "a feature with a smaller share of the importance hardly matters"},
		{Name: "min_share_percent", Type: rule.Float, Default: "50", Range: rule.Between(0, 100), Unit: "percent", Meaning: "fires when more than this share of the features hardly matter"},
		{Name: "tensor_regex", Type: rule.List, Default: ".*feature_importance/weight", Meaning: "importances, called feature_importance/TYPE/FEATURE"},
		every("500"),
	},
	CauseClass: "structure",
	Causes:     []string{"features that vary little", "features that duplicate another one", "columns that have nothing to do with the target"},
	Remedies:   []string{"drop the features that contribute almost nothing", "look for features that are correlated"},
	Needs:      func(p rule.Params) []rule.Need { return featureNeeds(p, p.List("tensor_regex")...) },
	New: func(p rule.Params) (rule.Rule, error) {
		r := &lowImportance{sel: rule.Selector{Regex: p.List("tensor_regex")}, threshold: p.Float("threshold"), share: p.Float("min_share_percent")}
		r.state = map[string][]feature{}
		return r, nil
	},
}

type lowImportance struct {
	sel       rule.Selector
	threshold float64
	share     float64
	state     map[string][]feature // by type: importances as they came last
}

func (r *lowImportance) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *lowImportance) Save() ([]byte, error)   { return save(r.state) }
func (r *lowImportance) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *lowImportance) Step(v *rule.View, _ *rule.Report) {
	_, values := importances(v, 0)
	maps.Copy(r.state, values)
}

// Finish judges what came last.
func (r *lowImportance) Finish(rep *rule.Report) {
	if len(r.state) == 0 {
		rep.Note("no feature importance was saved")
	}
	for _, kind := range slices.Sorted(maps.Keys(r.state)) {
		all := len(r.state[kind])
		list, unused := shares(r.state[kind])
		if len(list) == 0 {
			rep.Skip("no_importance")
			continue
		}
		rep.Inspect(all)
		low := unused
		for _, f := range list {
			if float64(f.Share) < r.threshold {
				low++
			}
		}
		share := 100 * float64(low) / float64(all)
		if !(share > r.share) {
			continue
		}
		rep.Violate(rule.Violation{
			Check: "low", Subject: "feature_importance/" + kind, Observed: share, Threshold: r.share, Comparator: ">",
			Message: fmt.Sprintf("%d of %s, %s %%, have less than %s of the importance (%s).", low, plural(all, "feature"), num(math.Round(10*share)/10), num(r.threshold), kind),
			Context: map[string]any{"type": kind, "low": low, "never_used": unused, "features": all, "largest": append([]feature(nil), first(list, 10)...)},
		})
	}
}
