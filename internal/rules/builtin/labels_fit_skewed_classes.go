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
	text := fmt.Sprintf("%s of the %s labels of the first steps are class %s, of %d classes, and all weigh alike: a model that says class %s for every sample looks right, and the other classes have too few samples to be learnt.",
		percent(share), num(float64(l.Elements)), class, lossClasses(p), class)
	out := v.labels("skewed", text, "draw rare samples more often (WeightedRandomSampler) or give the loss weights (weight), get more samples of the rare classes, and judge by recall of each class", rule.Warning)
	out.CauseClass, out.Cause = "imbalance", "one class makes nearly all labels, and nothing makes up for it"
	out.Observed, out.Threshold, out.Comparator = share, skewedShare, ">="
	return []rule.Violation{out}
}
