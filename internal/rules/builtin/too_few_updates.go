package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// tooFewUpdates looks at the end of the job for a loss that was still on its
// way down.
var tooFewUpdates = rule.Definition{
	Name: "too_few_updates", Class: "TooFewUpdates", Family: rule.Tensors, Severity: rule.Info,
	Checks:  tooFewUpdatesChecks,
	Summary: "The job ended while the loss was still falling steeply.",
	Why:     "A model that is still improving fast is worth training longer.",
	Parameters: []rule.Parameter{
		{Name: "min_steps", Type: rule.Int, Default: "20", Range: rule.AtLeast(10), Unit: "mode steps", Meaning: "a shorter job counts as a trial and is not judged"},
		{Name: "expected_fall", Type: rule.Float, Default: "0.3", Range: rule.Between(0, 1).OpenMin(), Unit: "ratio", Meaning: "a loss that would fall by this share in as many more steps, slowing down at the same rate, is falling steeply"},
		{Name: "few", Type: rule.Int, Default: "60", Range: rule.AtLeast(1), Unit: "mode steps", Meaning: "with fewer updates than this, their number may be the reason that almost nothing was learnt"},
		{Name: "learnt", Type: rule.Float, Default: "0.2", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "a loss that fell by less than this share of the uniform-guessing loss has learnt almost nothing"},
	},
	CauseClass: "epochs",
	Causes:     []string{"too few epochs", "batches so large that an epoch has few updates", "a learning rate that could be higher"},
	Remedies:   []string{"train longer", "use smaller batches", "raise the learning rate"},
	Asks:       []rule.Advice{rule.TrainLonger, rule.RaiseLearningRate},
	ExplainsBy: map[string][]string{"stopping_unused": {"overfit"}},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why: "Many jobs end early on purpose, so it is information, and only from 60 updates on. It is a warning only when fewer than 60 updates were made, the loss began at chance level, and has fallen by less than a fifth of that, while it " +
			"was falling beyond its noise to the end.",
	},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &fewUpdates{steps: p.Int("min_steps"), expected: p.Float("expected_fall"), few: p.Int("few"), learnt: p.Float("learnt")}, nil
	},
}

type fewUpdates struct {
	steps, few       int64
	expected, learnt float64
	state            struct {
		Curve lossCurve `json:"curve"`
		Kind  lossKind  `json:"kind"`
		// Bits is the type of the weights where it has 16 bits, Skipped the updates that were
		// skipped after an overflow.
		Bits    string         `json:"bits,omitempty"`
		Skipped int64          `json:"skipped,omitempty"`
		Unused  unusedSettings `json:"unused,omitzero"`
	}
}

func (r *fewUpdates) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}}
}
func (r *fewUpdates) Save() ([]byte, error)  { return save(&r.state) }
func (r *fewUpdates) Restore(b []byte) error { return restore(b, &r.state) }
func (r *fewUpdates) Facts(f *rule.Facts, rep *rule.Report) {
	bits, _ := bitsOf(f)
	r.state.Kind, r.state.Bits = kindOfLoss(f), bits.name
	if f.Boosting != nil {
		r.state.Unused = unusedOf(f.Boosting)
	}
}

func (r *fewUpdates) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if v.Skipped {
		r.state.Skipped++
	}
	items := v.Scalars(0)
	name := r.state.Unused.judgedLoss(items)
	if name == "" {
		name = r.state.Curve.choose(items)
	}
	if _, ok := r.state.Curve.follow(name, v.ModeStep, items); ok {
		rep.Inspect(1)
	}
}

func (r *fewUpdates) Finish(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	if r.unused(rep) || c.N == 0 {
		return
	}
	if why := r.unjudged(rep.Cut); why != "" {
		rep.NotJudged(why)
		return
	}
	n := int(min(recentKept, max(c.N/4, min(c.N, 20))))
	last := c.tail(n)
	if !fell(last[:n/2], last[n/2:]) {
		return
	}
	level := mean(last[n/2:])
	fall, start := toCome(c, level), c.begin()
	steep := c.N >= r.few && fall >= r.expected && fall*level >= r.expected/3*start
	little := c.N < r.few && k.Uniform > 0 && !k.summed() && start >= 0.9*k.Uniform && start <= 2*k.Uniform && start-level < r.learnt*k.Uniform
	if level <= 0 || !steep && !little {
		return
	}
	v := rule.Violation{
		Check: "still_falling", Subject: c.Name, Observed: fall, Threshold: r.expected, Comparator: ">=", Severity: rule.Info, Steps: int(c.N),
		Message: fmt.Sprintf("The job ended after %d updates while the %s was still falling: it was %s.",
			c.N, called("loss", c.Name), meanOfLast(level, int64(n-n/2))),
		Context: map[string]any{"updates": c.N, "first": c.First[0], "last_mean": level, "guess": k.Uniform},
	}
	if little {
		v.Severity = rule.Warning
		v.Observed, v.Threshold, v.Comparator = start-level, r.learnt*k.Uniform, "<"
		v.Context["little"] = true
		v.Message = fmt.Sprintf("Almost nothing was learnt in %d updates: the %s went from %s to %s and was still falling when the job ended.", c.N, called("loss", c.Name), c.began(), meanOfLast(level, int64(n-n/2)))
	}
	switch {
	case 4*r.state.Skipped >= c.N:
		v.Message = fmt.Sprintf("%s Of these updates %d were skipped after an overflow.", v.Message, r.state.Skipped)
		v.Cause, v.Remedy = "the loss scaler skips updates after overflows, so few are made", "start with a smaller scale (init_scale), or train longer; look for values beyond float16 if updates are skipped until the end"
		v.Asks = []rule.Advice{rule.TrainLonger}
	case r.state.Bits != "":
		v.Cause = fmt.Sprintf("too few epochs, batches so large that an epoch has few updates, or weights in %s, whose rounding swallows small updates", r.state.Bits)
		v.Remedy = "train longer; use smaller batches; " + keepWide
		v.Asks = []rule.Advice{rule.TrainLonger}
	}
	rep.Violate(v)
}

// unjudged says why the end of the job tells nothing, "" where it does.
func (r *fewUpdates) unjudged(cut bool) string {
	c := &r.state.Curve
	switch {
	case cut:
		return "the job did not come to its end"
	case c.unusable() != "":
		return c.unusable()
	case r.state.Kind.Optimisers > 1:
		return rivals
	case c.N < r.steps:
		return fmt.Sprintf("%s captured; it takes %d", losses64(c.N), r.steps)
	case len(c.Buckets) < 10:
		return "too few losses were captured"
	}
	return ""
}

// toCome is the share by which a loss will fall in as many steps as there were,
// when each tenth of the way is to the one before as the last ones were.
func toCome(c *lossCurve, level float64) float64 {
	a, b := c.share(0.6, 0.8), c.share(0.8, 1)
	d := a - b // in a fifth of the way
	slower := min(0.9, max(0, d/max(c.share(0.4, 0.6)-a, 1e-300)))
	if c.share(0.4, 0.6) <= a {
		slower = 0.5
	}
	sum, next := 0.0, d
	for range 5 {
		next *= slower
		sum += next
	}
	return min(1, sum/level)
}
