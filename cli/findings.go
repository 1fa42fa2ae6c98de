package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// findingsCmd prints what the rules found in a run.
type findingsCmd struct {
	runArg
	JSON bool `name:"json" help:"As JSON: findings, groups by root cause, the status of each rule, how actions stand, and what is damaged."`
}

// Help teaches the command.
func (findingsCmd) Help() string {
	return "Examples:\n\n    vigil findings\n    vigil findings latest~1 --json\n\nWhat was found while the run was live; `vigil check` judges it again. Exit codes: 0, or 1 when the run cannot be read."
}

// Run prints findings grouped by their root cause, then where each rule stands.
func (c findingsCmd) Run(a *app) error {
	word := c.Name
	t, err := c.open()
	if err != nil {
		return err
	}
	c.sayWhich(a, word)
	defer t.Close()
	f := view.FindingsOf(t)
	if c.JSON {
		return writeJSON(a.stdout, f)
	}
	printGroups(a.stdout, f.Groups)
	if list := f.Unfinished(); len(list) > 0 {
		printActions(a.stdout, "Actions that came to no good end:", list)
		fmt.Fprintln(a.stdout)
	}
	printMuted(a.stdout, f.Muted())
	printStatuses(a.stdout, f.Rules)
	printDamage(a.stderr, f.Damage)
	return nil
}

// printActions prints how actions stand.
func printActions(w io.Writer, head string, list []record.Attempt) {
	fmt.Fprintln(w, head)
	for _, a := range list {
		fmt.Fprintf(w, "  %s\n", plain(a.Outcome()))
	}
}

// printDamage names what is missing from what was printed.
func printDamage(w io.Writer, damage []source.Damage) {
	for _, d := range damage {
		fmt.Fprintf(w, "vigil: %s is damaged and was left out: %s\n", printable(d.File), d.Reason)
	}
}

// printGroups prints each root cause with what to do, and what follows from it.
func printGroups(w io.Writer, groups []record.Group) {
	if len(groups) == 0 {
		fmt.Fprintln(w, "no findings")
	}
	for _, g := range groups {
		f := g.Root
		fmt.Fprintf(w, "%s: %s\n", strings.ToUpper(string(f.Severity)), plain(f.Message))
		mark := ""
		if f.Experimental {
			mark = ", experimental"
		}
		fmt.Fprintf(w, "  rule    %s at step %d (%s step %d)%s\n", f.Configuration, f.Step, f.Mode, f.ModeStep, mark)
		fmt.Fprint(w, causeText(f))
		for _, s := range g.Symptoms {
			fmt.Fprintf(w, "  follows %s: step %d, %s\n", s.Rule, s.Step, plain(s.Message))
		}
		for _, o := range g.Outweighed {
			fmt.Fprintf(w, "  outweighs %s/%s at step %d: it asks for the opposite\n", o.Rule, o.Check, o.Step)
		}
		fmt.Fprintln(w)
	}
}

// causeText is the likeliest cause of a finding and what to try, a line each; a
// rule of the user's own need not name them.
func causeText(f record.Finding) string {
	s := ""
	if f.Cause != "" {
		s += "  cause   " + f.Cause + "\n"
	}
	if r := f.Advised(); r != "" {
		s += "  remedy  " + r + "\n"
	}
	return s
}

// printStatuses prints one line per rule configuration, with why it skipped
// what it could not judge.
func printStatuses(w io.Writer, rules []record.RuleStatus) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintln(w, "Rules:")
	width := 0
	for _, r := range rules {
		width = max(width, len(r.Configuration))
	}
	for _, r := range rules {
		fmt.Fprintf(w, "  %-*s  %-13s  %s, %s inspected%s\n", width, r.Configuration, r.Status, counted(r.Findings, "finding"), counted(r.Datapoints, "value"), skippedText(r.Skipped))
		if r.Details != "" && r.Status != "IssuesFound" {
			for line := range strings.Lines(r.Details) {
				fmt.Fprintf(w, "  %-*s  %s\n", width, "", strings.TrimSpace(line))
			}
		}
	}
}

// printMuted says what was found and does not count, and why.
func printMuted(w io.Writer, list []view.Muted) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "Muted:")
	for _, m := range list {
		text := fmt.Sprintf("  %s of %s", counted(m.Findings, "finding"), m.Configuration)
		if m.Reason != "" {
			text += ": " + plain(m.Reason)
		}
		fmt.Fprintln(w, text)
	}
	fmt.Fprintln(w)
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func skippedText(skipped map[string]int64) string {
	if len(skipped) == 0 {
		return ""
	}
	return "; skipped: " + view.Skipped(skipped)
}
