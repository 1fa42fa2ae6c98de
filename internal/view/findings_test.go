package view

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestVerdictOf(t *testing.T) {
	code := 3
	warning, broken := record.Group{Root: record.Finding{Severity: record.Warning}}, record.Group{Root: record.Finding{Severity: record.Error}, Symptoms: []record.Finding{{Rule: "loss_flat"}}}
	for _, c := range []struct {
		name   string
		run    record.Run
		groups []record.Group
		want   Verdict
	}{
		{"nothing", record.Run{Status: record.Completed}, nil, Verdict{"ok", "Nothing to report: no rule found anything wrong."}},
		{"the worst first", record.Run{Status: record.Completed}, []record.Group{warning, broken, warning}, Verdict{"error", "Found 1 error, 2 warnings, 1 symptom."}},
		{"running", record.Run{Status: record.Running}, []record.Group{warning}, Verdict{"warning", "Found 1 warning; the run is still going on."}},
		{"failed", record.Run{Status: record.Failed, ExitCode: &code}, []record.Group{warning}, Verdict{"warning", "Found 1 warning; how it ended: failed with exit code 3."}},
	} {
		if got := VerdictOf(c.run, c.groups); got != c.want {
			t.Errorf("%s: the verdict is %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestMutedCountsByReason(t *testing.T) {
	muted := func(rule, reason string) record.Finding {
		f := record.Finding{Configuration: rule, Muted: true}
		if reason != "" {
			f.Context = map[string]any{"muted_because": reason}
		}
		return f
	}
	f := Findings{All: []record.Finding{muted("b", "known"), {Configuration: "b"}, muted("a", ""), muted("b", "known"), muted("b", "")}}
	want := []Muted{{"b", "known", 2}, {"a", "", 1}, {"b", "", 1}}
	if got := f.Muted(); !slices.Equal(got, want) {
		t.Errorf("muted is %v, want %v", got, want)
	}
}

// Readers of the JSON form find lists, never null; actions only where actions
// are taken.
func TestFindingsJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Findings
		want string
	}{
		{"judged again", Findings{}, `{"damage":[],"findings":[],"groups":[],"rules":[]}`},
		{"one of several", Findings{Run: "r"}, `{"damage":[],"findings":[],"groups":[],"rules":[],"run":"r"}`},
		{"judged live", Findings{Actions: []record.Attempt{}}, `{"actions":[],"damage":[],"findings":[],"groups":[],"rules":[]}`},
	} {
		if b, err := json.Marshal(c.f); err != nil || string(b) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, b, err, c.want)
		}
	}
}
