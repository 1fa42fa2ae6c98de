package ruletest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/measure"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/rule"
)

// Replay judges a recorded run.
type Replay func(path string, configs []rules.Config) ([]record.Finding, []record.RuleStatus, error)

// Result is how one test went.
type Result struct {
	File        string              `json:"file"`
	Name        string              `json:"name"`
	OK          bool                `json:"ok"`
	Differences []string            `json:"differences"` // lines that begin with - (missing) or + (not expected)
	Findings    []record.Finding    `json:"findings"`
	Rules       []record.RuleStatus `json:"rules"`
}

// Options say how tests are run.
type Options struct {
	Replay Replay // for tests that name a recorded run
	// Python is what rules that are Python classes run with; OnPrint is told
	// what they print. Both may be nil.
	Python  *pyrule.Host
	OnPrint func(configuration, line string)
}

// Configs are the configurations of rules that the tests are about.
func (f *File) Configs() []rules.Config {
	var out []rules.Config
	for _, t := range f.tests {
		out = append(out, t.configs...)
	}
	return out
}

// Run runs the tests of a file. The error is for what keeps a test from being
// judged, such as a run that cannot be read.
func (f *File) Run(ctx context.Context, o Options) ([]Result, error) {
	var out []Result
	for _, t := range f.tests {
		r, err := t.judge(ctx, o)
		if err != nil {
			return out, fmt.Errorf("%s: test %q: %w", f.Name, t.Name, err)
		}
		r.File = f.Name
		out = append(out, r)
	}
	return out, nil
}

func (t *test) judge(ctx context.Context, o Options) (Result, error) {
	r := Result{Name: t.Name, Findings: []record.Finding{}}
	var err error
	if t.path != "" {
		r.Findings, r.Rules, err = o.Replay(t.path, t.configs)
	} else {
		r.Findings, r.Rules, err = t.feed(ctx, o)
	}
	if err != nil {
		return r, err
	}
	r.Differences = compare(t.Expect, r.Findings)
	for _, s := range r.Rules {
		r.Differences = append(r.Differences, t.compareStatus(s)...)
	}
	if r.Differences == nil {
		r.Differences = []string{}
	}
	r.OK = len(r.Differences) == 0
	return r, nil
}

// compareStatus is silent about a status that nobody asked for, unless the
// rule failed.
func (t *test) compareStatus(s record.RuleStatus) []string {
	var out []string
	switch {
	case t.Status != "" && t.Status != s.Status:
		out = append(out, "- status="+t.Status, "+ "+statusText(s))
	case t.Status == "" && s.Status == rules.StatusError:
		out = append(out, "+ "+statusText(s))
	}
	if t.Details != "" && !strings.Contains(s.Details, t.Details) {
		out = append(out, "- details="+quoted(t.Details), "+ details="+quoted(s.Details))
	}
	return out
}

func statusText(s record.RuleStatus) string {
	text := fmt.Sprintf("rule=%s status=%s", s.Rule, s.Status)
	if s.Details != "" {
		text += " details=" + quoted(s.Details)
	}
	return text
}

// at is a place in the order of steps. At the same step TRAIN comes first.
type at struct {
	step int64
	mode record.Mode
}

// moment is what comes at one place, by worker.
type moment struct {
	scalars map[string][]record.Scalar
	tensors map[string][]value
}

type value struct {
	name string
	view tensor.View
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// feed takes written series through plan, measurement and rules.
func (t *test) feed(ctx context.Context, o Options) ([]record.Finding, []record.RuleStatus, error) {
	found := []record.Finding{}
	raw := &stored{views: map[string]tensor.View{}}
	j, err := judge.New(ctx, judge.Options{Run: record.Run{Name: "test"}, Rules: rules.Options{
		Configs: t.configs, OnFinding: func(f record.Finding) { found = append(found, f) }, Now: func() time.Time { return epoch },
		Raw: func(worker, name string, mode record.Mode, modeStep int64) (rule.Values, error) {
			return raw.get(rawKey(worker, name, mode, modeStep))
		},
		Python: o.Python, OnPrint: o.OnPrint, Patient: true,
	}})
	if err != nil {
		return nil, nil, err
	}
	defer j.Close()
	p, err := plan.New(plan.Options{Every: 1}, nil, j.Engine.Needs())
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "vigil-rules-test-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	m := &measuring{dir: dir, plan: p, raw: raw, meters: map[string]*measure.Meter{}, infos: t.infos(p)}
	defer m.close()
	j.Engine.Facts(t.facts)
	t.lone(j.Engine)
	moments := t.moments()
	order := sorted(moments)
	for _, w := range t.workers() {
		j.Engine.Announce(w, m.announced())
	}
	clock := epoch
	several := slices.ContainsFunc(order, func(a at) bool { return a.mode != order[0].mode })
	for i, a := range order {
		global := a.step
		if several {
			global = int64(i)
		}
		clock = clock.Add(time.Second)
		var parts []*record.Step
		for _, w := range t.workers() {
			s := &record.Step{Worker: w, Step: global, Mode: a.mode, ModeStep: a.step, Time: clock, Seconds: 1, Scalars: moments[a].scalars[w]}
			if err := m.part(s, moments[a].tensors[w]); err != nil {
				return nil, nil, err
			}
			if len(s.Scalars)+len(s.Stats)+len(s.Derived) > 0 {
				parts = append(parts, s)
			}
		}
		if len(parts) > 0 {
			j.Decided(rules.NewComplete(parts))
		}
	}
	j.Engine.Tick(clock)
	j.Engine.Finish(record.Completed)
	return found, j.Engine.Statuses(), ctx.Err()
}

// stored are the values that rules asked for.
type stored struct {
	mu    sync.Mutex
	views map[string]tensor.View
}

func (s *stored) put(key string, v tensor.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[key] = v
}

func (s *stored) get(key string) (rule.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.views[key]
	if !ok {
		return v, fs.ErrNotExist
	}
	return v, nil
}

func rawKey(worker, name string, mode record.Mode, modeStep int64) string {
	return fmt.Sprint(worker, "|", name, "|", mode, "|", modeStep)
}

// workers that are written, sorted.
func (t *test) workers() []string {
	var out []string
	for _, s := range t.Series {
		out = append(out, s.Worker)
	}
	for _, x := range t.Tensors {
		out = append(out, x.Worker)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// infos describes what is written as the hook would describe it.
func (t *test) infos(p *plan.Plan) map[string]record.TensorInfo {
	out := map[string]record.TensorInfo{}
	add := func(info record.TensorInfo, kind string, scalar bool) {
		if _, known := out[info.Name]; known {
			return
		}
		info.Order = len(out)
		if info.Kind = record.Kind(kind); kind == "" {
			info.Kind = rules.GuessKind(info.Name, scalar)
		}
		info.Collections = p.Decide(info).Collections
		out[info.Name] = info
	}
	for _, x := range t.Tensors {
		info := record.TensorInfo{Name: x.Name, DType: "F64", Shape: x.Shape, ModuleType: x.ModuleType}
		if info.Shape == nil && len(x.Rows) > 0 {
			info.Shape = []int64{int64(x.Rows[0].Values.n)}
		}
		add(info, x.Kind, false)
	}
	for _, s := range t.Series {
		add(record.TensorInfo{Name: s.Name}, s.Kind, true)
	}
	return out
}

// moments puts all values in their places.
func (t *test) moments() map[at]*moment {
	out := map[at]*moment{}
	get := func(a at) *moment {
		if out[a] == nil {
			out[a] = &moment{map[string][]record.Scalar{}, map[string][]value{}}
		}
		return out[a]
	}
	for _, s := range t.Series {
		s.Values.each(func(i int64, x float64) {
			m := get(at{s.Start + i*s.Every, s.mode})
			m.scalars[s.Worker] = append(m.scalars[s.Worker], record.Scalar{Name: s.Name, Value: x})
		})
	}
	for _, x := range t.Tensors {
		i := int64(0)
		for _, r := range x.Rows {
			v := r.view(x.Shape)
			for range r.Times {
				m := get(at{x.Start + i*x.Every, x.mode})
				m.tensors[x.Worker] = append(m.tensors[x.Worker], value{x.Name, v})
				i++
			}
		}
	}
	return out
}

func (r *row) view(shape []int64) tensor.View {
	if shape == nil {
		shape = []int64{int64(r.Values.n)}
	}
	b := make([]byte, 0, 8*r.Values.n)
	r.Values.each(func(_ int64, x float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) })
	v, err := tensor.NewView(tensor.F64, shape, b)
	if err != nil { // the file was refused if it does not fit
		panic(err)
	}
	return v
}

func sorted(m map[at]*moment) []at {
	var out []at
	for a := range m {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b at) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.mode, b.mode)) })
	return out
}

// measuring does what the agent does with captured tensors.
type measuring struct {
	dir    string
	plan   *plan.Plan
	raw    *stored
	meters map[string]*measure.Meter
	infos  map[string]record.TensorInfo
}

func (m *measuring) announced() []record.TensorInfo {
	var out []record.TensorInfo
	for _, info := range m.infos {
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b record.TensorInfo) int { return cmp.Compare(a.Order, b.Order) })
	return out
}

func (m *measuring) part(s *record.Step, tensors []value) error {
	meter := m.meters[s.Worker]
	if meter == nil {
		var err error
		if meter, err = measure.New(measure.Options{Spill: filepath.Join(m.dir, fmt.Sprint("spill-", len(m.meters)))}); err != nil {
			return err
		}
		m.meters[s.Worker] = meter
	}
	for _, v := range tensors {
		info := m.infos[v.name]
		d := m.plan.Decide(info)
		want := d.Want(s.Mode, s.ModeStep)
		if want == 0 {
			continue
		}
		stats, derived, err := meter.Tensor(info, d, s.Mode, s.ModeStep, v.view)
		if err != nil {
			return fmt.Errorf("measure tensor %q: %w", v.name, err)
		}
		if want&plan.Raw != 0 {
			m.raw.put(rawKey(s.Worker, v.name, s.Mode, s.ModeStep), v.view)
			s.Raw = append(s.Raw, v.name)
		}
		s.Stats, s.Derived = append(s.Stats, stats), append(s.Derived, derived...)
	}
	s.Derived = append(s.Derived, meter.Step(s.Mode, s.ModeStep)...)
	return nil
}

func (m *measuring) close() {
	for _, meter := range m.meters {
		meter.Close()
	}
}
