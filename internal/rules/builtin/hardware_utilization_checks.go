package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// utilizationChecks ask for the two sides of the limit, of which the direction asked
// for chooses one.
var utilizationChecks = []rule.Judged[*utilizationWindow]{usedTooLittle, usedTooMuch}

// utilizationWindow is what one verdict rests on.
type utilizationWindow struct {
	host    string
	metric  machineMetric
	value   float64 // the percentile
	samples int
}

func (w *utilizationWindow) evidence(p rule.Params, direction, how, comparator string, is bool) []rule.Evidence {
	if p.String("direction") != direction || !is {
		return nil
	}
	unit := " %"
	if !w.metric.percent {
		unit = " bytes/s"
	}
	threshold, percentile := p.Float("threshold"), p.Float("percentile")
	return []rule.Evidence{{
		Subject: w.host, Observed: w.value, Threshold: threshold, Comparator: comparator, Steps: 2,
		Message: fmt.Sprintf("The %s of %s is %s: percentile %s of the last %s is %s%s, %s %s%s.", w.metric.name, w.host, how, num(percentile), plural(w.samples, "sample"), num(math.Round(100*w.value)/100), unit, direction, num(threshold), unit),
		Context: map[string]any{"metric": p.String("metric"), "percentile": percentile, "samples": w.samples, "use": w.metric.name, "unit": unit},
	}}
}

var usedTooLittle = rule.Judged[*utilizationWindow]{
	Check: rule.Check{
		ID: "hardware_utilization/below", Files: []string{"hardware_utilization_checks.go"}, Severity: rule.Warning, CauseClass: "hardware", Scope: rule.ScopeGeneral,
		When:     "With `direction` below: `percentile` of the last `window` samples of `metric` on a host is below `threshold`.",
		Evidence: "{use} of {subject}: percentile {percentile} of the last {samples} samples is {observed}{unit}, lower limit {threshold}{unit}",
		Cause:    "the machine is larger than the training needs, or the training waits for something else",
		Remedy:   "find what it waits for (data, disk, another device), or take a smaller machine",
	},
	Judge: func(w *utilizationWindow, p rule.Params) []rule.Evidence {
		return w.evidence(p, "below", "too low", "<", w.value < p.Float("threshold"))
	},
}

var usedTooMuch = rule.Judged[*utilizationWindow]{
	Check: rule.Check{
		ID: "hardware_utilization/above", Files: []string{"hardware_utilization_checks.go"}, Severity: rule.Warning, CauseClass: "hardware", Scope: rule.ScopeGeneral,
		When:     "With `direction` above: `percentile` of the last `window` samples of `metric` on a host is above `threshold`.",
		Evidence: "{use} of {subject}: percentile {percentile} of the last {samples} samples is {observed}{unit}, limit {threshold}{unit}",
		Cause:    "the training, or something beside it, takes all that the machine has",
		Remedy:   "see which process uses it, and take work off it or take a larger machine",
	},
	Judge: func(w *utilizationWindow, p rule.Params) []rule.Evidence {
		return w.evidence(p, "above", "too high", ">", w.value > p.Float("threshold"))
	},
}
