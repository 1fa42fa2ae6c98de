package builtin

import (
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// createXgboostReport asks for the report on a training of boosted trees, now
// and then while it goes on and once at its end. It never fires.
var createXgboostReport = rule.Definition{
	Name: "create_xgboost_report", Class: "CreateXgboostReport", Aliases: []string{"CreateXGBoostReport", "create_xgboostreport", "xgboost_report", "XgboostReport"}, Family: rule.Tensors, Severity: rule.Info,
	Summary:    "Writes the report on an XGBoost training: labels, metrics, features, confusion or residuals. It finds nothing.",
	Why:        "It has what is needed saved, and keeps the report up to date while the training goes on: rule-output/CreateXgboostReport/xgboost_report.html and .ipynb in the run.",
	Frameworks: []string{"xgboost"},
	Parameters: []rule.Parameter{every("5")},
	CauseClass: "unknown",
	Causes:     []string{"none: it finds nothing"},
	Remedies:   []string{"open the report"},
	Needs: func(p rule.Params) []rule.Need {
		s := rule.AllModes(p.Int("every"))
		var first rule.Schedule
		for m := range first {
			first[m] = rule.ModeSchedule{Off: true, Steps: []int64{0}}
		}
		return []rule.Need{
			{Selector: rule.Selector{Collections: []string{"metrics", "feature_importance"}}, Schedule: s, Want: rule.WantStats},
			{Selector: rule.Selector{Collections: []string{"labels", "predictions"}}, Schedule: s, Want: rule.WantStats | rule.WantRaw},
			{Selector: rule.Selector{Collections: []string{"hyperparameters"}}, Schedule: first, Want: rule.WantStats},
		}
	},
	New: func(rule.Params) (rule.Rule, error) { return &xgboostReport{}, nil },
}

// reportEvery is how long a report is good while the training goes on.
const reportEvery = time.Minute

type xgboostReport struct {
	last  time.Time // when the report was asked for, or the rule began
	state struct {
		Steps int64 `json:"steps"` // that had something for the report
		New   int64 `json:"new"`   // since it was asked for
	}
}

func (r *xgboostReport) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"metrics"}}, {Collections: []string{"predictions"}}}
}
func (r *xgboostReport) Save() ([]byte, error)  { return save(&r.state) }
func (r *xgboostReport) Restore(b []byte) error { return restore(b, &r.state) }

func (r *xgboostReport) Step(v *rule.View, rep *rule.Report) {
	if len(v.Scalars(0))+len(v.Tensors(1)) > 0 {
		r.state.Steps++
		r.state.New++
		rep.Inspect(1)
	}
}

// Tick brings the report up to date.
func (r *xgboostReport) Tick(now time.Time, rep *rule.Report) {
	switch {
	case r.last.IsZero():
		r.last = now
	case r.state.New > 0 && now.Sub(r.last) >= reportEvery:
		r.last, r.state.New = now, 0
		rep.Write(rule.XgboostReport)
	}
}

// Finish writes the last one.
func (r *xgboostReport) Finish(rep *rule.Report) {
	if r.state.Steps == 0 {
		rep.Note("no metrics and no predictions were saved: there is nothing to report")
		return
	}
	rep.Write(rule.XgboostReport)
}
