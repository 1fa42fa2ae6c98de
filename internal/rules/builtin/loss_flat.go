package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// lossFlat looks for a training whose weights move and whose loss does not.
var lossFlat = rule.Definition{
	Name: "loss_flat", Class: "LossFlat", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  slices.Concat(lossFlatChecks, rule.Index(standingChecks)),
	Summary: "The weights change, but the loss stays at chance level.",
	Why:     "The labels do not depend on what the model sees: they are shuffled relative to the inputs, or the signal is lost before the loss.",
	Parameters: []rule.Parameter{
		{Name: "min_steps", Type: rule.Int, Default: "100", Range: rule.AtLeast(50), Unit: "mode steps", Meaning: "least length of a job that is judged at its end"},
		{Name: "live_steps", Type: rule.Int, Default: "1000", Range: rule.AtLeast(100), Unit: "mode steps", Meaning: "after how many the verdict comes while the job goes on"},
		{Name: "tolerance", Type: rule.Float, Default: "0.03", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "how far below the baseline loss the loss may be and still count as chance level"},
		{Name: "least_move", Type: rule.Float, Default: "0.005", Range: rule.Above(0), Unit: "ratio", Meaning: "weights that change by this share of their size within 50 steps count as trained"},
	},
	CauseClass: "labels",
	Lacks:      "no loss was captured",
	Causes: []string{
		"labels that do not belong to the inputs (shuffled separately, or the wrong column)", "input that carries no signal", "a model whose output does not depend on its input",
		"layers that no gradient reaches, or that are frozen at their random initial values", "units that are all dead or saturated", "a learning rate that is far too high, or too low",
		"nearly all labels are of one class, without class weights or resampling", "a loss term that outweighs the reconstruction error",
	},
	Remedies: []string{
		"inspect some pairs of input and label just before the model", "check that both are shuffled with the same permutation",
		"overfit a single batch: if even that fails, the model or the loss is wrong",
	},
	Explains: []string{"too_few_updates"},
	// What moves weights, or is judged by a loss that stays, is not why nothing was ever different by a bit.
	ExplainsAlwaysBy: map[string][]string{
		"zero_gradients":     followsFromNothing,
		"constant":           followsFromNothing,
		"constant_gradients": {"vanishing_gradient"},
	},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why: "Many trainings stay flat for a while before they begin, so the verdict comes at the end of the job, or after a thousand steps. The loss must lie where a baseline that knows only the label frequencies is, " +
			"which takes labels that were seen (where there are two, half of the tolerance; for values their variance, 200 steps, and labels of the shape of the input, as noise has that is to be found), must not have fallen beyond its own noise (three standard errors, half a per cent) since the first quarter, and the weights must move. A loss that is the same to the last bit " +
			"over different batches needs nothing else, nor does one that is the same, or zero, for 50 steps and more while no gradient changes by a bit either. Labels are named only when nothing else explains a guess: a part without gradient, one that is frozen as it was initialised, weights without a gradient left, or ones that creep one way. Where one class makes 97 % of the labels and the loss has no weights, six tenths of the baseline loss that stay flat show that rare classes are not separated. Where a penalty or a weight decay is known, weight matrices of which none keeps a twentieth of its first size say enough; with a decay of 0.02 that is added to gradients, or 1 that is not, so do half of their size and half of the baseline loss that stays flat. An autoencoder whose whole loss, with the divergence or the penalty on its units, is at the end what it is for the mean of all samples (4 % of the way to the least that there is) holds nothing in its code.",
	},
	Needs: func(p rule.Params) []rule.Need {
		return append(motionNeeds(), rule.Need{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats})
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &flat{steps: p.Int("min_steps"), live: p.Int("live_steps"), tolerance: p.Float("tolerance"), move: p.Float("least_move")}
		r.state.Motion, r.state.Same, r.state.Stands.First = newWeightMotion(), true, map[string][3]float64{}
		return r, nil
	},
}

type flat struct {
	steps, live     int64
	tolerance, move float64
	state           struct {
		Curve  lossCurve    `json:"curve"`
		Motion weightMotion `json:"motion"`
		Kind   lossKind     `json:"kind"`
		Own    ownData      `json:"own"`
		Same   bool         `json:"same"`  // all losses were equal to the last bit
		Batch  bool         `json:"batch"` // batches differ
		Fired  bool         `json:"fired"`
		Still  stillParts   `json:"still"` // layers that do not learn
		Drawn  string       `json:"drawn"` // what draws weights to 0
		Strong string       `json:"strong,omitempty"`
		Stands standing     `json:"stands"`
	}
}

func (r *flat) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}, {Collections: []string{"weights"}}, {Collections: []string{"gradients"}}}
}
func (r *flat) Save() ([]byte, error)  { return save(&r.state) }
func (r *flat) Restore(b []byte) error { return restore(b, &r.state) }

func (r *flat) Facts(f *rule.Facts, rep *rule.Report) {
	r.state.Kind = kindOfLoss(f)
	r.state.Own.facts(f)
	r.state.Batch = f.Inputs != nil && f.Inputs.Distinct > 1
	r.state.Still.take(f)
	r.state.Drawn, r.state.Strong = drawnBy(f), strongDecay(f)
	if f.Graph != nil {
		r.state.Stands.Factors = f.Graph.ZeroFactors
	}
}

func (r *flat) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || r.state.Fired {
		return
	}
	r.state.Own.step(v)
	c := &r.state.Curve
	if x, ok := c.step(v.ModeStep, v.Scalars(0)); ok {
		rep.Inspect(1)
		r.state.Same = r.state.Same && x == c.First[0]
	}
	r.state.Motion.weights(v, v.Tensors(1))
	gradients := v.Tensors(2)
	r.state.Motion.gradients(v, gradients)
	r.state.Stands.gradients(v, gradients)
	if c.N >= r.live && c.N%100 == 0 {
		r.judge(rep)
		r.stands(rep)
	}
}

// Finish judges a shorter job.
func (r *flat) Finish(rep *rule.Report) {
	if r.state.Fired || rep.Cut {
		return
	}
	if r.state.Curve.N >= r.steps {
		r.judge(rep)
	}
	r.stands(rep)
	switch c, m := &r.state.Curve, &r.state.Motion; {
	case c.N == 0 || r.state.Fired:
	case c.unusable() != "" || r.state.Kind.Optimisers > 1:
		rep.NotJudged(cmp.Or(c.unusable(), rivals))
	case r.state.Own.made():
		rep.NotJudged(whyOwnData)
	case c.N < r.steps:
		rep.NotJudged(fmt.Sprintf("%s captured; it takes %d", losses64(c.N), r.steps))
	case len(m.First) == 0 && !m.Felt && !m.Odd && r.state.Kind.Guess == 0:
		rep.NotJudged("neither weights nor labels were captured")
	}
}

func (r *flat) judge(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	if !c.usable() || k.Optimisers > 1 || r.state.Own.made() {
		return
	}
	moved := r.state.Motion.Fast
	if r.state.Same && !r.state.Stands.Pull {
		r.stands(rep)
	}
	if r.state.Fired {
		return
	}
	if r.state.Same && r.state.Batch && c.First[0] != 0 {
		r.constant(rep)
		return
	}
	if r.shrunk(rep) || r.heldDown(rep) {
		return
	}
	if k.Rare > 0 && !k.summed() && r.imbalanced(rep, c.share(0.75, 1)) {
		return
	}
	if moved >= r.move && !r.state.Motion.Half && r.outweighed(rep) { // rounding may hold the code back, too
		return
	}
	if k.Guess <= 0 || k.summed() || k.Elements < 100 || moved < r.move {
		return
	}
	if !k.classifies() {
		r.values(rep)
		return
	}
	if k.Beside {
		return
	}
	guess, uniform := min(k.Guess, k.Uniform), k.Uniform
	tolerance := r.tolerance
	if k.Classes < 3 { // yes or no may be hard to foretell
		tolerance /= 2
	}
	level := c.share(0.75, 1)
	if k.Pairs && k.Spread > 0 && k.Spread < narrowLogits && r.narrow(rep, level) {
		return
	}
	if k.Terms == 2 && max(level, c.begin()) > 1.5*uniform { // two losses of one kind, one of each side of a pair
		guess, uniform = 2*guess, 2*uniform
	}
	if k.Places > 0 && level >= maskLevel*guess { // near the edges it does
		guess = min(guess, k.Places)
	}
	if level < (1-tolerance)*guess || level > 1.15*uniform || c.share(0.5, 0.75)-level > r.tolerance/2*guess || still(c) {
		return
	}
	r.state.Fired = true
	v := rule.Violation{
		Check: "chance_level", Subject: c.Name, Observed: level, Threshold: (1 - tolerance) * guess, Comparator: ">=", Severity: rule.Warning, Steps: int(c.N),
		Context: map[string]any{"first_mean": c.share(0, 0.25), "last_mean": level, "guess": guess, "uniform_guess": uniform, "classes": k.Classes, "largest_move": moved, "last_values": slices.Clone(c.tail(20))},
	}
	r.explain(&v, fmt.Sprintf("The network learns nothing from its inputs: after %d steps the %s is %s; a baseline that knows only the label frequencies reaches %s", c.N, called("loss", c.Name), c.quarter(), num(guess)))
	rep.Violate(v)
}

// maskLevel is the share of a guess's loss over all pixels alike that is left, at
// least, when nothing is learnt of masks.
const maskLevel = 0.9

// narrowLogits is how near to each other all similarities of a batch of pairs
// lie, at most, when a temperature has squeezed them.
const narrowLogits = 0.5

// narrow judges a contrastive training whose similarities were multiplied by
// the temperature, or divided by a large one: no pair can stand out, so the loss
// stays near that of a guess whatever is learnt.
func (r *flat) narrow(rep *rule.Report, level float64) bool {
	c, k := &r.state.Curve, &r.state.Kind
	share := level / k.Uniform
	if k.Terms == 2 && share > 1.5 {
		share /= 2
	}
	if share < 0.9 || share > 1.1 || still(c) {
		return false
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "temperature", Subject: c.Name, Observed: k.Spread, Threshold: narrowLogits, Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "loss", Cause: "the similarities are multiplied by the temperature instead of divided by it",
		Remedy:  "divide the similarities by a temperature of 0.05 to 0.5 before cross_entropy",
		Message: fmt.Sprintf("The similarities of the %s pairs of a batch differ by at most %s, so cross_entropy cannot separate them: after %d steps the %s is %s, which is %s %% of the chance level. Divide them by the temperature.", num(k.Classes), num(k.Spread), c.N, called("loss", c.Name), c.quarter(), num(math.Round(100*share))),
		Context: map[string]any{"first_mean": c.share(0, 0.25), "last_mean": level, "uniform_guess": k.Uniform, "spread": k.Spread, "last_values": slices.Clone(c.tail(20))},
	})
	return true
}

// rareLevel is the share of a guess's loss that is left, at least, when rare
// classes are not told apart.
const rareLevel = 0.6

// imbalanced judges a classifier that is shown hardly anything but one class, in
// a loss without weights: it does best by saying that class for nearly all.
func (r *flat) imbalanced(rep *rule.Report, level float64) bool {
	c, k := &r.state.Curve, &r.state.Kind
	n := float64(k.RareLabels)
	least := k.Rare - math.Sqrt(k.Rare*(1-k.Rare)/n) // few rare labels were seen: they may be rarer
	if level < rareLevel*entropy(map[string]int64{"rare": int64(least * n), "others": int64((1 - least) * n)}) || level > 1.3*k.Guess || c.begin() < 2*level || c.share(0.5, 0.75)-level > 0.1*k.Guess || still(c) {
		return false // it never fell: something else is wrong
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "imbalance", Subject: c.Name, Observed: k.Rare, Threshold: mostRare, Comparator: "<=", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "imbalance", Cause: "nearly all labels are of one class, without class weights or resampling",
		Remedy: "use class weights (weight, pos_weight) or oversampling (WeightedRandomSampler), and evaluate recall or average precision instead of accuracy",
		Message: fmt.Sprintf("Only the majority class is learnt: %s of %s labels are class %s, all with equal weight. After %d steps the %s is %s (label-frequency baseline: %s). Predicting class %s for nearly every sample looks like an accuracy of %s.",
			percent(1-k.Rare), num(float64(k.RareLabels)), k.Common, c.N, called("loss", c.Name), c.quarter(), num(k.Guess), k.Common, percent(1-k.Rare)),
		Context: map[string]any{"rare_share": k.Rare, "labels": k.RareLabels, "last_mean": level, "guess": k.Guess, "last_values": slices.Clone(c.tail(20))},
	})
	return true
}

// valueSteps is the least length of a training whose labels are values: how far
// a guess is off has to be estimated from the first of them.
const valueSteps = 200

// values judges a regression whose labels are hidden in the input, as noise is
// that was added to it: of others nobody can report whether the input says more of
// them, and of prices or measurements it may be next to nothing. Who knows only the mean of the labels has their
// variance as loss; a loss that has never been clearly below it, nor lower in
// one part of the training than in another, has nothing from the input.
func (r *flat) values(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	if !k.Certain || !k.Alike || k.Function != "mse_loss" || k.Elements < 1000 || c.N < valueSteps {
		return
	}
	level := c.share(0.75, 1)
	lowest, _ := c.lowest(highSteps)
	if level < 0.95*k.Guess || level > 1.15*k.Guess || lowest < 0.75*k.Guess || c.share(0, 0.25)-level > r.tolerance*level || math.Abs(c.share(0.25, 0.5)-level) > r.tolerance*level || still(c) {
		return
	}
	r.state.Fired = true
	v := rule.Violation{
		Check: "chance_level", Subject: c.Name, Observed: level, Threshold: 0.95 * k.Guess, Comparator: ">=", Severity: rule.Warning, Steps: int(c.N),
		Context: map[string]any{"first_mean": c.share(0, 0.25), "last_mean": level, "guess": k.Guess, "largest_move": r.state.Motion.Fast, "last_values": slices.Clone(c.tail(20))},
	}
	r.explain(&v, fmt.Sprintf("The network learns nothing from its inputs: after %d steps the %s is %s; a constant predictor (the mean of the labels) reaches %s", c.N, called("loss", c.Name), c.quarter(), num(k.Guess)))
	rep.Violate(v)
}

// still reports whether the loss is still falling at the end: it may be about to
// begin.
func still(c *lossCurve) bool {
	last := c.tail(recentKept)
	return fell(last[:len(last)/2], last[len(last)/2:])
}

func (r *flat) constant(rep *rule.Report) {
	c := &r.state.Curve
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "constant", Subject: c.Name, Observed: c.First[0], Threshold: c.First[0], Comparator: "=", Severity: rule.Warning, Steps: int(c.N),
		CauseClass: "structure", Cause: "the loss does not depend on the input: a softmax over an axis of length 1, a detached output, or dead units only",
		Remedy:  "print the model's output and the labels just before the loss, for two different batches",
		Message: fmt.Sprintf("The loss is constant: the %s is %s at each of %d steps, whatever the batch.", called("loss", c.Name), num(c.First[0]), c.N),
		Context: map[string]any{"largest_update": math.Max(0, r.state.Motion.largest().Ratio)},
	})
}
