package rules_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// oneClass is a classifier of ten classes whose first batches have one.
func oneClass(batch int64) *record.Facts {
	one := int64(1)
	f := classes()
	f.Loss = &record.LossFacts{Name: "loss", Function: "cross_entropy", Reduction: "mean"}
	f.Graph = &record.GraphFacts{Parts: 1, Head: []string{"cross_entropy", "linear"}}
	f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{batch}, Range: []float64{0, 0}, Distinct: &one, Counts: map[string]int64{"0": 8 * batch}, Elements: 8 * batch}
	f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{batch, 10}}, Axis: 1, Classes: 10, Steps: 8, LabelShape: []int64{batch}}
	f.Inputs = &record.InputFacts{Tensors: []record.TensorFacts{{DType: "F32", Shape: []int64{batch, 20}}}, Steps: 8, Distinct: 8}
	return f
}

// scored is a model with one output, which is called with each candidate.
func scored() *record.Facts {
	f, g := oneClass(32), network("body Linear 20 64", "act ReLU", "score Linear 64 1")
	f.Network, f.Parameters = g.Network, g.Parameters
	return f
}

// Samples that come sorted by their label are no labels that are all the same.
func TestSortedByLabel(t *testing.T) {
	sorted := func(each int64) func(int64) float64 { // the loss falls with each class, and jumps at the next
		return noisy(0.05, func(n int64) float64 { return 0.02 + 4.5*math.Exp(-float64(n%each)/2) })
	}
	constant := noisy(0.05, falling(2.3, 0.003, 8))
	inOrder := func(do func(*record.Facts)) *record.Facts {
		f := oneClass(32)
		n := int64(5)
		f.Labels.Range, f.Labels.Distinct, f.Labels.InOrder = []float64{0, 4}, &n, true
		f.Labels.Counts = map[string]int64{"0": 50, "1": 50, "2": 50, "3": 50, "4": 56}
		if do != nil {
			do(f)
		}
		return f
	}
	guess := noisy(0.05, stepAt(0, 0, 2.3))
	for _, c := range []struct {
		name string
		c    curve
		want string
	}{
		{"sorted", curve{steps: 300, loss: sorted(40), facts: oneClass(32)}, "warning sorted data-loading"},
		{"sorted, a short job", curve{steps: 60, loss: sorted(20), facts: oneClass(16)}, "warning sorted data-loading"},
		{"one label for all", curve{steps: 300, loss: constant, facts: oneClass(32)}, "warning constant data-loading"},
		{"candidates that are scored one by one, the right one first", curve{steps: 300, loss: constant, facts: scored()}, ""},
		{"one label for all, a short job", curve{steps: 60, loss: constant, facts: oneClass(32)}, "warning constant labels"},
		{"tiny batches, of which one sample may make the loss", curve{steps: 60, loss: sorted(20), facts: oneClass(4)}, "warning constant labels"},
		{"small classes", curve{steps: 60, loss: guess, facts: inOrder(nil)}, "warning sorted data-loading"},
		{"labels of the places of sequences", curve{steps: 60, loss: guess, facts: inOrder(func(f *record.Facts) { f.Inputs.Tensors[0].Shape = []int64{4, 8} })}, ""},
		{"a second loss", curve{steps: 60, loss: guess, facts: inOrder(func(f *record.Facts) { f.Graph.Head = []string{"add", "cross_entropy", "linear"} })}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range c.c.judge(t, "labels_fit") {
				got += fmt.Sprintf("%s %s %s", x.Severity, x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("findings are %q, want %q", got, c.want)
			}
		})
	}
}

// pixels makes labels one for each pixel, of which some are ignored.
func pixels(classes, ignored, others int64) func(*record.Facts) {
	return func(f *record.Facts) {
		f.Labels.Shape, f.Predictions.LabelShape = []int64{32, 8, 8}, []int64{32, 8, 8}
		f.Predictions.Shape, f.Inputs.Tensors[0].Shape = []int64{32, classes, 8, 8}, []int64{32, 3, 8, 8}
		f.Labels.Ignored, f.Labels.Elements = ignored, others
		f.Labels.Range = []float64{1, float64(classes - 1)}
	}
}

// A class that the loss ignores is never learnt.
func TestClassLeftOut(t *testing.T) {
	with := func(index float64, do func(*record.Facts)) *record.Facts {
		f := oneClass(32)
		n := int64(9)
		f.Loss.Settings = map[string]any{"ignore_index": index}
		f.Labels.Range, f.Labels.Distinct, f.Labels.Ignored, f.Labels.Elements = []float64{1, 9}, &n, 26, 230
		f.Labels.Counts = map[string]int64{"1": 30, "9": 200}
		if do != nil {
			do(f)
		}
		return f
	}
	runFacts(t, "labels_fit", []factCase{
		{"one of the classes", with(0, nil), nil, "warning class_ignored loss cross_entropy", "ignores class 0, one of the model's 10"},
		{"no class", with(-1, nil), nil, "", ""},
		{"padding of sequences", with(0, func(f *record.Facts) { f.Inputs.Tensors[0].Shape = []int64{4, 8} }), nil, "", ""},
		{"places of an image", with(0, func(f *record.Facts) {
			f.Labels.Shape, f.Predictions.LabelShape = []int64{32, 8, 8}, []int64{32, 8, 8}
			f.Predictions.Shape = []int64{32, 10, 8, 8}
		}), nil, "", ""},
		{"one of three kinds of pixels", with(0, pixels(3, 700, 1348)), nil, "warning class_ignored loss cross_entropy", "ignores class 0, one of the model's 3"},
		{"one of two kinds of pixels", with(0, pixels(2, 100, 1948)), nil, "warning class_ignored loss cross_entropy", "ignores class 0, one of the model's 2"},
		{"the background", with(0, pixels(3, 1700, 348)), nil, "warning class_ignored loss cross_entropy", "ignores class 0, one of the model's 3"},
		{"pixels that nobody labelled", with(0, pixels(3, 200, 1848)), nil, "", ""},
		{"only some pixels are labelled", with(0, pixels(3, 1900, 148)), nil, "", ""},
		{"none of it came", with(0, func(f *record.Facts) { f.Labels.Ignored = 0 }), nil, "", ""},
	})
}

// A temperature that similarities are multiplied with leaves no pair to stand
// out.
func TestTemperature(t *testing.T) {
	pairs := func(spread float64) *record.Facts {
		f := classes()
		n := int64(64)
		f.Loss = &record.LossFacts{Name: "cross_entropy", Function: "cross_entropy", Reduction: "mean"}
		f.Graph = &record.GraphFacts{Parts: 1, Head: []string{"cross_entropy", "mul", "matmul", "div", "linear"}}
		counts := map[string]int64{}
		for i := range 64 {
			counts[fmt.Sprint(i)] = 8
		}
		f.Labels = &record.LabelFacts{DType: "I64", Shape: []int64{64}, Range: []float64{0, 63}, Distinct: &n, Counts: counts, Elements: 512}
		f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{64, 64}}, Axis: 1, Classes: 64, Steps: 8, Spread: record.Number(spread), LabelShape: []int64{64}}
		return f
	}
	for _, c := range []struct {
		name   string
		spread float64
		loss   float64
		want   string
	}{
		{"multiplied", 0.1, math.Log(64), "temperature loss"},
		{"divided, and nothing is learnt", 12, math.Log(64), "chance_level labels"},
		{"divided", 12, 0.8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range (curve{steps: 300, loss: noisy(0.002, stepAt(0, 0, c.loss)), span: 0.02, pull: 0.1, facts: pairs(c.spread)}).judge(t, "loss_flat") {
				got = fmt.Sprintf("%s %s", x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// A classifier that is shown hardly anything but one class says that one.
func TestImbalance(t *testing.T) {
	rare := func(do func(*record.Facts)) *record.Facts {
		f := oneClass(128)
		n := int64(2)
		f.Labels.Range, f.Labels.Distinct, f.Labels.Elements = []float64{0, 1}, &n, 1024
		f.Labels.Counts = map[string]int64{"0": 1012, "1": 12}
		f.Predictions.Shape, f.Predictions.Classes = []int64{128, 2}, 2
		if do != nil {
			do(f)
		}
		return f
	}
	one := func(f *record.Facts) { // a single output
		mean := 12.0 / 1024
		f.Loss.Function, f.Graph.Head[0] = "binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits"
		f.Labels.DType, f.Labels.Mean, f.Labels.Shape = "F32", &mean, []int64{128, 1}
		f.Predictions.Shape, f.Predictions.LabelShape, f.Predictions.Classes = []int64{128, 1}, []int64{128, 1}, 1
	}
	little := noisy(0.1, falling(0.5, 0.05, 20)) // a guess has 0.064
	for _, c := range []struct {
		name string
		loss func(int64) float64
		f    *record.Facts
		want string
	}{
		{"one in eighty-five", little, rare(nil), "imbalance imbalance"},
		{"a single output", little, rare(one), "imbalance imbalance"},
		{"told apart all the same", noisy(0.1, falling(0.5, 0.02, 20)), rare(nil), ""},
		{"classes have weights", little, rare(func(f *record.Facts) { f.Loss.Settings = map[string]any{"weight": true} }), ""},
		{"one in ten", noisy(0.1, falling(0.6, 0.3, 20)), rare(func(f *record.Facts) { f.Labels.Counts = map[string]int64{"0": 922, "1": 102} }), ""},
		{"few were seen", little, rare(func(f *record.Facts) { f.Labels.Elements, f.Labels.Counts = 256, map[string]int64{"0": 253, "1": 3} }), ""},
		{"still falling", func(n int64) float64 { return 0.08 - 0.0001*float64(n) }, rare(nil), ""},
		{"places of images", little, rare(func(f *record.Facts) { f.Labels.Shape = []int64{128, 8, 8} }), ""},
		{"clicks", little, rare(func(f *record.Facts) {
			one(f)
			f.Network = &record.NetworkFacts{Modules: []record.ModuleFacts{{Path: "users", Kind: record.EmbeddingModule}}}
		}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, x := range (curve{steps: 300, loss: c.loss, span: 0.02, facts: c.f}).judge(t, "loss_flat") {
				got = fmt.Sprintf("%s %s", x.Check, x.CauseClass)
			}
			if got != c.want {
				t.Errorf("finding is %q, want %q", got, c.want)
			}
		})
	}
}

// One class of several that makes nearly all samples.
func TestSkewedLabels(t *testing.T) {
	skew := func(common, rare int64, do func(*record.Facts)) func(*record.Facts) {
		return func(f *record.Facts) {
			n, from := int64(10), oneClass(64)
			f.Loss, f.Graph, f.Labels, f.Predictions, f.Inputs = from.Loss, from.Graph, from.Labels, from.Predictions, from.Inputs
			f.Labels.Range, f.Labels.Distinct, f.Labels.Elements, f.Labels.Counts = []float64{0, 9}, &n, common+9*rare, map[string]int64{"4": common}
			for _, k := range []string{"0", "1", "2", "3", "5", "6", "7", "8", "9"} {
				f.Labels.Counts[k] = rare
			}
			if do != nil {
				do(f)
			}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"nearly all are one class", classifier(), skew(494, 2, nil), "warning skewed imbalance cross_entropy", "class 4, of 10 classes"},
		{"nine of ten", classifier(), skew(460, 6, nil), "", ""},
		{"weights make up for it", classifier(), skew(494, 2, func(f *record.Facts) { f.Loss.Settings = map[string]any{"weight": true} }), "", ""},
		{"one class after the other", classifier(), skew(512, 0, func(f *record.Facts) { f.Labels.Counts = map[string]int64{"4": 512} }), "", ""},
		{"few labels", classifier(), skew(99, 0, nil), "", ""},
	})
}
