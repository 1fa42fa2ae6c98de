package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// A cross-entropy of yes and no that is one term of a loss of the script's own
// takes what PyTorch's takes, and does not refuse labels of another shape.
func TestAnswersWrittenOut(t *testing.T) {
	masks := func(high float64, shape ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			two, mean := int64(2), high/10
			f.Loss = &record.LossFacts{Name: "a scalar of the script"}
			head(f, "add", "neg", "mean", "add", "mul", "log_sigmoid", "convolution")
			f.Labels = &record.LabelFacts{Loss: "binary_cross_entropy_with_logits", DType: "F32", Shape: shape, Range: []float64{0, high}, Distinct: &two, Elements: 65536, Mean: &mean}
			f.Predictions = &record.PredictionFacts{
				TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{8, 1, 32, 32}}, Classes: 32, Axis: 3, Steps: 8, LabelShape: shape, Way: []string{"convolution"},
			}
		}
	}
	beside := func(reduction string) func(*record.Facts) {
		return func(f *record.Facts) {
			masks(255, 8, 1, 32, 32)(f)
			f.Loss = &record.LossFacts{Name: "binary_cross_entropy_with_logits", Function: "binary_cross_entropy_with_logits", Reduction: reduction}
			head(f, "add", "binary_cross_entropy_with_logits", "convolution")
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"masks of 0 and 1", resnet(), masks(1, 8, 1, 32, 32), "", ""},
		{"masks of 0 and 255", resnet(), masks(255, 8, 1, 32, 32), "error out_of_range labels binary_cross_entropy_with_logits", "labels 0 to 255"},
		{"masks without the axis of channels", resnet(), masks(1, 8, 32, 32), "error broadcast labels binary_cross_entropy_with_logits", "[8 8 32 32]"},
		{"one mask for all", resnet(), masks(1, 32, 32), "", ""},
		{"PyTorch's own beside another term", resnet(), beside("mean"), "error out_of_range labels binary_cross_entropy_with_logits", ""},
		{"places that may be left out of its sum", resnet(), beside("none"), "", ""},
	})
	runFacts(t, "output_activation", []factCase{
		{"outputs of ReLU", resnet(), func(f *record.Facts) {
			masks(1, 8, 1, 32, 32)(f)
			f.Predictions.Way = []string{"relu", "convolution"}
		}, "warning rectified_logits output-activation binary_cross_entropy_with_logits", ""},
		{"a sigmoid before the loss's own", resnet(), func(f *record.Facts) {
			masks(1, 8, 1, 32, 32)(f)
			f.Predictions.Way = []string{"sigmoid", "convolution"}
		}, "error sigmoid_twice output-activation binary_cross_entropy_with_logits", ""},
		{"outputs of a layer", resnet(), masks(1, 8, 1, 32, 32), "", ""},
	})
}
