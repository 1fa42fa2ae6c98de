package rules_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// trace is a training recorded by testdata/traces/make.py: what the rules of
// the default set read of it.
type trace struct {
	Fault   string `json:"fault"`
	Tensors []struct {
		Name       string  `json:"name"`
		Kind       string  `json:"kind"`
		Shape      []int64 `json:"shape"`
		Order      int     `json:"order"`
		Frozen     bool    `json:"frozen"`
		ModuleType string  `json:"module_type"`
	} `json:"tensors"`
	Steps []struct {
		S       int64                       `json:"s"`
		Skipped bool                        `json:"skipped"`
		Loss    map[string]record.Number    `json:"loss"`
		Stats   map[string][]record.Number  `json:"stats"` // count, zeros, nan, +inf, -inf, min, max, mean, m2, l1
		Pairs   map[string][3]record.Number `json:"pairs"` // from, mean |difference|, mean |from|
		Far     map[string][3]record.Number `json:"far"`   // the same over 200 steps
		Units   map[string][4]float64       `json:"units"` // units, inactive, samples, negative
	} `json:"steps"`
}

func readTrace(t testing.TB, path string) *trace {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var tr trace
	if err := json.NewDecoder(z).Decode(&tr); err != nil {
		t.Fatal(err)
	}
	return &tr
}

func (tr *trace) infos() []record.TensorInfo {
	var out []record.TensorInfo
	for _, x := range tr.Tensors {
		out = append(out, record.TensorInfo{Name: x.Name, Kind: record.Kind(x.Kind), Shape: x.Shape, Order: x.Order, Frozen: x.Frozen, ModuleType: x.ModuleType, DType: "F32"})
	}
	return out
}

// steps spells the trace as the agent would, statistics at every interval-th
// step.
func (tr *trace) steps(interval int64) []*record.Complete {
	var s plan.Schedule
	s[record.Train].Every, s[record.Global].Every = 50, 50
	pair := plan.Pair{Lag: 1}.Key(s) + "."
	s[record.Train].Every, s[record.Global].Every = 200, 200
	far := plan.Pair{Lag: 1}.Key(s) + "."
	units := plan.Units{Channel: true, Above: 0, Below: math.Inf(1), Inactivity: 0.1, Window: 4}.Key() + "."
	var out []*record.Complete
	for _, x := range tr.Steps {
		p := &record.Step{Worker: "worker_0", Step: x.S, ModeStep: x.S, Time: epoch.Add(time.Duration(x.S) * time.Millisecond), Skipped: x.Skipped}
		for n, v := range x.Loss {
			p.Scalars = append(p.Scalars, record.Scalar{Name: n, Value: float64(v)})
		}
		if x.S%interval == 0 || x.S%50 == 0 {
			for n, v := range x.Stats {
				p.Stats = append(p.Stats, record.TensorStats{Tensor: n, Stats: tensor.Stats{
					Count: int64(v[0]), Zeros: int64(v[1]), NaN: int64(v[2]), PosInf: int64(v[3]), NegInf: int64(v[4]),
					Min: float64(v[5]), Max: float64(v[6]), Mean: float64(v[7]), M2: float64(v[8]), L1: float64(v[9]),
				}})
			}
		}
		add := func(tensor, stat string, from int64, v float64) {
			p.Derived = append(p.Derived, record.Derived{Tensor: tensor, Stat: stat, From: from, Value: v})
		}
		for n, v := range x.Pairs {
			add(n, pair+plan.PairMeanAbsDiff, int64(v[0]), float64(v[1]))
			add(n, pair+plan.PairMeanAbsFrom, int64(v[0]), float64(v[2]))
		}
		for n, v := range x.Far {
			add(n, far+plan.PairMeanAbsDiff, int64(v[0]), float64(v[1]))
			add(n, far+plan.PairMeanAbsFrom, int64(v[0]), float64(v[2]))
		}
		for n, v := range x.Units {
			for i, q := range []string{plan.UnitsTotal, plan.UnitsInactive, plan.UnitsSamples, plan.UnitsNegative} {
				add(n, units+q, -1, v[i])
			}
		}
		out = append(out, rules.NewComplete([]*record.Step{p}))
	}
	return out
}

// roots says which rules may stand at the root of the most serious group of a
// planted fault.
var roots = map[string][]string{
	"vanishing": {"vanishing_gradient"},
	"exploding": {"learning_rate", "not_finite", "exploding_tensor", "dead_relu"},
	"plateau":   {"loss_not_decreasing"},
	"slow":      {"learning_rate"},
	"dead":      {"dead_relu"},
}

// The default set raises no alarm on healthy trainings and recognises the planted
// faults, whatever interval the overhead budget chose for statistics.
func TestDefaultSetOnTraces(t *testing.T) {
	testenv.Unraced(t)
	paths, err := filepath.Glob("testdata/traces/*.json.gz")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d traces, %v", len(paths), err)
	}
	var printed []string
	for _, path := range paths {
		tr := readTrace(t, path)
		name, _, _ := strings.Cut(filepath.Base(path), ".json")
		for _, interval := range []int64{10, 50, 100} {
			e, found := defaultSet(t)
			e.Announce("worker_0", tr.infos())
			for _, c := range tr.steps(interval) {
				e.Observe(c)
			}
			e.Finish(record.Completed)
			groups := e.Groups()
			if interval == 50 {
				printed = append(printed, texts(t, name, *found)...)
			}
			if tr.Fault == "" {
				for _, f := range *found {
					if f.Severity == record.Info {
						continue
					}
					t.Errorf("%s at interval %d: false alarm: %s: %s", name, interval, f.Rule, f.Message)
				}
				continue
			}
			if len(groups) == 0 {
				t.Errorf("%s at interval %d: nothing found", name, interval)
				continue
			}
			root := groups[0].Root
			t.Logf("%s/%d: %s %s at %d: %s", name, interval, root.Severity, root.Rule, root.Step, root.Message)
			if !slices.Contains(roots[tr.Fault], root.Rule) || root.Severity != record.Error && tr.Fault != "slow" {
				t.Errorf("%s at interval %d: root is %s %s: %s", name, interval, root.Severity, root.Rule, root.Message)
			}
		}
		for _, s := range []string{"Error"} {
			e, _ := defaultSet(t)
			for _, x := range e.Statuses() {
				if x.Status == s {
					t.Errorf("configuration %s: %s", x.Configuration, x.Details)
				}
			}
		}
	}
	sameAsFile(t, "testdata/recorded_texts.txt", strings.Join(printed, "\n")+"\n")
}

// texts are what a run prints of its findings, the first of each check. None is
// longer than 40 words.
func texts(t *testing.T, run string, found []record.Finding) []string {
	t.Helper()
	var out []string
	seen := map[string]bool{}
	for _, f := range found {
		id := f.Rule + "/" + f.Check
		if seen[id] {
			continue
		}
		seen[id] = true
		out = append(out, fmt.Sprintf("%s %s %s: %s", run, f.Severity, id, f.Message), "  cause   "+f.Cause, "  remedy  "+f.Remedy)
		for _, text := range []string{f.Message, f.Cause, f.Remedy} {
			if n := len(strings.Fields(text)); n > 40 {
				t.Errorf("%s, %s: %d words, 40 is the most: %s", run, id, n, text)
			}
		}
	}
	return out
}

// sameAsFile compares a text with a file that -update writes.
func sameAsFile(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), want); d != "" {
		t.Errorf("%s is not what is printed (write it with -update): %s", path, d)
	}
}

// A healthy training that ends early raises no alarm either, though the rules
// judge with less evidence then.
func TestDefaultSetOnShortTraces(t *testing.T) {
	testenv.Unraced(t)
	paths, err := filepath.Glob("testdata/traces/healthy_*.json.gz")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d traces, %v", len(paths), err)
	}
	for _, path := range paths {
		tr := readTrace(t, path)
		steps := tr.steps(10)
		for _, length := range []int{50, 100, 150, 250} {
			e, found := defaultSet(t)
			e.Announce("worker_0", tr.infos())
			for _, c := range steps[:min(length, len(steps))] {
				e.Observe(c)
			}
			e.Finish(record.Completed)
			for _, f := range *found {
				if f.Severity != record.Info {
					t.Errorf("%s, %d steps: false alarm: %s: %s", filepath.Base(path), length, f.Rule, f.Message)
				}
			}
		}
	}
}

func defaultSet(t testing.TB) (*rules.Engine, *[]record.Finding) {
	t.Helper()
	set, err := rules.Set("default", "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	var found []record.Finding
	e, err := rules.NewEngine(rules.Options{Configs: set, OnFinding: func(f record.Finding) { found = append(found, f) }})
	if err != nil {
		t.Fatal(err)
	}
	return e, &found
}
