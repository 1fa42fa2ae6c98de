package builtin

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vigil-ml/vigil/rule"
)

// Limits of class weights that are upside down.
const (
	leastWeighed = 200 // labels
	fewerLabels  = 3   // times, the most frequent class to the rarest
	lessWeight   = 2   // times, the weight of the former to that of the latter
	sameOrder    = 0.8 // correlation of the logarithms of weights and frequencies
	rarePositive = 0.3 // share of labels that are 1

	leastOfAll   = 100 // labels of which one class outweighs all others
	outweighs    = 0.9 // of the weight of all labels
	halfOfLabels = 0.5
)

// rareWeighLess finds weights that make rare classes count even less: the
// frequencies of the classes, where their inverse was meant.
func rareWeighLess(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	if v.facts.Loss == nil {
		return nil
	}
	settings := v.facts.Loss.Settings
	if v.loss == "cross_entropy" || v.loss == "nll_loss" {
		if found := outweighsAll(v, l, weightsOf(settings["weights"])); found != nil {
			return found
		}
	}
	if l.Elements < leastWeighed {
		return nil
	}
	switch v.loss {
	case "cross_entropy", "nll_loss":
		return classWeights(v, l, weightsOf(settings["weights"]))
	case "binary_cross_entropy_with_logits":
		return positiveWeights(v, l, weightsOf(settings["pos_weights"]))
	}
	return nil
}

// outweighsAll finds weights with which one class of several makes nearly all of the
// loss although most labels are of others.
func outweighsAll(v *lossView, l *rule.LabelFacts, weights []float64) []rule.Violation {
	if len(weights) < 3 || l.Counts == nil || l.Elements-l.Ignored < leastOfAll {
		return nil
	}
	all, labels, seen := 0.0, 0.0, 0
	var most struct{ class, n, w, share float64 }
	for i, w := range weights {
		n := float64(l.Counts[strconv.Itoa(i)])
		if w <= 0 {
			return nil // a class that is left out on purpose
		}
		if all, labels = all+w*n, labels+n; n > 0 {
			seen++
		}
		if w*n > most.share {
			most.class, most.n, most.w, most.share = float64(i), n, w, w*n
		}
	}
	if seen < 3 || !(most.share >= outweighs*all) || most.n > halfOfLabels*labels {
		return nil
	}
	text := fmt.Sprintf("With the class weights of %s, %s of the loss comes from class %s alone, which has %s of the labels and weight %s (median weight: %s). The model mostly learns to predict that class.",
		v.subject(), percent(most.share/all), num(most.class), percent(most.n/labels), num(most.w), num(median(weights)))
	out := v.labels("one_class_outweighs", text, "use inverse class frequencies, total / (classes * count), or no weights", rule.Warning)
	out.Cause = "class weights that differ far more than the class frequencies"
	out.Observed, out.Threshold, out.Comparator = most.share/all, outweighs, ">="
	return []rule.Violation{out}
}

func classWeights(v *lossView, l *rule.LabelFacts, weights []float64) []rule.Violation {
	if len(weights) < 2 || l.Counts == nil {
		return nil
	}
	var often, weighs []float64 // logarithms
	var most, least struct{ class, n, w float64 }
	for i, w := range weights {
		n := float64(l.Counts[strconv.Itoa(i)])
		if w <= 0 {
			return nil // a class that is left out on purpose
		}
		if n < 1 {
			continue
		}
		often, weighs = append(often, math.Log(n)), append(weighs, math.Log(w))
		if n > most.n {
			most.class, most.n, most.w = float64(i), n, w
		}
		if least.n == 0 || n < least.n {
			least.class, least.n, least.w = float64(i), n, w
		}
	}
	if len(often) < 2 || most.n < fewerLabels*least.n || most.w < lessWeight*least.w || correlation(often, weighs) < sameOrder {
		return nil
	}
	text := fmt.Sprintf("The class weights of %s are inverted: class %s with %s of %s labels has weight %s, class %s with %s has weight %s, so rare classes count even less. Rarer classes need larger weights.",
		v.subject(), num(most.class), num(most.n), num(float64(l.Elements)), num(most.w), num(least.class), num(least.n), num(least.w))
	out := v.labels("class_weights_inverted", text, "use inverse class frequencies: total / (classes * count)", rule.Warning)
	out.Cause = "class weights that are the class frequencies instead of their inverse"
	out.Observed, out.Threshold, out.Comparator = most.w/least.w, lessWeight, ">="
	out.Context["ratio"] = out.Observed
	return []rule.Violation{out}
}

func positiveWeights(v *lossView, l *rule.LabelFacts, weights []float64) []rule.Violation {
	least, most, ok := span(l)
	if len(weights) == 0 || !ok || least != 0 || most != 1 || !isWhole(l) || l.Mean == nil || *l.Mean <= 0 || *l.Mean > rarePositive {
		return nil
	}
	usual := median(weights)
	if slices.Max(weights) >= 1 || usual > 1.0/lessWeight || slices.Min(weights) <= 0 {
		return nil
	}
	text := fmt.Sprintf("pos_weight of %s is at most %s although only %s of the labels are 1, so these count even less. It should be negatives / positives, not the reverse.",
		v.subject(), num(slices.Max(weights)), percent(*l.Mean))
	out := v.labels("class_weights_inverted", text, fmt.Sprintf("set pos_weight to about %s (negatives / positives)", num((1-*l.Mean) / *l.Mean)), rule.Warning)
	out.Cause = "class weights that are the class frequencies instead of their inverse"
	out.Observed, out.Threshold, out.Comparator = usual, 1.0/lessWeight, "<="
	out.Context["positive"] = *l.Mean
	return []rule.Violation{out}
}

// yesWeighsLess finds the same of a cross-entropy that the script writes out.
func yesWeighsLess(v *lossView) []rule.Violation {
	l := v.facts.Labels
	least, most, ok := span(l)
	if !ok || l.YesWeight <= 0 || l.YesWeight > 1.0/lessWeight || least != 0 || most != 1 || !isWhole(l) || l.Elements < leastWeighed || len(l.Others) > 0 || l.Mean == nil || *l.Mean <= 0 || *l.Mean > rarePositive {
		return nil
	}
	text := fmt.Sprintf("The loss multiplies the terms of positive labels by %s although only %s of the labels are positive, so these count even less. The factor should be negatives / positives, not the reverse.",
		num(l.YesWeight), percent(*l.Mean))
	out := v.labels("class_weights_inverted", text, fmt.Sprintf("set the factor to about %s (negatives / positives)", num((1-*l.Mean) / *l.Mean)), rule.Warning)
	out.Cause = "class weights that are the class frequencies instead of their inverse"
	out.Observed, out.Threshold, out.Comparator = l.YesWeight, 1.0/lessWeight, "<="
	out.Context["positive"] = *l.Mean
	return []rule.Violation{out}
}

// weightsOf reads a list of numbers of a setting.
func weightsOf(x any) []float64 {
	switch list := x.(type) {
	case []float64:
		return list
	case []any:
		var out []float64
		for _, one := range list {
			n, ok := number(one)
			if !ok || !finite(n) {
				return nil
			}
			out = append(out, n)
		}
		return out
	}
	return nil
}

// correlation is Pearson's; 0 where one of the two does not vary.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	var xx, yy, xy float64
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
