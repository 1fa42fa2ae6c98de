package builtin

import (
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// leastWeightedSamples is how many samples with several answers each have to be
// seen for the share of each answer to be known.
const leastWeightedSamples = 200

// weightedClasses is the guess where classes have weights: the mean weighs each
// sample by its class, so who knows how the labels are distributed says how the
// weights are.
func (k *lossKind) weightedClasses(l *record.LossFacts, y *rule.LabelFacts) {
	weights := weightsOf(l.Settings["weights"])
	if k.Reduction != "mean" || float64(len(weights)) != k.Classes || y.Counts == nil {
		return
	}
	var parts []float64
	total := 0.0
	for i, w := range weights {
		if w < 0 {
			return
		}
		parts = append(parts, w*float64(y.Counts[strconv.Itoa(i)]))
		total += parts[i]
	}
	h := 0.0
	for _, x := range parts {
		if x > 0 {
			h -= x / total * math.Log(x/total)
		}
	}
	if h > 0 {
		k.Uniform, k.Guess = math.Log(k.Classes), h
	}
}

// weightedAnswers is the same where the yes of a question has a weight.
func (k *lossKind) weightedAnswers(l *record.LossFacts, y *rule.LabelFacts) {
	weights, shares := weightsOf(l.Settings["pos_weights"]), []float64{*y.Mean}
	if p := y.Features; p != nil && len(y.Shape) > 1 && product(y.Shape) != y.Shape[0] {
		if shares = p.Means; p.Samples < leastWeightedSamples {
			return
		}
	} else if product(y.Shape) != y.Shape[0] {
		return // labels of places
	}
	if k.Reduction != "mean" || l.Settings["weight"] == true || len(shares) == 0 || y.Distinct == nil || *y.Distinct != 2 || len(weights) != 1 && len(weights) != len(shares) {
		return
	}
	guess, uniform := 0.0, 0.0
	for i, p := range shares {
		w := weights[min(i, len(weights)-1)]
		yes, no := w*p, 1-p
		if w < 0 {
			return
		}
		for _, x := range []float64{yes, no} {
			if x > 0 {
				guess -= x * math.Log(x/(yes+no))
			}
		}
		uniform += math.Ln2 * (yes + no)
	}
	if n := float64(len(shares)); guess > 0 {
		k.Guess, k.Uniform = guess/n, uniform/n
	}
}
