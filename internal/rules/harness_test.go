package rules_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/measure"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/rule"
)

// values is one tensor at one step: a shape (nil: a vector) and its elements.
type values struct {
	shape []int64
	v     []float64
}

func vec(v ...float64) values { return values{nil, v} }

func fill(n int, x float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x
	}
	return v
}

// input is what a job leaves at one step.
type input struct {
	step    int64
	mode    record.Mode
	scalars map[string]float64
	tensors map[string]values
	skipped bool
}

// job feeds an engine the way the agent does: the plan made of the engine's
// needs decides, the meter measures.
type job struct {
	t       *testing.T
	engine  *rules.Engine
	plan    *plan.Plan
	meters  map[string]*measure.Meter
	infos   map[string]record.TensorInfo
	mu      sync.Mutex
	raw     map[string]tensor.View // stored values, by worker, tensor, mode and step
	others  map[string]rule.Trial
	found   []record.Finding
	warned  []string
	workers []string
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newJob(t *testing.T, configs ...rules.Config) *job {
	t.Helper()
	return newJobWith(t, func(*rules.Options) {}, configs...)
}

// newJobWith lets the options be changed.
func newJobWith(t *testing.T, change func(*rules.Options), configs ...rules.Config) *job {
	t.Helper()
	j := &job{t: t, infos: map[string]record.TensorInfo{}, workers: []string{"worker_0"}, meters: map[string]*measure.Meter{}, raw: map[string]tensor.View{}, others: map[string]rule.Trial{}}
	o := rules.Options{
		Configs: configs,
		OnFinding: func(f record.Finding) {
			j.found = append(j.found, f)
			if err := rules.Indexed(f); err != nil {
				t.Error(err)
			}
			if err := saysEvidence(&f); err != nil {
				t.Error(err)
			}
			for _, wrong := range asksOtherwise(f.Remedy, f.Asks) {
				t.Errorf("%s/%s, remedy %q: %s", f.Rule, f.Check, f.Remedy, wrong)
			}
		},
		OnWarning: func(_, text string) { j.warned = append(j.warned, text) },
		Raw: func(worker, name string, mode record.Mode, modeStep int64) (rule.Values, error) {
			j.mu.Lock()
			v, ok := j.raw[fmt.Sprint(worker, name, mode, modeStep)]
			j.mu.Unlock()
			if !ok {
				return v, fs.ErrNotExist
			}
			return v, nil
		},
		Trial: func(name string) (rule.Trial, error) {
			if o := j.others[name]; o != nil {
				return o, nil
			}
			return nil, fs.ErrNotExist
		},
	}
	change(&o)
	var err error
	if j.engine, err = rules.NewEngine(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.engine.Close)
	if j.plan, err = plan.New(plan.Options{Every: 1, Framework: "pytorch"}, nil, j.engine.Needs()); err != nil {
		t.Fatal(err)
	}
	return j
}

func view(t *testing.T, x values) tensor.View {
	t.Helper()
	shape := x.shape
	if shape == nil {
		shape = []int64{int64(len(x.v))}
	}
	b := make([]byte, 0, 8*len(x.v))
	for _, v := range x.v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	v, err := tensor.NewView(tensor.F64, shape, b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// describe makes up what the hook would say of a tensor.
func (j *job) describe(info record.TensorInfo) {
	info.Collections = j.plan.Decide(info).Collections
	j.infos[info.Name] = info
	for _, w := range j.workers {
		j.engine.Announce(w, []record.TensorInfo{info})
	}
}

func (j *job) part(worker string, in input) *record.Step {
	if j.meters[worker] == nil {
		m, err := measure.New(measure.Options{Spill: filepath.Join(j.t.TempDir(), "spill")})
		if err != nil {
			j.t.Fatal(err)
		}
		j.t.Cleanup(func() { m.Close() })
		j.meters[worker] = m
	}
	s := &record.Step{Worker: worker, Step: in.step, Mode: in.mode, ModeStep: in.step, Time: epoch.Add(time.Duration(in.step) * time.Second), Skipped: in.skipped}
	for name, x := range in.scalars {
		if _, known := j.infos[name]; !known {
			j.describe(record.TensorInfo{Name: name, Kind: record.Loss})
		}
		s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: x})
	}
	for name, x := range in.tensors {
		v := view(j.t, x)
		if _, known := j.infos[name]; !known {
			info := record.TensorInfo{Name: name, Kind: record.Weight, DType: "F64", Shape: v.Shape}
			switch {
			case len(name) > 8 && name[:8] == "gradient":
				info.Kind = record.Gradient
			case len(name) > 7 && slices.Contains([]string{"_output", "utput_0"}, name[len(name)-7:]):
				info.Kind = record.Output
			case strings.HasSuffix(name, "_input") || strings.HasSuffix(name, "_input_0"):
				info.Kind = record.Input
			}
			j.describe(info)
		}
		d := j.plan.Decide(j.infos[name])
		stats, derived, err := j.meters[worker].Tensor(j.infos[name], d, in.mode, in.step, v)
		if err != nil {
			j.t.Fatal(err)
		}
		if d.Want(in.mode, in.step)&plan.Raw != 0 {
			j.mu.Lock()
			j.raw[fmt.Sprint(worker, name, in.mode, in.step)] = v
			j.mu.Unlock()
			s.Raw = append(s.Raw, name)
		}
		s.Stats, s.Derived = append(s.Stats, stats), append(s.Derived, derived...)
	}
	s.Derived = append(s.Derived, j.meters[worker].Step(in.mode, in.step)...)
	return s
}

func (j *job) feed(in ...input) {
	for _, x := range in {
		j.engine.Observe(rules.NewComplete([]*record.Step{j.part("worker_0", x)}))
	}
}

func (j *job) status() record.RuleStatus { return j.engine.Statuses()[0] }

// fired is the steps of findings.
func (j *job) fired() []int64 {
	out := []int64{}
	for _, f := range j.found {
		if !slices.Contains(out, f.Step) {
			out = append(out, f.Step)
		}
	}
	return out
}

func config(rule string, kv ...string) rules.Config {
	c := rules.Config{Rule: rule, Params: map[string]string{}}
	for i := 0; i < len(kv); i += 2 {
		c.Params[kv[i]] = kv[i+1]
	}
	return c
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func scalarsAt(name string, every int64, v ...float64) []input {
	var out []input
	for i, x := range v {
		out = append(out, input{step: int64(i) * every, scalars: map[string]float64{name: x}})
	}
	return out
}

func tensorAt(name string, step int64, x values) input {
	return input{step: step, tensors: map[string]values{name: x}}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func (j *job) String() string { return fmt.Sprint(j.found) }

// equal compares by JSON, the form in which findings are kept.
func equal(t interface{ Fatalf(string, ...any) }, what string, a, b any) {
	x, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	y, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if string(x) != string(y) {
		t.Fatalf("%s differ: %s", what, cmp.Diff(string(x), string(y)))
	}
}
