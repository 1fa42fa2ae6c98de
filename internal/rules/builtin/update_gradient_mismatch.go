package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// updateGradientMismatch compares what weights moved by with the gradients that
// moved them.
var updateGradientMismatch = rule.Definition{
	Name: "update_gradient_mismatch", Class: "UpdateGradientMismatch", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     updateGradientMismatchChecks,
	Summary:    "Updates of most weights are out of proportion to their gradients.",
	Why:        "A large gradient with a tiny update means a learning rate that is too small or a weight decay that is too large; a small gradient with a large update a learning rate that is too large.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "large", Type: rule.Float, Default: "1e1", Unit: "ratio", Meaning: "upper limit of mean |update| to mean |gradient|; above small"},
		{Name: "small", Type: rule.Float, Default: "1e-6", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "lower limit"},
		everyFixed("500"),
	},
	CauseClass: "learning-rate",
	Causes:     []string{"a learning rate that is too small or too large", "a weight decay that is too large"},
	Remedies:   []string{"change the learning rate", "change the weight decay"},
	Explains:   []string{"loss_not_decreasing", "weight_update_ratio"},
	Needs: func(p rule.Params) []rule.Need {
		s := rule.TrainOnly(p.Int("every"))
		return []rule.Need{
			{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: s, Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}},
			{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: s, Want: rule.WantStats},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &mismatch{large: p.Float("large"), small: p.Float("small"), every: p.Int("every")}
		if r.large <= r.small {
			return nil, &rule.ParamError{Rule: "update_gradient_mismatch", What: "large", Message: `parameter "large" is not above "small"`}
		}
		r.key = rule.Pair{Lag: 1}.Key(rule.TrainOnly(r.every))
		r.state.Gradients, r.state.Streak = map[string]gradientMean{}, map[string]int{}
		return r, nil
	},
}

// noDivision is added to the mean gradient.
const noDivision = 1e-12

type mismatch struct {
	large, small float64
	every        int64
	key          string
	state        struct {
		Train     bool                    `json:"train"`     // a TRAIN step was saved
		Gradients map[string]gradientMean `json:"gradients"` // last seen on the interval, by worker and parameter
		Streak    map[string]int          `json:"streak"`    // violations in a row, by worker
	}
}

func (r *mismatch) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"weights"}}, {Collections: []string{"gradients"}}}
}

func (r *mismatch) Finish(*rule.Report)    {}
func (r *mismatch) Save() ([]byte, error)  { return save(&r.state) }
func (r *mismatch) Restore(b []byte) error { return restore(b, &r.state) }

func (r *mismatch) Step(v *rule.View, rep *rule.Report) {
	r.state.Train = r.state.Train || v.Mode == rule.Train
	if !training(v.Mode) || (v.Mode == rule.Global && r.state.Train) || !onInterval(v.ModeStep, r.every) {
		return
	}
	eachWorker(v.Tensors(0), func(items []rule.Item) { r.worker(items, v, rep) })
	for _, it := range v.Tensors(1) {
		if it.Stats != nil {
			r.state.Gradients[key(it.Worker, strings.TrimPrefix(it.Info.Name, "gradient/"))] = gradientMean{v.ModeStep, rule.Number(it.Stats.AbsMean())}
		}
	}
}

// worker judges the weights of one worker together.
func (r *mismatch) worker(items []rule.Item, v *rule.View, rep *rule.Report) {
	var ratios []float64
	var above, below []string
	var since int64
	for i := range items {
		it := &items[i]
		ratio, from, ok := r.ratio(it, rep)
		if !ok {
			continue
		}
		rep.Inspect(1)
		ratios = append(ratios, ratio)
		since = from
		switch {
		case ratio > r.large:
			above = append(above, it.Info.Name)
		case ratio < r.small:
			below = append(below, it.Info.Name)
		}
	}
	outside := len(above) + len(below)
	if 2*outside <= len(ratios) || len(ratios) == 0 {
		delete(r.state.Streak, items[0].Worker)
		return
	}
	r.state.Streak[items[0].Worker]++
	slices.Sort(ratios)
	middle := ratios[len(ratios)/2]
	check, limit, comparator, words := "too_large", r.large, ">", "above"
	cause, remedy := "a learning rate that is too large", "lower the learning rate, or warm it up"
	asks := []rule.Advice{rule.LowerLearningRate}
	if len(below) > len(above) {
		check, limit, comparator, words = "too_small", r.small, "<", "below"
		cause, remedy = "a learning rate that is too small, or a weight decay that is too large", "raise the learning rate; lower the weight decay"
		asks = []rule.Advice{rule.RaiseLearningRate, rule.RegulariseLess}
	}
	rep.Violate(rule.Violation{
		Check: check, Subject: "weights", Worker: items[0].Worker, Observed: middle, Threshold: limit, Comparator: comparator, Steps: 1 + r.state.Streak[items[0].Worker], Cause: cause, Remedy: remedy, Asks: asks,
		Message: fmt.Sprintf("From step %d to %d, the updates of %d of %s are out of proportion to their gradients: the median ratio of mean |update| to mean |gradient| is %s, mostly %s the limits.",
			since, v.ModeStep, outside, plural(len(ratios), "weight"), times(middle), words),
		Context: map[string]any{
			"from_mode_step": since, "weights": len(ratios), "above": first(above, 50), "below": first(below, 50), "median_ratio": middle, "smallest_ratio": ratios[0], "largest_ratio": ratios[len(ratios)-1],
		},
	})
}

// ratio is mean |update| to the mean |gradient| of the step that it began with.
func (r *mismatch) ratio(it *rule.Item, rep *rule.Report) (ratio float64, from int64, ok bool) {
	if c, _, shape := it.Find(r.key, rule.PairShapeChange); shape && c != 0 {
		rep.Skip(rule.SkipShapeChanged)
		return 0, 0, false
	}
	diff, from, found := it.Find(r.key, rule.PairMeanAbsDiff)
	gradient, has := r.state.Gradients[key(it.Worker, it.Info.Name)]
	switch {
	case !found || from < 0:
		rep.Skip(rule.SkipNoPrevious)
	case it.Info.Frozen:
		rep.Skip("frozen")
	case !has || gradient.ModeStep != from:
		rep.Skip("no_gradient")
	default:
		if ratio = diff / (float64(gradient.Mean) + noDivision); finite(ratio) {
			return ratio, from, true
		}
		rep.Skip(rule.SkipNonFinite)
	}
	return 0, 0, false
}

// first are at most n elements.
func first[T any](x []T, n int) []T { return x[:min(len(x), n)] }
