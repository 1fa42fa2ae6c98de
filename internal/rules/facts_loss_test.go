package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func head(f *record.Facts, ops ...string) { f.Graph.Head = ops }

// A loss that takes logarithms of probabilities is not given probabilities, nor
// what a layer puts out.
func TestDivergenceTakesLogarithms(t *testing.T) {
	kl := func(ops ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "kl_div", Function: "kl_div"}
			head(f, append([]string{"mul", "div", "sum", "kl_div"}, ops...)...)
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"probabilities", classifier(), kl("softmax", "linear"), "error no_logarithm output-activation loss", "the output of softmax but expects log-probabilities"},
		{"with a temperature", classifier(), kl("softmax", "div", "linear"), "error no_logarithm output-activation loss", ""},
		{"raw outputs", classifier(), kl("div", "linear"), "error no_logarithm output-activation loss", "raw outputs"},
		{"logarithms", classifier(), kl("log_softmax", "div", "linear"), "", ""},
		{"logarithms that were computed", classifier(), kl("log", "add", "softmax", "linear"), "", ""},
	})
}

// Minus what is picked for the label is minus its logarithm. Who scales a policy's
// probability by its worth, or weighs by what is left to certainty, means that.
func TestPickedProbability(t *testing.T) {
	own := func(ops ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss, f.Labels, f.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
			head(f, ops...)
		}
	}
	const found = "error no_logarithm output-activation loss"
	runFacts(t, "output_activation", []factCase{
		{"smoothed labels", classifier(), own("mean", "add", "mul", "neg", "gather", "softmax", "linear"), found, "negative probability of the label"},
		{"the minus before the choice", classifier(), own("mean", "index", "neg", "softmax", "linear"), found, ""},
		{"the choice before the minus", classifier(), own("neg", "mean", "gather", "softmax", "linear"), found, ""},
		{"logarithms", classifier(), own("mean", "neg", "gather", "log_softmax", "linear"), "", ""},
		{"logarithms of what was picked", classifier(), own("mean", "neg", "log", "gather", "softmax", "linear"), "", ""},
		{"weighed by what is left to certainty", classifier(), own("mean", "mul", "neg", "pow", "sub", "gather", "softmax", "linear"), "", ""},
		{"attention that is looked at", classifier(), own("mean", "neg", "gather", "softmax", "div", "matmul", "linear"), "", ""},
	})
}

// A loss that only draws outputs together has all of them become one.
func TestNothingApart(t *testing.T) {
	together := func(is bool, parts int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss, f.Labels, f.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
			head(f, "neg", "mean", "sum", "mul", "div", "linear")
			f.Graph.Agreement, f.Graph.Parts = is, parts
		}
	}
	runFacts(t, "loss_choice", []factCase{
		{"together", classifier(), together(true, 1), "warning nothing_pushes_apart loss loss", "trains both"},
		{"one side detached", classifier(), together(false, 1), "", ""},
		{"beside another loss", classifier(), together(true, 2), "", ""},
	})
}

// Cosines as they are leave cross_entropy a narrow range.
func TestCosines(t *testing.T) {
	cosines := func(is bool) func(*record.Facts) {
		return func(f *record.Facts) {
			head(f, "cross_entropy", "matmul", "div", "linear")
			f.Graph.Cosines = is
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32, 10}}, Axis: 1, Classes: 10, LabelShape: []int64{32}, Steps: 8}
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"cosines", classifier(), cosines(true), "warning limited_logits output-activation cross_entropy", "between -1 and 1"},
		{"products", classifier(), cosines(false), "", ""},
	})
}

// Softmax shares one probability out, where each class is asked for by itself.
func TestSoftmaxOfSeveral(t *testing.T) {
	shared := func(do func(*record.LabelFacts)) func(*record.Facts) {
		return func(f *record.Facts) {
			n := int64(2)
			f.Loss = &record.LossFacts{Name: "BCELoss", Function: "binary_cross_entropy", Module: "BCELoss", Reduction: "mean"}
			head(f, "binary_cross_entropy", "softmax", "linear")
			f.Labels = &record.LabelFacts{Loss: "BCELoss", DType: "F32", Shape: []int64{32, 10}, Range: []float64{0, 1}, Distinct: &n, Counts: map[string]int64{"0": 1900, "1": 660}, Elements: 2560}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32, 10}}, Axis: 1, Classes: 10, RowsSumToOne: true, LabelShape: []int64{32, 10}, Steps: 8}
			if do != nil {
				do(f.Labels)
			}
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"several labels for a sample, or none", classifier(), shared(nil), "warning softmax_for_multi_label output-activation BCELoss", "cannot all be right"},
		{"one for each", classifier(), shared(func(l *record.LabelFacts) { l.OneHot, l.RowsSumToOne = true, true }), "", ""},
		{"shares", classifier(), shared(func(l *record.LabelFacts) { l.RowsSumToOne, l.Distinct, l.Counts = true, nil, nil }), "", ""},
		{"smoothed ones", classifier(), shared(func(l *record.LabelFacts) { l.Range, l.Distinct, l.Counts = []float64{0.05, 0.95}, nil, nil }), "", ""},
	})
}

// pos_weight is to grow as positives get rarer.
func TestPositiveWeights(t *testing.T) {
	weighed := func(share float64, weights ...float64) func(*record.Facts) {
		return func(f *record.Facts) {
			n := int64(2)
			f.Loss = &record.LossFacts{Name: "BCEWithLogitsLoss", Function: "binary_cross_entropy_with_logits", Module: "BCEWithLogitsLoss", Reduction: "mean", Settings: map[string]any{"pos_weights": weights}}
			head(f, "binary_cross_entropy_with_logits", "linear")
			f.Labels = &record.LabelFacts{Loss: "BCEWithLogitsLoss", DType: "F32", Shape: []int64{64, 8}, Range: []float64{0, 1}, Distinct: &n, Counts: map[string]int64{"0": 2929, "1": 1167}, Elements: 4096, Mean: &share}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{64, 8}}, Classes: 8, Axis: 1, LabelShape: []int64{64, 8}, Steps: 8}
		}
	}
	const found = "warning class_weights_inverted loss BCEWithLogitsLoss"
	runFacts(t, "loss_choice", []factCase{
		{"the odds themselves", classifier(), weighed(0.28, 0.78, 0.48, 0.31, 0.18, 0.13, 0.07, 0.05, 0.04), found, "these count even less"},
		{"one for all", classifier(), weighed(0.05, 0.05), found, ""},
		{"their inverse", classifier(), weighed(0.28, 1.3, 2.1, 3.2, 5.6, 7.9, 13.8, 20, 26.7), "", ""},
		{"a little less", classifier(), weighed(0.28, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8), "", ""},
		{"positives that are frequent", classifier(), weighed(0.7, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4), "", ""},
	})
}

// Labels around the edge of what an output can give are out of its reach, labels
// that hardly leave its range are not.
func TestLabelsInReach(t *testing.T) {
	squashed := func(op string, low, high, mean, std float64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "mse_loss", Function: "mse_loss", Reduction: "mean"}
			head(f, "mse_loss", op, "linear")
			f.Labels = &record.LabelFacts{DType: "F32", Shape: []int64{50, 64}, Range: []float64{low, high}, Elements: 3200, Mean: &mean, Std: &std}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{50, 64}}, LabelShape: []int64{50, 64}, Steps: 8}
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"normalised pixels from a sigmoid", classifier(), squashed("sigmoid", -0.81, 1.85, 0, 0.998), "warning labels_out_of_reach output-activation mse_loss", "can only output 0 to 1, but the labels range from -0.81 to 1.85: some labels are"},
		{"values far beyond", classifier(), squashed("sigmoid", -300, 900, 200, 150), "error labels_out_of_reach output-activation mse_loss", ""},
		{"heights below the sea behind a GELU", classifier(), squashed("gelu", -6, 9, 0.2, 2), "warning labels_out_of_reach output-activation mse_loss", "can only output -0.17 and more, but the labels"},
		{"pixels with noise", classifier(), squashed("sigmoid", -0.2, 1.2, 0.4, 0.3), "", ""},
		{"values around the middle of tanh", classifier(), squashed("tanh", -1.4, 1.4, 0, 0.6), "", ""},
	})
}

// The hidden state of a recurrent layer that is the output itself has a range, too.
func TestStatesInReach(t *testing.T) {
	read := func(typ string, most float64, ops ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			mean, std := 0.06, 1.09
			f.Loss = &record.LossFacts{Name: "MSELoss", Function: "mse_loss", Module: "MSELoss", Reduction: "mean"}
			head(f, ops...)
			f.Labels = &record.LabelFacts{Loss: "MSELoss", DType: "F32", Shape: []int64{48}, Range: []float64{-1.07, most}, Elements: 384, Mean: &mean, Std: &std}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{48}}, LabelShape: []int64{48}, Steps: 8}
			f.Network.Modules[len(f.Network.Modules)-1].Type = typ
		}
	}
	lstm := func() *record.Facts { return network("encoder LSTM 4 32", "drop Dropout 0.1", "readout LSTM 32 1") }
	const found = "warning labels_out_of_reach output-activation MSELoss"
	runFacts(t, "output_activation", []factCase{
		{"of an LSTM", lstm(), read("LSTM", 3.1, "mse_loss", "select", "select", "recurrent"), found, "The state of readout, which is the output itself, can only output -1 to 1, but the labels range from -1.07 to 3.1"},
		{"of an LSTM, whose labels hardly leave the range", lstm(), read("LSTM", 1.2, "mse_loss", "select", "select", "recurrent"), "", ""},
		{"of its cells, maybe", lstm(), read("LSTM", 3.1, "mse_loss", "select", "select", "stack", "recurrent"), "", ""},
		{"of a GRU", lstm(), read("GRU", 3.1, "mse_loss", "select", "select", "stack", "add", "mul", "sub", "tanh", "add", "add"), found, ""},
		{"of a GRU, scaled", lstm(), read("GRU", 3.1, "mse_loss", "add", "mul", "stack", "add", "mul", "sub", "tanh", "add", "add"), "", ""},
		{"of a cell", lstm(), read("LSTMCell", 3.1, "mse_loss", "select", "mul", "sigmoid", "add", "linear"), found, ""},
		{"before a linear layer", network("encoder LSTM 4 32", "out Linear 32 1"), read("Linear", 3.1, "mse_loss", "select", "linear"), "", ""},
	})
}

// A loss that the script computes itself shows in the graph that it compares
// all predictions with all labels.
func TestColumnsAgainstRows(t *testing.T) {
	huber := func(at int, ops ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss, f.Labels, f.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
			head(f, ops...)
			f.Graph.Stretched = &record.StretchedFact{At: at, From: []int64{50, 1}, To: []int64{50, 50}}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"of the last layer", classifier(), huber(3, "mean", "clamp", "abs", "sub", "linear"), "error broadcast labels loss", "labels of shape [50] from predictions of shape [50 1]"},
		{"of something computed of it", classifier(), huber(1, "mean", "sub", "logsumexp", "linear"), "", ""},
	})
}

// Losses that take the sign of a label are given -1 and 1.
func TestSignedLabels(t *testing.T) {
	cosine := func(loss string, low, high float64) func(*record.Facts) {
		return func(f *record.Facts) {
			n := int64(2)
			f.Loss = &record.LossFacts{Name: loss, Module: loss, Reduction: "mean"}
			f.Labels = &record.LabelFacts{Loss: loss, DType: "F32", Shape: []int64{50}, Range: []float64{low, high}, Distinct: &n, Elements: 400}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"zero and one", classifier(), cosine("CosineEmbeddingLoss", 0, 1), "error zero_and_one labels CosineEmbeddingLoss", "1, but got 0 to 1: samples with label"},
		{"all zero", classifier(), cosine("HingeEmbeddingLoss", 0, 0), "error zero_and_one labels HingeEmbeddingLoss", "but all it got are 0"},
		{"signs", classifier(), cosine("CosineEmbeddingLoss", -1, 1), "", ""},
		{"pairs that all belong together", classifier(), cosine("CosineEmbeddingLoss", 1, 1), "", ""},
		{"another loss", classifier(), cosine("BCEWithLogitsLoss", 0, 1), "", ""},
	})
}

// Labels of an L1Loss are looked at, though PyTorch computes it in three steps.
func TestLabelsOfDistances(t *testing.T) {
	runFacts(t, "data_scaling", []factCase{{"sales", classifier(), func(f *record.Facts) {
		mean, std := 4155.0, 1088.0
		f.Loss = &record.LossFacts{Name: "L1Loss", Module: "L1Loss", Reduction: "mean"}
		head(f, "mean", "abs", "sub", "linear")
		f.Labels = &record.LabelFacts{Loss: "L1Loss", DType: "F32", Shape: []int64{32}, Range: []float64{2135, 6651}, Elements: 256, Mean: &mean, Std: &std}
		f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32}, Values: &record.ValueFacts{Elements: 32, Mean: -0.04, Std: 0.03}}, LabelShape: []int64{32}, Steps: 8}
	}, "warning labels data-scaling L1Loss", "normalised: those of l1_loss range from 2135 to 6651 (std 1088), but"}})
}

// An optimiser that calls backward itself has its gradients cleared, too.
func TestGradientsOfClosures(t *testing.T) {
	kept := func(class string, kept, without int64) func(*record.Facts) {
		return func(f *record.Facts) {
			group(f, class)
			f.Updates.Steps, f.Updates.Kept, f.Updates.NoBackward = 8, kept, without
		}
	}
	runFacts(t, "zero_grad", []factCase{
		{"never cleared", classifier(), kept("LBFGS", 7, 0), "error kept zero-grad gradients", "7 of the first 8 updates"},
		{"no backward outside", classifier(), kept("LBFGS", 0, 7), "", ""},
	})
}

// With several optimisers gradients are cleared too early where none ever moves.
func TestClearedBySeveral(t *testing.T) {
	cleared := func(gradient string, changed bool) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Optimisers = append(f.Optimisers, f.Optimisers[0])
			f.Updates.Steps, f.Updates.Cleared = 16, 14
			for i := range f.Parameters.List {
				f.Parameters.List[i].Gradient, f.Parameters.List[i].Changed = gradient, changed
			}
		}
	}
	runFacts(t, "zero_grad", []factCase{
		{"nothing moves", classifier(), cleared(record.GradientMissing, false), "error cleared zero-grad gradients", "at 14 of the first 16 updates the optimisers found none"},
		{"they take turns", classifier(), cleared(record.GradientFinite, true), "", ""},
	})
}

// Samples are not the classes of one sample.
func TestClassesOnTheAxisOfSamples(t *testing.T) {
	of := func(mean, most float64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "CrossEntropyLoss", Module: "CrossEntropyLoss", Reduction: "mean"}
			f.Labels = &record.LabelFacts{Loss: "CrossEntropyLoss", DType: "F32", Shape: []int64{40}, Range: []float64{0, most}, Elements: 320, Mean: &mean}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{40}}, LabelShape: []int64{40}, Steps: 8}
		}
	}
	runFacts(t, "loss_choice", []factCase{
		{"values", classifier(), of(0.51, 1), "error samples_as_classes loss CrossEntropyLoss", "40 samples"},
		{"a list to be ranked", classifier(), of(1.0/40, 0.4), "", ""},
	})
}
