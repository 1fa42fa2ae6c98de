package cli

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// findingsCmd prints what the rules found in a run.
type findingsCmd struct {
	runArg
	JSON bool `name:"json" help:"As JSON: findings, groups by root cause, the status of each rule, how actions stand, and what is damaged."`
}

// Help teaches the command.
func (findingsCmd) Help() string {
	return "Examples:\n\n    vigil findings demo\n    vigil findings demo --json\n\nWhat was found while the run was live; `vigil check` judges it again. Exit codes: 0, or 1 when the run cannot be read."
}

// Run prints findings grouped by their root cause, then where each rule stands.
func (c findingsCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	t, err := trial.Open(path)
	if err != nil {
		return fmt.Errorf("read run %q: %w", c.Name, err)
	}
	defer t.Close()
	if c.JSON {
		findings, groups, statuses, actions := t.Findings(), t.Groups(), t.Statuses(), attempts(t)
		return writeJSON(a.stdout, findingsDocument(findings, groups, statuses, actions, t.Damage())) // each read checks what it touches
	}
	printGroups(a.stdout, t.Groups())
	if printActions(a.stdout, t.Attempts(), false) {
		fmt.Fprintln(a.stdout)
	}
	printMuted(a.stdout, t.Findings())
	printStatuses(a.stdout, t.Statuses())
	printDamage(a.stderr, t.Damage())
	return nil
}

// findingsDocument is the JSON form that findings and check share.
func findingsDocument(findings []record.Finding, groups []record.Group, rules []record.RuleStatus, actions []record.Attempt, damage []trial.Damage) map[string]any {
	if findings == nil {
		findings = []record.Finding{}
	}
	if groups == nil {
		groups = []record.Group{}
	}
	if rules == nil {
		rules = []record.RuleStatus{}
	}
	if damage == nil {
		damage = []trial.Damage{}
	}
	doc := map[string]any{"findings": findings, "groups": groups, "rules": rules, "damage": damage}
	if actions != nil {
		doc["actions"] = actions
	}
	return doc
}

// attempts is how the actions of a run stand; never nil.
func attempts(t *trial.Trial) []record.Attempt {
	if list := t.Attempts(); list != nil {
		return list
	}
	return []record.Attempt{}
}

// printActions prints how actions stand; those that came to a good end only if
// all are asked for.
func printActions(w io.Writer, list []record.Attempt, all bool) (some bool) {
	head := "Actions that came to no good end:"
	if all {
		head = "Actions:"
	}
	n := 0
	for _, a := range list {
		if !all && a.State == record.Done {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintln(w, head)
		}
		fmt.Fprintf(w, "  %s\n", plain(a.Outcome()))
	}
	return n > 0
}

// printDamage names what is missing from what was printed.
func printDamage(w io.Writer, damage []trial.Damage) {
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
		fmt.Fprintf(w, "  rule    %s at step %d (%s step %d)\n", f.Configuration, f.Step, f.Mode, f.ModeStep)
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
func printMuted(w io.Writer, findings []record.Finding) {
	type kind struct{ rule, reason string }
	counts := map[kind]int64{}
	var order []kind
	for _, f := range findings {
		if !f.Muted {
			continue
		}
		reason, _ := f.Context["muted_because"].(string)
		k := kind{f.Configuration, reason}
		if counts[k]++; counts[k] == 1 {
			order = append(order, k)
		}
	}
	if len(order) == 0 {
		return
	}
	fmt.Fprintln(w, "Muted:")
	for _, k := range order {
		text := fmt.Sprintf("  %s of %s", counted(counts[k], "finding"), k.rule)
		if k.reason != "" {
			text += ": " + plain(k.reason)
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
	reasons := make([]string, 0, len(skipped))
	for r := range skipped {
		reasons = append(reasons, r)
	}
	sort.Strings(reasons)
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%s %d", strings.ReplaceAll(r, "_", " "), skipped[r])
	}
	if len(reasons) == 0 {
		return ""
	}
	return "; skipped: " + strings.Join(reasons, ", ")
}
