package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	neverPasses = 5    // evaluations
	neverTrain  = 0.95 // of a guess's loss: what is left of the training loss
	neverApart  = 0.08 // of a guess's loss: how far the two lie apart at the end
	neverBest   = 0.97 // of a guess's loss: the least that a validation loss has, but for luck
	neverFirst  = 1.3  // the same: where it begins, at the most
)

// never judges at the end what was not found to overfit: the training data are
// being learnt, and of others nothing is, from the first evaluation to the last.
// What is learnt is which label belongs to which sample, and not why.
func (r *validationRise) never(rep *rule.Report) {
	k := &r.state.Kind
	if r.state.Odd || rep.Cut || k.Guess <= 0 || k.summed() || k.Pairs || k.Beside || k.Elements < 100 || !k.classifies() {
		return
	}
	guess := k.Guess
	for _, name := range slices.Sorted(maps.Keys(r.state.Pairs)) {
		p := r.state.Pairs[name]
		if p.Fired || p.N < neverPasses || !p.guesses(guess) {
			continue
		}
		last := p.Curve[len(p.Curve)-1]
		if float64(last.Validation) < guess || float64(last.Validation-last.Train) < neverApart*guess || slices.ContainsFunc(p.Curve[len(p.Curve)-3:], func(e evaluationPoint) bool { return float64(e.Train) > neverTrain*guess }) {
			continue
		}
		p.Fired = true
		r.tell(rule.Violation{
			Check: "never_better", Subject: name, Observed: float64(p.Best.Validation) / guess, Threshold: neverBest, Comparator: ">=", Severity: rule.Warning, Steps: p.N,
			CauseClass: "labels", Cause: neverCause,
			Remedy: "inspect some pairs of input and label just before the model; check that both are shuffled with the same permutation; if they match, collect more data or use a smaller model",
			Asks:   []rule.Advice{rule.SmallerModel},
			Message: fmt.Sprintf("The model does not generalise: the training %s fell to %s, but the validation loss was never below %s in %d evaluations; a baseline that knows only the label frequencies reaches %s.%s",
				called("loss", cmp.Or(p.Partner, name)), num(float64(last.Train)), num(float64(p.Best.Validation)), p.N, num(guess), p.Told),
			Context: map[string]any{"guess": guess, "best": float64(p.Best.Validation), "first_validation": p.First, "first_training": p.FirstTrain, "training": last.Train, "validation": last.Validation, "curve": slices.Clone(p.Curve)},
		}, rep)
	}
}

const neverCause = "labels that do not belong to the inputs (shuffled separately, or the wrong column) and can only be memorised; or too few samples"

// guesses reports whether the validation loss was that of a guess, or worse, all
// the time, and the training loss began there.
func (p *turning) guesses(guess float64) bool {
	return p.First <= neverFirst*guess && float64(p.Best.Validation) >= neverBest*guess && math.Abs(p.FirstTrain/guess-1) <= neverFirst-1
}
