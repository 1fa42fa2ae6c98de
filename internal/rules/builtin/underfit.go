package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// underfit looks for two losses that stand still close to each other, high up.
var underfit = rule.Definition{
	Name: "underfit", Class: "Underfit", Aliases: []string{"underfitting", "Underfitting"}, Family: rule.Tensors, Severity: rule.Warning,
	Checks:  underfitChecks,
	Summary: "Training and validation loss are both flat while they are still high.",
	Why:     "The model is too small, or the learning rate too low, to fit the data.",
	Parameters: []rule.Parameter{
		pairedRegex,
		{Name: "patience", Type: rule.Int, Default: "5", Range: rule.AtLeast(2), Unit: "evaluations", Meaning: "window: over how many evaluations the losses are examined"},
		{Name: "ratio_threshold", Type: rule.Float, Default: "0.1", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "maximum gap between the two, as a share of the training loss"},
		{Name: "min_decrease_percent", Type: rule.Float, Default: "1.0", Range: rule.Above(0), Unit: "percent", Meaning: "a smaller decrease counts as none"},
		{Name: "baseline", Type: rule.Float, Optional: true, Unit: "loss units", Meaning: "a training loss above this is high; None: half of its first value"},
		every("500"),
	},
	CauseClass: "structure",
	Causes:     []string{"a model that is too small", "training that is too short, or a learning rate that is too low", "too much regularisation"},
	Remedies:   []string{"use a larger model", "train longer", "raise the learning rate", "use less regularisation"},
	Asks:       []rule.Advice{rule.LargerModel, rule.TrainLonger, rule.RaiseLearningRate, rule.RegulariseLess},
	Explains:   []string{"loss_not_decreasing", "overtraining"},
	Needs:      pairedNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		r := &underfitting{sel: pairedLosses(p), patience: int(p.Int("patience")), ratio: p.Float("ratio_threshold"), fall: p.Float("min_decrease_percent"), baseline: math.NaN()}
		if p.Has("baseline") {
			r.baseline = p.Float("baseline")
		}
		r.state.Losses, r.state.Pairs = twoLosses{}, map[string]*underfitPair{}
		return r, nil
	},
}

type underfitting struct {
	sel      rule.Selector
	patience int
	ratio    float64
	fall     float64
	baseline float64 // NaN: half of the first value
	state    struct {
		Losses twoLosses                `json:"losses"`
		Pairs  map[string]*underfitPair `json:"pairs"`
	}
}

type underfitPair struct {
	First rule.Number       `json:"first"` // training loss
	Begun bool              `json:"begun"` // there is a first
	Curve []evaluationPoint `json:"curve"` // as many as are looked at
	Since int               `json:"since"` // evaluations since it turned true; 0: it is not
}

func (r *underfitting) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *underfitting) Save() ([]byte, error)   { return save(&r.state) }
func (r *underfitting) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *underfitting) Step(v *rule.View, rep *rule.Report) {
	r.judge(r.state.Losses.step(v, meanLosses(v, 0)), rep)
}

// Finish judges the pass that the job ended with.
func (r *underfitting) Finish(rep *rule.Report) {
	r.judge(r.state.Losses.close(), rep)
	for _, p := range r.state.Pairs {
		if len(p.Curve) > 0 {
			return
		}
	}
	rep.Note(noValidation)
}

func (r *underfitting) judge(events []lossEvent, rep *rule.Report) {
	for _, e := range events {
		p := r.state.Pairs[e.pair]
		if p == nil {
			p = &underfitPair{}
			r.state.Pairs[e.pair] = p
		}
		switch {
		case !p.Begun && e.known && finite(e.train):
			p.First, p.Begun = rule.Number(e.train), true
		case !e.evaluation:
			continue
		}
		switch {
		case !e.evaluation:
			continue
		case !e.known:
			rep.Skip("no_training_loss")
			continue
		case !finite(e.train) || !finite(e.validation):
			rep.Skip(rule.SkipNonFinite)
			p.Curve, p.Since = p.Curve[:0], 0
			continue
		}
		rep.Inspect(1)
		p.Curve = lastOf(append(p.Curve, evaluationPoint{e.step, rule.Number(e.train), rule.Number(e.validation)}), r.patience)
		r.decide(e, p, rep)
	}
}

func (r *underfitting) decide(e lossEvent, p *underfitPair, rep *rule.Report) {
	high := r.baseline
	if math.IsNaN(high) {
		high = 0.5 * float64(p.First)
	}
	first := p.Curve[0]
	fell := math.Max(fallPercent(float64(first.Train), e.train), fallPercent(float64(first.Validation), e.validation))
	if len(p.Curve) < r.patience || fell >= r.fall || math.Abs(e.validation-e.train) > r.ratio*math.Abs(e.train) || e.train <= high {
		p.Since = 0
		return
	}
	p.Since++
	if (p.Since-1)%r.patience != 0 {
		return
	}
	rep.Violate(rule.Violation{
		Check: "stands_still_high", Subject: e.pair, Observed: e.train, Threshold: high, Comparator: ">", Steps: r.patience,
		Message: fmt.Sprintf("The model underfits: the %s is flat at %s in training and %s in validation; over %d evaluations neither fell by %s %%.%s",
			called("loss", e.pair), num(e.train), num(e.validation), r.patience, num(r.fall), e.told()),
		Context: map[string]any{"training": e.train, "validation": e.validation, "largest_fall_percent": fell, "first_training": float64(p.First), "curve": slices.Clone(p.Curve)},
	})
}

// fallPercent is by how much a value fell, in per cent of what it was.
func fallPercent(from, to float64) float64 { return 100 * (from - to) / max(math.Abs(from), 1e-12) }
