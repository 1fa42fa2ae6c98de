package rules_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// longSteps is a rule on windows of time that remembers: it objects to each step
// that took longer than any before it, and to each checkpoint.
var longSteps = &rule.Definition{
	Name: "long_steps", Class: "LongSteps", Family: rule.Metrics, Severity: rule.Info,
	Summary: "A step took longer than any before it.", Why: "It is slow.", CauseClass: "hardware",
	Causes: []string{"a slow machine"}, Remedies: []string{"see where the time goes"},
	Needs: func(rule.Params) []rule.Need { return nil },
	New:   func(rule.Params) (rule.Rule, error) { return &longest{}, nil },
}

type longest struct{ ns, steps int64 }

func (r *longest) Select() []rule.Selector       { return nil }
func (r *longest) Step(*rule.View, *rule.Report) { r.steps++ }
func (r *longest) Finish(rep *rule.Report)       { rep.Note(fmt.Sprintf("%d steps", r.steps)) }
func (r *longest) Save() ([]byte, error)         { return json.Marshal([]int64{r.ns, r.steps}) }
func (r *longest) Restore(b []byte) error        { return json.Unmarshal(b, &[]any{&r.ns, &r.steps}) }

func (r *longest) Window(w *rule.Window, rep *rule.Report) {
	for i := range w.Times {
		if t := &w.Times[i]; t.Longest > r.ns {
			r.ns = t.Longest
			rep.Violate(rule.Violation{Check: "longer", Subject: t.Worker, Observed: float64(t.Longest), Comparator: ">", Message: fmt.Sprintf("A step took %v.", time.Duration(t.Longest)), Context: map[string]any{"late": w.Late}})
		}
	}
	for _, e := range w.Events {
		rep.Violate(rule.Violation{Check: "event", Subject: e.Worker, Message: "Something happened: " + e.Kind + "."})
	}
	if len(w.Samples) > 3 {
		panic("too much for it")
	}
}

// drawWindows makes up the windows of a job, in n places among its steps.
func drawWindows(t *rapid.T, n int) [][]*record.Window {
	out := make([][]*record.Window, n)
	index := int64(0)
	for i := range out {
		for range rapid.IntRange(0, 2).Draw(t, "windows") {
			index += rapid.Int64Range(0, 2).Draw(t, "left out")
			w := &record.Window{Index: index, From: after(float64(index * 10)), To: after(float64(index*10 + 10))}
			index++
			for k := range rapid.SampledFrom([]int{0, 1, 2, 3, 3, 3, 4}).Draw(t, "samples") {
				w.Samples = append(w.Samples, record.Sample{Host: "a", Time: w.From.Add(time.Duration(k) * time.Second), Values: []record.Scalar{{Name: "cpu/total", Value: rapid.SampledFrom([]float64{5, 50, 100}).Draw(t, "cpu")}}})
			}
			for range rapid.IntRange(0, 2).Draw(t, "times") {
				w.Times = append(w.Times, record.StepTime{Worker: rapid.SampledFrom([]string{"worker_0", "worker_1"}).Draw(t, "worker"), Longest: rapid.Int64Range(1, 100).Draw(t, "ns")})
			}
			if rapid.IntRange(0, 4).Draw(t, "event") == 0 {
				w.Events = append(w.Events, record.Event{Worker: "worker_0", Kind: record.CheckpointEvent})
			}
			out[i] = append(out[i], w)
		}
	}
	return out
}

// A finding of a window is dated by its end, at the step that was seen last; and
// what is not the configuration's stays away from its rule.
func TestWindowsAreJudged(t *testing.T) {
	for name, tt := range map[string]struct {
		params map[string]string
		want   []string
	}{
		"all":         {nil, []string{"-1 worker_0 10s", "-1 worker_1 10s", "0 worker_0 20s", "3 worker_0 30s", "3 worker_1 30s"}},
		"a worker":    {map[string]string{"workers": "worker_1"}, []string{"-1 worker_1 10s", "3 worker_1 30s"}},
		"from a step": {map[string]string{"start_step": "3"}, []string{"3 worker_0 30s", "3 worker_1 30s"}},
		"to a step":   {map[string]string{"end_step": "3"}, []string{"-1 worker_0 10s", "-1 worker_1 10s", "0 worker_0 20s"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := rules.NewEngine(rules.Options{Definitions: []*rule.Definition{longSteps}, Configs: []rules.Config{{Rule: "long_steps", Params: tt.params}}})
			if err != nil {
				t.Fatal(err)
			}
			window := func(n int64, ns ...int64) {
				w := &record.Window{Index: n, From: after(float64(10 * n)), To: after(float64(10*n + 10))}
				for i, x := range ns {
					w.Times = append(w.Times, record.StepTime{Worker: fmt.Sprint("worker_", i), Longest: x})
				}
				e.Window(w)
			}
			step := func(n int64) {
				e.Observe(rules.NewComplete([]*record.Step{{Worker: "worker_0", Step: n, ModeStep: n, Time: after(float64(n))}}))
			}
			window(0, 5, 6)
			step(0)
			window(1, 7, 1)
			window(1, 100, 100) // again
			step(3)
			window(2, 8, 9)
			e.Finish(record.Completed)
			window(3, 200)
			var got []string
			for _, f := range e.Findings() {
				got = append(got, fmt.Sprint(f.Step, " ", f.Subject, " ", f.Time.Sub(epoch)))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
