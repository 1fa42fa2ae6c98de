package rules_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// passes is a training with a validation pass of one step after each training
// step: TRAIN at 0, 2, 4, …, EVAL at 1, 3, 5, ….
func passes(train, validation []float64) []input {
	var out []input
	for i := range train {
		out = append(out, input{step: int64(2 * i), scalars: map[string]float64{"loss": train[i]}},
			input{step: int64(2*i + 1), mode: record.Eval, scalars: map[string]float64{"loss": validation[i]}})
	}
	return out
}

// oneName is a training that logs both losses at each step, under names.
func oneName(train, validation string, t, v []float64) []input {
	var out []input
	for i := range t {
		out = append(out, input{step: int64(i), scalars: map[string]float64{train: t[i], validation: v[i]}})
	}
	return out
}

// inGlobal is a job that never says in which phase it is.
func inGlobal(in []input) []input {
	for i := range in {
		in[i].mode = record.Global
	}
	return in
}

func ones(n int) []float64 { return fill(n, 1) }

func TestOverfit(t *testing.T) {
	two := []string{"patience", "2"}
	v1 := []float64{1.05, 1.2, 1.2}
	in := func(x []input, more ...input) []input { return append(slices.Clone(x), more...) }
	train := func(step int64, x float64) input { return input{step: step, scalars: map[string]float64{"loss": x}} }
	eval := func(step int64, x float64) input {
		return input{step: step, mode: record.Eval, scalars: map[string]float64{"loss": x}}
	}
	runGolden(t, []golden{
		{"OF1", "Overfit", two, passes(ones(3), v1), []int64{5}, observed(0.2)}, // the third pass ends with the job
		{"OF1 goes on", "Overfit", two, in(passes(ones(3), v1), train(6, 1)), []int64{6},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.Subject != "loss" || f.Context["evaluation"] != int64(3) || f.Context["in_a_row"] != 2 {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"OF2", "Overfit", two, passes(ones(3), []float64{1.2, 1.05, 1.2}), nil, nil},
		{"names of scikit-learn's estimators", "Overfit", two, oneName("train-logloss", "validation_1-logloss", ones(3), []float64{1.2, 1.2, 1}), []int64{1},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.Subject != "validation_1-logloss" {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"equal is not above", "Overfit", []string{"ratio_threshold", "0.5"}, passes(ones(1), []float64{1.5}), nil, nil},
		{"ratio_threshold", "Overfit", []string{"ratio_threshold", "0.49"}, passes(ones(1), []float64{1.5}), []int64{1}, nil},
		{"the mean of a pass", "Overfit", []string{"ratio_threshold", "0.5"}, []input{train(0, 1), eval(1, 1), eval(2, 3), train(3, 1)}, []int64{3}, observed(1)},
		{"the mean since the pass before", "Overfit", nil, []input{train(0, 9), eval(1, 5), train(2, 1), train(3, 3), eval(4, 4), train(5, 3)}, []int64{5}, observed(1)},
		{"the last training loss where there is no newer", "Overfit", nil, []input{train(0, 1), eval(1, 1), {step: 2}, eval(3, 2)}, []int64{3}, observed(1)},
		{"start_step", "Overfit", []string{"start_step", "2"}, passes(ones(2), []float64{9, 1}), nil, nil},
		{"names with prefixes", "Overfit", []string{"tensor_regex", "rmse"}, oneName("train-rmse", "validation-rmse", ones(2), []float64{1, 2}), []int64{1}, observed(1)},
		{"loss and val_loss", "Overfit", nil, oneName("loss", "val_loss", ones(2), []float64{1, 2}), []int64{1}, observed(1)},
		{"a loop without phases", "Overfit", nil, inGlobal(oneName("loss", "val_loss", ones(2), []float64{1, 2})), []int64{1}, observed(1)},
		{"logged in between", "Overfit", nil, []input{train(0, 1), eval(1, 1), inGlobal([]input{train(2, 9)})[0], eval(3, 3), train(4, 1)}, []int64{4}, observed(1)},
		{"logged numbers", "Overfit", nil, oneName("scalar/train_loss", "scalar/val_loss", ones(2), []float64{1, 2}), []int64{1}, observed(1)},
		{"what grows with success is left out", "Overfit", []string{"tensor_regex", "auc"}, oneName("train-auc", "validation-auc", ones(2), []float64{1, 2}), nil, nil},
		{"another loss", "Overfit", []string{"tensor_regex", "other"}, passes(ones(1), []float64{1.5}), nil, details("no validation loss was saved")},
		{"not finite", "Overfit", nil, passes(ones(1), []float64{math.NaN()}), nil, skips("non_finite")},
		{"no training loss", "Overfit", nil, []input{eval(0, 1)}, nil, skips("no_training_loss")},
		{"no validation", "Overfit", nil, scalarsAt("loss", 1, 1, 1, 1), nil, details("no validation loss was saved")},
	})
}

func TestOvertraining(t *testing.T) {
	two := []string{"patience_train", "2", "patience_validation", "2", "delta", "0.1", "every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(two), kv...) }
	still := []float64{1, 0.95, 0.94}
	improving := []float64{1, 0.5, 0.2}
	rising := []float64{1, 1.1, 1.2}
	runGolden(t, []golden{
		{"OT1", "Overtraining", two, passes(still, still), []int64{5},
			func(t *testing.T, j *job) {
				f := j.found[0]
				if number(f.Context["training_best"]) != 1 || f.Context["validation_best_step"] != int64(1) || f.Context["validation_points_since"] != 2 {
					t.Errorf("context is %v", f.Context)
				}
			}},
		{"OT2", "Overtraining", two, passes(improving, rising), nil, nil},
		{"or", "Overtraining", with("combine", "or"), passes(improving, rising), []int64{5}, nil},
		{"validation", "Overtraining", with("combine", "validation"), passes(improving, rising), []int64{5}, nil},
		{"validation improves", "Overtraining", with("combine", "validation"), passes(still, improving), nil, nil},
		{"a loop without phases", "Overtraining", two, inGlobal(scalarsAt("loss", 1, still...)), []int64{2}, nil},
		{"only training", "Overtraining", two, scalarsAt("loss", 1, still...), []int64{2}, nil},
		{"an improvement of delta is none", "Overtraining", []string{"patience_train", "1", "delta", "0.5", "every", "1"}, scalarsAt("loss", 1, 1, 0.5), []int64{1}, nil},
		{"told again after a patience", "Overtraining", []string{"patience_train", "1", "patience_validation", "3", "every", "1"}, scalarsAt("loss", 1, fill(8, 1)...), []int64{1, 4, 7}, nil},
		{"not finite", "Overtraining", two, scalarsAt("loss", 1, 1, math.NaN(), math.Inf(1)), []int64{2}, nil},
		{"training points count on the interval", "Overtraining", []string{"patience_train", "2", "every", "3"}, scalarsAt("loss", 1, fill(8, 1)...), []int64{6}, nil},
		{"two names", "Overtraining", two, oneName("loss", "val_loss", still, still), []int64{2}, nil},
		{"two names, training improves", "Overtraining", append(slices.Clone(two), "tensor_regex", "rmse"), oneName("train-rmse", "validation-rmse", improving, rising), nil, nil},
		{"two names, training improves between", "Overtraining", two, append(oneName("loss", "val_loss", []float64{1}, []float64{1}),
			input{step: 1, scalars: map[string]float64{"loss": 0.5}}, input{step: 2, scalars: map[string]float64{"loss": 0.2, "val_loss": 1}},
			input{step: 3, scalars: map[string]float64{"loss": 0.1, "val_loss": 1}}, input{step: 4, scalars: map[string]float64{"loss": 0.1, "val_loss": 1}}), []int64{4}, nil},
	})
}

func TestUnderfit(t *testing.T) {
	base := []string{"patience", "3", "baseline", "0.5"}
	with := func(kv ...string) []string { return append(slices.Clone(base), kv...) }
	flat := []float64{1, 1, 0.999, 0.999}
	runGolden(t, []golden{
		{"stands still", "Underfit", base, passes(flat, flat), []int64{6},
			func(t *testing.T, j *job) {
				checkIs("stands_still_high")(t, j)
				observed(0.999)(t, j)
			}},
		{"half of the first value", "Underfit", []string{"patience", "3"}, passes([]float64{2.1, 1, 1, 1}, []float64{2, 1, 1, 1}), nil, nil},
		{"above half of the first value", "Underfit", []string{"patience", "3"}, passes([]float64{1.9, 1, 1, 1}, []float64{1, 1, 1, 1}), []int64{7}, nil},
		{"low enough", "Underfit", with(), passes(fill(4, 0.5), fill(4, 0.5)), nil, nil},
		{"training falls", "Underfit", base, passes([]float64{1, 0.99, 0.98, 0.97}, ones(4)), nil, nil},
		{"validation falls", "Underfit", base, passes(ones(4), []float64{1.04, 1.03, 1.02, 1.01}), nil, nil},
		{"far apart", "Underfit", base, passes(ones(4), fill(4, 1.2)), nil, nil},
		{"ratio_threshold", "Underfit", with("ratio_threshold", "0.3"), passes(ones(3), fill(3, 1.2)), []int64{5}, nil},
		{"min_decrease_percent", "Underfit", with("min_decrease_percent", "5"), passes([]float64{1, 0.99, 0.98}, fill(3, 1)), []int64{5}, nil},
		{"told again after a patience", "Underfit", base, passes(ones(9), ones(9)), []int64{6, 12, 17}, nil},
		{"not finite", "Underfit", base, passes(ones(3), fill(3, math.Inf(1))), nil, skips("non_finite")},
		{"no validation", "Underfit", base, scalarsAt("loss", 1, ones(9)...), nil, details("no validation loss was saved")},
	})
}

// Workers are averaged first.
func TestOverfitOfWorkers(t *testing.T) {
	j := newJob(t, config("Overfit"))
	step := func(n int64, mode record.Mode, losses ...float64) {
		var parts []*record.Step
		for i, l := range losses {
			parts = append(parts, j.part([]string{"worker_0", "worker_1"}[i], input{step: n, mode: mode, scalars: map[string]float64{"loss": l}}))
		}
		j.engine.Observe(rules.NewComplete(parts))
	}
	step(0, record.Train, 1, 3)
	step(1, record.Eval, 2, 3)
	step(2, record.Train, 1, 1)
	if len(j.found) != 1 || !near(float64(j.found[0].Observed), 0.25, 1e-12) || j.found[0].Worker != "" {
		t.Errorf("findings are %+v", j.found)
	}
}
