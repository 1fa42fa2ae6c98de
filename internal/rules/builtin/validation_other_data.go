package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	elsewherePasses = 3   // evaluations
	elsewhereBest   = 1.1 // of the loss of a constant prediction: the least that a validation loss has
	elsewhereTrain  = 0.8 // of a guess's loss: what is left of the training loss, at most
)

// elsewhere is a pair of losses at the end of a training, for the checks that
// judge validation data by what a constant prediction would have there.
type elsewhere struct {
	name     string
	kind     *lossKind
	pair     *turning
	constant float64 // loss of a constant prediction that knows nothing of how often labels occur
}

// elsewhereChecks judge pairs of losses at the end.
var elsewhereChecks = []rule.Judged[*elsewhere]{validationElsewhere}

var validationElsewhere = rule.Judged[*elsewhere]{
	Check: rule.Check{
		ID: "overfit/worse_than_constant", Files: []string{"validation_other_data.go"}, Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral,
		When:     "At the end the training loss is below the baseline, and the validation loss was above that of a constant predictor in every evaluation, at least three.",
		Evidence: "lowest validation loss {best}: {observed:times} times the {constant} of a constant predictor, limit {threshold} times",
		Cause:    "validation labels or inputs differ in meaning from training: other class numbers, another order, or another scaling",
		Remedy:   "use the class numbers and scaling of training for validation; as a check, evaluate on training samples in the same way: that loss should be as low as in training",
	},
	Judge: func(e *elsewhere, _ rule.Params) []rule.Evidence {
		p, best := e.pair, float64(e.pair.Best.Validation)
		if p.N < elsewherePasses || best < elsewhereBest*e.constant || !p.comparable() || p.guesses(e.kind.Guess) {
			return nil
		}
		if slices.ContainsFunc(lastOf(p.Curve, elsewherePasses), func(x evaluationPoint) bool { return float64(x.Train) > elsewhereTrain*e.kind.Guess }) {
			return nil
		}
		last := p.Curve[len(p.Curve)-1]
		return []rule.Evidence{{
			Subject: e.name, Observed: best / e.constant, Threshold: elsewhereBest, Comparator: ">=", Steps: p.N,
			Message: fmt.Sprintf("Validation was never better than a constant predictor: its %s was at least %s in %d evaluations (constant predictor: %s), while the training %s fell to %s.%s",
				called("loss", e.name), num(best), p.N, num(e.constant), called("loss", cmp.Or(p.Partner, e.name)), num(float64(last.Train)), p.Told),
			Context: map[string]any{"constant": e.constant, "guess": e.kind.Guess, "best": best, "first_validation": p.First, "first_training": p.FirstTrain, "training": last.Train, "validation": last.Validation, "curve": slices.Clone(p.Curve)},
		}}
	},
}

// elsewhere judges, where the loss of a constant prediction is known.
func (r *validationRise) elsewhere(rep *rule.Report) {
	k := &r.state.Kind
	if r.state.Odd || rep.Cut || k.Guess <= 0 || !k.Certain || k.Weighted || k.Divided || k.summed() || k.Pairs || k.Beside || k.Elements < 100 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.state.Pairs)) {
		e := &elsewhere{name: name, kind: k, pair: r.state.Pairs[name], constant: cmp.Or(k.Uniform, k.Guess)}
		for _, v := range rule.First(elsewhereChecks, e, rule.Params{}) {
			e.pair.Fired = true
			rep.Violate(v)
		}
	}
}
