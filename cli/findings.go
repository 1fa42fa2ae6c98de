package cli

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// findingsCmd prints what the rules found in a run.
type findingsCmd struct {
	runArg
	Statuses bool `name:"statuses" aliases:"rules" help:"List the status of every rule, too."`
	Brief    bool `name:"brief" help:"A summary of at most 2 KB, for a chat or a coding assistant."`
	JSON     bool `name:"json" help:"As JSON: findings, groups by root cause, the status of each rule, the state of actions, and what is damaged."`
}

// Help teaches the command.
func (findingsCmd) Help() string {
	return "Examples:\n\n    vigil findings\n    vigil findings --statuses\n    vigil findings latest~1 --brief\n    vigil findings latest~1 --json\n\nWhat was found while the run was live; `vigil check` judges it again. Exit codes: 0, or 1 when the run cannot be read."
}

// Run prints findings grouped by their root cause, then where the rules stand.
func (c findingsCmd) Run(a *app) error {
	if c.Brief && (c.JSON || c.Statuses) {
		return &usage{Message: "--brief cannot be combined with --json or --statuses", What: "--brief", Hint: "leave out --brief, or --json and --statuses"}
	}
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
	run := t.Run()
	if c.Brief {
		_, err := io.WriteString(a.stdout, wrapped(a.page(), brief(run, f)))
		return err
	}
	p := a.page()
	p.Called, p.Clock = called(t.Tensors()), run.Clock()
	printGroups(a.stdout, p, f, run)
	if list := f.Unfinished(); len(list) > 0 {
		printActions(a.stdout, p, "Actions that failed:", list)
		fmt.Fprintln(a.stdout)
	}
	printMuted(a.stdout, p, f.Muted())
	if list := view.Standings(f.Rules, view.LacksOf(run.Facts)); c.Statuses {
		printStandings(a.stdout, p, list)
	} else {
		printStanding(a.stdout, p, list, "--statuses")
	}
	printDamage(a.stderr, f.Damage)
	return nil
}

// printActions prints how actions stand.
func printActions(w io.Writer, p live.Page, head string, list []record.Attempt) {
	fmt.Fprintln(w, p.Bold(head))
	for _, a := range list {
		fmt.Fprintln(w, p.Hang("  ", plain(a.Outcome())))
	}
}

// printDamage names what is missing from what was printed.
func printDamage(w io.Writer, damage []source.Damage) {
	for _, d := range damage {
		aside(w, "%s is damaged and was left out: %s", printable(d.File), d.Reason)
	}
}

// printGroups prints each root cause with what to do, and what follows from it.
func printGroups(w io.Writer, p live.Page, f view.Findings, run record.Run) {
	if len(f.Groups) == 0 {
		text, good := f.Judged().Quiet(run)
		fmt.Fprintln(w, p.Hang("", p.None(plain(text), good)))
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintln(w, p.Groups(f.Groups)+"\n")
}

// printMuted says what was found and does not count, and why.
func printMuted(w io.Writer, p live.Page, list []view.Muted) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, p.Bold("Muted:"))
	for _, m := range list {
		text := fmt.Sprintf("%s of %s", record.Several(m.Findings, "finding"), m.Configuration)
		if m.Reason != "" {
			text += ": " + plain(m.Reason)
		}
		fmt.Fprintln(w, p.Hang("  ", text))
	}
	fmt.Fprintln(w)
}
