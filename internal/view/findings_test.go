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
	note := record.Group{Root: record.Finding{Severity: record.Info}}
	done, live := record.Run{Status: record.Completed}, record.Run{Status: record.Running}
	judged, idle := []record.RuleStatus{{Datapoints: 3}, {}}, []record.RuleStatus{{}, {Datapoints: 3, NotJudged: "one step"}, {Status: "Error", Datapoints: 3}}
	muted := record.Finding{Severity: record.Error, Muted: true}
	for _, c := range []struct {
		name string
		run  record.Run
		f    Findings
		want Verdict
	}{
		{"nothing", done, Findings{Rules: judged}, Verdict{"ok", "Nothing to report: no rule found anything wrong."}},
		{"nothing so far", live, Findings{Rules: judged}, Verdict{"ok", "Nothing found so far; the run is still going on."}},
		{"not judged yet", live, Findings{Rules: idle}, Verdict{"idle", "Nothing judged yet; the run is still going on."}},
		{"rules have not begun", live, Findings{}, Verdict{"idle", "Nothing judged yet; the run is still going on."}},
		{"never judged", done, Findings{Rules: idle}, Verdict{"idle", "Nothing was judged: no rule had anything to judge."}},
		{"no rules", done, Findings{}, Verdict{"idle", "Nothing was judged: no rule ran."}},
		{"muted", done, Findings{All: []record.Finding{muted}, Rules: judged}, Verdict{"muted", "Nothing that counts: 1 finding is muted."}},
		{"several muted", live, Findings{All: []record.Finding{muted, muted}, Rules: judged}, Verdict{"muted", "Nothing that counts: 2 findings are muted; the run is still going on."}},
		{"muted and not", done, Findings{All: []record.Finding{muted, warning.Root}, Groups: []record.Group{warning}, Rules: judged}, Verdict{"warning", "Found 1 warning."}},
		{"not grouped yet", live, Findings{All: []record.Finding{muted, warning.Root}, Rules: judged}, Verdict{"warning", "Found 1 warning; the run is still going on."}},
		{"the worst first", done, Findings{Groups: []record.Group{warning, broken, warning}}, Verdict{"error", "Found 1 error, 2 warnings, 1 symptom."}},
		{"one note", done, Findings{Groups: []record.Group{note}}, Verdict{"info", "1 note, no problems found."}},
		{"notes of a run that failed", record.Run{Status: record.Failed, ExitCode: &code}, Findings{Groups: []record.Group{note, note}}, Verdict{"info", "2 notes, no problems found; how it ended: failed with exit code 3."}},
		{"running", live, Findings{Groups: []record.Group{warning}}, Verdict{"warning", "Found 1 warning; the run is still going on."}},
		{"failed", record.Run{Status: record.Failed, ExitCode: &code}, Findings{Groups: []record.Group{warning}}, Verdict{"warning", "Found 1 warning; how it ended: failed with exit code 3."}},
	} {
		if got := VerdictOf(c.run, c.f.Judged()); got != c.want {
			t.Errorf("%s: the verdict is %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Rules that did not judge do not count as silent, and that of the loss is named.
func TestQuiet(t *testing.T) {
	judged, idle, broken := record.RuleStatus{Rule: "not_finite", Status: "NoIssuesFound", Datapoints: 3}, record.RuleStatus{Rule: "ranks_diverge", Status: "NoIssuesFound"}, record.RuleStatus{Status: "Error"}
	little := record.RuleStatus{Rule: "loss_not_decreasing", Configuration: "loss_not_decreasing", Status: "NoIssuesFound", Datapoints: 3, NotJudged: "the job was short"}
	lost := []record.RuleStatus{judged, {Rule: "loss_not_decreasing", Configuration: "loss_not_decreasing"}, {Rule: "loss_spike", Configuration: "loss_spike"}}
	for _, c := range []struct {
		status string
		rules  []record.RuleStatus
		all    []record.Finding
		want   string
		good   bool
	}{
		{record.Completed, []record.RuleStatus{judged, judged, idle}, nil, "no findings: 2 rules ran and found nothing wrong", true},
		{record.Completed, []record.RuleStatus{judged, little}, nil, "no findings: 1 rule ran and found nothing wrong; loss_not_decreasing could not judge: the job was short", true},
		{record.Completed, lost, nil, "no findings: 1 rule ran and found nothing wrong; loss_not_decreasing and loss_spike could not judge: no loss was captured", true},
		{record.Failed, []record.RuleStatus{judged}, nil, "no findings: 1 rule ran and found nothing wrong", false},
		{record.Completed, []record.RuleStatus{judged, broken}, nil, "no findings; 1 rule judged this run, 1 could not", false},
		{record.Completed, []record.RuleStatus{idle}, nil, "no findings: no rule had anything to judge", false},
		{record.Completed, nil, nil, "no findings: no rule ran", false},
		{record.Running, []record.RuleStatus{idle}, nil, "nothing judged yet", false},
		{record.Running, []record.RuleStatus{judged, idle}, nil, "nothing found so far: 1 rule judged", false},
		{record.Completed, []record.RuleStatus{judged}, []record.Finding{{Muted: true}}, "nothing that counts: 1 finding is muted", false},
	} {
		if got, good := (Findings{All: c.all, Rules: c.rules}).Judged().Quiet(record.Run{Status: c.status}); got != c.want || good != c.good {
			t.Errorf("%q, good: %v; want %q", got, good, c.want)
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
