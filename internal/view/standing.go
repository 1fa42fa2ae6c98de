package view

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Standing is where one configuration of a rule stands, in words.
type Standing struct {
	Rule  string // the configuration's name
	Stand Stand
	Text  string // what it found, or judged, or why it did not
	Saw   bool   // it saw something, if too little to judge by
	Notes []string
}

// Stand is what a rule's status comes to.
type Stand string

// What the status of a rule comes to.
const (
	FoundSomething Stand = "found"
	Quiet          Stand = "quiet"
	DidNotJudge    Stand = "not judged"
	CouldNot       Stand = "error"
)

// Standings are where the rules of a run stand. Lacks says of a rule that had
// nothing to judge what the training does not have; "" where that is not known.
func Standings(list []record.RuleStatus, lacks func(record.RuleStatus) string) []Standing {
	out := make([]Standing, 0, len(list))
	for _, r := range list {
		s := Standing{Rule: r.Configuration, Notes: notes(r)}
		judged := record.Several(r.Datapoints, "value") + " judged"
		if text := Skipped(r.Skipped); text != "" {
			judged += "; skipped: " + text
		}
		switch {
		case r.Status == "Error":
			s.Stand, s.Text, s.Notes = CouldNot, "", strings.Split(strings.TrimSpace(r.Details), "\n")
			s.Text, s.Notes = s.Notes[0], s.Notes[1:]
		case r.Findings > 0:
			s.Stand, s.Text = FoundSomething, record.Several(r.Findings, "finding")+", "+judged
			s.Notes = nil // its first line says what was found
		case r.NotJudged != "":
			s.Stand, s.Text, s.Saw = DidNotJudge, r.NotJudged, r.Datapoints > 0
			s.Notes = without(s.Notes, r.NotJudged)
		case r.Datapoints > 0:
			s.Stand, s.Text = Quiet, judged
			s.Notes = without(s.Notes, nothingMatched)
		default:
			s.Stand, s.Text, s.Notes = DidNotJudge, lacks(r), without(s.Notes, nothingMatched)
			if s.Text == "" && len(s.Notes) > 0 {
				s.Text, s.Notes = s.Notes[0], s.Notes[1:]
			}
			if s.Text == "" {
				s.Text = "nothing that it needs was captured"
			}
		}
		out = append(out, s)
	}
	return out
}

// nothingMatched is the note of a rule none of whose tensors came. It says
// nothing of one that judged facts.
const nothingMatched = "no matching tensor was ever saved"

// StandingText counts where rules stand: "26 rules: 1 found something, 20 quiet,
// 5 had nothing to judge".
func StandingText(list []Standing) string {
	var found, quiet, nothing, little, failed int
	for _, s := range list {
		switch {
		case s.Stand == FoundSomething:
			found++
		case s.Stand == Quiet:
			quiet++
		case s.Stand == CouldNot:
			failed++
		case s.Saw:
			little++
		default:
			nothing++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{{found, "found something"}, {quiet, "quiet"}, {nothing, "had nothing to judge"}, {little, "had too little to judge"}, {failed, "ended with an error"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return fmt.Sprintf("%s: %s", record.Several(int64(len(list)), "rule"), strings.Join(parts, ", "))
}

// notes are the lines of a status's details.
func notes(r record.RuleStatus) []string {
	var list []string
	for line := range strings.Lines(r.Details) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// without leaves out the notes that hold a text.
func without(list []string, text string) []string {
	var out []string
	for _, n := range list {
		if !strings.Contains(n, text) {
			out = append(out, n)
		}
	}
	return out
}
