package rules_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Where classes have weights, the loss of who knows only how the labels are distributed follows from both.
func TestWeightedGuess(t *testing.T) {
	ofClasses := func(weights ...float64) *record.Facts {
		f, n := classes(), int64(3)
		f.Loss = &record.LossFacts{Name: "CrossEntropyLoss", Function: "cross_entropy", Module: "CrossEntropyLoss", Reduction: "mean", Settings: map[string]any{"weight": true, "weights": weights}}
		f.Labels.Distinct, f.Labels.Range, f.Labels.Elements, f.Labels.Counts = &n, []float64{0, 2}, 1000, map[string]int64{"0": 700, "1": 200, "2": 100}
		f.Labels.Predictions = &record.TensorFacts{Shape: []int64{64, 3}}
		return f
	}
	ofAnswers := func(weight float64, shares ...float64) *record.Facts {
		f, n, mean := classes(), int64(2), 0.0
		for _, p := range shares {
			mean += p / float64(len(shares))
		}
		f.Loss = &record.LossFacts{Name: "BCEWithLogitsLoss", Function: "binary_cross_entropy_with_logits", Module: "BCEWithLogitsLoss", Reduction: "mean", Settings: map[string]any{"pos_weight": true, "pos_weights": []float64{weight}}}
		f.Labels = &record.LabelFacts{Loss: "BCEWithLogitsLoss", DType: "F32", Shape: []int64{64, int64(len(shares))}, Range: []float64{0, 1}, Distinct: &n, Counts: map[string]int64{"0": 800, "1": 200}, Elements: 1000, Mean: &mean}
		if len(shares) > 1 {
			f.Labels.Features = &record.FeatureLabels{Places: int64(len(shares)), Samples: 500, Means: shares}
		}
		return f
	}
	answer := func(w, p float64) float64 {
		q := w * p / (w*p + 1 - p)
		return -w*p*math.Log(q) - (1-p)*math.Log(1-q)
	}
	for _, c := range []struct {
		name  string
		facts *record.Facts
		guess float64
	}{
		{"weights that make all even", ofClasses(1./7, 1./2, 1), math.Log(3)},
		{"weights that overdo it", ofClasses(1, 7, 28), 0.965},
		{"one question", ofAnswers(4, 0.2), answer(4, 0.2)},
		{"several questions", ofAnswers(3, 0.1, 0.3, 0.5), (answer(3, 0.1) + answer(3, 0.3) + answer(3, 0.5)) / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, at := range []struct {
				share float64
				want  string
			}{{1, "chance_level labels"}, {0.6, ""}} {
				got := ""
				for _, x := range (curve{steps: 400, loss: noisy(0.02, stepAt(0, 0, at.share*c.guess)), span: 0.05, pull: 0.1, facts: c.facts}).judge(t, "loss_flat") {
					if x.Check == "chance_level" {
						got = fmt.Sprintf("%s %s", x.Check, x.CauseClass)
					}
				}
				if got != at.want {
					t.Errorf("at %g of the guess %g: finding is %q, want %q", at.share, c.guess, got, at.want)
				}
			}
		})
	}
}
