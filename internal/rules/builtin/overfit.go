package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// overfit compares the validation loss with the training loss at the end of
// each validation pass.
var overfit = rule.Definition{
	Name: "overfit", Class: "Overfit", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  slices.Concat(overfitChecks, rule.Index(elsewhereChecks)),
	Summary: "The validation loss is above the training loss by more than a margin, for several evaluations.",
	Why:     "The model memorises instead of generalising.",
	Parameters: []rule.Parameter{
		pairedRegex,
		{Name: "rise", Type: rule.Float, Default: "0", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "when above 0, judge instead whether the validation loss has risen from its best by this share and beyond its noise, for patience evaluations, while the training loss went on falling"},
		{Name: "start_step", Type: rule.Int, Default: "0", Range: rule.AtLeast(0), Unit: "global steps", Meaning: "ignore everything before"},
		{Name: "patience", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "evaluations", Meaning: "how many in a row have to exceed the margin"},
		{Name: "ratio_threshold", Type: rule.Float, Default: "0.1", Range: rule.Above(0), Unit: "ratio", Meaning: "allowed (V - T) / T of validation loss V and training loss T"},
		every("500"),
	},
	CauseClass: "overfit",
	Lacks:      "no loss of an evaluation was captured",
	Causes:     []string{"too little data", "a model that is too large", "no regularisation"},
	Remedies:   []string{"augment the data", "add dropout or weight decay", "stop early", "use a smaller model"},
	Asks:       []rule.Advice{rule.RegulariseMore, rule.StopEarly, rule.SmallerModel},
	Default: &rule.Preset{
		Params: map[string]string{"rise": "0.2", "patience": "3", "every": "1"},
		Why: "A validation loss above the training loss is normal. So it has to lie a fifth above its own best, by more than four standard deviations of its noise, in three evaluations in a row after that best, while the " +
			"training loss has gone on falling since. That best has to be below the loss of a constant predictor, where that is known. Both have to begin at the same scale, and the rise has to be five per cent of the first validation loss. A classifier whose training loss is below that of a guess, while its validation loss never was in five evaluations and more, is reported at the end: the one by a twentieth of the baseline loss, and both a twelfth of it apart. Where the validation loss lay a tenth above that of a constant predictor in each of three evaluations and more, and the training loss fell to eight tenths of the baseline loss, the two do not mean the same; for that they have to begin within a factor of three, as a sum and a mean do not.",
	},
	Needs: pairedNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		if p.Float("rise") > 0 {
			return newValidationRise(p), nil
		}
		r := &overfitting{sel: pairedLosses(p), patience: int(p.Int("patience")), ratio: p.Float("ratio_threshold")}
		r.state.Losses, r.state.Pairs = twoLosses{}, map[string]*overfitPair{}
		return r, nil
	},
}

type overfitting struct {
	sel      rule.Selector
	patience int
	ratio    float64
	state    struct {
		Losses twoLosses               `json:"losses"`
		Pairs  map[string]*overfitPair `json:"pairs"`
	}
}

type overfitPair struct {
	Evaluations int64             `json:"evaluations"`
	Above       int               `json:"above"` // in a row
	Curve       []evaluationPoint `json:"curve"` // the last 50
}

func (r *overfitting) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *overfitting) Save() ([]byte, error)   { return save(&r.state) }
func (r *overfitting) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *overfitting) Step(v *rule.View, rep *rule.Report) {
	r.judge(r.state.Losses.step(v, meanLosses(v, 0)), rep)
}

// Finish judges the pass that the job ended with.
func (r *overfitting) Finish(rep *rule.Report) {
	r.judge(r.state.Losses.close(), rep)
	if len(r.state.Pairs) == 0 {
		rep.Note(noValidation)
	}
}

func (r *overfitting) judge(events []lossEvent, rep *rule.Report) {
	for _, e := range events {
		if !e.evaluation {
			continue
		}
		p := r.state.Pairs[e.pair]
		if p == nil {
			p = &overfitPair{}
			r.state.Pairs[e.pair] = p
		}
		p.Evaluations++
		if !e.known {
			rep.Skip("no_training_loss")
			continue
		}
		p.Curve = lastOf(append(p.Curve, evaluationPoint{e.step, rule.Number(e.train), rule.Number(e.validation)}), 50)
		above := (e.validation - e.train) / max(math.Abs(e.train), 1e-12)
		if !finite(above) {
			rep.Skip(rule.SkipNonFinite)
			continue
		}
		rep.Inspect(1)
		if above <= r.ratio {
			p.Above = 0
			continue
		}
		if p.Above++; p.Above < r.patience {
			continue
		}
		rep.Violate(rule.Violation{
			Check: "ratio", Subject: e.pair, Observed: above, Threshold: r.ratio, Comparator: ">", Steps: p.Above,
			Message: fmt.Sprintf("The model may be overfitting: the validation %s (%s) is %s %% above the training %s (%s), for %s in a row.%s",
				called("loss", e.pair), num(e.validation), num(math.Round(1000*above)/10), called("loss", cmp.Or(e.partner, e.pair)), num(e.train), plural(p.Above, "evaluation"), e.told()),
			Context: map[string]any{"evaluation": p.Evaluations, "validation": e.validation, "training": e.train, "in_a_row": p.Above, "curve": slices.Clone(p.Curve)},
		})
	}
}
