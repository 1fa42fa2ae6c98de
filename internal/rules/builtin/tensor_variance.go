package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// tensorVariance judges the variance of each tensor against limits that the
// user gives.
var tensorVariance = rule.Definition{
	Name: "tensor_variance", Class: "TensorVariance", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  tensorVarianceChecks,
	Summary: "The variance of a tensor is above or below a limit.",
	Why:     "A very high variance precedes exploding values; a very low one means collapsed or saturated layers.",
	Parameters: []rule.Parameter{
		collectionNames, tensorRegex,
		{Name: "max_threshold", Type: rule.Float, Optional: true, Range: rule.AtLeast(0), Unit: "squared units", Meaning: "upper limit"},
		{Name: "min_threshold", Type: rule.Float, Optional: true, Range: rule.AtLeast(0), Unit: "squared units", Meaning: "lower limit; below max_threshold"},
		every("500"),
	},
	CauseClass: "structure",
	Causes:     []string{"when it is high, training that is unstable", "when it is low, layers that have collapsed or saturated"},
	Remedies:   []string{"when it is high, see exploding_tensor", "when it is low, see vanishing_gradient"},
	Example:    map[string]string{"max_threshold": "10", "min_threshold": "0.00001"},
	Needs: func(p rule.Params) []rule.Need {
		sel, everything := selector(p)
		if everything {
			return nil
		}
		return []rule.Need{{Selector: sel, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &variance{}
		switch {
		case !p.Has("max_threshold") && !p.Has("min_threshold"):
			return nil, &rule.ParamError{
				Rule: "tensor_variance", What: "max_threshold", Message: "neither max_threshold nor min_threshold is given: there is nothing to judge by",
				Hint: "give at least one of them",
			}
		case p.Has("max_threshold") && p.Has("min_threshold") && p.Float("min_threshold") >= p.Float("max_threshold"):
			return nil, &rule.ParamError{Rule: "tensor_variance", What: "min_threshold", Message: `parameter "min_threshold" is not below "max_threshold"`}
		}
		if p.Has("max_threshold") {
			r.limits = append(r.limits, varianceLimit{"high", ">", p.Float("max_threshold"), func(v, limit float64) bool { return v > limit }})
		}
		if p.Has("min_threshold") {
			r.limits = append(r.limits, varianceLimit{"low", "<", p.Float("min_threshold"), func(v, limit float64) bool { return v < limit }})
		}
		r.sel, r.everything = selector(p)
		r.state = map[string]*varianceState{}
		return r, nil
	},
}

type varianceLimit struct {
	check, comparator string
	limit             float64
	beyond            func(v, limit float64) bool
}

type variance struct {
	limits     []varianceLimit
	sel        rule.Selector
	everything bool
	state      map[string]*varianceState // by worker, mode and tensor
	places     places[varianceState]
}

type varianceState struct {
	History []rule.Number `json:"history"` // the last 20
	Streak  int           `json:"streak"`  // steps in a row beyond the same limit
	Check   string        `json:"check"`
}

func (r *variance) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *variance) Finish(*rule.Report)     {}
func (r *variance) Save() ([]byte, error)   { return save(r.state) }
func (r *variance) Restore(b []byte) error {
	r.places = places[varianceState]{}
	return restore(b, &r.state)
}

func (r *variance) Step(v *rule.View, rep *rule.Report) {
	if r.everything {
		rep.Note(noSelector)
	}
	for i, it := range v.Tensors(0) {
		switch s := it.Stats; {
		case s == nil:
		case s.Count < 2:
			rep.Skip(skipSize)
		case s.NonFinite():
			rep.Skip(rule.SkipNonFinite)
		default:
			r.judge(i, it, s.Variance(), v, rep)
		}
	}
}

func (r *variance) judge(at int, it rule.Item, x float64, v *rule.View, rep *rule.Report) {
	rep.Inspect(1)
	s := r.places.state(r.state, at, &it, v.Mode)
	s.History = lastOf(append(s.History, rule.Number(x)), 20)
	for _, l := range r.limits {
		if !l.beyond(x, l.limit) {
			continue
		}
		if s.Check != l.check {
			s.Streak = 0
		}
		s.Check = l.check
		s.Streak++
		cause, remedy, asks := "training that is unstable", "lower the learning rate; clip gradients; look for exploding values (exploding_tensor)", []rule.Advice{rule.LowerLearningRate, rule.ClipMore}
		if l.check == "low" {
			cause, remedy, asks = "layers that have collapsed or saturated", "check the layer's activations and gradients (saturated_activation, vanishing_gradient); use He or Glorot initialisation", nil
		}
		rep.Violate(rule.Violation{
			Check: l.check, Subject: it.Info.Name, Worker: it.Worker, Observed: x, Threshold: l.limit, Comparator: l.comparator, Steps: s.Streak, Cause: cause, Remedy: remedy, Asks: asks,
			Message: fmt.Sprintf("The variance of %s is %s, %s than %s.", it.Info.Name, num(x), map[string]string{"high": "more", "low": "less"}[l.check], num(l.limit)),
			Context: map[string]any{"history": append([]rule.Number(nil), s.History...), "size": it.Stats.Count, "mean": it.Stats.MeanValue()},
		})
		return
	}
	s.Streak, s.Check = 0, ""
}
