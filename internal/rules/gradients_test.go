package rules_test

import (
	"math"
	"slices"
	"testing"
)

// norms is a job whose gradients, two tensors, have these norms together.
func norms(v ...float64) []input {
	var out []input
	for i, x := range v {
		out = append(out, input{step: int64(i), tensors: map[string]values{"gradient/a": vec(0.6*x, 0), "gradient/b": vec(0, -0.8*x)}})
	}
	return out
}

func TestGradientClipping(t *testing.T) {
	base := []string{"window", "4", "every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(base), kv...) }
	runGolden(t, []golden{
		{"always at the limit", "GradientClipping", base, norms(1, 1, 1, 1, 1), []int64{3},
			func(t *testing.T, j *job) {
				checkIs("always_clipped")(t, j)
				observed(100)(t, j)
				if f := j.found[0]; f.Context["tensors"] != 2 || !near(number(f.Context["norm"]), 1, 1e-12) || f.Context["largest_tensor"] != "gradient/b" {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"a hair below the limit", "GradientClipping", base, norms(0.9991, 0.9991, 0.9991, 0.9991), []int64{3}, nil},
		{"below", "GradientClipping", base, norms(0.998, 1, 1, 1), nil, nil},
		{"a share", "GradientClipping", with("threshold_percent", "75"), norms(0.5, 1, 1, 1), []int64{3}, observed(75)},
		{"max_norm", "GradientClipping", with("max_norm", "2"), norms(1, 1, 1, 1), nil, nil},
		{"told again after a window", "GradientClipping", base, norms(fill(12, 3)...), []int64{3, 7, 11}, nil},
		{"a spike", "GradientClipping", with("max_norm", "100"), norms(1, 1, 1, 1, 1, 11, 1), []int64{5},
			func(t *testing.T, j *job) {
				checkIs("spike")(t, j)
				observed(11)(t, j)
			}},
		{"ten times is no spike", "GradientClipping", with("max_norm", "100"), norms(1, 1, 1, 1, 1, 10), nil, nil},
		{"no spike before the window is full", "GradientClipping", with("max_norm", "1000"), norms(1, 1, 100), nil, nil},
		{"on its interval", "GradientClipping", []string{"window", "2", "every", "2"}, norms(1, 0, 1, 0), []int64{2}, nil},
		{"not finite", "GradientClipping", base, []input{tensorAt("gradient/a", 0, vec(math.Inf(1)))}, nil, skips("non_finite")},
		{"an update that is skipped", "GradientClipping", base, []input{{step: 0, skipped: true, tensors: map[string]values{"gradient/a": vec(1)}}}, nil, skips("update_skipped")},
	})
}

func TestUpdateGradientMismatch(t *testing.T) {
	every1 := []string{"every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(every1), kv...) }
	// move is a job of three weights that each move by so much in a step, with
	// gradients of magnitude 1.
	move := func(a, b, c float64) []input {
		var out []input
		for i := range int64(3) {
			x := input{step: i, tensors: map[string]values{}}
			for name, d := range map[string]float64{"a.weight": a, "b.weight": b, "c.weight": c} {
				x.tensors[name] = vec(1+d*float64(i), 1+d*float64(i))
				x.tensors["gradient/"+name] = vec(1, -1)
			}
			out = append(out, x)
		}
		return out
	}
	runGolden(t, []golden{
		{"too large", "UpdateGradientMismatch", every1, move(11, 11, 1), []int64{1, 2},
			func(t *testing.T, j *job) {
				checkIs("too_large")(t, j)
				f := j.found[0]
				if !near(float64(f.Observed), 11, 1e-9) || f.Subject != "weights" || f.Context["from_mode_step"] != int64(0) || !slices.Equal(f.Context["above"].([]string), []string{"a.weight", "b.weight"}) {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"too small", "UpdateGradientMismatch", every1, move(0, 0, 1), []int64{1, 2}, checkIs("too_small")},
		{"some of both", "UpdateGradientMismatch", every1, move(0, 100, 1), []int64{1, 2}, nil},
		{"not most", "UpdateGradientMismatch", every1, move(11, 1, 1), nil, nil},
		{"limits are within", "UpdateGradientMismatch", with("large", "2"), move(1.999999, 1.999999, 1.999999), nil, nil},
		{"large", "UpdateGradientMismatch", with("large", "1.5"), move(2, 2, 2), []int64{1, 2}, nil},
		{"small", "UpdateGradientMismatch", with("small", "0.5"), move(0.1, 0.1, 1), []int64{1, 2}, nil},
		{"no gradient of the step before", "UpdateGradientMismatch", every1, []input{tensorAt("a.weight", 0, vec(1)), tensorAt("a.weight", 1, vec(100))}, nil, skips("no_gradient")},
		{"the first step", "UpdateGradientMismatch", every1, []input{tensorAt("a.weight", 0, vec(1))}, nil, skips("no_previous")},
		{"another shape", "UpdateGradientMismatch", every1, []input{tensorAt("a.weight", 0, vec(1)), tensorAt("a.weight", 1, vec(1, 1))}, nil, skips("shape_changed")},
		{"not finite", "UpdateGradientMismatch", every1, []input{
			{step: 0, tensors: map[string]values{"a.weight": vec(1), "gradient/a.weight": vec(1)}}, tensorAt("a.weight", 1, vec(math.NaN()))}, nil, skips("non_finite")},
	})
}
