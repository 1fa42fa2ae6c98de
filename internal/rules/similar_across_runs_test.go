package rules_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/rule"
)

// memory is another run, held in memory: what a job leaves at its steps.
type memory struct {
	t       *testing.T
	running bool
	workers []string
	stored  bool // values, too
	steps   []input
}

func (m *memory) Running() bool     { return m.running }
func (m *memory) Workers() []string { return m.workers }

func (m *memory) Raw(name string, mode record.Mode, modeStep int64, worker string) (rule.Values, error) {
	for _, s := range m.steps {
		if x, ok := s.tensors[name]; ok && m.stored && s.mode == mode && s.step == modeStep && slices.Contains(m.workers, worker) {
			return view(m.t, x), nil
		}
	}
	return rule.Values{}, fs.ErrNotExist
}

func (m *memory) Series(name, stat string, mode record.Mode, worker string, from int64) (steps []int64, out []float64, err error) {
	add := func(n int64, x float64) { steps, out = append(steps, n), append(out, x) }
	for _, s := range m.steps {
		if s.mode != mode || s.step < from || !slices.Contains(m.workers, worker) {
			continue
		}
		if x, ok := s.scalars[name]; ok && stat == "value" {
			add(s.step, x)
		}
		if x, ok := s.tensors[name]; ok {
			c := tensor.Compute(view(m.t, x), false)
			stats := map[string]float64{
				"count": float64(c.Count), "nan": float64(c.NaN), "posinf": float64(c.PosInf), "neginf": float64(c.NegInf),
				"min": c.Min, "max": c.Max, "mean": c.MeanValue(), "abs_mean": c.AbsMean(),
			}
			if y, ok := stats[stat]; ok {
				add(s.step, y)
			} else if q, ok := strings.CutPrefix(stat, "quantile["); ok && !c.NonFinite() && c.Count > 0 {
				var p float64
				if _, err := fmt.Sscanf(q, "%g]", &p); err != nil {
					return nil, nil, err
				}
				add(s.step, tensor.Quantiles(view(m.t, x), []float64{p})[0])
			}
		}
	}
	return steps, out, nil
}

// run is a small training with the seed given: the loss falls, and the weights
// move.
func seeded(seed float64) []input {
	var out []input
	for i := range int64(4) {
		x := seed + float64(i)
		out = append(out, input{step: i, scalars: map[string]float64{"loss": 1 / (x + 1)}, tensors: map[string]values{"w.weight": vec(x, -x, seed, 1)}})
	}
	return out
}

func TestSimilarAcrossRuns(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := func(x values) []input { return []input{tensorAt("w.weight", 0, x)} }
	for _, c := range []struct {
		id     string
		params []string
		here   []input
		there  []input
		fires  []int64
		check  string
		skips  string
	}{
		{"SR1 same seed", nil, seeded(1), seeded(1), nil, "", ""},
		{"SR1 another seed", nil, seeded(1), seeded(2), []int64{0, 1, 2, 3}, "value", ""},
		{"it parts later", nil, seeded(1), append(seeded(1)[:2], seeded(2)[2:]...), []int64{2, 3}, "value", ""},
		{"shape", nil, one(vec(1, 2)), one(vec(1, 2, 3)), []int64{0}, "shape", ""},
		{"rank", nil, one(vec(1, 2)), one(values{[]int64{1, 2}, []float64{1, 2}}), []int64{0}, "shape", ""},
		{"within the tolerance", nil, one(vec(1.00001)), one(vec(1)), nil, "", ""},
		{"beyond the tolerance", nil, one(vec(1.00002)), one(vec(1)), []int64{0}, "value", ""},
		{"rtol", []string{"rtol", "0.1"}, one(vec(1.1)), one(vec(1)), nil, "", ""},
		{"the tolerance is relative to the other run", []string{"rtol", "0.1"}, one(vec(1)), one(vec(1.1)), nil, "", ""},
		{"the tolerance is relative to the other run, beyond", []string{"rtol", "0.1"}, one(vec(1.11)), one(vec(1)), []int64{0}, "value", ""},
		{"atol", []string{"rtol", "0", "atol", "0.5"}, one(vec(1.5)), one(vec(1)), nil, "", ""},
		{"NaN", nil, one(vec(nan)), one(vec(nan)), []int64{0}, "value", ""},
		{"equal_nan", []string{"equal_nan", "True"}, one(vec(nan)), one(vec(nan)), nil, "", ""},
		{"equal infinities", nil, one(vec(inf)), one(vec(inf)), nil, "", ""},
		{"a step that is missing there", nil, seeded(1), seeded(1)[1:], nil, "", "missing_in_other"},
		{"a tensor that is missing there", nil, one(vec(1)), seeded(1)[:0], nil, "", "missing_in_other"},
		{"only what is selected", []string{"tensor_regex", "bias"}, seeded(1), seeded(2), nil, "", ""},
		{"a collection", []string{"collection_names", "losses"}, seeded(1), seeded(2), []int64{0, 1, 2, 3}, "value", ""},
		{"scalars", []string{"collection_names", "losses"}, scalarsAt("loss", 1, 1, nan), scalarsAt("loss", 1, 1, nan), []int64{1}, "value", ""},
		{"scalars with equal_nan", []string{"collection_names", "losses", "equal_nan", "True"}, scalarsAt("loss", 1, 1, nan), scalarsAt("loss", 1, 1, nan), nil, "", ""},
		{"modes are not mixed", nil, []input{{step: 0, mode: record.Eval, scalars: map[string]float64{"loss": 1}}}, scalarsAt("loss", 1, 2), nil, "", "missing_in_other"},
	} {
		for _, stored := range []bool{true, false} {
			name := map[bool]string{true: "values", false: "statistics"}[stored]
			t.Run(c.id+"/"+name, func(t *testing.T) {
				params := append([]string{"other_trials", "other", "every", "1"}, c.params...)
				if !slices.Contains(c.params, "tensor_regex") && !slices.Contains(c.params, "collection_names") {
					params = append(params, "tensor_regex", ".*")
				}
				j := newJob(t, config("SimilarAcrossRuns", params...))
				j.others["other"] = &memory{t: t, workers: []string{"worker_0"}, stored: stored, steps: c.there}
				j.feed(c.here...)
				j.engine.Finish(record.Completed)
				want := c.fires
				if want == nil {
					want = []int64{}
				}
				if !stored && c.id == "rank" {
					want = []int64{} // which statistics do not show
				}
				if got := j.fired(); !slices.Equal(got, want) {
					t.Fatalf("fires at %v, want %v; %+v %+v", got, want, j.found, j.status())
				}
				if len(want) > 0 && (j.found[0].Check != c.check || j.found[0].Context["first_step"] != want[0] || j.found[0].Context["other_trial"] != "other") {
					t.Errorf("finding is %+v", j.found[0])
				}
				if c.skips != "" {
					skips(c.skips)(t, j)
				}
				if !stored && len(want) == 0 && c.skips == "" && len(c.there[0].tensors) > 0 && !strings.Contains(c.id, "only") {
					skips("statistics_only")(t, j)
				}
			})
		}
	}
}

func TestSimilarAcrossRunsEvidence(t *testing.T) {
	j := newJob(t, config("SimilarAcrossRuns", "other_trial_0", "a", "other_trial_1", "b", "tensor_regex", "weight", "every", "1"))
	j.others["a"] = &memory{t: t, workers: []string{"worker_0"}, stored: true, steps: []input{tensorAt("w.weight", 0, vec(1, 2, 3, 4))}}
	j.others["b"] = &memory{t: t, workers: []string{"worker_0"}, stored: true, steps: []input{tensorAt("w.weight", 0, vec(1, 2, 3, 6))}}
	j.feed(tensorAt("w.weight", 0, vec(1, 2, 4, 6)))
	if len(j.found) != 2 || j.found[0].Check != "value@a" || j.found[1].Check != "value@b" {
		t.Fatalf("findings are %+v", j.found)
	}
	c := j.found[0].Context
	if number(c["max_abs_diff"]) != 2 || number(c["mean_abs_diff"]) != 0.75 || number(c["differing_share"]) != 0.5 {
		t.Errorf("context is %v", c)
	}
}

// Without another run, or with one that is not there, the status is Error.
func TestSimilarAcrossRunsWithout(t *testing.T) {
	for text, params := range map[string][]string{
		"other_trials is not given": nil,
		`"nowhere"`:                 {"other_trial", "nowhere"},
	} {
		j := newJob(t, config("SimilarAcrossRuns", params...))
		j.feed(seeded(1)...)
		if s := j.status(); s.Status != rules.StatusError || !strings.Contains(s.Details, text) {
			t.Errorf("status is %+v", s)
		}
	}
}

// A run that goes on is waited for, across a restart, and given up when it
// ends or is ten minutes late.
func TestSimilarAcrossRunsWaits(t *testing.T) {
	at := func(s int) time.Time { return epoch.Add(time.Duration(s) * time.Second) }
	begin := func(t *testing.T) (*job, *memory) {
		j := newJob(t, config("SimilarAcrossRuns", "other_trials", "other", "collection_names", "losses"))
		o := &memory{t: t, running: true, workers: []string{"worker_0"}}
		j.others["other"] = o
		j.feed(scalarsAt("loss", 1, 1, 2)...)
		return j, o
	}
	t.Run("it comes", func(t *testing.T) {
		j, o := begin(t)
		if n := len(j.found); n > 0 || j.status().Skipped["missing_in_other"] > 0 {
			t.Fatalf("%d findings, %+v", n, j.status())
		}
		state, err := j.engine.Save()
		if err != nil {
			t.Fatal(err)
		}
		k := newJob(t, config("SimilarAcrossRuns", "other_trials", "other", "collection_names", "losses"))
		k.others = j.others
		if err := k.engine.Restore(state); err != nil {
			t.Fatal(err)
		}
		o.steps = scalarsAt("loss", 1, 1, 3, 4)
		k.infos = maps.Clone(j.infos)
		k.describe(j.infos["loss"])
		k.feed(input{step: 2, scalars: map[string]float64{"loss": 4}})
		if got := k.fired(); !slices.Equal(got, []int64{1}) {
			t.Fatalf("fires at %v, %+v", got, k.found)
		}
		if f := k.found[0]; !f.Time.Equal(at(1)) || number(f.Context["other_value"]) != 3 {
			t.Errorf("finding is %+v", f)
		}
	})
	t.Run("it is late", func(t *testing.T) {
		j, _ := begin(t)
		j.engine.Tick(at(600))
		if n := j.status().Skipped["missing_in_other"]; n != 0 {
			t.Errorf("given up after ten minutes: %d", n)
		}
		j.engine.Tick(at(602))
		if n := j.status().Skipped["missing_in_other"]; n != 2 {
			t.Errorf("%d given up", n)
		}
	})
	t.Run("it ends", func(t *testing.T) {
		j, o := begin(t)
		o.steps = scalarsAt("loss", 1, 5)
		o.running = false
		j.engine.Tick(at(5))
		if n := j.status().Skipped["missing_in_other"]; n != 1 || len(j.found) != 1 {
			t.Errorf("%d given up, findings %+v", n, j.found)
		}
	})
	t.Run("the job ends", func(t *testing.T) {
		j, o := begin(t)
		o.steps = scalarsAt("loss", 1, 5)
		j.engine.Finish(record.Completed)
		if n := j.status().Skipped["missing_in_other"]; n != 1 || len(j.found) != 1 {
			t.Errorf("%d given up, findings %+v", n, j.found)
		}
	})
}

// Workers are compared by name; where the other run has fewer, the chief with
// its chief.
func TestSimilarAcrossRunsOfWorkers(t *testing.T) {
	j := newJob(t, config("SimilarAcrossRuns", "other_trials", "other", "collection_names", "losses"))
	j.others["other"] = &memory{t: t, workers: []string{"rank_0"}, steps: scalarsAt("loss", 1, 9)}
	j.engine.Observe(rules.NewComplete([]*record.Step{
		j.part("worker_0", input{scalars: map[string]float64{"loss": 1}}), j.part("worker_1", input{scalars: map[string]float64{"loss": 2}}),
	}))
	if len(j.found) != 1 || j.found[0].Worker != "worker_0" || j.status().Skipped["missing_in_other"] != 1 {
		t.Errorf("findings are %+v, %+v", j.found, j.status())
	}
}
