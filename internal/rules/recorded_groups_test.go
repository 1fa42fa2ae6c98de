package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// recordedRun is what the default set found in a run of a program that has one
// fault. Between them the runs hold each pair of a rule and what follows from
// it that the accuracy suite has seen.
type recordedRun struct {
	Program  string
	Causes   []string `json:"cause_class"` // that the fault may be called
	Findings []recordedFinding
}

// recordedFinding is one line of [rule, check, severity, cause class, step].
type recordedFinding struct{ record.Finding }

func (f *recordedFinding) UnmarshalJSON(b []byte) error {
	f.Subject = "x"
	return json.Unmarshal(b, &[]any{&f.Rule, &f.Check, &f.Severity, &f.CauseClass, &f.Step})
}

// All that a program's one fault brings about is in one group, and its root
// names the fault.
func TestRecordedFindingsAreGroupedUnderTheFault(t *testing.T) {
	b, err := os.ReadFile("testdata/recorded_findings.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []recordedRun
	if err := json.Unmarshal(b, &runs); err != nil {
		t.Fatal(err)
	}
	if len(runs) < 50 {
		t.Fatalf("%d runs", len(runs))
	}
	for _, run := range runs {
		t.Run(strings.TrimSuffix(run.Program, ".py"), func(t *testing.T) {
			var findings []record.Finding
			for _, f := range run.Findings {
				f.Configuration = f.Rule
				findings = append(findings, f.Finding)
			}
			groups := rules.Group(findings, nil)
			text := ""
			for _, g := range groups {
				text += fmt.Sprintf("%s %s/%s (%s):", g.Root.Severity, g.Root.Rule, g.Root.Check, g.CauseClass)
				for _, s := range g.Symptoms {
					text += fmt.Sprintf(" %s/%s", s.Rule, s.Check)
				}
				text += "\n"
			}
			if !slices.Contains(run.Causes, groups[0].CauseClass) {
				t.Errorf("the first root is not of %v:\n%s", run.Causes, text)
			}
			if len(groups) > 1 && groups[1].Root.Severity != record.Info {
				t.Errorf("one fault has several groups:\n%s", text)
			}
			if len(groups[0].Symptoms) == 0 {
				t.Errorf("nothing stands under the root:\n%s", text)
			}
			slices.Reverse(findings)
			again := rules.Group(findings, nil)
			if len(again) != len(groups) || again[0].Root.Rule != groups[0].Root.Rule || len(again[0].Symptoms) != len(groups[0].Symptoms) {
				t.Errorf("the order of findings makes other groups of:\n%s", text)
			}
		})
	}
}
