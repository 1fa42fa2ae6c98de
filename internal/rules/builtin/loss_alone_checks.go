package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// aloneChecks judge a loss that comes with nothing else, in the order in which they
// are asked.
var aloneChecks = []rule.Judged[*lossAlone]{lossSame, lossRises, lossNeverFell}

var lossSame = rule.Judged[*lossAlone]{
	Check: rule.Check{
		ID: "loss_not_decreasing/constant", Files: []string{"loss_alone_checks.go"}, Severity: rule.Warning, CauseClass: "not-updated", Scope: rule.ScopeGeneral,
		When:     "A loss that comes without gradients is the same to the last bit for `plateau_steps` steps since the start, or half as many by the end of the job.",
		Evidence: "{subject} at each of the first {steps} steps: {observed}",
		Cause:    "the weights are not updated, or the number that is logged is not the loss of the step",
		Remedy:   "check that the update changes the weights, and that the loss is computed again at each step before it is logged",
		Asks:     []rule.Advice{},
	},
	Judge: func(l *lossAlone, _ rule.Params) []rule.Evidence {
		if l.Varies {
			return nil
		}
		x := l.Curve.First[0]
		return l.found(x, x, "=", fmt.Sprintf("The %s does not change: it is %s at each of the first %d steps.", called("loss", l.Curve.Name), num(x), l.Curve.N))
	},
}

var lossRises = rule.Judged[*lossAlone]{
	Check: rule.Check{
		ID: "loss_not_decreasing/rises", Files: []string{"loss_alone_checks.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "A loss that comes without gradients is at the end, or after 1,000 steps, 5 % and more above where it began; three times as high is enough after `plateau_steps` steps.",
		Evidence: "{subject}: mean of the last steps {last_mean}, of the first {first_mean}: {observed} times, limit {threshold} times",
		Cause:    "a learning rate that is too high, or an update that goes up the gradient",
		Remedy:   "lower the learning rate by a factor of ten; check the sign of the update and of the loss",
		Asks:     []rule.Advice{rule.LowerLearningRate},
	},
	Judge: func(l *lossAlone, _ rule.Params) []rule.Evidence {
		if !l.rose() {
			return nil
		}
		first, last := l.Curve.ends()
		from, to := mean(first), mean(last)
		return l.found(to/from, 1+aloneRise, ">", fmt.Sprintf("The %s rises: it was %s, and is %s after %d steps.",
			called("loss", l.Curve.Name), meanOfFirst(from, len(first)), meanOfLast(to, int64(len(last))), l.Curve.N))
	},
}

var lossNeverFell = rule.Judged[*lossAlone]{
	Check: rule.Check{
		ID: "loss_not_decreasing/never_fell", Files: []string{"loss_alone_checks.go"}, Severity: rule.Warning, CauseClass: "learning-rate", Scope: rule.ScopeGeneral,
		When:     "A loss that comes without gradients has never fallen beyond its noise, at the end of a job of at least half of `plateau_steps` steps, or after 1,000.",
		Evidence: "{subject}: mean of the first steps {first_mean}, of the last {last_mean}; in {steps} steps it never fell beyond its noise",
		Cause:    "a learning rate that is far too low or too high, labels that do not belong to the inputs, or a training that had converged before it began",
		Remedy:   "change the learning rate by factors of ten until the loss moves; inspect some pairs of input and label; if it goes on from a converged model, stop",
		Asks:     []rule.Advice{},
	},
	Judge: func(l *lossAlone, _ rule.Params) []rule.Evidence {
		if l.fell() || l.unsure() {
			return nil
		}
		first, last := l.Curve.ends()
		from, to := mean(first), mean(last)
		fall := 100 * (from - to) / max(math.Abs(from), math.SmallestNonzeroFloat64)
		return l.found(fall, 100*leastProgress, "<", fmt.Sprintf("The %s has not fallen in %d steps: it was %s, and is %s.",
			called("loss", l.Curve.Name), l.Curve.N, meanOfFirst(from, len(first)), meanOfLast(to, int64(len(last)))))
	},
}

// found is the evidence of a check.
func (l *lossAlone) found(observed, threshold float64, comparator, message string) []rule.Evidence {
	first, last := l.Curve.ends()
	return []rule.Evidence{{
		Subject: l.Curve.Name, Observed: observed, Threshold: threshold, Comparator: comparator, Steps: int(l.Curve.N), Message: message,
		Context: map[string]any{"first_mean": mean(first), "last_mean": mean(last), "steps": l.Curve.N, "last_values": append([]float64(nil), l.Curve.tail(20)...)},
	}}
}
