package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	skewedShare  = 0.95 // of the labels are of one class
	skewedLabels = 256  // that are looked at, at least
	skewedKinds  = 3    // classes that came, at least: those of sorted data come one after the other
)

// skewed finds a classifier of several classes that is shown hardly anything but
// one of them, in a loss without weights. Of places, such as pixels and tokens, most
// are background as a rule; of two classes one is often rare, and looked for.
func skewed(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	loss := v.facts.Loss
	if loss == nil || v.loss != "cross_entropy" && v.loss != "nll_loss" || !v.alone || lossClasses(p) < skewedKinds || !ofSamples(v.facts, p, l) || l.InOrder {
		return nil
	}
	if weighted, _ := loss.Settings["weight"].(bool); weighted || l.Elements < skewedLabels || int64(len(l.Counts)) < max(skewedKinds, lossClasses(p)/2) {
		return nil
	}
	most, class := int64(0), ""
	for k, n := range l.Counts {
		if n > most {
			most, class = n, k
		}
	}
	share := float64(most) / float64(l.Elements)
	if share < skewedShare {
		return nil
	}
	text := fmt.Sprintf("Imbalanced classes: %s of the %s labels of the first steps are class %s, of %d classes, and all have equal weight. A model that always predicts class %s looks accurate, and the rare classes are not learnt.",
		percent(share), num(float64(l.Elements)), class, lossClasses(p), class)
	out := v.labels("skewed", text, "oversample rare classes (WeightedRandomSampler) or pass class weights to the loss (weight); collect more samples of them; evaluate recall per class", rule.Warning)
	out.CauseClass, out.Cause = "imbalance", "nearly all labels are of one class, without class weights or resampling"
	out.Observed, out.Threshold, out.Comparator = share, skewedShare, ">="
	return []rule.Violation{out}
}
