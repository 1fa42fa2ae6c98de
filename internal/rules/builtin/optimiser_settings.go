package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// optimiserSettings looks for settings of an optimiser that hardly anybody
// means.
var optimiserSettings = rule.Definition{
	Name: "optimiser_settings", Class: "OptimiserSettings", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     optimiserSettingsChecks,
	Summary:    "The optimiser has a setting that is almost certainly a mistake: it maximises the loss, or its momentum is too close to 1.",
	Why:        "With such a setting training does not improve, whatever the model and the data.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "momentum", Type: rule.Float, Default: "0.999", Range: rule.Between(0, 1).OpenMin(), Unit: "fraction", Meaning: "momentum, or first beta, from which on it counts"},
		{Name: "eps", Type: rule.Float, Default: "0.1", Range: rule.Above(0), Unit: "gradient", Meaning: "eps of Adam from which on it is reported"},
	},
	CauseClass: "optimizer",
	Causes:     []string{"settings that were mixed up: the two betas, or momentum and decay", "maximize=True with a loss that should fall"},
	Remedies:   []string{"remove maximize=True", "use a momentum of 0.9, or betas of (0.9, 0.999)"},
	Explains:   []string{"underfit", "overtraining", "loss_not_decreasing", "exploding_tensor", "not_finite", "learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates"},
	Default: &rule.Preset{
		Why: "A momentum of 0.99 is used with success, and more of it with a small learning rate. So momentum, betas and eps count only where the loss does not fall, or loses half of what it had gained. Climbing counts only where one optimiser climbs a loss that measures errors. Whether a learning rate is too high shows in the loss, so it is not judged here.",
	},
	Needs: func(rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &settings{told: newTold(), momentum: p.Float("momentum"), eps: p.Float("eps")}, nil
	},
}

type settings struct {
	told
	momentum, eps float64
	doubts        settingDoubts
}

// Facts implements rule.FactReader.
func (r *settings) Facts(f *rule.Facts, rep *rule.Report) {
	r.doubts.List = nil
	for _, o := range f.Optimisers {
		rep.Inspect(len(o.Groups))
		for _, g := range o.Groups {
			if g.Parameters > 0 {
				r.group(f, o, g, rep)
			}
		}
	}
}

func (r *settings) group(f *rule.Facts, o rule.OptimiserFacts, g rule.GroupFacts, rep *rule.Report) {
	v := rule.Violation{Subject: o.Class, Comparator: ">=", Steps: int(updates(f))}
	if g.Maximize && len(f.Optimisers) == 1 && f.Loss != nil && slices.Contains(plainLosses, f.Loss.Function) {
		v := v
		v.Check, v.Observed, v.Threshold, v.Comparator = "maximize", 1, 0, ">"
		v.Cause, v.Remedy = "maximize=True with a loss that should fall", "remove maximize=True"
		v.Message = fmt.Sprintf("%s has maximize=True, so each update makes the loss %s larger. Remove it.", o.Class, f.Loss.Function)
		r.say(rep, v)
	}
	if m := g.Momentum; m != nil && *m >= r.momentum {
		v := v
		v.Check, v.Observed, v.Threshold = "momentum", *m, r.momentum
		v.Cause, v.Remedy = "a momentum close to 1", "use a momentum of 0.9"
		v.Message = fmt.Sprintf("The momentum of %s is %s: each gradient lasts for %s updates and training overshoots. Use 0.9.", o.Class, num(*m), lasting(*m))
		r.doubts.add(v)
	}
	if len(g.Betas) == 2 {
		switch a, b := g.Betas[0], g.Betas[1]; {
		case a >= r.momentum:
			v := v
			v.Check, v.Observed, v.Threshold = "betas", a, r.momentum
			v.Cause, v.Remedy = "a first beta close to 1; the two betas may be swapped", "use betas of (0.9, 0.999)"
			v.Message = fmt.Sprintf("The betas of %s are (%s, %s): with the first so close to 1 each gradient lasts for %s updates. Use (0.9, 0.999).", o.Class, num(a), num(b), lasting(a))
			r.doubts.add(v)
		case b < a:
			v := v
			v.Check, v.Severity, v.Observed, v.Threshold, v.Comparator = "betas", rule.Info, b, a, "<"
			v.Context = map[string]any{"first": a, "second": b}
			v.Cause, v.Remedy = "the two betas are swapped", "use betas of (0.9, 0.999)"
			v.Message = fmt.Sprintf("The second beta of %s (%s) is below the first (%s), so updates may become very large. Use (0.9, 0.999) unless this is intended.", o.Class, num(b), num(a))
			r.doubts.add(v)
		}
	}
	if e := g.Eps; e != nil && *e >= r.eps && scaleFree(o.Class) {
		v := v
		v.Check, v.Severity, v.Observed, v.Threshold = "eps", rule.Info, *e, r.eps
		v.Cause, v.Remedy = "an eps that is larger than the gradients", "use an eps of 1e-8"
		v.Message = fmt.Sprintf("The eps of %s is %s: where gradients are smaller than that, updates shrink with them. Use 1e-8 unless this is intended.", o.Class, num(*e))
		r.doubts.add(v)
	}
}

// lasting is the number of updates over which a momentum averages, in words.
func lasting(momentum float64) string {
	if momentum >= 1 {
		return "all later"
	}
	return "some " + num(float64(int64(1/(1-momentum)+0.5)))
}
