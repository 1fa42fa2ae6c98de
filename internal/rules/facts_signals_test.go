package rules_test

import (
	"fmt"
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
		{"scaled for training only", classifier(), evaluated([]int64{100, 20}, 60, 25), "warning evaluation data-scaling fc1", "In evaluation the Linear layer fc1 gets inputs on another scale"},
		{"scaled twice for evaluation", classifier(), evaluated([]int64{100, 20}, 0, 0.004), "warning evaluation data-scaling fc1", ""},
		{"alike", classifier(), evaluated([]int64{100, 20}, 0.3, 1.4), "", ""},
		{"of another place or time", classifier(), evaluated([]int64{100, 20}, 4, 3), "", ""},
		{"inputs of zeros, from which something is generated", classifier(), evaluated([]int64{100, 20}, 0, 0), "", ""},
		{"another input", classifier(), evaluated([]int64{100, 7}, 60, 25), "", ""},
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

// A loss that measures errors is to fall, and the logarithm of a probability to
// rise.
func TestSignOfTheLoss(t *testing.T) {
	signed := func(function string, ops ...string) *record.Facts {
		f := classifier()
		f.Loss = &record.LossFacts{Name: function, Function: function}
		head(f, ops...)
		return f
	}
	for _, c := range []struct {
		name string
		loss float64
		f    *record.Facts
		want string
	}{
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
	flat := noisy(0.02, stepAt(0, 0, 2.35))
	for _, c := range []struct {
		name string
		c    curve
		want string
	}{
		{"a warm-up longer than the training", curve{steps: 300, loss: flat, facts: rates(1e-3, warm), span: 0.02}, "warning warming learning-rate"},
		{"one that is written by hand", curve{steps: 300, loss: flat, facts: rates(0, warm), span: 0.02}, "warning warming learning-rate"},
		{"one that ends in time", curve{steps: 300, loss: flat, facts: rates(1e-3, func(n int64) float64 { return 1e-3 * min(1, float64(n)/200) }), span: 0.02}, ""},
		{"one under which the loss falls all the same", curve{steps: 300, loss: falling(2.35, 0.5, 80), facts: rates(1e-3, warm), span: 0.02}, ""},
		{"a search for the rate", curve{steps: 300, loss: func(n int64) float64 { return 2.3 + 9*map[bool]float64{true: 1}[n > 250] }, facts: rates(0, warm), span: 0.02}, ""},
		{"a decay with every batch", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, decay(0.8)), span: 0.02}, "warning gone learning-rate"},
		{"a decay over the whole training", curve{steps: 300, loss: noisy(0.02, falling(2.35, 2.0, 10)), facts: rates(0.02, decay(0.97)), span: 0.02}, ""},
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
		{"strong dropout as a function", classifier(), func(f *record.Facts) { f.Graph.Dropout = 0.95 }, "warning dropout regularisation dropout", "calls as a function sets 95 %"},
		{"usual dropout as a function", classifier(), func(f *record.Facts) { f.Graph.Dropout = 0.5 }, "", ""},
	})
	runFacts(t, "output_activation", []factCase{
		{"log_softmax over samples", classifier(), func(f *record.Facts) {
			head(f, "cross_entropy", "linear")
			f.Graph.AcrossSamples = true
		}, "error wrong_axis output-activation cross_entropy", "over the samples"},
	})
	stretched := classifier()
	stretched.Loss, stretched.Labels, stretched.Predictions = &record.LossFacts{Name: "a scalar of the script"}, nil, nil
	head(stretched, "sqrt", "mean", "pow", "sub", "linear")
	stretched.Graph.Stretched = &record.StretchedFact{At: 3, From: []int64{50}, To: []int64{50, 50}}
	runFacts(t, "labels_fit", []factCase{{"a row against a column", stretched, nil, "error broadcast labels loss", "labels of shape [50 1] from predictions of shape [50]"}})
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
