package view

import (
	"reflect"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestStandings(t *testing.T) {
	lacks := func(r record.RuleStatus) string {
		if r.Rule == "clipping" {
			return "gradients are not clipped"
		}
		return ""
	}
	for _, c := range []struct {
		name   string
		status record.RuleStatus
		want   Standing
	}{
		{"found", record.RuleStatus{Status: "IssuesFound", Findings: 2, Datapoints: 9, Details: "RuleEvaluationConditionMet: …\nmore"}, Standing{Stand: FoundSomething, Text: "2 findings, 9 values judged"}},
		{"quiet", record.RuleStatus{Status: "NoIssuesFound", Datapoints: 1, Skipped: map[string]int64{"not_finite": 3}}, Standing{Stand: Quiet, Text: "1 value judged; skipped: not finite 3"}},
		{"quiet, of facts", record.RuleStatus{Status: "NoIssuesFound", Datapoints: 18, Details: "no matching tensor was ever saved"}, Standing{Stand: Quiet, Text: "18 values judged"}},
		{"a note", record.RuleStatus{Status: "NoIssuesFound", Datapoints: 18, Details: "not captured in this run: raw values"}, Standing{Stand: Quiet, Text: "18 values judged", Notes: []string{"not captured in this run: raw values"}}},
		{"too little", record.RuleStatus{Status: "NoIssuesFound", Datapoints: 18, NotJudged: "one step", Details: "not judged: one step"}, Standing{Stand: DidNotJudge, Text: "one step", Saw: true}},
		{"nothing, known why", record.RuleStatus{Rule: "clipping", Status: "NoIssuesFound"}, Standing{Stand: DidNotJudge, Text: "gradients are not clipped"}},
		{"nothing, of tensors", record.RuleStatus{Status: "NoIssuesFound", Details: "no matching tensor was ever saved"}, Standing{Stand: DidNotJudge, Text: "nothing that it needs was captured"}},
		{"nothing", record.RuleStatus{Status: "NoIssuesFound"}, Standing{Stand: DidNotJudge, Text: "nothing that it needs was captured"}},
		{"an error", record.RuleStatus{Status: "Error", Datapoints: 4, Details: "it broke\nhere"}, Standing{Stand: CouldNot, Text: "it broke", Notes: []string{"here"}}},
	} {
		got := Standings([]record.RuleStatus{c.status}, lacks)[0]
		if len(got.Notes) == 0 {
			got.Notes = nil
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestStandingText(t *testing.T) {
	list := []Standing{{Stand: FoundSomething}, {Stand: Quiet}, {Stand: Quiet}, {Stand: DidNotJudge}, {Stand: DidNotJudge, Saw: true}, {Stand: CouldNot}}
	const want = "6 rules: 1 found something, 2 quiet, 1 had nothing to judge, 1 had too little to judge, 1 ended with an error"
	if got := StandingText(list); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
