package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A model with several outputs has several losses, which are added. Each is judged by what it got itself.
func TestAddends(t *testing.T) {
	two, five := int64(2), int64(5)
	classes := func(way ...string) record.AddendFacts {
		return record.AddendFacts{
			Function: "cross_entropy", Reduction: "mean",
			Labels:      &record.LabelFacts{Loss: "cross_entropy", DType: "I64", Shape: []int64{64}, Range: []float64{0, 4}, Distinct: &five, Counts: map[string]int64{"0": 40, "1": 50, "2": 60, "3": 56, "4": 50}, Elements: 256},
			Predictions: &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{64, 5}}, Axis: 1, Classes: 5, LabelShape: []int64{64}, Steps: 4, Way: way},
		}
	}
	values := func(shape, labels []int64, low, high float64, way ...string) record.AddendFacts {
		mean, std := (low+high)/2, (high-low)/4
		return record.AddendFacts{
			Function: "mse_loss", Reduction: "mean",
			Labels:      &record.LabelFacts{Loss: "mse_loss", DType: "F32", Shape: labels, Range: []float64{low, high}, Elements: 256, Mean: &mean, Std: &std},
			Predictions: &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: shape}, Axis: 0, Classes: 1, LabelShape: labels, Steps: 4, Way: way},
		}
	}
	answers := func(least, most float64, masked bool, way ...string) record.AddendFacts {
		return record.AddendFacts{
			Function: "binary_cross_entropy_with_logits", Reduction: "mean", Masked: masked,
			Labels:      &record.LabelFacts{Loss: "binary_cross_entropy_with_logits", DType: "F32", Shape: []int64{64}, Range: []float64{least, most}, Distinct: &two, Counts: map[string]int64{"0": 128, "1": 128}, Elements: 256},
			Predictions: &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{64}}, Axis: 0, Classes: 1, LabelShape: []int64{64}, Steps: 4, Way: way},
		}
	}
	sum := func(addends ...record.AddendFacts) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "cross_entropy", Function: "cross_entropy"}
			head(f, "add", "cross_entropy", "linear")
			f.Graph.Addends, f.Predictions, f.Labels = addends, nil, nil
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{64, 8}}}, Steps: 9, Distinct: 9, Renewed: 8}
		}
	}
	column, row := []int64{64, 1}, []int64{64}
	runFacts(t, "output_activation", []factCase{
		{"raw outputs", classifier(), sum(classes("linear"), classes("linear"), values(row, row, -3, 3, "linear")), "", ""},
		{"softmax in the second", classifier(), sum(classes("linear"), classes("softmax", "linear")), "error softmax_twice output-activation cross_entropy", "applies softmax again"},
		{"sigmoid in the second", classifier(), sum(classes("linear"), answers(0, 1, false, "sigmoid", "linear")), "error sigmoid_twice output-activation binary_cross_entropy_with_logits", ""},
		{"a bounded one", classifier(), sum(classes("linear"), values(row, row, 10, 90, "sigmoid", "linear")), "error labels_out_of_reach output-activation mse_loss", "0 to 1"},
		{"bounded and scaled so", classifier(), sum(classes("linear"), values(row, row, 0.1, 0.9, "sigmoid", "linear")), "", ""},
	})
	runFacts(t, "labels_fit", []factCase{
		{"one shape", classifier(), sum(classes("linear"), values(row, row, -3, 3, "linear")), "", ""},
		{"a column and a row", classifier(), sum(classes("linear"), values(column, row, -3, 3, "linear")), "error broadcast labels mse_loss", "every prediction is compared with every label"},
		{"distances from some points", classifier(), sum(classes("linear"), values(column, []int64{9}, -3, 3, "linear")), "", ""},
		{"signs for yes and no", classifier(), sum(classes("linear"), answers(-1, 1, false, "linear")), "error out_of_range labels binary_cross_entropy_with_logits", "-1 to 1: it expects 0 or 1"},
		{"what a mask leaves out", classifier(), sum(classes("linear"), answers(-1, 1, true, "linear")), "", ""},
	})
	sortedOnes := classes("linear")
	sortedOnes.Labels.InOrder = true
	runFacts(t, "labels_fit", []factCase{
		{"sorted by class", classifier(), sum(values(row, row, -3, 3, "linear"), sortedOnes), "warning sorted data-loading cross_entropy", "data is sorted by class"},
	})
	largest := values(row, row, 0, 4, "max", "linear")
	largest.Labels.Distinct, largest.Labels.Counts = &five, classes().Labels.Counts
	runFacts(t, "loss_choice", []factCase{
		{"the model's largest output and the number of the class", classifier(), sum(classes("linear"), largest), "error regression_of_classes loss mse_loss", "the model's largest output"},
		{"one for each", classifier(), sum(classes("linear"), answers(0, 1, false, "linear")), "", ""},
		{"one class", classifier(), sum(answers(0, 1, false, "linear"), func() record.AddendFacts {
			a := classes("linear")
			a.Predictions.Shape = column
			return a
		}()), "error one_class loss cross_entropy", "with a single class"},
	})
}

// A score of overlap grows as the masks become right.
func TestOverlapSign(t *testing.T) {
	overlap := func(grows bool, parts int64) func(*record.Facts) {
		return func(f *record.Facts) {
			head(f, "add", "div", "mul", "sum", "sigmoid", "convolution")
			f.Graph.Overlap, f.Graph.OverlapGrows, f.Graph.Parts = "sigmoid", grows, parts
			f.Loss, f.Predictions, f.Labels = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
		}
	}
	runFacts(t, "loss_choice", []factCase{
		{"the score", classifier(), overlap(true, 1), "error overlap_sign loss loss", "minimising it makes the masks worse"},
		{"one of several losses", classifier(), overlap(true, 2), "", ""},
		{"one minus the score", classifier(), overlap(false, 1), "", ""},
	})
}
