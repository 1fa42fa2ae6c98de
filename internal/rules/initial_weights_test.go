package rules_test

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestInitialWeights(t *testing.T) {
	exploding := func(f *record.Facts) {
		x, y := record.ValueFacts{Std: 1}, record.ValueFacts{Std: 5000}
		module(f, "fc1").Input = &record.TensorFacts{Values: &x}
		module(f, "fc1").Output, module(f, "fc2").Output, module(f, "fc3").Output = &record.TensorFacts{Values: &y}, &record.TensorFacts{Values: &y}, &record.TensorFacts{Values: &x}
	}
	deep := func() *record.Facts {
		return network("fc1 Linear 64 64", "a ReLU", "fc2 Linear 64 64", "b ReLU", "fc3 Linear 64 64", "c ReLU", "fc4 Linear 64 10")
	}
	tiny := func(f *record.Facts) { change(f, begin(normal(0, 1e-4)), "fc1.weight", "fc2.weight", "fc3.weight") }
	runFacts(t, "initial_weights", []factCase{
		{"all zero", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0)), "")
			change(f, flat, "fc1", "fc2", "fc3.weight")
		}, "error zero_weights initialisation fc1", "All weights of fc1, fc2 and fc3 begin with 0, and fc1, fc2 and fc3 have not moved since"},
		{"all weights zero under random biases", classifier(), func(f *record.Facts) { change(f, begin(constant(0)), "fc1.weight", "fc2.weight", "fc3.weight") },
			"warning zero_weights initialisation fc1", "Every layer (fc1, fc2 and fc3) begins with weights of 0"},
		{"in a sequence", network("0 Linear 8 8", "1 ReLU", "2 Linear 8 8"), func(f *record.Facts) {
			change(f, begin(constant(1)), "")
		}, "error equal_weights initialisation 0", "All weights of layer 0 begin with one value (1 in layer 0)"},
		{"two in a row", deep(), func(f *record.Facts) {
			change(f, begin(constant(0)), "fc2", "fc3")
			change(f, flat, "fc1", "fc2", "fc3.weight")
		}, "error zero_weights initialisation fc2", ""},
		{"one step is too few", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0)), "")
			f.Parameters.Updates = 1
		}, "", ""},

		{"constant", classifier(), func(f *record.Facts) { change(f, begin(constant(0.5)), "") }, "error equal_weights initialisation fc1", "All weights of fc1 and fc2 begin with one value (0.5 in fc1), so that the 64 units"},
		{"deviations that begin as one number beside random means", classifier(), func(f *record.Facts) {
			deviation := f.Parameters.List[0]
			deviation.Name, deviation.First = deviation.Name+"_rho", &record.ValueFacts{Elements: 1280, Min: -3, Max: -3, Mean: -3}
			f.Parameters.List = append(f.Parameters.List, deviation)
		}, "", ""},
		{"constant under random biases", classifier(), func(f *record.Facts) { change(f, begin(constant(1)), "fc1.weight", "fc2.weight", "fc3.weight") }, "warning equal_weights initialisation fc1", ""},
		{"one constant layer", classifier(), func(f *record.Facts) { change(f, begin(constant(0.1)), "fc2") }, "warning equal_weights initialisation fc2", ""},
		{"constant depthwise", mobilenet(), func(f *record.Facts) { change(f, begin(constant(1./9)), "dw") }, "", ""},
		{"constant and frozen", classifier(), func(f *record.Facts) {
			change(f, begin(constant(0.1)), "fc1")
			change(f, freeze, "fc1")
		}, "", ""},

		{"deviation of 1", network("fc1 Linear 784 256", "a ReLU", "fc2 Linear 256 64", "b ReLU", "fc3 Linear 64 10"), func(f *record.Facts) { change(f, begin(normal(0, 1)), "fc1.weight", "fc2.weight", "fc3.weight") },
			"warning large_weights initialisation fc1", "fc1 has a deviation of 1 where 0.0505 is usual for 784 inputs"},
		{"large and exploding", classifier(), func(f *record.Facts) {
			change(f, begin(normal(0, 10)), "fc1.weight", "fc2.weight", "fc3.weight")
			exploding(f)
		}, "error large_weights initialisation fc2", ""},
		{"one large layer", deep(), func(f *record.Facts) { change(f, begin(normal(0, 3)), "fc2.weight") }, "warning large_weights initialisation fc2", ""},
		{"half as large", deep(), func(f *record.Facts) { change(f, begin(normal(0, 1)), "fc2.weight") }, "", ""},
		{"between 0 and 1", classifier(), func(f *record.Facts) {
			change(f, begin(record.ValueFacts{Max: 1, Mean: 0.5, Std: record.Number(1 / math.Sqrt(12))}), "fc1.weight", "fc2.weight", "fc3.weight")
		}, "warning one_sided_weights initialisation fc1", "fc1 have a mean of 0.5"},
		{"too small", deep(), tiny, "warning small_weights initialisation fc1", "fc1 has a deviation of 0.0001 where 0.177 is usual for 64 inputs"},
		{"small with normalisation", network("fc1 Linear 64 64", "n1 LayerNorm 64", "fc2 Linear 64 64", "n2 LayerNorm 64", "fc3 Linear 64 64", "n3 LayerNorm 64", "fc4 Linear 64 10"), tiny, "info small_weights initialisation fc1", ""},
		{"only the last is small", deep(), func(f *record.Facts) { change(f, begin(normal(0, 1e-4)), "fc4.weight") }, "", ""},
		{"large state of a recurrent layer", lstm(), func(f *record.Facts) { change(f, begin(normal(0, 10)), "rnn.weight_hh_l0", "fc.weight") }, "warning large_weights initialisation rnn", ""},
	})
}
