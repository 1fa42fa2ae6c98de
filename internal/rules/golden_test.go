package rules_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// relu makes a batch of rows by units outputs in which the units listed are
// active in the first n rows.
func relu(rows, units, n int, active ...int) values {
	v := make([]float64, rows*units)
	for r := range n {
		for _, u := range active {
			v[r*units+u] = 1
		}
	}
	return values{[]int64{int64(rows), int64(units)}, v}
}

func TestGoldenVectors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ln2 := []float64{}
	for s := 0; s <= 60; s += 3 {
		ln2 = append(ln2, 1-0.001*float64(s))
	}
	every1 := []string{"every", "1"}
	with := func(kv ...string) []string { return append(slices.Clone(every1), kv...) }
	runGolden(t, []golden{
		{"VG1", "VanishingGradient", nil, []input{{step: 0, tensors: map[string]values{"gradient/a": vec(fill(8, 1e-8)...), "gradient/b": vec(fill(8, 1e-3)...)}}}, []int64{0},
			func(t *testing.T, j *job) {
				if f := j.found[0]; len(j.found) != 1 || f.Subject != "gradient/a" || !near(float64(f.Observed), 1e-8, 1e-20) || f.Severity != record.Warning {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"VG2", "VanishingGradient", nil, []input{tensorAt("gradient/a", 0, vec(1e-3, -1e-3))}, nil, nil},
		{"VG3", "VanishingGradient", nil, []input{tensorAt("gradient/a", 0, vec(1e-7, 1e-7))}, nil, nil},
		{"ET1", "ExplodingTensor", nil, []input{tensorAt("w.weight", 5, vec(1, inf))}, []int64{5},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.Context["pinf"] != int64(1) || f.Context["nan"] != int64(0) || !maps.Equal(f.Context["first_index"].(map[string]int64), map[string]int64{"pinf": 1}) || f.Severity != record.Error {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"ET2", "ExplodingTensor", []string{"only_nan", "True"}, []input{tensorAt("w.weight", 0, vec(1, inf))}, nil, nil},
		{"ET3", "ExplodingTensor", []string{"only_nan", "True"}, []input{tensorAt("w.weight", 2, vec(nan))}, []int64{2}, nil},
		{"DR1", "DeadRelu", every1, []input{tensorAt("relu_output", 0, relu(8, 4, 0))}, []int64{0}, observed(100)},
		{"DR2", "DeadRelu", every1, []input{tensorAt("relu_output", 0, relu(8, 4, 8, 2, 3))}, nil, nil},
		{"DR3", "DeadRelu", every1, []input{tensorAt("relu_output", 0, relu(200, 3, 1, 0, 1, 2))}, []int64{0}, observed(100)},
		{"WU1", "WeightUpdateRatio", nil, []input{tensorAt("w.weight", 0, vec(1, 1)), tensorAt("w.weight", 500, vec(1, 1))}, []int64{500}, checkIs("too_small")},
		{"WU2", "WeightUpdateRatio", nil, []input{tensorAt("w.weight", 0, vec(1, 1)), tensorAt("w.weight", 500, vec(12, 12))}, []int64{500},
			func(t *testing.T, j *job) {
				checkIs("too_large")(t, j)
				if x := float64(j.found[0].Observed); x >= 11 || x < 10.9999999 {
					t.Errorf("ratio is %v", x)
				}
			}},
		{"WU3", "WeightUpdateRatio", nil, []input{tensorAt("w.weight", 0, vec(1, 1)), tensorAt("w.weight", 500, vec(11, 11))}, nil, nil},
		{"WU4", "WeightUpdateRatio", []string{"num_steps", "1000", "large_threshold", "1e-3", "small_threshold", "0"},
			[]input{tensorAt("w.weight", 0, vec(1)), tensorAt("w.weight", 500, vec(2)), tensorAt("w.weight", 1000, vec(3)), tensorAt("w.weight", 1500, vec(4))}, []int64{500, 1000, 1500},
			func(t *testing.T, j *job) {
				var from []int64
				for _, f := range j.found {
					from = append(from, f.Context["from_mode_step"].(int64))
				}
				if !slices.Equal(from, []int64{0, 0, 500}) {
					t.Errorf("partners are %v", from)
				}
			}},
		{"AZ1", "AllZero", nil, []input{tensorAt("w.weight", 0, vec(0, 0, 0)), tensorAt("w.weight", 1, vec(0, 0, 1e-30))}, []int64{0}, nil},
		{"AZ settings and shares", "AllZero", nil, []input{{scalars: map[string]float64{"hyperparameters/alpha": 0, "feature_importance/gain/f1": 0, "x": 0}}}, []int64{0},
			func(t *testing.T, j *job) {
				if len(j.found) != 1 || j.found[0].Subject != "x" {
					t.Errorf("findings are %+v", j.found)
				}
			}},
		{"AZ share asked for", "AllZero", []string{"tensor_regex", "gain"}, []input{{scalars: map[string]float64{"feature_importance/gain/f1": 0}}}, []int64{0}, nil},
		{"AZ2", "AllZero", []string{"threshold", "50"}, []input{tensorAt("w.weight", 0, vec(0, 1))}, []int64{0}, nil},
		{"LN1", "LossNotDecreasing", every1, scalarsAt("loss", 4, 0.3, 0.33, 0.31, 0.30, 0.28, 0.2, 0.42), []int64{12, 24},
			func(t *testing.T, j *job) {
				if a, b := j.found[0], j.found[1]; a.Check != "not_decreasing" || !near(float64(a.Observed), 0, 1e-9) || b.Check != "increased" || !near(float64(b.Observed), 40, 1e-9) {
					t.Errorf("findings are %+v", j.found)
				}
			}},
		{"LN2", "LossNotDecreasing", every1, scalarsAt("loss", 3, ln2...), nil,
			func(t *testing.T, j *job) {
				if n := j.status().Datapoints; n != 5 {
					t.Errorf("%d evaluations, want 5", n)
				}
			}},
		{"LN3 equal", "LossNotDecreasing", every1, scalarsAt("loss", 10, 1, 1.05), nil, nil},
		{"LN3 above", "LossNotDecreasing", every1, scalarsAt("loss", 10, 1, 1.0501), []int64{10}, checkIs("increased")},
		{"LN4 equal", "LossNotDecreasing", every1, scalarsAt("loss", 10, 1, 0.999), nil, nil},
		{"LN4 below", "LossNotDecreasing", every1, scalarsAt("loss", 10, 1, 0.9991), []int64{10}, checkIs("not_decreasing")},
		{"LN5", "LossNotDecreasing", every1, scalarsAt("loss", 10, 1, nan), []int64{10}, checkIs("non_finite")},
		{"UT1 scalar", "UnchangedTensor", every1, append(scalarsAt("loss", 1, 1, 1, 1), input{step: 5, scalars: map[string]float64{"other": 1}}), []int64{2}, nil},
		{"UT1 tensor", "UnchangedTensor", every1, []input{tensorAt("w.weight", 0, vec(1, 2)), tensorAt("w.weight", 1, vec(1, 2)), tensorAt("w.weight", 2, vec(1, 2)),
			{step: 3}, {step: 4}, tensorAt("v.weight", 5, vec(1, 2))}, []int64{2}, nil},
		{"UT2", "UnchangedTensor", every1, scalarsAt("loss", 1, 1, 1.00001, 1), []int64{2}, nil},
		{"UT2 tensor", "UnchangedTensor", every1, []input{tensorAt("w.weight", 0, vec(1)), tensorAt("w.weight", 1, vec(1.00001)), tensorAt("w.weight", 2, vec(1))}, []int64{2}, nil},
		{"UT3", "UnchangedTensor", every1, scalarsAt("loss", 1, nan, nan, nan), nil, nil},
		{"UT3 equal_nan", "UnchangedTensor", with("equal_nan", "True"), scalarsAt("loss", 1, nan, nan, nan), []int64{2}, nil},
		{"UT3 tensor", "UnchangedTensor", every1, []input{tensorAt("w.weight", 0, vec(nan)), tensorAt("w.weight", 1, vec(nan)), tensorAt("w.weight", 2, vec(nan))}, nil, nil},
		{"UT3 tensor equal_nan", "UnchangedTensor", with("equal_nan", "yes"), []input{tensorAt("w.weight", 0, vec(nan)), tensorAt("w.weight", 1, vec(nan)), tensorAt("w.weight", 2, vec(nan))}, []int64{2}, nil},
		{"UT shape", "UnchangedTensor", every1, []input{tensorAt("w.weight", 0, vec(1)), tensorAt("w.weight", 1, vec(1, 1)), tensorAt("w.weight", 2, vec(1, 1))}, nil, nil},
	})
}

// golden is a rule with parameters, what it is fed, and the steps at which it
// has to fire.
type golden struct {
	id     string
	rule   string
	params []string
	input  []input
	fires  []int64
	check  func(t *testing.T, j *job)
}

func runGolden(t *testing.T, cases []golden) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			j := newJob(t, config(c.rule, c.params...))
			j.feed(c.input...)
			j.engine.Finish(record.Completed)
			want := c.fires
			if want == nil {
				want = []int64{}
			}
			if got := j.fired(); !slices.Equal(got, want) {
				t.Fatalf("fires at %v, want %v; findings %+v, status %+v", got, want, j.found, j.status())
			}
			status := rules.NoIssuesFound
			if len(want) > 0 {
				status = rules.IssuesFound
			}
			if s := j.status(); s.Status != status || s.RuleTriggered != int64(len(want)) {
				t.Errorf("status is %+v", s)
			}
			if c.check != nil {
				c.check(t, j)
			}
		})
	}
}

func observed(x float64) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		if got := float64(j.found[0].Observed); !near(got, x, 1e-9) {
			t.Errorf("observed %v, want %v", got, x)
		}
	}
}

func checkIs(check string) func(*testing.T, *job) {
	return func(t *testing.T, j *job) {
		if got := j.found[0].Check; got != check {
			t.Errorf("check is %q, want %q", got, check)
		}
	}
}
