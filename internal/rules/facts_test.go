package rules_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// listener is a rule that reports the facts that it is told, and nothing else.
type listener struct{ Told []string }

var listening = &rule.Definition{
	Name: "listening", Class: "Listening", Family: rule.Tensors, Severity: rule.Error, Summary: "Facts.", Why: "For tests.",
	CauseClass: "unknown", Causes: []string{"facts"}, Remedies: []string{"none"},
	Parameters: []rule.Parameter{{Name: "word", Type: rule.String, Default: "hears"}},
	Needs:      func(rule.Params) []rule.Need { return nil },
	New:        func(rule.Params) (rule.Rule, error) { return &listener{}, nil },
}

func (l *listener) Select() []rule.Selector       { return nil }
func (l *listener) Step(*rule.View, *rule.Report) {}
func (l *listener) Finish(*rule.Report)           {}
func (l *listener) Save() ([]byte, error)         { return json.Marshal(l) }
func (l *listener) Restore(b []byte) error        { return json.Unmarshal(b, l) }
func (l *listener) Facts(f *rule.Facts, r *rule.Report) {
	for _, s := range f.Sections() {
		if !slices.Contains(l.Told, s) {
			l.Told = append(l.Told, s)
			r.Violate(rule.Violation{Check: "told", Subject: s, Message: fmt.Sprint("It hears of ", s, ".")})
		}
	}
}

func newListening(t *testing.T, params map[string]string) *rules.Engine {
	t.Helper()
	e, err := rules.NewEngine(rules.Options{Definitions: []*rule.Definition{listening}, Configs: []rules.Config{{Rule: "listening", Configuration: "listening", Params: params}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func observe(e *rules.Engine, steps ...int64) {
	for _, n := range steps {
		e.Observe(rules.NewComplete([]*record.Step{{Worker: "worker_0", Step: n, ModeStep: n}}))
	}
}

func heard(e *rules.Engine) string {
	var out []string
	for _, f := range e.Findings() {
		out = append(out, fmt.Sprintf("%s %d", f.Subject, f.Step))
	}
	return strings.Join(out, ", ")
}

func sections() *record.Facts {
	return &record.Facts{
		Labels: &record.LabelFacts{At: 2}, Network: &record.NetworkFacts{At: 2}, Graph: &record.GraphFacts{At: 4},
		Predictions: &record.PredictionFacts{At: 5}, Updates: &record.UpdateFacts{At: 90},
	}
}

// A section is told before the first step from which on it is known is judged,
// and what no step reaches before the end.
func TestFactsAreToldInTheirPlace(t *testing.T) {
	e := newListening(t, nil)
	e.Facts(nil)
	e.Facts(sections())
	observe(e, 0, 1)
	if got := heard(e); got != "" {
		t.Errorf("heard %q too early", got)
	}
	observe(e, 2, 3, 6, 7)
	e.Finish(record.Completed)
	if got, want := heard(e), "labels 2, network 2, graph 6, predictions 6, updates 7"; got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// What comes later with an earlier place is told at the next step.
func TestFactsThatComeLate(t *testing.T) {
	e := newListening(t, nil)
	f := sections()
	e.Facts(&record.Facts{Labels: f.Labels})
	observe(e, 0, 1, 2, 3, 4)
	e.Facts(f)
	observe(e, 5, 6)
	if got, want := heard(e), "labels 2, graph 5, network 5, predictions 5"; sorted(got) != sorted(want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func sorted(list string) string {
	l := strings.Split(list, ", ")
	slices.Sort(l)
	return strings.Join(l, ", ")
}

// Nothing is judged of facts without a step.
func TestFactsWithoutAStep(t *testing.T) {
	e := newListening(t, nil)
	e.Facts(sections())
	e.Finish(record.Completed)
	if got := heard(e); got != "" {
		t.Errorf("heard %q", got)
	}
}

// Facts that cannot be meant are an error although they rest on no two steps.
func TestFactsAreNotLowered(t *testing.T) {
	e := newListening(t, nil)
	e.Facts(sections())
	observe(e, 2)
	for _, f := range e.Findings() {
		if f.Severity != record.Error {
			t.Errorf("severity is %s", f.Severity)
		}
	}
}

// Wherever the evaluator stops and goes on, each section is told once, at the
// same step.
func TestFactsAfterARestart(t *testing.T) {
	whole := newListening(t, nil)
	whole.Facts(sections())
	observe(whole, 0, 1, 2, 3, 4, 5, 6)
	whole.Finish(record.Completed)
	for cut := int64(0); cut <= 7; cut++ {
		first := newListening(t, nil)
		first.Facts(sections())
		for n := range cut {
			observe(first, n)
		}
		state, err := first.Save()
		if err != nil {
			t.Fatal(err)
		}
		second := newListening(t, nil)
		if err := second.Restore(state); err != nil {
			t.Fatal(err)
		}
		second.Facts(sections())
		observe(second, 0, 1, 2, 3, 4, 5, 6)
		second.Finish(record.Completed)
		if d := cmp.Diff(heard(whole), heard(second)); d != "" {
			t.Errorf("after a restart at step %d: %s", cut, d)
		}
	}
}

// A configuration that has changed begins again, and is told again.
func TestFactsOfAChangedConfiguration(t *testing.T) {
	first := newListening(t, nil)
	first.Facts(sections())
	observe(first, 0, 1, 2, 3)
	state, err := first.Save()
	if err != nil {
		t.Fatal(err)
	}
	second := newListening(t, map[string]string{"word": "listens"})
	if err := second.Restore(state); err != nil {
		t.Fatal(err)
	}
	second.Facts(sections())
	observe(second, 4)
	if got, want := sorted(heard(second)), "graph 4, labels 4, network 4"; got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
}
