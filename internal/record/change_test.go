package record

import "testing"

func TestChangeInWords(t *testing.T) {
	fired := RuleChange{Rule: "not_finite", Configuration: "not_finite", From: "InProgress", Status: "IssuesFound", Details: "the condition\nthe loss is NaN"}
	broken := RuleChange{Rule: "own", Configuration: "own", From: "InProgress", Status: "Error", Details: "no"}
	var quiet []RuleChange
	for _, n := range []string{"a", "b", "c", "d"} {
		quiet = append(quiet, RuleChange{Rule: n, Configuration: n, From: "InProgress", Status: "NoIssuesFound", Details: "nothing"})
	}
	for _, c := range []struct {
		Change
		severity       Severity
		title, details string
	}{
		{Change{Run: Running}, Info, "the run is running", ""},
		{Change{Rules: []RuleChange{fired}}, Warning, "not_finite: IssuesFound", "not_finite: the condition the loss is NaN"},
		{Change{Run: Completed, Rules: append([]RuleChange{broken, fired}, quiet...)}, Error, "the run is completed; own: Error; not_finite: IssuesFound; 4 rules: NoIssuesFound", "own: no\nnot_finite: the condition the loss is NaN"},
		{Change{Run: Completed, Rules: quiet[:2]}, Info, "the run is completed; a, b: NoIssuesFound", ""},
		{Change{Run: Failed}, Error, "the run is failed", ""},
	} {
		if s, title, details := c.Change.Severity(), c.Title(), c.Details(); s != c.severity || title != c.title || details != c.details {
			t.Errorf("%+v:\n%s %q %q, want\n%s %q %q", c.Change, s, title, details, c.severity, c.title, c.details)
		}
	}
}
