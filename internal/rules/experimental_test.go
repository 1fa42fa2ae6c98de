package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// A rule with two checks in the form of values: one that is tried out, and one
// that is settled and is meant to speak alone.
var tried = []rule.Judged[float64]{
	{
		Check: rule.Check{ID: "own_rule/new", When: "The loss is above `threshold`.", Severity: rule.Error, CauseClass: "loss", Scope: rule.ScopeGeneral, Status: rule.Experimental, Cause: "a new cause", Remedy: "a new remedy"},
		Judge: above,
	},
	{
		Check: rule.Check{ID: "own_rule/old", When: "The loss is above `threshold`.", Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral},
		Judge: above,
	},
	{
		Check: rule.Check{ID: "own_rule/last", When: "The loss is above `threshold`.", Severity: rule.Warning, CauseClass: "labels", Scope: rule.ScopeGeneral},
		Judge: above,
	},
}

func above(loss float64, p rule.Params) []rule.Evidence {
	if loss <= p.Float("threshold") {
		return nil
	}
	return []rule.Evidence{{Subject: "loss", Observed: loss, Threshold: p.Float("threshold"), Comparator: ">", Message: "It is high.", Steps: 2}}
}

type lossRule struct{ params rule.Params }

func (lossRule) Select() []rule.Selector { return []rule.Selector{rule.Everything()} }
func (r lossRule) Step(v *rule.View, rep *rule.Report) {
	for _, it := range v.Scalars(0) {
		for _, x := range rule.First(tried, it.Value, r.params) {
			rep.Violate(x)
		}
	}
}
func (lossRule) Finish(*rule.Report)   {}
func (lossRule) Save() ([]byte, error) { return []byte("null"), nil }
func (lossRule) Restore([]byte) error  { return nil }

// An experimental check reports where it is asked for by its set or with its
// rule's name, says so, and hides nothing where it is not.
func TestExperimentalChecks(t *testing.T) {
	t.Cleanup(func() { added = nil })
	err := Add(own(func(d *rule.Definition) {
		d.Default = &rule.Preset{Params: map[string]string{"threshold": "2"}, Why: "for the test"}
		d.Checks, d.Causes, d.Remedies = rule.Index(tried), []string{"the rule's cause"}, []string{"the rule's remedy"}
		d.New = func(p rule.Params) (rule.Rule, error) { return lossRule{p}, nil }
	}))
	if err != nil {
		t.Fatal(err)
	}
	fromSet := func(names string) []Config {
		set, err := Set(names, "pytorch")
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(set, func(c Config) bool { return c.Rule != "own_rule" })
	}
	const old = "old warning labels: the rule's cause; the rule's remedy"
	const tryout = "new error loss experimental: a new cause; a new remedy"
	for _, tt := range []struct {
		name    string
		configs []Config
		loss    float64
		want    []string
	}{
		{"the default set", fromSet("default"), 3, []string{old}},
		{"all", fromSet("all"), 3, []string{old}},
		{"the experimental set", fromSet("experimental"), 3, []string{tryout}},
		{"both sets", fromSet("default, experimental"), 3, []string{tryout, old}},
		{"none", fromSet("none"), 3, nil},
		{"the set's threshold", fromSet("default,experimental"), 1.5, nil},
		{"by name", Merge(fromSet("default"), []Config{{Rule: "OwnRule"}}), 1.5, []string{tryout, old}},
		{"as it stands on record", []Config{{Rule: "own_rule"}}, 3, []string{old}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			e, err := NewEngine(Options{Configs: tt.configs, OnFinding: func(f record.Finding) {
				s := f.Check + " " + string(f.Severity) + " " + f.CauseClass
				if f.Experimental {
					s += " experimental"
				}
				got = append(got, s+": "+f.Cause+"; "+f.Remedy)
			}})
			if err != nil {
				t.Fatal(err)
			}
			e.Observe(NewComplete([]*record.Step{{Worker: "worker_0", Scalars: []record.Scalar{{Name: "loss", Value: tt.loss}}}}))
			e.Finish(record.Completed)
			if !slices.Equal(got, tt.want) {
				t.Errorf("findings %q, want %q", got, tt.want)
			}
			for _, s := range e.Statuses() {
				again := Config{Rule: s.Rule, Configuration: s.Configuration, Params: s.Parameters, Checks: s.Checks}
				if again.Checks != tt.configs[0].Checks || s.Findings != int64(len(tt.want)) {
					t.Errorf("status %+v", s)
				}
			}
		})
	}
	e, err := NewEngine(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c, _, err := e.Join(Config{Rule: "own_rule"}); err != nil || c.Checks != EveryCheck {
		t.Errorf("a rule that joins by name is %+v, %v", c, err)
	}
	if _, err := Set("default,experimentl", ""); err == nil || !strings.Contains(err.Error(), `did you mean "experimental"`) {
		t.Errorf("error %v", err)
	}
}
