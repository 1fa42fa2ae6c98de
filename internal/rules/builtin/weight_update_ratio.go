package builtin

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// weightUpdateRatio judges mean |new - old| / (mean |old| + epsilon) of each
// weight against two limits.
var weightUpdateRatio = rule.Definition{
	Name: "weight_update_ratio", Class: "WeightUpdateRatio", Aliases: []string{"weight_update", "WeightUpdate"},
	Family: rule.Tensors, Severity: rule.Warning,
	Checks:     weightUpdateRatioChecks,
	Summary:    "Weight updates are far too large or far too small compared with the weights.",
	Why:        "Large updates overshoot and oscillate; tiny ones mean that training crawls. About 1e-3 per step is healthy for SGD.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "num_steps", Type: rule.Int, Optional: true, Range: rule.AtLeast(1), Unit: "mode steps", Meaning: "how far back the comparison may reach; None: the previous saved step"},
		{Name: "large_threshold", Type: rule.Float, Default: "10.0", Unit: "ratio", Meaning: "upper limit; above small_threshold"},
		{Name: "small_threshold", Type: rule.Float, Default: "0.00000001", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "lower limit"},
		{Name: "epsilon", Type: rule.Float, Default: "0.000000001", Range: rule.Above(0), Unit: "weight units", Meaning: "added to the denominator"},
		everyFixed("500"),
	},
	CauseClass: "learning-rate",
	Causes:     []string{"a learning rate that is too high or too low", "vanishing gradients", "weights that are tiny, or frozen by mistake", "weight decay that cancels the update"},
	Remedies:   []string{"change the learning rate, or use a schedule", "clip gradients", "check requires_grad and the optimiser's list of parameters"},
	Asks:       []rule.Advice{rule.ClipMore},
	Explains:   []string{"loss_not_decreasing", "unchanged_tensor"},
	Needs: func(p rule.Params) []rule.Need {
		s := rule.TrainOnly(p.Int("every"))
		return []rule.Need{
			{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: s, Want: rule.WantStats, Pairs: []rule.Pair{updatePair(p)}},
			{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: s, Want: rule.WantStats},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &updateRatio{large: p.Float("large_threshold"), small: p.Float("small_threshold"), epsilon: p.Float("epsilon"), every: p.Int("every")}
		if r.large <= r.small {
			return nil, &rule.ParamError{Rule: "weight_update_ratio", What: "large_threshold", Message: `parameter "large_threshold" is not above "small_threshold"`}
		}
		r.key = updatePair(p).Key(rule.TrainOnly(r.every))
		r.state.Gradients, r.state.Streak = map[string]gradientMean{}, map[string]int{}
		return r, nil
	},
}

func updatePair(p rule.Params) rule.Pair {
	if p.Has("num_steps") {
		return rule.Pair{Within: p.Int("num_steps")}
	}
	return rule.Pair{Lag: 1}
}

type updateRatio struct {
	large, small, epsilon float64
	every                 int64
	key                   string
	state                 struct {
		Train     bool                    `json:"train"`     // a TRAIN step was saved
		Gradients map[string]gradientMean `json:"gradients"` // last seen, by parameter
		Streak    map[string]int          `json:"streak"`    // violations in a row
	}
}

type gradientMean struct {
	ModeStep int64       `json:"mode_step"`
	Mean     rule.Number `json:"mean"`
}

func (r *updateRatio) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"weights"}}, {Collections: []string{"gradients"}}}
}

func (r *updateRatio) Finish(*rule.Report)    {}
func (r *updateRatio) Save() ([]byte, error)  { return save(&r.state) }
func (r *updateRatio) Restore(b []byte) error { return restore(b, &r.state) }

func (r *updateRatio) Step(v *rule.View, rep *rule.Report) {
	r.state.Train = r.state.Train || v.Mode == rule.Train
	if !training(v.Mode) || (v.Mode == rule.Global && r.state.Train) {
		return
	}
	for _, it := range v.Tensors(0) {
		r.judge(it, v, rep)
	}
	for _, it := range v.Tensors(1) {
		if it.Stats != nil {
			r.state.Gradients[strings.TrimPrefix(it.Info.Name, "gradient/")] = gradientMean{v.ModeStep, rule.Number(it.Stats.AbsMean())}
		}
	}
}

func (r *updateRatio) judge(it rule.Item, v *rule.View, rep *rule.Report) {
	diff, from, ok := it.Find(r.key, rule.PairMeanAbsDiff)
	if c, _, shape := it.Find(r.key, rule.PairShapeChange); shape && c != 0 {
		rep.Skip(rule.SkipShapeChanged)
		return
	}
	if !ok || from < 0 {
		if onInterval(v.ModeStep, r.every) {
			rep.Skip(rule.SkipNoPrevious)
		}
		return
	}
	gradient, has := r.state.Gradients[it.Info.Name]
	if it.Info.Frozen || (len(r.state.Gradients) > 0 && !has) {
		rep.Skip("frozen")
		return
	}
	old, _, _ := it.Find(r.key, rule.PairMeanAbsFrom)
	ratio := diff / (old + r.epsilon)
	switch {
	case old == 0:
		rep.Skip("zero_weights")
		return
	case !finite(ratio):
		rep.Skip(rule.SkipNonFinite)
		return
	}
	rep.Inspect(1)
	k := key(it.Worker, it.Info.Name)
	check, limit, comparator, words := "too_large", r.large, ">", "large: it overshoots"
	switch {
	case ratio > r.large:
	case ratio < r.small:
		check, limit, comparator, words = "too_small", r.small, "<", "small: the weights hardly move"
	default:
		if len(r.state.Streak) > 0 {
			delete(r.state.Streak, k)
		}
		return
	}
	r.state.Streak[k]++
	context := map[string]any{"from_mode_step": from, "per_step": ratio / float64(v.ModeStep-from), "mean_abs_diff": diff, "mean_abs_weight": old}
	if has && gradient.ModeStep == from {
		context["mean_abs_gradient"] = float64(gradient.Mean)
	}
	rep.Violate(rule.Violation{
		Check: check, Subject: it.Info.Name, Worker: it.Worker, Observed: ratio, Threshold: limit, Comparator: comparator, Context: context, Steps: 1 + r.state.Streak[k],
		Message: fmt.Sprintf("The update of %s from step %d to %d is %s times the size of its weights, too %s.", it.Info.Name, from, v.ModeStep, times(ratio), words),
	})
}
