package rules_test

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

func TestAccuracyDrop(t *testing.T) {
	base := []string{"previous_accuracy", "0.9", "samples", "4"}
	with := func(kv ...string) []string { return append(slices.Clone(base), kv...) }
	batch := func(step int64, labels, predictions values) input {
		return input{step: step, mode: record.Eval, tensors: map[string]values{"labels": labels, "predictions": predictions}}
	}
	right, half := batch(0, vec(1, 2, 0, 3), vec(1, 2, 0, 3)), batch(0, vec(1, 2, 0, 3), vec(1, 2, 3, 0))
	at := func(step int64, b input) input { b.step = step; return b }
	scores := values{[]int64{4, 2}, []float64{0.1, 0.9, 0.9, 0.1, 0.3, 0.7, 2, 1}} // 1, 0, 1, 0
	other := func(j *job) {
		j.describe(record.TensorInfo{Name: "y_true", Kind: record.Custom})
		j.describe(record.TensorInfo{Name: "y_pred", Kind: record.Custom})
	}
	losses := func(j *job) { given(j, "CrossEntropyLoss", 0, 1) }
	for _, c := range []meant{
		{"right", "AccuracyDrop", base, nil, []input{right}, nil, nil},
		{"half", "AccuracyDrop", base, nil, []input{half}, []int64{0}, observed(0.5)},
		{"too few labels", "AccuracyDrop", with("samples", "5"), nil, []input{half}, nil, nil},
		{"enough after two batches", "AccuracyDrop", with("samples", "5"), nil, []input{half, at(1, right)}, []int64{1}, observed(0.75)},
		{"a drop of the threshold", "AccuracyDrop", []string{"previous_accuracy", "0.55", "samples", "1"}, nil, []input{half}, nil, nil},
		{"threshold", "AccuracyDrop", with("threshold", "0.4"), nil, []input{half}, nil, nil},
		{"once a pass", "AccuracyDrop", base, nil, []input{half, at(1, half), {step: 2}, at(3, half)}, []int64{0, 3}, nil},
		{"a pass stands for itself", "AccuracyDrop", base, nil, []input{right, {step: 1}, at(2, half)}, []int64{2}, observed(0.5)},
		{"only evaluation", "AccuracyDrop", base, nil, []input{{tensors: half.tensors}}, nil, nil},
		{"scores", "AccuracyDrop", base, nil, []input{batch(0, vec(1, 0, 0, 1), scores)}, []int64{0}, observed(0.5)},
		{"one-hot labels", "AccuracyDrop", base, nil, []input{batch(0, values{[]int64{4, 2}, []float64{0, 1, 1, 0, 1, 0, 0, 1}}, scores)}, []int64{0}, observed(0.5)},
		{"a column of labels", "AccuracyDrop", base, nil, []input{batch(0, values{[]int64{4, 1}, []float64{1, 0, 0, 1}}, scores)}, []int64{0}, observed(0.5)},
		{"probabilities", "AccuracyDrop", base, nil, []input{batch(0, vec(1, 0, 0, 1), vec(0.9, 0.1, 0.6, 0.5))}, []int64{0}, observed(0.5)},
		{"a class at each position", "AccuracyDrop", base, nil, []input{batch(0, values{[]int64{1, 4}, []float64{1, 0, 0, 1}}, values{[]int64{1, 2, 4}, []float64{0, 1, 0, 0, 1, 0, 1, 1}})}, []int64{0}, observed(0.75)},
		{"labels that are no classes", "AccuracyDrop", base, nil, []input{batch(0, vec(0.5, 1, 0, 1), vec(1, 1, 1, 1))}, nil, skips("not_class_labels")},
		{"predictions that are none", "AccuracyDrop", base, nil, []input{batch(0, vec(3, 1, 0, 1), vec(0.5, 1, 1, 1))}, nil, skips("predictions_not_classes")},
		{"another number of them", "AccuracyDrop", base, nil, []input{batch(0, vec(3, 1, 0), vec(1, 1))}, nil, skips("lengths_differ")},
		{"no predictions", "AccuracyDrop", base, nil, []input{{mode: record.Eval, tensors: map[string]values{"labels": vec(1)}}}, nil, skips("no_predictions")},
		{"other names", "AccuracyDrop", with("labels_regex", "y_true", "predictions_regex", "y_pred"), other, []input{
			{mode: record.Eval, tensors: map[string]values{"y_true": half.tensors["labels"], "y_pred": half.tensors["predictions"]}}}, []int64{0}, nil},
		{"a step at which nothing is counted", "AccuracyDrop", with("every", "2"), nil, []input{at(1, half)}, nil, skips("not_counted")},
		{"what a loss is given", "AccuracyDrop", base, losses, []input{{mode: record.Eval, tensors: map[string]values{
			"CrossEntropyLoss_input_0": scores, "CrossEntropyLoss_input_1": vec(1, 0, 0, 1)}}}, []int64{0}, observed(0.5)},
		{"labels that the loss leaves out", "AccuracyDrop", base, losses, []input{{mode: record.Eval, tensors: map[string]values{
			"CrossEntropyLoss_input_0": values{[]int64{5, 2}, []float64{0.1, 0.9, 0.9, 0.1, 0.3, 0.7, 2, 1, 2, 1}}, "CrossEntropyLoss_input_1": vec(1, 0, 0, 1, -100)}}}, []int64{0}, observed(0.5)},
	} {
		c.run(t)
	}
}

// Right and wrong is counted at capture: nothing is stored as values.
func TestAccuracyDropStoresNoValues(t *testing.T) {
	d, _ := rules.Lookup("accuracy_drop")
	p, err := d.Parse(d.Example)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range d.Needs(p) {
		if n.Want&rule.WantRaw != 0 || len(n.Readings) != 1 {
			t.Errorf("needs %+v", n)
		}
	}
}
