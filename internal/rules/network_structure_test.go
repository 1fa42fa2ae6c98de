package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestNetworkStructure(t *testing.T) {
	head := func(operations ...string) func(*record.Facts) {
		return func(f *record.Facts) { f.Graph.Head = operations }
	}
	same := func(outputs, inputs bool) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Steps: 8, Distinct: 8, Tensors: []record.TensorFacts{{Shape: []int64{50, 6, 5}, Values: &record.ValueFacts{SameRows: inputs}}}}
			f.Predictions = &record.PredictionFacts{Steps: 8, TensorFacts: record.TensorFacts{Shape: []int64{50, 3}, Values: &record.ValueFacts{SameRows: outputs}}}
		}
	}
	runFacts(t, "network_structure", []factCase{
		{"one output for all samples", classifier(), same(true, false), "warning same_output structure ", "All 50 samples of a batch get the same output"},
		{"one input for all samples", classifier(), same(true, true), "", ""},
		{"a last layer that begins with zeros", classifier(), func(f *record.Facts) {
			same(true, false)(f)
			change(f, func(p *record.ParameterFact) { p.First = &record.ValueFacts{Elements: 640} }, "fc3.weight")
		}, "", ""},
		{"three linear layers", network("fc1 Linear 20 64", "fc2 Linear 64 64", "fc3 Linear 64 10"), nil, "warning linear_stack structure fc1", "3 layers (fc1, fc2 and fc3) follow each other without an activation"},
		{"linear regression of two layers", network("fc1 Linear 4 16", "fc2 Linear 16 1"), nil, "warning linear_stack structure fc1", ""},
		{"convolutions", network("c1 Conv2d 1 8 3", "c2 Conv2d 8 16 3", "fc Linear 1024 10"), nil, "warning linear_stack structure c1", ""},
		{"autoencoder of many layers", network("e1 Linear 40 64", "e2 Linear 64 32", "e3 Linear 32 3", "d1 Linear 3 32", "d2 Linear 32 64", "d3 Linear 64 40"), func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{Shape: []int64{32, 40}}}}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{Shape: []int64{32, 40}}}
		}, "warning linear_stack structure e1", ""},
		{"nothing but batch normalisation between", network("fc1 Linear 20 64", "bn1 BatchNorm2d 64", "fc2 Linear 64 64", "bn2 BatchNorm2d 64", "fc3 Linear 64 10"), nil,
			"warning linear_stack structure fc1", "without an activation other than batch normalisation, which is linear in evaluation"},
		{"functions as activations beside batch normalisation", network("fc1 Linear 20 64", "bn1 BatchNorm2d 64", "fc2 Linear 64 64", "bn2 BatchNorm2d 64", "fc3 Linear 64 10"), func(f *record.Facts) { f.Graph.NonLinear += 2 }, "", ""},
		{"functions as activations, batch normalisation before the first layer", network("bn1 BatchNorm2d 20", "fc1 Linear 20 64", "fc2 Linear 64 64", "fc3 Linear 64 10"), nil, "", ""},
		{"functions as activations beside batch normalisation that stands", network("fc1 Linear 20 64", "bn1 BatchNorm2d 64", "fc2 Linear 64 64", "bn2 BatchNorm2d 64", "fc3 Linear 64 10"), func(f *record.Facts) {
			module(f, "bn1").Training, module(f, "bn2").Training = false, false
		}, "", ""},
		{"with dropout between", network("fc1 Linear 20 64", "drop Dropout 0.1", "fc2 Linear 64 10"), nil, "warning linear_stack structure fc1", ""},
		{"with an activation after the last", network("fc1 Linear 20 64", "fc2 Linear 64 10", "act ReLU"), func(f *record.Facts) { f.Graph.NonLinear = 0 }, "warning linear_stack structure fc1", ""},
		{"without the network's modules", network("fc1 Linear 20 64", "fc2 Linear 64 10"), func(f *record.Facts) { f.Network = nil }, "warning linear_stack structure fc1", ""},
		{"a slope of one", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) {
			f.Graph.NonLinear = 0
			module(f, "act").Type, module(f, "act").Settings = "LeakyReLU", map[string]any{"negative_slope": 1.0}
		}, "warning linear_stack structure fc1", "is between them (LeakyReLU with negative_slope=1) returns its input"},
		{"a slope", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) {
			module(f, "act").Type, module(f, "act").Settings = "LeakyReLU", map[string]any{"negative_slope": 0.2}
		}, "", ""},
		{"an activation whose result is thrown away", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) {
			f.Graph.NonLinear = 0
			gives(f, "SwitchableActivation", -2, -2)
		}, "warning linear_stack structure fc1", "is between them (SwitchableActivation) returns its input"},
		{"bounds that no value comes near", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) { gives(f, "Hardtanh", -2, -2) },
			"warning linear_stack structure fc1", "is between them (Hardtanh) returns its input"},
		{"bounds that some values meet", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) { gives(f, "Hardtanh", -2, -1) }, "", ""},
		{"a slope that is learnt and begins at one", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10"), func(f *record.Facts) { gives(f, "PReLU", -2, -2) }, "", ""},
		{"dropout on the output", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10", "drop Dropout 0.3"), head("cross_entropy", "dropout", "linear"),
			"warning dropout_on_output regularisation drop", "Dropout (p 0.3) is applied to the output of the last layer"},
		{"dropout by a mask", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10", "drop Dropout 0.3"), head("cross_entropy", "mul", "linear"), "warning dropout_on_output regularisation drop", ""},
		{"a product that is none", classifier(), head("cross_entropy", "mul", "linear"), "", ""},
		{"dropout under a softmax", classifier(), head("nll_loss", "log_softmax", "dropout", "linear"), "warning dropout_on_output regularisation dropout", ""},
		{"dropout under a sigmoid", network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 10", "drop Dropout 0.3"), head("binary_cross_entropy", "sigmoid", "dropout", "linear"), "warning dropout_on_output regularisation drop", ""},
		{"dropout of a loss that is one term of two", classifier(), head("add", "mul", "cross_entropy", "dropout", "linear"), "warning dropout_on_output regularisation dropout", "Dropout is applied to the output of the last layer, right before the loss cross_entropy"},
		{"dropout of a loss that is written out", classifier(), func(f *record.Facts) {
			head("mean", "pow", "sub", "dropout", "linear")(f)
			f.Loss, f.Labels = &record.LossFacts{Function: "mse_loss"}, &record.LabelFacts{}
		}, "warning dropout_on_output regularisation dropout", "right before the loss mse_loss"},
		{"every layer is followed by an activation and dropout, the last as well", classifier(), head("cross_entropy", "dropout", "relu", "linear"), "warning dropout_on_output regularisation dropout", ""},
		{"hidden features that are to be like others", classifier(), head("mse_loss", "dropout", "relu", "linear"), "", ""},
		{"dropout of what is looked up", network("e Embedding 50 8"), head("mse_loss", "dropout", "embedding"), "", ""},
		{"dropout before attention pools", classifier(), head("cross_entropy", "dropout", "matmul", "softmax", "linear"), "", ""},
		{"dropout under another loss", classifier(), head("mul", "dropout", "linear"), "", ""},
		{"normalisation on the output", classifier(), head("mse_loss", "batch_norm"), "info normalisation_on_output structure batch_norm", ""},
	})
}

// Of a recurrent layer the first step is used.
func TestFirstStep(t *testing.T) {
	given := func(more func(f *record.Facts), shape ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			module(f, "rnn").Settings = map[string]any{"batch_first": true, "num_layers": 1.0, "bidirectional": false}
			module(f, "rnn").Input = &record.TensorFacts{DType: "F32", Shape: shape}
			change(f, flat, "rnn.weight_hh_l0")
			if more != nil {
				more(f)
			}
		}
	}
	net := func() *record.Facts { return network("rnn LSTM 5 32", "fc Linear 32 10", "act ReLU") }
	const found = "warning first_step structure rnn"
	runFacts(t, "network_structure", []factCase{
		{"in place of the last", net(), given(nil, 32, 36, 5), found, "only the output of the LSTM layer rnn at the first of 36 steps"},
		{"with the time as the first axis", net(), given(func(f *record.Facts) { module(f, "rnn").Settings["batch_first"] = false }, 24, 1, 5), found, "the first of 24 steps"},
		{"sequences of one step", net(), given(nil, 32, 1, 5), "", ""},
		{"a layer that is called for each step", net(), given(func(f *record.Facts) { module(f, "rnn").Calls = 36 }, 32, 36, 5), "", ""},
		{"the last step", net(), given(func(f *record.Facts) {
			change(f, func(p *record.ParameterFact) { p.Gradient = record.GradientFinite }, "rnn.weight_hh_l0")
		}, 32, 36, 5), "", ""},
		{"no gradients at all", net(), given(func(f *record.Facts) { change(f, flat, "rnn") }, 32, 36, 5), "", ""},
		{"two directions", net(), given(func(f *record.Facts) { module(f, "rnn").Settings["bidirectional"] = true }, 32, 36, 5), "", ""},
		{"the first of two layers", net(), given(func(f *record.Facts) { module(f, "rnn").Settings["num_layers"] = 2.0 }, 32, 36, 5), "", ""},
	})
}

// gives makes the activation one of another class, and says what it was given and
// what it gave at the least.
func gives(f *record.Facts, class string, in, out float64) {
	m := module(f, "act")
	values := func(least float64) *record.TensorFacts {
		return &record.TensorFacts{DType: "F32", Shape: []int64{50, 64}, Values: &record.ValueFacts{Elements: 3200, Min: record.Number(least), Max: 2, Mean: 0.1, Std: 0.8}}
	}
	m.Type, m.Input, m.Output = class, values(in), values(out)
}
