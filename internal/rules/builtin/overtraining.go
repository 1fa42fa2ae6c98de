package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// overtraining counts the points since each of the two losses reached its best
// value.
var overtraining = rule.Definition{
	Name: "overtraining", Class: "Overtraining", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  overtrainingChecks,
	Summary: "Neither the training nor the validation loss improves any more while training continues.",
	Why:     "Time is wasted now, and overfitting comes next.",
	Parameters: []rule.Parameter{
		pairedRegex,
		{Name: "patience_train", Type: rule.Int, Default: "5", Range: rule.AtLeast(1), Unit: "recorded points", Meaning: "points without improvement of the training loss"},
		{Name: "patience_validation", Type: rule.Int, Default: "10", Range: rule.AtLeast(1), Unit: "recorded points", Meaning: "validation passes without improvement of their mean loss"},
		{Name: "delta", Type: rule.Float, Default: "0.01", Range: rule.AtLeast(0), Unit: "loss units", Meaning: "an improvement has to exceed this to count"},
		{Name: "combine", Type: rule.String, Default: "and", Choices: []string{"and", "or", "validation"}, Meaning: "which loss has to be flat when both were saved: both, any, or validation"},
		everyFixed("500"),
	},
	CauseClass: "epochs",
	Causes:     []string{"training past the optimum"},
	Remedies:   []string{"use early stopping, with the patience seen here", "restore the best checkpoint"},
	Asks:       []rule.Advice{rule.StopEarly},
	Explains:   []string{"loss_not_decreasing"},
	Needs:      pairedNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		r := &overtrained{
			sel: pairedLosses(p), train: int(p.Int("patience_train")), validation: int(p.Int("patience_validation")),
			delta: p.Float("delta"), combine: p.String("combine"), every: p.Int("every"),
		}
		r.state.Losses, r.state.Pairs = twoLosses{}, map[string]*stalePair{}
		return r, nil
	},
}

type overtrained struct {
	sel               rule.Selector
	train, validation int
	delta             float64
	combine           string
	every             int64
	state             struct {
		Losses twoLosses             `json:"losses"`
		Pairs  map[string]*stalePair `json:"pairs"`
	}
}

// stalePair is how long each side of a pair has not improved.
type stalePair struct {
	Train      staleSeries `json:"train"`
	Validation staleSeries `json:"validation"`
	Since      int         `json:"since"` // recorded points since the condition turned true; 0: it is not
}

type staleSeries struct {
	Points int64         `json:"points"`
	Best   rule.Number   `json:"best"`
	At     int64         `json:"at"` // global step of the best
	Stale  int           `json:"stale"`
	Values []rule.Number `json:"values"` // the last 50
}

// add takes a point; an improvement has to exceed delta.
func (s *staleSeries) add(x float64, step int64, delta float64) {
	s.Values = lastOf(append(s.Values, rule.Number(x)), 50)
	best := float64(s.Best)
	if s.Points == 0 {
		best = math.Inf(1)
		s.Best, s.At = rule.Number(best), step
	}
	s.Points++
	if finite(x) && best-x > delta {
		s.Best, s.At, s.Stale = rule.Number(x), step, 0
		return
	}
	s.Stale++
}

func (r *overtrained) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *overtrained) Save() ([]byte, error)   { return save(&r.state) }
func (r *overtrained) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *overtrained) Step(v *rule.View, rep *rule.Report) {
	r.judge(r.state.Losses.step(v, meanLosses(v, 0)), onInterval(v.ModeStep, r.every), rep)
}

// Finish judges the pass that the job ended with.
func (r *overtrained) Finish(rep *rule.Report) { r.judge(r.state.Losses.close(), true, rep) }

// judge takes the points of a step; training points count on the rule's own
// interval.
func (r *overtrained) judge(events []lossEvent, due bool, rep *rule.Report) {
	for _, e := range events {
		if !e.evaluation && !due {
			continue
		}
		p := r.state.Pairs[e.pair]
		if p == nil {
			p = &stalePair{}
			r.state.Pairs[e.pair] = p
		}
		rep.Inspect(1)
		if e.evaluation {
			p.Validation.add(e.validation, e.step, r.delta)
		} else {
			p.Train.add(e.train, e.step, r.delta)
		}
		r.decide(e.pair, p, rep)
	}
}

func (r *overtrained) decide(pair string, p *stalePair, rep *rule.Report) {
	train, validation := p.Train.Stale >= r.train, p.Validation.Stale >= r.validation
	stale := train && validation
	switch {
	case p.Validation.Points == 0:
		stale = train
	case p.Train.Points == 0 || r.combine == "validation":
		stale = validation
	case r.combine == "or":
		stale = train || validation
	}
	if !stale {
		p.Since = 0
		return
	}
	p.Since++
	if (p.Since-1)%r.validation != 0 {
		return
	}
	v := rule.Violation{
		Check: "no_improvement", Subject: pair, Comparator: ">=", Steps: p.Train.Stale + p.Validation.Stale,
		Context: map[string]any{"delta": r.delta, "combine": r.combine},
	}
	evidence := func(side string, s *staleSeries) {
		v.Context[side+"_best"], v.Context[side+"_best_step"], v.Context[side+"_points_since"] = float64(s.Best), s.At, s.Stale
		v.Context[side+"_values"] = append([]rule.Number(nil), s.Values...)
	}
	if p.Train.Points > 0 {
		evidence("training", &p.Train)
	}
	best, what, unit := &p.Train, "training", "recorded point"
	v.Threshold = float64(r.train)
	if p.Validation.Points > 0 {
		evidence("validation", &p.Validation)
		if validation {
			best, what, unit, v.Threshold = &p.Validation, "validation", "pass", float64(r.validation)
		}
	}
	v.Observed = float64(best.Stale)
	v.Context["series"], v.Context["unit"] = what, map[string]string{"pass": "passes"}[unit]
	if unit != "pass" {
		v.Context["unit"] = unit + "s"
	}
	since := plural(best.Stale, unit)
	if unit == "pass" && best.Stale != 1 {
		since = fmt.Sprintf("%d passes", best.Stale)
	}
	both := ""
	if train && validation {
		both = "; the training loss is flat, too"
	}
	v.Message = fmt.Sprintf("The %s %s has not improved for %s: its best value was %s%s.", what, called("loss", pair), since, num(float64(best.Best)), both)
	rep.Violate(v)
}
