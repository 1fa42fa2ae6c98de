package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// count is a rule of the default set that reports every step, with how many it
// has seen.
type count struct{ N int }

func (*count) Select() []rule.Selector { return nil }
func (c *count) Step(v *rule.View, r *rule.Report) {
	c.N++
	r.Violate(rule.Violation{Check: "seen", Subject: string(rune('a' + c.N)), Message: "A step."})
}
func (*count) Finish(*rule.Report)      {}
func (c *count) Save() ([]byte, error)  { return json.Marshal(c) }
func (c *count) Restore(b []byte) error { return json.Unmarshal(b, c) }

func preset(d rule.Definition) *rule.Definition {
	d.Default = &rule.Preset{Params: map[string]string{}}
	return &d
}

// With a further training a rule of the default set begins again, and says of
// facts only what it had not said. One that was asked for with other parameters
// goes on.
func TestRulesBeginAnewWithATraining(t *testing.T) {
	counting := rule.Definition{
		Name: "counting", Class: "Counting", Severity: rule.Info, CauseClass: "unknown",
		Parameters: []rule.Parameter{{Name: "word", Type: rule.String, Default: "x"}},
		New:        func(rule.Params) (rule.Rule, error) { return &count{}, nil },
	}
	for _, tt := range []struct {
		name  string
		def   *rule.Definition
		given map[string]string
		want  string
	}{
		{"of the default set", preset(counting), nil, "b 3, c 4, b 5, c 6, b 7"},
		{"asked for", preset(counting), map[string]string{"word": "y"}, "b 3, c 4, d 5, e 6, f 7"},
		{"reads facts", preset(*listening), nil, "labels 3, network 3, graph 4, predictions 5, trainings 5"},
	} {
		f := sections()
		f.Trainings = []record.TrainingFacts{{At: 5}, {At: 7}}
		start := func() *rules.Engine {
			e, err := rules.NewEngine(rules.Options{Definitions: []*rule.Definition{tt.def}, Configs: []rules.Config{{Rule: tt.def.Name, Configuration: tt.def.Name, Params: tt.given}}})
			if err != nil {
				t.Fatal(err)
			}
			e.Facts(f)
			return e
		}
		e := start()
		observe(e, 3, 4, 5)
		state, err := e.Save()
		if err != nil {
			t.Fatal(err)
		}
		e = start() // stopped and started again, within the second training
		if err := e.Restore(state); err != nil {
			t.Fatal(err)
		}
		observe(e, 6, 7)
		if got := heard(e); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What a later training showed is told from the step on that it names, and what
// was said of the one before is not said again.
func TestFactsOfAFurtherTraining(t *testing.T) {
	e, err := rules.NewEngine(rules.Options{Definitions: []*rule.Definition{preset(*listening)}, Configs: []rules.Config{{Rule: listening.Name, Configuration: listening.Name}}})
	if err != nil {
		t.Fatal(err)
	}
	later := &record.Facts{Labels: &record.LabelFacts{At: 8}, Inputs: &record.InputFacts{At: 8}}
	f := sections()
	f.Trainings = []record.TrainingFacts{{At: 6, Facts: &record.Facts{}}}
	e.Facts(f)
	observe(e, 3, 4, 5, 6)
	f = sections()
	f.Trainings = []record.TrainingFacts{{At: 6, Facts: later}}
	e.Facts(f)
	observe(e, 7, 8)
	if got, want := heard(e), "labels 3, network 3, graph 4, predictions 5, trainings 6, inputs 8"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// twice reports the same in the last step and at the end of the job.
type twice struct{ count }

func (*twice) Step(_ *rule.View, r *rule.Report) { (*twice).Finish(nil, r) }
func (*twice) Finish(r *rule.Report) {
	r.Violate(rule.Violation{Check: "same", Subject: "it", Message: "Again."})
}

// Two findings of one step may have one key; a replay tells neither again.
func TestTwoFindingsOfOneKey(t *testing.T) {
	def := &rule.Definition{Name: "twice", Class: "Twice", Severity: rule.Info, CauseClass: "unknown", New: func(rule.Params) (rule.Rule, error) { return &twice{}, nil }}
	judge := func(stored []record.Finding) (told []record.Finding) {
		e, err := rules.NewEngine(rules.Options{
			Definitions: []*rule.Definition{def}, Configs: []rules.Config{{Rule: "twice"}}, Stored: stored,
			OnFinding: func(f record.Finding) { told = append(told, f) },
		})
		if err != nil {
			t.Fatal(err)
		}
		observe(e, 0)
		e.Finish(record.Completed)
		return told
	}
	live := judge(nil)
	if len(live) != 2 || rules.Key(live[0]) != rules.Key(live[1]) {
		t.Fatalf("live: %+v", live)
	}
	if again := judge(live); len(again) > 0 {
		t.Errorf("told again: %+v", again)
	}
	if again := judge(live[:1]); len(again) != 1 {
		t.Errorf("the one that was not stored is told %d times", len(again))
	}
}
