package live

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// The summary names what was not delivered, and why, on one line each.
func TestSummaryNamesUndelivered(t *testing.T) {
	text := Page{}.Summary(&Summary{Path: "/runs/r", Actions: []record.Attempt{
		{Action: "mail", Target: "mail to me@example.com", Finding: record.Finding{Configuration: "not_finite"}, State: record.Undone, Error: "the mail server refused: 550 no\nsuch user"},
		{Action: "webhook", Target: "webhook https://example.com", Finding: record.Finding{Configuration: "head"}, State: record.Undone, Tries: 9, Error: "no answer in time"},
		{Action: "command", Command: []string{"sh", "-c", "x"}, Finding: record.Finding{Configuration: "head"}, State: record.Unknown},
	}})
	for _, want := range []string{
		"  action    mail to me@example.com about not_finite: failed: the mail server refused: 550 no\\nsuch user\n",
		"  action    webhook https://example.com about head: failed after 9 tries: no answer in time\n",
		"  action    command sh about head: unknown\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
}
