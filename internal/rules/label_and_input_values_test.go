package rules_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// The rules on what the values of labels, predictions and inputs mean, through
// the plan and the meter as they are live.

// repeated is n times x, after what was there.
func repeated(before []float64, n int, x float64) []float64 { return append(before, fill(n, x)...) }

// supervised is a step of labels and predictions (nil: none) under the names
// that rules look for.
func supervised(step int64, labels, predictions values) input {
	in := input{step: step, tensors: map[string]values{"labels": labels}}
	if predictions.v != nil {
		in.tensors["predictions"] = predictions
	}
	return in
}

// given describes what a loss was given, as the PyTorch hook does.
func given(j *job, loss string, numbers ...int) {
	for _, i := range numbers {
		kind := record.Prediction
		if i%2 == 1 {
			kind = record.Label
		}
		j.describe(record.TensorInfo{Name: fmt.Sprintf("%s_input_%d", loss, i), Kind: kind, Module: loss, ModuleType: loss})
	}
}

// meant is one case: some steps and what has to come of them.
type meant struct {
	id     string
	rule   string
	params []string
	before func(j *job) // describes tensors
	input  []input
	fires  []int64
	check  func(t *testing.T, j *job)
}

func (c meant) run(t *testing.T) {
	t.Run(c.id, func(t *testing.T) {
		j := newJob(t, config(c.rule, c.params...))
		for _, name := range []string{"labels", "predictions", "other_labels", "other_predictions"} {
			j.describe(record.TensorInfo{Name: name, Kind: record.Custom})
		}
		if c.before != nil {
			c.before(j)
		}
		j.feed(c.input...)
		j.engine.Finish(record.Completed)
		if got := j.fired(); !slices.Equal(got, append([]int64{}, c.fires...)) {
			t.Fatalf("fires at %v, want %v; findings %+v, status %+v", got, c.fires, j.found, j.status())
		}
		status := rules.NoIssuesFound
		if len(c.fires) > 0 {
			status = rules.IssuesFound
		}
		if s := j.status(); s.Status != status {
			t.Errorf("status is %+v", s)
		}
		if c.check != nil {
			c.check(t, j)
		}
	})
}

// says checks the findings by check and subject.
func says(want ...string) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		t.Helper()
		var got []string
		for _, f := range j.found {
			got = append(got, f.Check+" "+f.Subject)
		}
		if !slices.Equal(got, want) {
			t.Errorf("findings are %q, want %q", got, want)
		}
	}
}

// skipped checks a counter, and noted a line of the details.
func skipped(reason string, n int64) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		t.Helper()
		if got := j.status().Skipped[reason]; got != n {
			t.Errorf("%s was skipped %d times, want %d; %+v", reason, got, n, j.status())
		}
	}
}

func noted(text string) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		t.Helper()
		if got := j.status().Details; !strings.Contains(got, text) {
			t.Errorf("details are %q, want %q in them", got, text)
		}
	}
}

func TestClassImbalance(t *testing.T) {
	every1 := []string{"every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(every1), kv...) }
	var ten []float64
	for i := range 1000 {
		ten = append(ten, float64(i%10))
	}
	two := repeated(fill(500, 0), 500, 1)
	wrong := func(n int) []float64 { return repeated(repeated(fill(500, 0), n, 0), 500-n, 1) }
	scores := values{[]int64{4, 3}, []float64{.1, .7, .2, .9, 0, .1, .2, .3, .5, .4, .35, .25}} // 1 0 2 0
	few := with("samples", "4")
	ci1 := []input{
		supervised(0, vec(fill(250, 0)...), values{}), supervised(1, vec(fill(250, 0)...), values{}), supervised(2, vec(fill(250, 0)...), values{}),
		supervised(3, vec(repeated(fill(240, 0), 10, 1)...), values{}),
	}
	for _, c := range []meant{
		{"CI1", "ClassImbalance", every1, nil, ci1, []int64{3}, func(t *testing.T, j *job) {
			says("imbalance class 1")(t, j)
			if f := j.found[0]; f.Observed != 99 || f.Threshold != 10 || f.Context["labels"] != int64(1000) || f.CauseClass != "imbalance" {
				t.Errorf("finding is %+v", f)
			}
			noted("only one class was seen in TRAIN")(t, j)
			if n := j.status().Datapoints; n != 1000 {
				t.Errorf("%d labels, want 1000", n)
			}
		}},
		{"CI2", "ClassImbalance", nil, nil, []input{supervised(0, vec(ten...), vec(ten...))}, nil, nil},
		{"CI3", "ClassImbalance", nil, nil, []input{supervised(0, vec(two...), vec(wrong(351)...))}, []int64{0}, func(t *testing.T, j *job) {
			says("misprediction class 1")(t, j)
			observed(0.702)(t, j)
		}},
		{"CI4", "ClassImbalance", nil, nil, []input{supervised(0, vec(two...), vec(wrong(350)...))}, nil, nil},
		{"too few", "ClassImbalance", nil, nil, []input{supervised(0, vec(repeated(fill(490, 0), 9, 1)...), values{})}, nil, nil},
		{"ratio equal", "ClassImbalance", nil, nil, []input{supervised(0, vec(repeated(fill(1000, 0), 100, 1)...), values{})}, nil, nil},
		{"own interval", "ClassImbalance", nil, nil, ci1, nil, nil},
		{"modes apart", "ClassImbalance", every1, nil, []input{supervised(0, vec(fill(400, 0)...), values{}),
			{step: 1, mode: record.Eval, tensors: map[string]values{"labels": vec(fill(400, 1)...)}}}, nil, nil},
		{"one class", "ClassImbalance", nil, nil, []input{supervised(0, vec(fill(600, 3)...), values{})}, nil, noted("only one class")},
		{"never seen", "ClassImbalance", []string{"num_classes", "3"}, nil, []input{supervised(0, vec(two...), values{})}, []int64{0}, func(t *testing.T, j *job) {
			says("imbalance class 2")(t, j)
			if !math.IsInf(float64(j.found[0].Observed), 1) {
				t.Errorf("observed %v", j.found[0].Observed)
			}
			asJSON(t, j.found[0])
		}},
		{"far more than are seen", "ClassImbalance", []string{"num_classes", "9007199254740992"}, nil, []input{supervised(0, vec(two...), values{})}, []int64{0}, says("imbalance class 2")},
		{"all seen", "ClassImbalance", []string{"num_classes", "2"}, nil, []input{supervised(0, vec(two...), values{})}, nil, nil},
		{"one of two", "ClassImbalance", []string{"num_classes", "2"}, nil, []input{supervised(0, vec(fill(600, 0)...), values{})}, []int64{0}, says("imbalance class 1")},
		{"regression", "ClassImbalance", nil, nil, []input{supervised(0, vec(0.5, 1.5), vec(0.4, 1.4)), supervised(500, vec(two...), vec(wrong(400)...))}, nil, func(t *testing.T, j *job) {
			skipped("not_class_labels", 1)(t, j)
			noted("not class labels")(t, j)
		}},
		{"not a number", "ClassImbalance", nil, nil, []input{supervised(0, vec(math.NaN(), 1), values{})}, nil, skipped("not_class_labels", 1)},
		{"one-hot", "ClassImbalance", with("samples", "3"), nil, []input{supervised(0, values{[]int64{3, 3}, []float64{1, 0, 0, 0, 0, 1, 1, 0, 0}}, vec(2, 2, 2))}, []int64{0}, says("misprediction class 0")},
		{"column", "ClassImbalance", few, nil, []input{supervised(0, values{[]int64{4, 1}, []float64{0, 1, 1, 0}}, values{[]int64{4, 1}, []float64{0, 0, 0, 0}})}, []int64{0}, says("misprediction class 1")},
		{"segmentation", "ClassImbalance", few, nil, []input{supervised(0, values{[]int64{1, 2, 2}, []float64{0, 1, 1, 0}}, values{[]int64{1, 2, 2}, []float64{0, 0, 0, 0}})}, []int64{0}, says("misprediction class 1")},
		{"argmax", "ClassImbalance", with("samples", "4", "argmax", "True"), nil, []input{supervised(0, vec(1, 2, 2, 0), scores)}, nil, nil},
		{"argmax wrong", "ClassImbalance", with("samples", "4", "argmax", "True"), nil, []input{supervised(0, vec(2, 2, 1, 0), scores)}, []int64{0}, says("misprediction class 1", "misprediction class 2")},
		{"argmax of segmentation", "ClassImbalance", with("samples", "4", "argmax", "yes", "threshold_misprediction", "0.4"), nil,
			[]input{supervised(0, values{[]int64{1, 2, 2}, []float64{1, 1, 0, 0}}, values{[]int64{1, 2, 2, 2}, []float64{1, 2, 5, 6, 0, 3, 4, 7}})}, []int64{0}, says("misprediction class 0", "misprediction class 1")},
		{"class axis", "ClassImbalance", with("samples", "2", "argmax", "True", "class_axis", "0"), nil, []input{supervised(0, vec(1, 0), values{[]int64{2, 2}, []float64{0, 5, 1, 4}})}, nil, nil},
		{"scores without argmax", "ClassImbalance", few, nil, []input{supervised(0, vec(2, 2, 1, 0), scores)}, nil, skipped("predictions_not_classes", 1)},
		{"probabilities", "ClassImbalance", few, nil, []input{supervised(0, vec(0, 1, 1, 0), vec(0.5, 0.1, 0.2, 0.3))}, []int64{0}, says("misprediction class 1")},
		{"no probabilities", "ClassImbalance", few, nil, []input{supervised(0, vec(0, 1, 1, 0), vec(0.5, 0.1, 1.2, 0.3))}, nil, skipped("predictions_not_classes", 1)},
		{"lengths", "ClassImbalance", few, nil, []input{supervised(0, vec(0, 1, 1, 0), vec(1, 1))}, nil, skipped("lengths_differ", 1)},
		{"ignored", "ClassImbalance", few, nil, []input{supervised(0, vec(-100, -100, 1, 0, 1, 0), vec(5, 5, 1, 0, 1, 0))}, nil, func(t *testing.T, j *job) {
			if n := j.status().Datapoints; n != 4 {
				t.Errorf("%d labels, want 4", n)
			}
		}},
		{"ignored others", "ClassImbalance", with("samples", "2", "ignore_label", "7, 8"), nil, []input{supervised(0, vec(7, 8, 1, -100), vec(0, 0, 1, -100))}, nil, nil},
		{"own names", "ClassImbalance", with("samples", "4", "labels_regex", "^truth$", "predictions_regex", "^guess$"), nil,
			[]input{{step: 0, tensors: map[string]values{"labels": vec(fill(900, 0)...), "truth_output": vec(1), "guess_output": vec(1)}}}, nil, noted("no matching tensor")},
		{"of a loss", "ClassImbalance", few, func(j *job) { given(j, "CrossEntropyLoss", 0, 1) },
			[]input{{step: 0, tensors: map[string]values{"CrossEntropyLoss_input_1": vec(2, 2, 1, 0), "CrossEntropyLoss_input_0": scores}}}, []int64{0}, says("misprediction class 1", "misprediction class 2")},
		{"of a loss by name", "ClassImbalance", with("samples", "4", "argmax", "True", "labels_regex", "CrossEntropyLoss_input_1", "predictions_regex", "CrossEntropyLoss_input_0"), func(j *job) { given(j, "CrossEntropyLoss", 0, 1) },
			[]input{{step: 0, tensors: map[string]values{"CrossEntropyLoss_input_1": vec(2, 2, 1, 0), "CrossEntropyLoss_input_0": scores}}}, []int64{0}, nil},
		{"logits of a loss", "ClassImbalance", few, func(j *job) { given(j, "BCEWithLogitsLoss", 0, 1) },
			[]input{{step: 0, tensors: map[string]values{"BCEWithLogitsLoss_input_1": vec(0, 1, 1, 0), "BCEWithLogitsLoss_input_0": vec(-3, -2, -1, -5)}}}, []int64{0}, says("misprediction class 1")},
		// In the order of names 10 would come before 2: every prediction would be wrong.
		{"many in one step", "ClassImbalance", with("samples", "12"), func(j *job) { given(j, "CrossEntropyLoss", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 80, 81) },
			[]input{{step: 0, tensors: map[string]values{
				"CrossEntropyLoss_input_8": vec(1, 1), "CrossEntropyLoss_input_9": vec(1, 1), "CrossEntropyLoss_input_80": vec(2, 3), "CrossEntropyLoss_input_81": vec(2, 3),
				"CrossEntropyLoss_input_10": vec(4, 5), "CrossEntropyLoss_input_11": vec(4, 5), "CrossEntropyLoss_input_2": vec(6, 7), "CrossEntropyLoss_input_3": vec(6, 7),
				"CrossEntropyLoss_input_4": vec(0, 8), "CrossEntropyLoss_input_5": vec(0, 8), "CrossEntropyLoss_input_6": vec(9, 9), "CrossEntropyLoss_input_7": vec(9, 9),
			}}}, nil, nil},
		{"no weights", "ClassImbalance", few, func(j *job) { j.describe(record.TensorInfo{Name: "Net_labels.weight", Kind: record.Weight}) },
			[]input{tensorAt("Net_labels.weight", 0, vec(0, 0, 0, 1))}, nil, nil},
	} {
		c.run(t)
	}
}

// identity are the labels 0..9, of which wrong are predicted as given.
func identity(wrong map[int]float64) input {
	var labels, predictions []float64
	for i := range 10 {
		p, is := wrong[i]
		if !is {
			p = float64(i)
		}
		labels, predictions = append(labels, float64(i)), append(predictions, p)
	}
	return supervised(0, vec(labels...), vec(predictions...))
}

func TestConfusion(t *testing.T) {
	for _, c := range []meant{
		{"CO1", "Confusion", nil, nil, []input{identity(nil)}, nil, nil},
		{"CO2", "Confusion", nil, nil, []input{identity(map[int]float64{4: 7})}, []int64{0}, func(t *testing.T, j *job) {
			says("diag class 4", "off_diag class 4 as 7")(t, j)
			if a, b := j.found[0], j.found[1]; a.Observed != 0 || a.Comparator != "<" || b.Observed != 1 || a.Context["matrix"] == nil || b.Context["matrix"] != nil {
				t.Errorf("findings are %+v", j.found)
			}
		}},
		{"CO3", "Confusion", []string{"category_no", "10", "min_diag", "0", "max_off_diag", "0.01"}, nil, []input{identity(map[int]float64{4: 7})}, []int64{0}, says("off_diag class 4 as 7")},
		{"by prediction", "Confusion", []string{"normalize", "prediction"}, nil, []input{identity(map[int]float64{4: 7})}, []int64{0}, func(t *testing.T, j *job) {
			says("diag class 7", "off_diag class 4 as 7")(t, j)
			observed(0.5)(t, j)
		}},
		{"limits equal", "Confusion", nil, nil, []input{supervised(0, vec(fill(10, 1)...), vec(repeated(fill(9, 1), 1, 0)...))}, nil, nil},
		{"out of range", "Confusion", []string{"category_no", "5"}, nil, []input{identity(nil)}, nil, func(t *testing.T, j *job) {
			skipped("id_out_of_range", 5)(t, j)
			if n := j.status().Datapoints; n != 5 {
				t.Errorf("%d samples, want 5", n)
			}
		}},
		{"negative", "Confusion", nil, nil, []input{supervised(0, vec(-100, 1, 0), vec(2, 1, 0))}, nil, skipped("id_out_of_range", 1)},
		{"scores", "Confusion", nil, nil, []input{supervised(0, vec(1, 0), values{[]int64{2, 2}, []float64{.4, .6, .4, .6}})}, []int64{0}, says("diag class 0", "off_diag class 0 as 1")},
		{"column", "Confusion", nil, nil, []input{supervised(0, values{[]int64{2, 1}, []float64{1, 0}}, values{[]int64{2, 1}, []float64{.7, .2}})}, nil, nil},
		{"one matrix for each step", "Confusion", []string{"every", "1"}, nil, []input{supervised(0, vec(0, 1), vec(0, 1)), supervised(1, vec(1, 1), vec(0, 1)), supervised(2, vec(0, 1), vec(0, 1))}, []int64{1},
			says("diag class 1", "off_diag class 1 as 0")},
		{"no classes", "Confusion", nil, nil, []input{supervised(0, vec(.5, 1), vec(1, 1))}, nil, skipped("not_class_labels", 1)},
		{"one of both", "Confusion", nil, nil, []input{supervised(0, vec(0, 1), values{})}, nil, nil},
		{"of a loss", "Confusion", nil, func(j *job) { given(j, "NLLLoss", 0, 1) },
			[]input{{step: 0, tensors: map[string]values{"NLLLoss_input_1": vec(0, 1), "NLLLoss_input_0": {[]int64{2, 2}, []float64{-1, -2, -3, -4}}}}}, []int64{0}, says("diag class 1", "off_diag class 1 as 0")},
		// The named tensor is there, so what the loss was given does not count.
		{"named first", "Confusion", nil, func(j *job) { given(j, "NLLLoss", 0, 1) },
			[]input{{step: 0, tensors: map[string]values{"labels": vec(0, 1), "predictions": vec(0, 1), "NLLLoss_input_1": vec(0, 1), "NLLLoss_input_0": vec(1, 0)}}}, nil, nil},
		{"other names", "Confusion", []string{"labels", "other_labels", "predictions", "other_predictions"}, nil,
			[]input{{step: 0, tensors: map[string]values{"other_labels": vec(0, 1), "other_predictions": vec(1, 1), "labels": vec(5), "predictions": vec(6)}}}, []int64{0}, says("diag class 0", "off_diag class 0 as 1")},
		{"many classes", "Confusion", []string{"category_no", "100"}, nil, []input{identity(map[int]float64{4: 7})}, []int64{0}, func(t *testing.T, j *job) {
			if got := asJSON(t, j.found[0].Context["mistakes"]); got != `[{"count":1,"label":4,"prediction":7}]` {
				t.Errorf("mistakes are %s", got)
			}
		}},
	} {
		c.run(t)
	}
}

// pictures are n images of one channel, four values each, in [0, 1] with the
// mean of FashionMNIST.
func pictures(n int, scale func(float64) float64) values {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 0, 4*n)
	for range 2 * n {
		x := rng.Float64() * 0.28
		v = append(v, scale(0.286-x), scale(0.286+x)) // the mean is exact
	}
	return values{[]int64{int64(n), 1, 2, 2}, v}
}

func TestCheckInputImages(t *testing.T) {
	same := func(x float64) float64 { return x }
	normalised := func(x float64) float64 { return (x - 0.286) / 0.352 }
	input0 := func(j *job) {
		j.describe(record.TensorInfo{Name: "Net_input_0", Kind: record.Input, ModuleType: "Net"})
		j.describe(record.TensorInfo{Name: "conv_input_0", Kind: record.Input, Module: "conv", ModuleType: "Conv2d"})
	}
	at := func(step int64, x values) input { return tensorAt("Net_input_0", step, x) }
	every := []string{"every", "1"}
	colour := values{[]int64{2, 3, 1, 1}, []float64{0, 1, 0, 0, 3, 0}}
	last := values{[]int64{2, 1, 1, 3}, []float64{0, 1, 0, 0, 3, 0}}
	few := []string{"threshold_samples", "2"}
	with := func(kv ...string) []string { return append(slices.Clone(few), kv...) }
	bytes := values{[]int64{2, 1, 1, 2}, []float64{0, 255, 100, 200}}
	for _, c := range []meant{
		{"II1", "CheckInputImages", every, input0, []input{at(0, pictures(256, same)), at(1, pictures(243, same)), at(2, pictures(1, same)), at(3, pictures(1, same))}, []int64{2, 3}, func(t *testing.T, j *job) {
			says("mean Net_input_0", "mean Net_input_0")(t, j)
			observed(0.286)(t, j)
			if f := j.found[0]; f.Context["images"] != int64(500) || !strings.Contains(f.Remedy, "subtract 0.286 and divide by 0.1") || f.CauseClass != "data-scaling" {
				t.Errorf("finding is %+v", f)
			}
		}},
		{"II2", "CheckInputImages", nil, input0, []input{at(0, pictures(500, normalised))}, nil, nil},
		{"one step", "CheckInputImages", nil, input0, []input{at(0, pictures(500, same))}, []int64{0}, nil},
		{"too few", "CheckInputImages", nil, input0, []input{at(0, pictures(499, same))}, nil, nil},
		{"equal", "CheckInputImages", with("threshold_mean", "0.5"), input0, []input{at(0, values{[]int64{2, 1, 1, 1}, []float64{0.5, 0.5}})}, nil, nil},
		{"channels", "CheckInputImages", few, input0, []input{at(0, colour)}, []int64{0}, says("mean Net_input_0 channel 1")},
		{"channels last", "CheckInputImages", with("channel", "3"), input0, []input{at(0, last)}, []int64{0}, says("mean Net_input_0 channel 1")},
		{"deviation", "CheckInputImages", with("threshold_std", "0.1"), input0, []input{at(0, values{[]int64{2, 1, 1, 2}, []float64{-3, 3, -3, 3}})}, []int64{0}, func(t *testing.T, j *job) {
			says("std Net_input_0")(t, j)
			observed(3)(t, j)
		}},
		{"three axes", "CheckInputImages", few, input0, []input{at(0, values{[]int64{2, 2, 1}, []float64{-1, 1, -1, 1}})}, nil, nil},
		{"not scaled", "CheckInputImages", few, input0, []input{at(0, bytes)}, []int64{0}, func(t *testing.T, j *job) {
			if !strings.Contains(j.found[0].Remedy, "0..255") {
				t.Errorf("remedy is %q", j.found[0].Remedy)
			}
		}},
		{"constant", "CheckInputImages", few, input0, []input{at(0, values{[]int64{2, 1, 1, 1}, []float64{7, 7}})}, []int64{0}, nil},
		{"two axes", "CheckInputImages", few, input0, []input{at(0, values{[]int64{2, 3}, fill(6, 1)})}, nil, skipped("rank", 1)},
		{"no such axis", "CheckInputImages", with("channel", "7"), input0, []input{at(0, colour)}, nil, skipped("rank", 1)},
		{"not finite", "CheckInputImages", few, input0, []input{at(0, values{[]int64{2, 1, 1, 1}, []float64{1, math.NaN()}})}, nil, skipped("non_finite", 1)},
		{"empty", "CheckInputImages", few, input0, []input{at(0, values{[]int64{0, 1, 2, 2}, nil})}, nil, nil},
		{"inner layers are no input", "CheckInputImages", few, input0, []input{tensorAt("conv_input_0", 0, colour)}, nil, nil},
		{"own pattern", "CheckInputImages", with("regex", "conv_input"), input0, []input{tensorAt("conv_input_0", 0, colour)}, []int64{0}, says("mean conv_input_0 channel 1")},
	} {
		c.run(t)
	}
}

func TestNLPSequenceRatio(t *testing.T) {
	words := func(j *job) {
		j.describe(record.TensorInfo{Name: "words_input_0", Kind: record.Input, Module: "words", ModuleType: "Embedding"})
		j.describe(record.TensorInfo{Name: "head_input_0", Kind: record.Input, Module: "head", ModuleType: "Linear"})
	}
	ids := func(v ...float64) []input {
		return []input{tensorAt("words_input_0", 0, values{[]int64{1, int64(len(v))}, v})}
	}
	mixed := repeated(repeated(fill(20, 0), 11, 2), 69, 9)
	for _, c := range []meant{
		{"NL1", "NLPSequenceRatio", nil, words, ids(repeated(fill(51, 0), 49, 7)...), []int64{0}, func(t *testing.T, j *job) {
			says("token words_input_0 token 0")(t, j)
			observed(51)(t, j)
			if f := j.found[0]; asJSON(t, f.Context["mean_length_without"]) != "49" || f.CauseClass != "data-loading" {
				t.Errorf("finding is %+v", f)
			}
		}},
		{"NL1 equal", "NLPSequenceRatio", nil, words, ids(repeated(fill(50, 0), 50, 7)...), nil, nil},
		{"NL2", "NLPSequenceRatio", []string{"token_values", "0,2", "token_thresholds_percent", "50,10"}, words, ids(mixed...), []int64{0}, says("token words_input_0 token 2")},
		{"one limit for all", "NLPSequenceRatio", []string{"token_values", "0,2", "token_thresholds_percent", "10"}, words, ids(mixed...), []int64{0}, says("token words_input_0 token 0", "token words_input_0 token 2")},
		{"no ids", "NLPSequenceRatio", nil, words, ids(0, 0, 0.5), nil, skipped("not_token_ids", 1)},
		{"empty", "NLPSequenceRatio", nil, words, []input{tensorAt("words_input_0", 0, values{[]int64{0, 4}, nil})}, nil, skipped("empty", 1)},
		{"one token", "NLPSequenceRatio", nil, words, []input{tensorAt("words_input_0", 0, values{[]int64{}, []float64{0}})}, []int64{0}, nil},
		{"other layers", "NLPSequenceRatio", nil, words, []input{tensorAt("head_input_0", 0, vec(0, 0))}, nil, nil},
		{"own pattern", "NLPSequenceRatio", []string{"tensor_regex", "head_in"}, words, []input{tensorAt("head_input_0", 0, vec(0, 0))}, []int64{0}, nil},
		{"history", "NLPSequenceRatio", []string{"every", "1"}, words, append(ids(1, 1), tensorAt("words_input_0", 1, vec(0, 0))), []int64{1}, func(t *testing.T, j *job) {
			if got := asJSON(t, j.found[0].Context["shares"]); got != "[0,100]" {
				t.Errorf("shares are %s", got)
			}
		}},
	} {
		c.run(t)
	}
}

// Samples of all workers are taken together, also when one has nothing.
func TestPooledOverWorkers(t *testing.T) {
	for _, c := range []struct {
		rule   string
		params []string
		a, b   input
		want   string
	}{
		{"class_imbalance", []string{"samples", "4", "threshold_imbalance", "2"}, supervised(0, vec(0, 0), values{}), supervised(0, vec(0, 1), values{}), "imbalance class 1"},
		{"confusion", []string{"min_diag", "0.8"}, supervised(0, vec(0, 0), vec(0, 0)), supervised(0, vec(0, 0), vec(1, 1)), "diag class 0"},
		{"nlp_sequence_ratio", []string{"token_thresholds_percent", "40"}, tensorAt("words_input_0", 0, vec(0, 0)), tensorAt("words_input_0", 0, vec(1, 1)), "token words_input_0 token 0"},
		{"check_input_images", []string{"threshold_samples", "2"}, tensorAt("Net_input_0", 0, values{[]int64{1, 1, 1, 1}, []float64{2}}), tensorAt("Net_input_0", 0, values{[]int64{1, 1, 1, 1}, []float64{0}}), "mean Net_input_0"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			j := newJob(t, config(c.rule, c.params...))
			j.workers = []string{"worker_0", "worker_1", "worker_2"}
			j.describe(record.TensorInfo{Name: "labels", Kind: record.Custom})
			j.describe(record.TensorInfo{Name: "predictions", Kind: record.Custom})
			j.describe(record.TensorInfo{Name: "words_input_0", Kind: record.Input, Module: "words", ModuleType: "Embedding"})
			j.describe(record.TensorInfo{Name: "Net_input_0", Kind: record.Input, ModuleType: "Net"})
			j.engine.Observe(rules.NewComplete([]*record.Step{j.part("worker_0", c.a), j.part("worker_1", c.b), j.part("worker_2", input{})}))
			if len(j.found) == 0 || j.found[0].Check+" "+j.found[0].Subject != c.want {
				t.Errorf("findings are %+v, want %s", j.found, c.want)
			}
		})
	}
}

// Every parameter of the four rules, and the name of the job that a fifth may stop: what is refused and what is said.
func TestMeaningParameters(t *testing.T) {
	for _, c := range []struct{ rule, name, value, want string }{
		{"class_imbalance", "threshold_imbalance", "0.9", "out of range"},
		{"stalled_training_rule", "training_job_name_prefix", "resnet 18", "letters, digits and hyphens"},
		{"class_imbalance", "threshold_imbalance", "ten", "not a number"},
		{"class_imbalance", "threshold_misprediction", "1.1", "0 <= x <= 1"},
		{"class_imbalance", "threshold_misprediction", "inf", "not a number"},
		{"class_imbalance", "samples", "0", ">= 1"},
		{"class_imbalance", "samples", "2.5", "not a whole number"},
		{"class_imbalance", "argmax", "perhaps", "neither true nor false"},
		{"class_imbalance", "class_axis", "-1", ">= 0"},
		{"class_imbalance", "num_classes", "1", ">= 2"},
		{"class_imbalance", "ignore_label", "1,x", `"x" is not allowed`},
		{"class_imbalance", "ignore_label", "1.5", "whole numbers"},
		{"class_imbalance", "every", "-1", ">= 0"},
		{"class_imbalance", "threshold", "3", `did you mean "threshold_`},
		{"confusion", "category_no", "1", ">= 2"},
		{"confusion", "category_no", "many", "not a whole number"},
		{"confusion", "min_diag", "1.01", "0 <= x <= 1"},
		{"confusion", "max_off_diag", "-0.1", "0 <= x <= 1"},
		{"confusion", "normalize", "row", "label, prediction"},
		{"confusion", "label", "x", `did you mean "labels`},
		{"check_input_images", "threshold_mean", "-1", ">= 0"},
		{"check_input_images", "threshold_samples", "0", ">= 1"},
		{"check_input_images", "channel", "-1", ">= 0"},
		{"check_input_images", "threshold_std", "0", "> 0"},
		{"check_input_images", "mean", "0", "unknown parameter"},
		{"nlp_sequence_ratio", "token_values", "a", `"a" is not allowed`},
		{"nlp_sequence_ratio", "token_values", "", "empty"},
		{"nlp_sequence_ratio", "token_thresholds_percent", "101", "0 <= x <= 100"},
		{"nlp_sequence_ratio", "token_thresholds_percent", "10,20", "2 values for 1 tokens"},
		{"nlp_sequence_ratio", "token_threshold_percent", "10", `did you mean "token_thresholds_percent"`},
	} {
		err := rules.Check(config(c.rule, c.name, c.value))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s %s=%s: error is %v, want %q", c.rule, c.name, c.value, err, c.want)
		}
	}
	for _, c := range []rules.Config{
		config("ClassImbalance", "samples", "10.0", "num_classes", "None", "ignore_label", "[-100, 255]", "argmax", "1", "threshold_imbalance", "1"),
		config("classimbalance", "ignore_label", "None"), config("class_imbalance", "ignore_label", ""),
		config("Confusion", "category_no", "", "normalize", "Prediction"), config("CheckInputImages", "threshold_std", "null", "channel", "0"),
		config("NLPSequenceRatio", "token_values", "[0, 2]", "token_thresholds_percent", "50, 0"), config("nlpsequenceratio"),
	} {
		if err := rules.Check(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	// A pattern that is none ends the rule, and nothing else.
	j := newJob(t, config("class_imbalance", "labels_regex", "("), config("confusion"))
	j.describe(record.TensorInfo{Name: "labels", Kind: record.Custom})
	j.describe(record.TensorInfo{Name: "predictions", Kind: record.Custom})
	j.feed(identity(map[int]float64{4: 7}))
	if s := j.engine.Statuses(); s[0].Status != rules.StatusError || s[1].Status != rules.IssuesFound {
		t.Errorf("statuses are %+v", s)
	}
}

// A rule that is stopped and started again says the same.
func TestMeaningSurvivesRestart(t *testing.T) {
	feed := func(step int64) input {
		in := supervised(step, vec(repeated(fill(200, 0), 5, 1)...), vec(fill(205, 0)...))
		in.tensors["words_input_0"] = vec(0, 0, 1)
		in.tensors["Net_input_0"] = values{[]int64{2, 1, 1, 2}, []float64{1, 2, 3, float64(step)}}
		return in
	}
	configs := []rules.Config{config("class_imbalance", "every", "1"), config("confusion", "every", "1"), config("nlp_sequence_ratio", "every", "1"), config("check_input_images", "every", "1", "threshold_samples", "5")}
	run := func(cut int64) []record.Finding {
		j := newJob(t, configs...)
		describe := func() {
			j.describe(record.TensorInfo{Name: "labels", Kind: record.Custom})
			j.describe(record.TensorInfo{Name: "predictions", Kind: record.Custom})
			j.describe(record.TensorInfo{Name: "words_input_0", Kind: record.Input, Module: "words", ModuleType: "Embedding"})
			j.describe(record.TensorInfo{Name: "Net_input_0", Kind: record.Input, ModuleType: "Net"})
		}
		describe()
		for step := range int64(6) {
			if step == cut {
				state, err := j.engine.Save()
				if err != nil {
					t.Fatal(err)
				}
				j.engine = newJob(t, configs...).engine
				if err := j.engine.Restore(state); err != nil {
					t.Fatal(err)
				}
				describe()
			}
			j.feed(feed(step))
		}
		return j.engine.Findings()
	}
	want := run(-1)
	if len(want) == 0 {
		t.Fatal("there are no findings")
	}
	for cut := range int64(6) {
		equal(t, fmt.Sprintf("findings with a restart before step %d", cut), want, run(cut))
	}
}
