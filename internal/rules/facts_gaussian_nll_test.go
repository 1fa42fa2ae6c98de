package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A likelihood of values with a mean and a scale of the network's.
func TestDensity(t *testing.T) {
	yes, no := true, false
	density := func(d record.DensityFacts, least, most, mean, std float64) func(*record.Facts) {
		return func(f *record.Facts) {
			head(f, "mean", "add", "clamp", "linear")
			f.Graph.Density = &d
			f.Loss = &record.LossFacts{Name: "a scalar of the script"}
			f.Labels = &record.LabelFacts{Loss: "gaussian_nll_loss", DType: "F32", Shape: []int64{32, 6}, Range: []float64{least, most}, Elements: 1536, Mean: &mean, Std: &std}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32, 6}, Values: &record.ValueFacts{Elements: 192, Min: -0.4, Max: 0.5, Std: 0.2}}, Axis: 1, Classes: 6, LabelShape: []int64{32, 6}, Steps: 8, Way: d.Way}
		}
	}
	normal := func(larger bool, held *bool, way ...string) record.DensityFacts {
		return record.DensityFacts{Kind: "normal", Larger: larger, Held: held, Way: way}
	}
	runFacts(t, "data_scaling", []factCase{
		{"labels far away", classifier(), density(normal(false, &yes, "linear"), 280, 560, 421, 64), "warning labels data-scaling gaussian_nll_loss", "Standardise the labels"},
		{"labels that are scaled", classifier(), density(normal(false, &yes, "linear"), -2.1, 2.2, 0, 1), "", ""},
	})
	runFacts(t, "output_activation", []factCase{
		{"a mean that is bounded", classifier(), density(normal(false, &yes, "sigmoid", "linear"), -2.1, 2.2, 0, 1), "warning labels_out_of_reach output-activation gaussian_nll_loss", "0 to 1"},
		{"labels as bounded", classifier(), density(normal(false, &yes, "sigmoid", "linear"), 0.1, 0.9, 0.5, 0.2), "", ""},
		{"a mean without bounds", classifier(), density(normal(false, &yes, "linear"), -2.1, 2.2, 0, 1), "", ""},
	})
	runFacts(t, "network_structure", []factCase{
		{"dropout on the mean", classifier(), density(normal(false, &yes, "dropout", "linear"), -2.1, 2.2, 0, 1), "warning dropout_on_output regularisation dropout", "gaussian_nll_loss"},
		{"dropout before the layer", classifier(), density(normal(false, &yes, "linear"), -2.1, 2.2, 0, 1), "", ""},
	})
	of := func(change func(*record.Facts), also func(*record.Facts)) func(*record.Facts) {
		return func(f *record.Facts) { change(f); also(f) }
	}
	turned := density(normal(true, &yes, "linear"), -2.1, 2.2, 0, 1)
	runFacts(t, "loss_choice", []factCase{
		{"as it is to be", classifier(), density(normal(false, &yes, "linear"), -2.1, 2.2, 0, 1), "", ""},
		{"a constant scale", classifier(), density(normal(false, nil, "linear"), -2.1, 2.2, 0, 1), "", ""},
		{"without the minus", classifier(), turned, "error density_sign loss gaussian_nll_loss", "makes the errors larger"},
		{"a scale that nothing holds", classifier(), density(normal(false, &no, "linear"), -2.1, 2.2, 0, 1), "error density_scale loss gaussian_nll_loss", "terms oppose each other"},
		{"maximised", classifier(), of(turned, func(f *record.Facts) { f.Optimisers[0].Groups = []record.GroupFacts{{Maximize: true}} }), "", ""},
		{"a policy", classifier(), of(turned, func(f *record.Facts) { f.Graph.Policy = &record.PolicyFacts{} }), "", ""},
		{"one of two losses", classifier(), of(turned, func(f *record.Facts) { f.Graph.Parts = 2 }), "", ""},
	})
}

// ctc_loss takes logarithms of probabilities.
func TestAlignment(t *testing.T) {
	ctc := func(least, most float64, way ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			head(f, append([]string{"mean", "div", "ctc_loss"}, way...)...)
			f.Loss = &record.LossFacts{Name: "CTCLoss", Function: "ctc_loss", Module: "CTCLoss", Reduction: "mean"}
			f.Labels = &record.LabelFacts{Loss: "CTCLoss", DType: "I64", Shape: []int64{71}, Range: []float64{1, 8}, Elements: 582}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{24, 25, 9}, Values: &record.ValueFacts{Elements: 5400, Min: record.Number(least), Max: record.Number(most), Std: 0.07}}, Axis: 2, Classes: 9, LabelShape: []int64{71}, Steps: 8, Way: way}
		}
	}
	const found = "error no_logarithm output-activation CTCLoss"
	runFacts(t, "output_activation", []factCase{
		{"raw outputs", classifier(), ctc(-0.24, 0.31, "linear"), found, "ctc_loss gets the raw outputs of the last layer"},
		{"probabilities", classifier(), ctc(0.01, 0.4, "softmax", "linear"), found, "softmax"},
		{"logarithms", classifier(), ctc(-3, -0.2, "log_softmax", "linear"), "", ""},
		{"logarithms that are written out", classifier(), ctc(-3, -0.2, "sub", "linear"), "", ""},
		{"something else", classifier(), ctc(-3, 0.2, "add", "linear"), "", ""},
	})
}

// A class outweighs all others.
func TestOutweighed(t *testing.T) {
	weighed := func(counts map[string]int64, weights ...float64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "cross_entropy", Function: "cross_entropy", Reduction: "mean", Settings: map[string]any{"weight": true, "weights": weights}}
			head(f, "cross_entropy", "linear")
			f.Labels = &record.LabelFacts{Loss: "cross_entropy", DType: "I64", Shape: []int64{16}, Range: []float64{0, 3}, Counts: counts}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{16, 4}}, Axis: 1, Classes: 4, LabelShape: []int64{16}, Steps: 8, Way: []string{"linear"}}
			for _, n := range counts {
				f.Labels.Elements += n
			}
		}
	}
	alike := map[string]int64{"0": 25, "1": 45, "2": 41, "3": 40}
	runFacts(t, "loss_choice", []factCase{
		{"one class outweighs all", classifier(), weighed(alike, 1, 0.04, 0.001, 0.001), "warning one_class_outweighs loss cross_entropy", "comes from class 0 alone, which has 17 % of the labels"},
		{"the inverse of frequencies", classifier(), weighed(map[string]int64{"0": 300, "1": 30, "2": 3}, 1, 10, 100), "", ""},
		{"a common class that is weighed down", classifier(), weighed(map[string]int64{"0": 300, "1": 30, "2": 3}, 0.1, 1, 1), "", ""},
		{"a class that is most labels", classifier(), weighed(map[string]int64{"0": 300, "1": 30, "2": 30}, 1, 0.6, 0.6), "", ""},
		{"a class that is left out", classifier(), weighed(alike, 0.5, 0, 0.001, 0.001), "", ""},
		{"two classes", classifier(), weighed(map[string]int64{"0": 200, "1": 60}, 0.1, 10), "", ""},
	})
	yes := func(weight, share float64) func(*record.Facts) {
		return func(f *record.Facts) {
			n := int64(2)
			head(f, "mean", "add", "mul", "softplus", "neg", "linear")
			f.Loss = &record.LossFacts{Name: "a scalar of the script"}
			f.Labels = &record.LabelFacts{Loss: "binary_cross_entropy_with_logits", DType: "F32", Shape: []int64{128}, Range: []float64{0, 1}, Distinct: &n, Counts: map[string]int64{"0": 930, "1": 94}, Elements: 1024, Mean: &share, YesWeight: weight}
		}
	}
	runFacts(t, "loss_choice", []factCase{
		{"upside down by hand", classifier(), yes(0.17, 0.09), "warning class_weights_inverted loss binary_cross_entropy_with_logits", "these count even less"},
		{"right by hand", classifier(), yes(6, 0.09), "", ""},
		{"a little less", classifier(), yes(0.8, 0.09), "", ""},
		{"frequent", classifier(), yes(0.2, 0.8), "", ""},
		{"not weighted", classifier(), yes(0, 0.09), "", ""},
	})
}
