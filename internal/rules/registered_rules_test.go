package rules

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// own is a definition that lacks nothing, but for what change does to it.
func own(change func(*rule.Definition)) *rule.Definition {
	d := &rule.Definition{
		Name: "own_rule", Class: "OwnRule", Family: rule.Tensors, Severity: rule.Warning, Summary: "Something.", CauseClass: "unknown",
		Parameters: []rule.Parameter{{Name: "threshold", Type: rule.Float, Default: "1", Meaning: "limit"}},
		New:        func(rule.Params) (rule.Rule, error) { return nil, nil },
	}
	change(d)
	return d
}

func TestAdd(t *testing.T) {
	t.Cleanup(func() { added = nil })
	for _, tt := range []struct {
		change func(*rule.Definition)
		want   string // part of the error
	}{
		{func(d *rule.Definition) { d.Name = "OwnRule" }, `"OwnRule": Name must be in snake_case`},
		{func(d *rule.Definition) { d.Class = "" }, "Class is empty"},
		{func(d *rule.Definition) { d.Summary = "" }, "Summary is empty"},
		{func(d *rule.Definition) { d.Family = "x" }, `Family "x" is unknown`},
		{func(d *rule.Definition) { d.Severity = "bad" }, `Severity "bad" is unknown`},
		{func(d *rule.Definition) { d.CauseClass = "luck" }, `CauseClass "luck" is unknown`},
		{func(d *rule.Definition) { d.New = nil }, "New is nil"},
		{func(d *rule.Definition) { d.Checks = []rule.Check{{ID: "large"}} }, `the ID "large" is not the rule's name, a slash`},
		{func(d *rule.Definition) { d.Parameters[0].Default = "high" }, "its own defaults cannot be used"},
		{func(d *rule.Definition) { d.Default = &rule.Preset{Params: map[string]string{"limit": "1"}} }, "in the default set cannot be used"},
		{func(d *rule.Definition) { d.Name = "dead_relu" }, `"dead_relu" is taken by the rule dead_relu`},
		{func(d *rule.Definition) { d.Aliases = []string{"Overfit"} }, `"Overfit" is taken by the rule overfit`},
	} {
		if err := Add(own(tt.change)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}
	if err := Add(own(func(*rule.Definition) {}), nil); err == nil || !strings.Contains(err.Error(), "number 2 is nil") {
		t.Errorf("error %v", err)
	}
	if _, ok := Lookup("own_rule"); ok {
		t.Error("a rule is there although one beside it was refused")
	}
	if err := Add(own(func(*rule.Definition) {})); err != nil {
		t.Fatal(err)
	}
	if d, ok := Lookup("OwnRule"); !ok || Catalogue()[len(Catalogue())-1] != d {
		t.Error("the rule is not in the catalogue")
	}
	if err := Add(own(func(*rule.Definition) {})); err != nil && !strings.Contains(err.Error(), "taken by the rule own_rule") {
		t.Errorf("twice: %v", err)
	} else if err == nil {
		t.Error("a rule could be added twice")
	}
}
