package rules_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// valuesOf are values of a batch with this mean and deviation.
func valuesOf(n int64, mean, std float64) *record.ValueFacts {
	return &record.ValueFacts{Elements: n, Mean: record.Number(mean), Std: record.Number(std), Min: record.Number(mean - 3*std), Max: record.Number(mean + 3*std)}
}

// Evaluation gets data on the scale of training.
func TestScaleOfEvaluation(t *testing.T) {
	evaluated := func(shape []int64, mean, std float64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "fc1")
			m.Input = &record.TensorFacts{DType: "F32", Shape: []int64{32, 20}, Values: valuesOf(640, 0, 1)}
			f.Evaluation = &record.EvaluationFacts{Steps: 2, Layer: "fc1", Input: &record.TensorFacts{DType: "F32", Shape: shape, Values: valuesOf(640, mean, std)}}
		}
	}
	runFacts(t, "data_scaling", []factCase{
		{"scaled for training only", classifier(), evaluated([]int64{100, 20}, 60, 25), "warning evaluation data-scaling fc1", "Evaluation data is scaled differently: the Linear layer fc1"},
		{"scaled twice for evaluation", classifier(), evaluated([]int64{100, 20}, 0, 0.004), "warning evaluation data-scaling fc1", ""},
		{"alike", classifier(), evaluated([]int64{100, 20}, 0.3, 1.4), "", ""},
		{"of another place or time", classifier(), evaluated([]int64{100, 20}, 4, 3), "", ""},
		{"inputs of zeros, from which something is generated", classifier(), evaluated([]int64{100, 20}, 0, 0), "", ""},
		{"another input", classifier(), evaluated([]int64{100, 7}, 60, 25), "", ""},
	})
}

// One of training and evaluation was standardised, the other was not.
func TestStandardisedOnce(t *testing.T) {
	both := func(n int64, train, eval [2]float64, least, most float64) func(*record.Facts) {
		return func(f *record.Facts) {
			x, y := valuesOf(n, train[0], train[1]), valuesOf(n, eval[0], eval[1])
			if most > least {
				x.Min, x.Max = record.Number(least), record.Number(most)
			}
			module(f, "fc1").Input = &record.TensorFacts{DType: "F32", Shape: []int64{100, 20}, Values: x}
			f.Evaluation = &record.EvaluationFacts{Steps: 2, Layer: "fc1", Input: &record.TensorFacts{DType: "F32", Shape: []int64{100, 20}, Values: y}}
		}
	}
	standard, found := [2]float64{0.02, 1.01}, "warning evaluation data-scaling fc1"
	runFacts(t, "data_scaling", []factCase{
		{"for evaluation only", classifier(), both(2000, [2]float64{4, 1.6}, standard, 0, 9.3), found, ""},
		{"for training only", classifier(), both(2000, standard, [2]float64{4, 1.6}, 0, 0), found, ""},
		{"pixels of training are left as they are", classifier(), both(2000, [2]float64{0.3, 0.35}, standard, 0, 1), found, ""},
		{"few values", classifier(), both(500, [2]float64{4, 1.6}, standard, 0, 9.3), "", ""},
		{"a place where it is warmer", classifier(), both(2000, standard, [2]float64{1.4, 0.9}, 0, 0), "", ""},
		{"neither", classifier(), both(2000, [2]float64{4, 1.6}, [2]float64{9, 1.6}, 0, 0), "", ""},
		{"shares", classifier(), both(2000, [2]float64{0.3, 0.2}, [2]float64{0.4, 0.2}, 0, 1), "", ""},
	})
}

// Pixels that were divided by 255 once too often.
func TestDividedTwice(t *testing.T) {
	pixels := func(least, most float64, shape ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "fc1")
			x := valuesOf(6272, (least+most)/2, 0.3*most)
			x.Min, x.Max = record.Number(least), record.Number(most)
			m.Input = &record.TensorFacts{DType: "F32", Shape: shape, Values: x}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{*m.Input}, Steps: 8, Distinct: 8}
		}
	}
	runFacts(t, "data_scaling", []factCase{
		{"rows of pixels", classifier(), pixels(0, 0.00392, 32, 196), "warning small data-scaling fc1", "divided by 255 twice"},
		{"images", classifier(), pixels(0, 0.0037, 32, 1, 14, 14), "warning small data-scaling fc1", ""},
		{"divided once", classifier(), pixels(0, 1, 32, 196), "", ""},
		{"below zero, too", classifier(), pixels(-0.0039, 0.0039, 32, 196), "", ""},
		{"few features", classifier(), pixels(0, 0.00392, 32, 20), "", ""},
	})
}

// Inputs in small units are learnt from when the learning rate of a plain
// gradient descent makes up for them.
func TestSmallInputs(t *testing.T) {
	small := func(class string, lr float64) func(*record.Facts) {
		return func(f *record.Facts) {
			x := valuesOf(6000, 0, 5e-4)
			x.Min, x.Max = -0.002, 0.002
			module(f, "fc1").Input = &record.TensorFacts{DType: "F32", Shape: []int64{300, 20}, Values: x}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{*module(f, "fc1").Input}, Steps: 8, Distinct: 8}
			group(f, class).LR = setTo(lr)
		}
	}
	runFacts(t, "data_scaling", []factCase{
		{"a usual rate", classifier(), small("SGD", 0.1), "warning small data-scaling fc1", "negligible next to the bias"},
		{"a rate for these units", classifier(), small("SGD", 1e5), "", ""},
		{"an optimiser that scales gradients", classifier(), small("Adam", 1e5), "warning small data-scaling fc1", ""},
	})
}

// A table whose columns were scaled by one number for all of them.
func TestDrowned(t *testing.T) {
	table := func(faint, constant, features int64, shape ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "fc1")
			m.Input = &record.TensorFacts{DType: "F32", Shape: shape, Values: valuesOf(352, 0, 1)}
			f.Inputs = &record.InputFacts{
				Tensors: []record.TensorFacts{*m.Input}, Steps: 8, Distinct: 8,
				Features: &record.FeatureFacts{Features: features, StdMin: 2e-5, StdMax: 2.4, Constant: constant, Faint: faint},
			}
		}
	}
	runFacts(t, "data_scaling", []factCase{
		{"most columns are lost", classifier(), table(7, 0, 11, 32, 11), "warning mixed data-scaling fc1", "7 of the 11 features that the Linear layer fc1 receives vary by less than a thousandth"},
		{"constant ones do not count", classifier(), table(4, 4, 11, 32, 11), "warning mixed data-scaling fc1", ""},
		{"some are small", classifier(), table(5, 0, 11, 32, 11), "", ""},
		{"two coordinates", classifier(), table(2, 0, 3, 32, 3), "", ""},
		{"rows of pixels with dark edges", classifier(), table(400, 0, 784, 32, 784), "", ""},
		{"sequences", classifier(), table(7, 0, 11, 32, 5, 11), "", ""},
	})
}

// A recurrent layer reads along the steps of a sequence.
func TestSamplesForSteps(t *testing.T) {
	read := func(batchFirst bool, input, labels, predictions []int64) func(*record.Facts) {
		return func(f *record.Facts) {
			m := module(f, "rnn")
			m.Settings = map[string]any{"batch_first": batchFirst}
			m.Input = &record.TensorFacts{DType: "F32", Shape: input}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{32, 12, 4}}}, Steps: 8, Distinct: 8}
			f.Labels = &record.LabelFacts{DType: "I64", Shape: labels}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: predictions}, Steps: 8, LabelShape: labels}
		}
	}
	runFacts(t, "network_structure", []factCase{
		{"batch_first is missing", lstm(), read(false, []int64{32, 12, 4}, []int64{32}, []int64{32, 2}), "warning batch_first structure rnn", "32 samples of 12 steps"},
		{"batch_first", lstm(), read(true, []int64{32, 12, 4}, []int64{32}, []int64{32, 2}), "", ""},
		{"steps come first", lstm(), read(false, []int64{12, 32, 4}, []int64{32}, []int64{32, 2}), "", ""},
		{"one sequence, a label for each of its steps", lstm(), read(false, []int64{32, 12, 4}, []int64{32, 12}, []int64{32, 12}), "", ""},
	})
}

// Images whose channels came last were reshaped in place of permuted.
func TestChannelsSideBySide(t *testing.T) {
	images := func(interleaved bool, shape ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: shape}}, Steps: 8, Distinct: 8, Interleaved: interleaved}
		}
	}
	runFacts(t, "network_structure", []factCase{
		{"reshaped", classifier(), images(true, 32, 3, 16, 16), "warning channels_reshaped structure ", "values 3 apart are neighbours"},
		{"permuted", classifier(), images(false, 32, 3, 16, 16), "", ""},
	})
}

// The softmax of attention goes over the keys.
func TestOverQueries(t *testing.T) {
	runFacts(t, "network_structure", []factCase{
		{"queries", classifier(), func(f *record.Facts) { f.Graph.OverQueries = 2 }, "warning softmax_over_queries structure attention", "The softmax of 2 attention maps runs over another"},
		{"keys", classifier(), nil, "", ""},
	})
}

// A view in place of an exchange of axes mixes samples, or channels.
func TestRenamedAxes(t *testing.T) {
	view := func(x record.RenamedFact) func(*record.Facts) { return func(f *record.Facts) { f.Graph.Renamed = &x } }
	runFacts(t, "network_structure", []factCase{
		{"channels", classifier(), view(record.RenamedFact{From: []int64{50, 64, 4}, To: []int64{50, 4, 64}, At: "conv1"}), "warning renamed_axes structure conv1", "conv1 returns shape [50 4 64] for [50 64 4]: two axes swap"},
		{"classes", classifier(), view(record.RenamedFact{From: []int64{50, 64, 4}, To: []int64{50, 4, 64}, At: "the loss"}), "warning renamed_axes structure the loss", "before the loss returns shape [50 4 64] for [50 64 4]: two axes swap lengths but the values do not move, so every class"},
		{"classes of each place", classifier(), view(record.RenamedFact{From: []int64{50, 4, 8, 8}, To: []int64{3200, 4}, At: "the loss"}), "warning renamed_axes structure the loss", "the channels are on axis 1, but each row takes consecutive values"},
		{"heads", classifier(), view(record.RenamedFact{From: []int64{20, 24, 32}, To: []int64{20, 2, 24, 16}, At: "attention"}), "warning renamed_axes structure attention", "so every head sees pieces of several"},
		{"samples", classifier(), view(record.RenamedFact{From: []int64{320, 32}, To: []int64{8, 40, 32}, Samples: true}), "warning renamed_axes structure ", "every sequence is a mix of several samples"},
		{"none", classifier(), nil, "", ""},
	})
}

// Second derivatives of straight pieces are zero.
func TestSecondDerivative(t *testing.T) {
	runFacts(t, "network_structure", []factCase{
		{"of ReLU", classifier(), func(f *record.Facts) { f.Graph.SecondZero = &record.SecondFacts{Units: []string{"relu"}, Taken: 8} }, "warning second_derivative activation loss", "exactly zero everywhere: relu is piecewise linear"},
		{"none", classifier(), nil, "", ""},
	})
}

// A loss that measures errors is to fall, and the logarithm of a probability to
// rise.
func TestSignOfTheLoss(t *testing.T) {
	signed := func(function string, ops ...string) *record.Facts {
		f := classifier()
		f.Loss = &record.LossFacts{Name: function, Function: function}
		head(f, ops...)
		return f
	}
	written := func(larger, smaller int64, one bool) *record.Facts {
		f := signed("", "mean", "add", "mul", "log", "sigmoid", "linear")
		f.Graph.Likelihood = &record.LikelihoodFacts{Larger: larger, Smaller: smaller, One: one}
		return f
	}
	for _, c := range []struct {
		name string
		loss float64
		f    *record.Facts
		want string
	}{
		{"both terms of a likelihood without a minus", -3, written(0, 2, true), "error sign loss"},
		{"one term of a likelihood with the other sign", -3, written(1, 1, true), "error sign loss"},
		{"the same while the loss is not negative", 3, written(1, 1, true), ""},
		{"one probability against another", -3, written(1, 1, false), ""},
		{"minus the squared error", -3, signed("mse_loss", "neg", "mean", "pow", "sub", "linear"), "error sign loss"},
		{"minus cross_entropy", -3, signed("cross_entropy", "neg", "cross_entropy", "linear"), "error sign loss"},
		{"the logarithm of the right probability", -3, signed("", "mean", "index", "log_softmax", "linear"), "error sign loss"},
		{"minus that logarithm", 3, signed("", "neg", "mean", "index", "log_softmax", "linear"), ""},
		{"weighed with rewards", -3, signed("", "mean", "mul", "gather", "log_softmax", "linear"), ""},
		{"a density", -3, signed("", "neg", "mean", "sub", "neg", "div", "pow", "sub", "linear"), ""},
		{"a score that is to rise", -3, signed("", "neg", "mean", "linear"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range (curve{steps: 40, loss: noisy(0.1, stepAt(0, 0, c.loss)), facts: c.f}).judge(t, "impossible_loss") {
				got = fmt.Sprintf("%s %s %s", x.Severity, x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// A scheduler that waits for a metric to fall while it rises because all goes
// well lowers the rate for that.
func TestPlateausTheWrongWay(t *testing.T) {
	accuracy := []record.Number{24.181360201511335, 61.96473551637279, 78.08564231738035, 84.13098236775819, 87.40554156171285, 88.91687657430731}
	given := func(mode string, lowered []int, metrics []record.Number) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Schedule = &record.ScheduleFacts{At: 299, Steps: []int64{9, 300}, Rates: []float64{0.02, 0.001}, Plateau: &record.PlateauFacts{Mode: mode, Patience: 1, Metrics: metrics, Lowered: lowered}}
		}
	}
	overfit := []record.Number{0.61, 0.72, 0.79, 0.83, 0.86, 0.91}
	falls := []record.Number{2.31, 1.62, 1.1, 0.7, 0.52, 0.4}
	const found = "warning wrong_plateau_mode learning-rate ReduceLROnPlateau"
	runFacts(t, "learning_rate", []factCase{
		{"an accuracy for mode min", classifier(), given("min", []int{2, 4}, accuracy), found, "waits for the metric to fall (mode=\"min\"), while it rises, from 24.2 to 88.9: 2 reductions of the rate"},
		{"one that stands when the rate is gone", classifier(), given("min", []int{2, 4, 6, 8}, append(slices.Clone(accuracy), accuracy[5], accuracy[5], accuracy[5], accuracy[5])), found, ""},
		{"a reduction after no better value", classifier(), given("min", []int{8}, append(slices.Clone(accuracy), accuracy[5], accuracy[5], accuracy[5], accuracy[5])), "", ""},
		{"an accuracy for mode max", classifier(), given("max", []int{5}, accuracy), "", ""},
		{"a loss that rises", classifier(), given("min", []int{2, 4}, overfit), "", ""},
		{"a loss for mode max", classifier(), given("max", []int{2, 4}, falls), found, "to rise (mode=\"max\"), while it falls, from 2.31 to 0.4"},
		{"what a policy collects", classifier(), func(f *record.Facts) {
			given("max", []int{2, 4}, falls)(f)
			f.Graph.Policy = &record.PolicyFacts{Terms: 1}
		}, "", ""},
		{"one less the accuracy", classifier(), given("min", []int{5}, falls), "", ""},
		{"a rate that was not lowered", classifier(), given("min", nil, accuracy), "", ""},
	})
}

// The rates themselves tell of a warm-up without an end and of a decay that
// comes too early.
func TestSchedules(t *testing.T) {
	rates := func(initial float64, rate func(n int64) float64) *record.Facts {
		f := classes()
		s := &record.ScheduleFacts{At: 299}
		if initial > 0 {
			s.Initial = &initial
		}
		for _, n := range []int64{9, 20, 100, 200, 300} {
			s.Steps, s.Rates = append(s.Steps, n), append(s.Rates, rate(n))
		}
		f.Schedule = s
		return f
	}
	warm := func(n int64) float64 { return 1e-3 * float64(n) / 1e4 }
	decay := func(base float64) func(n int64) float64 {
		return func(n int64) float64 {
			x := 0.02
			for range n {
				x *= base
			}
			return x
		}
	}
	until := func(end int64) func(int64) float64 { // a line to zero
		return func(n int64) float64 { return max(0, 0.02*(1-float64(n)/float64(end))) }
	}
	stopping := stepAt(150, 0.02, 0)
	flat := noisy(0.02, stepAt(0, 0, 2.35))
	short := func(rate func(n int64) float64) *record.Facts { // 100 updates
		f := rates(0.02, rate)
		f.Schedule.Steps, f.Schedule.Rates = f.Schedule.Steps[:3], f.Schedule.Rates[:3]
		return f
	}
	oneCycle := func(n int64) float64 { // up for 30 updates, then half of a cosine
		if n < 30 {
			return 8e-4 + 0.0192*(1-math.Cos(math.Pi*float64(n)/30))/2
		}
		return 8e-8 + 0.02*(1+math.Cos(math.Pi*float64(n-30)/70))/2
	}
	for _, c := range []struct {
		name string
		c    curve
		want string
	}{
		{"a warm-up longer than the training", curve{steps: 300, loss: flat, facts: rates(1e-3, warm), span: 0.02}, "warning warm_up_unfinished learning-rate"},
		{"one that is written by hand", curve{steps: 300, loss: flat, facts: rates(0, warm), span: 0.02}, "warning warm_up_unfinished learning-rate"},
		{"one that has hardly begun", curve{steps: 300, loss: falling(2.35, 1.8, 80), facts: rates(5e-3, func(n int64) float64 { return 5e-3 * float64(1+n/100) / 300 }), span: 0.02}, "warning warm_up_unfinished learning-rate"},
		{"a scale of another rate", curve{steps: 300, loss: falling(2.35, 1.8, 80), facts: rates(1, func(n int64) float64 { return 1e-6 * float64(n) }), span: 0.02}, ""},
		{"one that ends in time", curve{steps: 300, loss: flat, facts: rates(1e-3, func(n int64) float64 { return 1e-3 * min(1, float64(n)/200) }), span: 0.02}, ""},
		{"one under which the loss falls all the same", curve{steps: 300, loss: falling(2.35, 0.5, 80), facts: rates(1e-3, warm), span: 0.02}, ""},
		{"a search for the rate", curve{steps: 300, loss: func(n int64) float64 { return 2.3 + 9*map[bool]float64{true: 1}[n > 250] }, facts: rates(0, warm), span: 0.02}, ""},
		{"a decay with every batch", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, decay(0.8)), spans: stopping}, "warning near_zero_at_end learning-rate"},
		{"the same while weights move", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, decay(0.8)), span: 0.02}, ""},
		{"three steps of a tenth", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, func(n int64) float64 { return 0.02 * []float64{1, 1e-1, 1e-3, 1e-3}[n/100] }), spans: stopping}, ""},
		{"zero from two thirds on", curve{steps: 300, loss: noisy(0.02, falling(2.35, 0.1, 10)), facts: rates(0.02, until(200)), spans: stopping}, "warning zero learning-rate"},
		{"the same of a loss below zero", curve{steps: 300, loss: noisy(0.02, stepAt(0, 0, -1)), facts: rates(0, until(200)), spans: stopping}, "warning zero learning-rate"},
		{"zero before the first look", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, until(5)), spans: stepAt(1, 0, 0)}, "warning zero learning-rate"},
		{"zero at the end", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, until(300)), spans: stopping}, ""},
		{"zero at first", curve{steps: 300, loss: noisy(0.02, falling(2.35, 1.0, 100)), facts: rates(0, func(n int64) float64 { return max(0, 0.001*float64(n-150)) }), span: 0.02}, ""},
		{"a cosine to the end", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, func(n int64) float64 { return 0.01 * (1 + math.Cos(math.Pi*float64(n)/300)) }), spans: stopping}, ""},

		{"a cosine to nearly zero, of a short training", curve{steps: 100, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: short(func(n int64) float64 { return 1e-8 + 0.01*(1+math.Cos(math.Pi*float64(n)/100)) }), spans: stopping}, ""},
		{"one cycle, of a short training", curve{steps: 100, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: short(oneCycle), spans: stopping}, ""},
		{"a decay with every batch, of a short training", curve{steps: 100, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: short(decay(0.8)), spans: stopping}, "warning near_zero_at_end learning-rate"},
		{"a decay over the whole training", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, decay(0.98)), span: 0.02}, ""},
		{"a decay after all is learnt", curve{steps: 300, loss: noisy(0.02, falling(2.35, 0.1, 10)), facts: rates(0.02, decay(0.8)), span: 0.02}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range c.c.judge(t, "learning_rate") {
				got = fmt.Sprintf("%s %s %s", x.Severity, x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// A training that is too short for its rate.
func TestOutOfReach(t *testing.T) {
	facts := func(class string, rate float64, do func(*record.ParameterFact)) *record.Facts {
		f := classifier()
		f.Optimisers[0].Class = class
		f.Schedule = &record.ScheduleFacts{At: 70, Initial: &rate, Steps: []int64{9, 20}, Rates: []float64{rate, 0.9 * rate}}
		change(f, do, "")
		return f
	}
	same := func(*record.ParameterFact) {}
	rising := facts("Adam", 8e-6, same)
	rising.Schedule.Rates[1] *= 2
	known := facts("AdamW", 8e-6, same)
	known.Labels, known.Predictions = classes().Labels, classes().Predictions
	descent := func(rate, momentum float64, norms ...record.Number) *record.Facts {
		f := facts("SGD", rate, same)
		f.Optimisers[0].Groups[0].LR, f.Optimisers[0].Groups[0].Momentum = &rate, &momentum
		f.Updates.Norms = norms
		return f
	}
	apart := descent(8e-6, 0, 2, 1)
	apart.Optimisers[0].Groups = append(apart.Optimisers[0].Groups, record.GroupFacts{LR: setTo(1e-2), Parameters: 1})
	level, falls := noisy(0.02, stepAt(0, 0, 2.35)), falling(2.35, 0.5, 20)
	const found = "warning weights_hardly_moved learning-rate"
	for _, c := range []struct {
		name string
		c    curve
		want string
	}{
		{"a rate that is far too low", curve{steps: 70, loss: level, facts: facts("Adam", 8e-6, same)}, found},
		{"a longer training", curve{steps: 150, loss: noisy(0.02, falling(2.35, 2.1, 20)), facts: facts("AdamW", 8e-6, same)}, ""},
		{"a longer one that has not learnt how frequent classes are", curve{steps: 150, loss: level, facts: known}, found},
		{"a loss that falls", curve{steps: 70, loss: falls, facts: facts("Adam", 8e-6, same)}, ""},
		{"a network that was trained before", curve{steps: 70, loss: level, facts: facts("Adam", 8e-6, pretrained)}, ""},
		{"Adam that moves a little, and the loss does not", curve{steps: 260, loss: falling(2.35, 2.32, 200), facts: facts("Adam", 8e-6, same)}, found},
		{"another optimiser", curve{steps: 70, loss: level, facts: facts("RMSprop", 8e-6, same)}, ""},
		{"plain descent at a rate that is far too low", curve{steps: 70, loss: level, facts: descent(8e-6, 0, 2, 1)}, found},
		{"with momentum", curve{steps: 70, loss: level, facts: descent(8e-6, 0.9, 2, 1)}, found},
		{"momentum that carries it far", curve{steps: 70, loss: level, facts: descent(8e-6, 0.999, 2, 1)}, ""},
		{"plain descent, and the loss falls", curve{steps: 70, loss: falls, facts: descent(8e-6, 0, 2, 1)}, ""},
		{"plain descent at a usual rate", curve{steps: 70, loss: level, facts: descent(1e-2, 0, 2, 1)}, ""},
		{"plain descent at a usual rate, and hardly a gradient comes", curve{steps: 70, loss: level, facts: descent(1e-2, 0, 2e-3, 1e-3)}, ""},
		{"plain descent, and nobody knows the gradients", curve{steps: 70, loss: level, facts: descent(8e-6, 0)}, ""},
		{"two rates", curve{steps: 70, loss: level, facts: apart}, ""},
		{"a usual rate", curve{steps: 70, loss: level, facts: facts("Adam", 1e-3, same)}, ""},
		{"a rate that rises", curve{steps: 70, loss: level, facts: rising}, ""},
		{"a few updates", curve{steps: 30, loss: level, facts: facts("Adam", 8e-6, same)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range c.c.judge(t, "learning_rate") {
				got = fmt.Sprintf("%s %s %s", x.Severity, x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// Further things that the graph and the first evaluation tell.
func TestFunctions(t *testing.T) {
	runFacts(t, "evaluation_mode", []factCase{
		{"dropout as a function that nobody tells of the mode", classifier(), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 2, FunctionalDropout: true}
		}, "warning functional_dropout eval-mode dropout", "training=self.training"},
		{"the same in training mode", classifier(), func(f *record.Facts) {
			f.Evaluation = &record.EvaluationFacts{Steps: 2, FunctionalDropout: true, RootTraining: true}
		}, "warning evaluated_in_training_mode eval-mode evaluation", "model.eval()"},
	})
	runFacts(t, "regularisation", []factCase{
		{"strong dropout as a function", classifier(), func(f *record.Facts) { f.Graph.Dropout = 0.95 }, "warning dropout regularisation dropout", "strong: F.dropout sets 95 % of the values"},
		{"usual dropout as a function", classifier(), func(f *record.Facts) { f.Graph.Dropout = 0.5 }, "", ""},
	})
	penalty := func(kind string, factor, pull, norm float64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Graph.Penalty = &record.PenaltyFacts{Kind: kind, Factor: record.Number(factor), Pull: record.Number(pull), Tensors: 6}
			f.Updates.Norms = []record.Number{record.Number(norm), record.Number(norm)}
		}
	}
	runFacts(t, "regularisation", []factCase{
		{"squares of the weights that outweigh the loss", classifier(), penalty("l2", 0.5, 4.4, 4.5), "warning penalty regularisation loss", "sum of the squares of the weights times 0.5, which makes up 98 % of the gradient"},
		{"a smaller factor, and hardly anything besides", classifier(), penalty("l2", 0.03, 0.98, 1), "warning penalty regularisation loss", ""},
		{"magnitudes of the weights", classifier(), penalty("l1", 0.1, 5, 5.1), "warning penalty regularisation loss", "magnitudes of the weights times 0.1"},
		{"norms of the weights", classifier(), penalty("norm", 0.5, 0.87, 0.96), "warning penalty regularisation loss", "lengths (norms) of the weights times 0.5"},
		{"a usual factor of norms", classifier(), penalty("norm", 0.005, 0.01, 0.96), "", ""},
		{"norms beside a loss that pulls as well", classifier(), penalty("norm", 0.5, 0.87, 3), "", ""},
		{"a usual factor", classifier(), penalty("l2", 1e-3, 0.01, 1), "", ""},
		{"a usual factor at the end of a training", classifier(), penalty("l2", 1e-3, 0.99, 1), "", ""},
		{"a usual factor of magnitudes", classifier(), penalty("l1", 1e-3, 0.2, 0.4), "", ""},
		{"a loss that pulls as well", classifier(), penalty("l2", 0.5, 4, 9), "", ""},
		{"one layer: a ridge regression", network("fc Linear 10 1"), penalty("l2", 0.5, 4.4, 4.5), "", ""},
	})
	oneUnit := func(do func(*record.ParameterFact)) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss, f.Labels, f.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
			head(f, "sub", "mean", "div", "add", "mul", "sum", "mul", "softmax", "linear")
			f.Graph.SoftmaxOfOne = 1
			change(f, do, "")
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"log_softmax over samples", classifier(), func(f *record.Facts) {
			head(f, "cross_entropy", "linear")
			f.Graph.AcrossSamples = true
		}, "error wrong_axis output-activation cross_entropy", "over the samples"},
		{"log_softmax over time steps", classifier(), func(f *record.Facts) {
			head(f, "ctc_loss", "log_softmax", "linear")
			f.Loss.Function, f.Graph.AcrossSamples = "ctc_loss", true
		}, "error wrong_axis output-activation loss", "expects the classes on the last axis"},
		{"a norm over samples", classifier(), func(f *record.Facts) {
			head(f, "cross_entropy", "div", "matmul", "div", "linear")
			f.Graph.NormedAcross = true
		}, "warning wrong_axis output-activation cross_entropy", "the batch: each column has norm 1"},
		{"overlap of raw outputs", classifier(), func(f *record.Facts) {
			head(f, "mean", "sub", "div", "add", "mul", "sum", "mul", "convolution")
			f.Loss.Function, f.Graph.Overlap = "", "convolution"
		}, "warning logits_as_probabilities output-activation loss", "raw outputs of a convolution layer"},
		{"overlap of probabilities", classifier(), func(f *record.Facts) {
			head(f, "mean", "sub", "div", "add", "mul", "sum", "mul", "sigmoid", "convolution")
			f.Loss.Function, f.Graph.Overlap = "", "sigmoid"
		}, "", ""},
		{"softmax of one output, in a loss of one's own", classifier(), oneUnit(flat), "error softmax_of_one_entry output-activation loss", "runs over an axis of length 1, so every prediction is 1"},
		{"softmax of one output, and gradients all the same", classifier(), oneUnit(func(*record.ParameterFact) {}), "", ""},
		{"no gradient behind a softmax of several", classifier(), func(f *record.Facts) {
			oneUnit(flat)(f)
			f.Graph.SoftmaxOfOne = 0
		}, "", ""},
		{"attention over one entry", pooled(), nil, "warning inner_softmax_of_one_entry output-activation score", "an axis of length 1"},
		{"attention over one entry, whose scores move", pooled(), func(f *record.Facts) { f.Parameters.List[2].Changed = true }, "", ""},
		{"scores that get no gradient, without a softmax over one entry", pooled(), func(f *record.Facts) { f.Graph.SoftmaxOfOne = 0 }, "", ""},
	})
	stretched := func(at int, ops ...string) *record.Facts {
		f := classifier()
		f.Loss, f.Labels, f.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
		head(f, ops...)
		f.Graph.Stretched = &record.StretchedFact{At: at, From: []int64{50}, To: []int64{50, 50}}
		return f
	}
	aside := func(at int, ops ...string) *record.Facts {
		f := stretched(at, "mean", "mul", "add", "add", "clamp", "linear")
		f.Graph.Stretched.Way = ops
		return f
	}
	ofModule := func(labels, predictions []int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "SmoothLoss", Module: "SmoothLoss"}
			f.Labels = &record.LabelFacts{Loss: "SmoothLoss", DType: "F32", Shape: labels}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: predictions}, LabelShape: labels}
		}
	}
	const rowAgainstColumn = "error broadcast labels loss"
	runFacts(t, "labels_fit", []factCase{
		{"a row against a column", stretched(3, "sqrt", "mean", "pow", "sub", "linear"), nil, rowAgainstColumn, "labels of shape [50 1] from predictions of shape [50]"},
		{"in a loss of one's own", stretched(5, "mean", "where", "mul", "pow", "abs", "sub", "linear"), ofModule([]int64{50, 1}, []int64{50}), "error broadcast labels SmoothLoss", ""},
		{"in one that got two columns", stretched(5, "mean", "where", "mul", "pow", "abs", "sub", "linear"), ofModule([]int64{50, 1}, []int64{50, 1}), "", ""},
		{"a value of each sample that is picked first", stretched(2, "mean", "pow", "sub", "gather", "relu", "linear"), nil, rowAgainstColumn, ""},
		{"a dot product of embeddings", stretched(2, "mean", "pow", "sub", "sigmoid", "add", "sum", "mul", "embedding"), nil, rowAgainstColumn, ""},
		{"sums of something else", stretched(2, "mean", "pow", "sub", "sigmoid", "add", "sum", "mul", "linear"), nil, "", ""},
		{"weights of samples", stretched(1, "mean", "mul", "smooth_l1_loss", "linear"), nil, "error broadcast labels smooth_l1_loss", "multiplies values of shape [50], one per sample, with others of shape [50 1]"},
		{"log(cosh) by softplus", stretched(3, "mean", "sub", "add", "sub", "linear"), nil, rowAgainstColumn, ""},
		{"the error of a likelihood with its own variance", aside(5, "mean", "mul", "add", "add", "mul", "pow", "sub", "linear"), nil, "", ""},
		{"the difference in it", aside(6, "mean", "mul", "add", "add", "mul", "pow", "sub", "linear"), nil, rowAgainstColumn, "labels of shape [50 1] from predictions of shape [50]"},
		{"values beside a policy", aside(4, "add", "mul", "mean", "pow", "sub", "linear"), nil, rowAgainstColumn, ""},
		{"a normal distribution's", stretched(7, "neg", "mean", "sub", "sub", "div", "neg", "pow", "sub", "linear"), nil, rowAgainstColumn, ""},
		{"values beside a policy, whose entropy is taken off", aside(5, "sub", "add", "mul", "mean", "pow", "sub", "linear"), func(f *record.Facts) { f.Graph.Policy = &record.PolicyFacts{Terms: 1} }, rowAgainstColumn, ""},
		{"a Bernoulli distribution's", aside(3, "neg", "mean", "neg", "binary_cross_entropy_with_logits", "linear"), nil, "error broadcast labels loss", "compares labels of shape [50 1] with predictions of shape [50]"},
		{"a kernel beside another term", aside(5, "add", "mean", "exp", "neg", "pow", "sub", "linear"), nil, "", ""},
		{"distances between two sets", stretched(4, "sub", "mul", "mean", "abs", "sub", "linear"), nil, "", ""},
		{"a kernel", stretched(4, "mean", "exp", "neg", "pow", "sub", "linear"), nil, "", ""},
		{"deep in a network", stretched(2, "mean", "pow", "sub", "matmul", "softmax", "linear"), nil, "", ""},
	})
}

// A bias that a model keeps by itself hides no activation after it.
func TestActivationAfterOwnBias(t *testing.T) {
	logits := func(ops ...string) *record.Facts {
		f := classifier()
		f.Loss = &record.LossFacts{Name: "binary_cross_entropy_with_logits", Function: "binary_cross_entropy_with_logits"}
		f.Labels = &record.LabelFacts{DType: "F32", Shape: []int64{64}}
		f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{64}}, LabelShape: []int64{64}}
		head(f, append([]string{"binary_cross_entropy_with_logits"}, ops...)...)
		return f
	}
	const twice = "error sigmoid_twice output-activation binary_cross_entropy_with_logits"
	runFacts(t, "output_activation", []factCase{
		{"sigmoid of a sum with a bias", logits("sigmoid", "add"), nil, twice, ""},
		{"sigmoid of a product with a scale", logits("sigmoid", "mul"), nil, twice, ""},
		{"a sum with a bias", logits("add"), nil, "", ""},
		{"a gate before it", logits("add", "mul", "sigmoid", "linear"), nil, "", ""},
	})
}

// One of several optimisers whose gradients are never cleared.
func TestOneKeepsGradients(t *testing.T) {
	two := func(kept ...int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Optimisers = append(f.Optimisers, f.Optimisers[0])
			f.Updates.Steps, f.Updates.Kept = 0, 0
			for i, n := range kept {
				f.Updates.Each = append(f.Updates.Each, record.OptimiserUpdates{Class: "Adam", Model: []string{"D", "G"}[i], Steps: 8, Kept: n})
				f.Updates.Steps, f.Updates.Kept = f.Updates.Steps+8, f.Updates.Kept+n
			}
		}
	}
	runFacts(t, "zero_grad", []factCase{
		{"the discriminator's", classifier(), two(7, 0), "error kept_by_one zero-grad gradients", "The gradients of D are not cleared: at 7 of the first 8 updates by its"},
		{"of both", classifier(), two(7, 7), "error kept zero-grad gradients", ""},
		{"of some batches", classifier(), two(4, 0), "", ""},
		{"of none", classifier(), two(0, 0), "", ""},
	})
}

// The outputs of a model in one term of a loss tell themselves what made them.
func TestTermOfALossOutOfReach(t *testing.T) {
	term := func(low, high, mean, std float64, way ...string) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "mse_loss", Function: "mse_loss", Reduction: "sum"}
			head(f, "add", "div", "mul", "sum", "add", "linear")
			f.Labels = &record.LabelFacts{Loss: "mse_loss", DType: "F32", Shape: []int64{50, 64}, Range: []float64{low, high}, Elements: 3200, Mean: &mean, Std: &std}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{50, 64}}, LabelShape: []int64{50, 64}, Steps: 8, Way: way}
		}
	}
	runFacts(t, "output_activation", []factCase{
		{"sigmoid against images of -1 to 1", classifier(), term(-1, 1, -0.4, 0.75, "sigmoid", "linear"), "error labels_out_of_reach output-activation mse_loss", "can only output 0 to 1, but the labels range from -1 to 1: even the mean"},
		{"tanh against them", classifier(), term(-1, 1, -0.4, 0.75, "tanh", "linear"), "", ""},
		{"sigmoid against images with noise", classifier(), term(-0.41, 1.25, 0.1, 0.25, "sigmoid", "linear"), "", ""},
		{"a layer itself", classifier(), term(-1, 1, -0.4, 0.75, "linear"), "", ""},
		{"not the same at all calls", classifier(), term(-1, 1, -0.4, 0.75), "", ""},
		{"labels of another loss", classifier(), func(f *record.Facts) { term(-1, 1, -0.4, 0.75, "sigmoid", "linear")(f); f.Labels.Loss = "l1_loss" }, "", ""},
	})
}

// A loss that depends on nothing teaches nothing.
func TestLossWithoutGraph(t *testing.T) {
	cut := func(f *record.Facts) {
		f.Graph = &record.GraphFacts{Complete: true, Rootless: true}
		f.Updates.Norms = []record.Number{0, 0, 0, 0, 0}
		for i := range f.Parameters.List {
			f.Parameters.List[i].Gradient, f.Parameters.List[i].Changed = record.GradientMissing, false
		}
	}
	runFacts(t, "not_updated", []factCase{
		{"backward on a tensor of nothing", classifier(), cut, "error no_graph not-updated loss", "does not depend on the model"},
		{"the first batch had nothing to learn from", classifier(), func(f *record.Facts) {
			cut(f)
			f.Updates.Norms[2] = 1
			for i := range f.Parameters.List {
				f.Parameters.List[i].Gradient, f.Parameters.List[i].Changed = record.GradientFinite, true
			}
		}, "", ""},
		{"no backward", classifier(), func(f *record.Facts) { cut(f); f.Updates.NoBackward = 5 }, "", ""},
	})
}

// Embeddings that no optimiser holds, as the framework draws them and as others
// have trained them.
func TestTablesOutside(t *testing.T) {
	tables := func(mean, std float64) func(*record.Facts) {
		return func(f *record.Facts) {
			for range 2 {
				first := normal(mean, std)
				first.Elements = 900
				f.Parameters.Outside = append(f.Parameters.Outside, record.ParameterFact{
					Name: "Embedding_weight", Module: "Embedding", Type: "Embedding", Kind: record.EmbeddingModule, Shape: []int64{150, 6}, Trained: true, First: &first, FanIn: 6,
				})
			}
		}
	}
	runFacts(t, "not_updated", []factCase{
		{"new", classifier(), tables(0.01, 1.02), "warning module_in_no_optimiser not-updated Embedding", ""},
		{"trained", classifier(), tables(0.02, 1.3), "", ""},
		{"of small numbers", classifier(), tables(0, 0.1), "", ""},
	})
}

// One prediction that is compared with the labels of all samples.
func TestOneForAll(t *testing.T) {
	compared := func(loss string, input, predictions, labels []int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: loss, Function: loss}
			head(f, loss, "linear")
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: input, Values: valuesOf(640, 0, 1)}}, Steps: 8, Distinct: 8}
			f.Labels = &record.LabelFacts{DType: "F32", Shape: labels}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: predictions}, Steps: 8, LabelShape: labels}
		}
	}
	const found = "warning one_prediction_per_batch structure "
	runFacts(t, "network_structure", []factCase{
		{"an average over samples", classifier(), compared("mse_loss", []int64{32, 20}, []int64{4}, []int64{32, 4}), found, "The model gets 32 samples ([32 20]) but returns a single prediction ([4]), which is compared"},
		{"that keeps the axis", classifier(), compared("mse_loss", []int64{32, 20}, []int64{1, 4}, []int64{32, 4}), found, ""},
		{"a set and what is asked of it", classifier(), compared("mse_loss", []int64{32, 20}, []int64{4}, []int64{4}), "", ""},
		{"parameters that are fitted to samples", classifier(), compared("mse_loss", []int64{1, 4}, []int64{1, 4}, []int64{32, 4}), "", ""},
		{"one prediction for each", classifier(), compared("mse_loss", []int64{32, 20}, []int64{32, 4}, []int64{32, 4}), "", ""},
	})
}

// What is only worth knowing hides no alarm.
func TestNoteIsNoRoot(t *testing.T) {
	f := classes()
	f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{32, 20}}}, Steps: 10, Distinct: 1}
	set, err := rules.Set("default", "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	e, err := rules.NewEngine(rules.Options{Configs: set})
	if err != nil {
		t.Fatal(err)
	}
	c := curve{steps: 60, loss: noisy(0.1, stepAt(3, 2, 500)), update: 0.5, facts: f}
	e.Announce("worker_0", c.infos())
	e.Facts(f)
	for _, s := range c.completes() {
		e.Observe(s)
	}
	e.Finish(record.Completed)
	groups := e.Groups()
	if len(groups) == 0 || groups[0].Root.Rule != "learning_rate" {
		t.Errorf("groups are %s", asJSON(t, groups))
	}
}

// pooled is a network whose scores of attention go through a softmax over an
// axis of length one: the layer that makes them gets gradients of zero.
func pooled() *record.Facts {
	f := network("embed Linear 10 32", "score Linear 32 1", "act ReLU", "head Linear 32 10")
	f.Graph.SoftmaxOfOne = 1
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Module == "score" {
			p.Changed, p.Gradient = false, record.GradientZero
		}
	}
	return f
}

// Noise that is to be found is drawn again for every batch.
func TestNoiseDrawnOnce(t *testing.T) {
	drawn := func(renewed int64, mean, std float64, times []int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "mse_loss", Function: "mse_loss"}
			f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{
				{DType: "F32", Shape: []int64{64, 2}, Values: valuesOf(128, 0, 1)}, {DType: "I64", Shape: times, Values: valuesOf(64, 24, 13)},
			}, Steps: 8, Distinct: 1, Renewed: renewed}
			f.Labels = &record.LabelFacts{Loss: "mse_loss", DType: "F32", Shape: []int64{64, 2}, Range: []float64{-2.8, 2.2}, Elements: 896, Mean: &mean, Std: &std}
		}
	}
	const known = "info one_batch data-loading inputs"
	runFacts(t, "same_batches", []factCase{
		{"a generator that is seeded for every batch", classifier(), drawn(7, -0.04, 1.02, []int64{64}), "warning one_batch data-loading inputs", "Seed the generator once"},
		{"times in a column", classifier(), drawn(7, -0.04, 1.02, []int64{64, 1}), "warning one_batch data-loading inputs", ""},
		{"a batch that is kept", classifier(), drawn(0, -0.04, 1.02, []int64{64}), known, ""},
		{"targets that were scaled", classifier(), drawn(7, 0, 1, []int64{64}), known, ""},
		{"targets on another scale", classifier(), drawn(7, 0.5, 0.6, []int64{64}), known, ""},
		{"no number for each sample", classifier(), drawn(7, -0.04, 1.02, []int64{64, 2}), known, ""},
	})
}

// Class weights grow as classes get rarer.
func TestWeightsOfClasses(t *testing.T) {
	weighed := func(settings map[string]any, counts map[string]int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss.Settings = settings
			f.Labels = &record.LabelFacts{Loss: "CrossEntropyLoss", DType: "I64", Shape: []int64{32}, Range: []float64{0, 2}, Counts: counts}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32, 3}}, Steps: 8, LabelShape: []int64{32}}
			for _, n := range counts {
				f.Labels.Elements += n
			}
		}
	}
	counts := map[string]int64{"0": 300, "1": 100, "2": 40}
	runFacts(t, "loss_choice", []factCase{
		{"frequencies", classifier(), weighed(map[string]any{"weights": []any{0.68, 0.23, 0.09}}, counts), "warning class_weights_inverted loss cross_entropy", "are inverted: class 0 with 300 of 440 labels has weight"},
		{"their inverse", classifier(), weighed(map[string]any{"weights": []any{0.5, 1.5, 3.7}}, counts), "", ""},
		{"nearly alike", classifier(), weighed(map[string]any{"weights": []any{1.2, 1.0, 1.0}}, counts), "", ""},
		{"a class that is left out", classifier(), weighed(map[string]any{"weights": []any{1.0, 0.3, 0.0}}, counts), "", ""},
		{"classes equally frequent", classifier(), weighed(map[string]any{"weights": []any{4.0, 1.0, 1.0}}, map[string]int64{"0": 120, "1": 100, "2": 110}), "", ""},
	})
}

// A policy samples from what softmax gives once.
func TestPolicyOfProbabilities(t *testing.T) {
	policy := func(twice bool) func(*record.Facts) {
		return func(f *record.Facts) { f.Graph.Policy = &record.PolicyFacts{Terms: 1, Twice: twice} }
	}
	runFacts(t, "output_activation", []factCase{
		{"logits=probabilities", classifier(), policy(true), "error softmax_twice output-activation cross_entropy", "Softmax is applied twice"},
		{"logits", classifier(), policy(false), "", ""},
	})
}
