package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	constantPasses = 4    // evaluations
	constantWithin = 1e-6 // of the first value: sums in another order differ less
	constantTrain  = 0.8  // of the training loss at the first of them: what is left of it
)

// constantCheck is about a validation loss that is the same number in each evaluation
// while the training loss falls: what is evaluated is not what is trained.
var constantCheck = rule.Check{
	ID: "overfit/validation_constant", Files: []string{"validation_constant.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral, Status: rule.Experimental,
	When:     "The validation loss is the same number in each evaluation, at least four, while the training loss falls by a fifth or more.",
	Evidence: "validation loss {validation} in each of {evaluations} evaluations; training loss {training}: {observed:%} of the {first_training} at the first, limit {threshold:%}",
	Cause:    "the model that is evaluated is another one than the one that is trained: a copy or an average of its weights that is never updated, or weights that are loaded again before each evaluation",
	Remedy:   "evaluate the model whose parameters the optimiser has, or update the copy after each optimizer.step()",
}

// constantly judges a pair whose validation loss has not changed since the first
// evaluation. Numbers that were rounded before they were logged do not count.
func (r *validationRise) constantly(p *turning, e lossEvent, rep *rule.Report) {
	if math.Abs(e.validation-p.First) > constantWithin*math.Abs(p.First) {
		p.Changes = true
	}
	if p.Changes || p.Constant || r.state.Boosting || p.N < constantPasses || roundNumber(p.First) || e.train > constantTrain*p.FirstTrain {
		return
	}
	p.Constant = true
	rep.Violate(rule.Violation{
		Check: "validation_constant", Subject: e.pair, Observed: e.train / p.FirstTrain, Threshold: constantTrain, Comparator: "<=", Steps: p.N,
		CauseClass: constantCheck.CauseClass,
		Cause:      constantCheck.Cause, Remedy: constantCheck.Remedy,
		Message: fmt.Sprintf("The model that is evaluated does not change: the validation %s was %s in each of %d evaluations, while the training %s fell from %s to %s.",
			called("loss", e.pair), num(e.validation), p.N, called("loss", cmp.Or(e.partner, e.pair)), num(p.FirstTrain), num(e.train)),
		Context: map[string]any{"validation": e.validation, "evaluations": p.N, "first_training": p.FirstTrain, "training": e.train, "curve": slices.Clone(p.Curve)},
	})
}

// roundNumber reports whether a number has so few digits that it may have been rounded, or
// that it counts something.
func roundNumber(v float64) bool {
	scaled := v * 1e4
	return math.Abs(scaled-math.Round(scaled)) < 1e-6*max(1, math.Abs(scaled))
}
