package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/expression"
	"github.com/vigil-ml/vigil/internal/view"
	"github.com/vigil-ml/vigil/rule"
)

// rulesCmd is the catalogue of rules.
type rulesCmd struct {
	List     rulesListCmd     `cmd:"" name:"list" help:"List all rules."`
	Describe rulesDescribeCmd `cmd:"" name:"describe" help:"Explain a rule or one of its checks: what it detects, parameters, causes and remedies."`
	Test     rulesTestCmd     `cmd:"" name:"test" help:"Unit tests of rules: series in, findings out; exit code for CI."`
}

// Help teaches the command.
func (rulesCmd) Help() string {
	return "Examples:\n\n    vigil rules list\n    vigil rules describe vanishing_gradient\n    vigil rules describe labels_fit/broadcast\n    vigil rules test loss.yaml\n\n" +
		"Custom rules of vigil.yaml are listed with the others.\n\nExit codes: 0, or 1 when there is no such rule; \"vigil rules test --help\" lists its own."
}

type rulesListCmd struct {
	JSON bool `name:"json" help:"As JSON."`
}

// Run lists the catalogue.
func (c rulesListCmd) Run(a *app) error {
	list := view.Catalogue()
	own, err := ownRules()
	if err != nil { // which keeps nobody from reading the catalogue
		aside(a.stderr, "custom rules are left out: %v", err)
	}
	for _, o := range own {
		list = append(list, view.Listing(o.def, o.from))
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"rules": list})
	}
	_, err = io.WriteString(a.stdout, rulesTable(a.page(), list))
	return err
}

// wideTable is the width from which on the summaries of rules are next to their
// names.
const wideTable = 120

func rulesTable(p live.Page, list []view.ListedRule) string {
	if p.Width > 0 && p.Width < wideTable {
		var b strings.Builder
		for _, r := range list {
			about := []string{r.Severity}
			if r.InDefaultSet {
				about = append(about, "default")
			}
			if text := checksText(r.Checks); text != "" {
				about = append(about, "checks: "+text)
			}
			fmt.Fprintf(&b, "%s  %s\n%s\n", p.Bold(r.Rule), p.Dim(strings.Join(about, ", ")), p.Hang("    ", plain(r.Summary)))
		}
		return b.String()
	}
	var rows [][]string
	for _, r := range list {
		in := ""
		if r.InDefaultSet {
			in = "yes"
		}
		rows = append(rows, []string{r.Rule, r.Severity, in, checksText(r.Checks), plain(r.Summary)})
	}
	return p.Table(0, []string{"RULE", "SEVERITY", "DEFAULT", "CHECKS", "SUMMARY"}, rows)
}

// checksText says how many checks a rule has, and how many of them are
// experimental.
func checksText(checks []rules.CheckText) string {
	if len(checks) == 0 {
		return ""
	}
	s, n := strconv.Itoa(len(checks)), 0
	for _, c := range checks {
		if c.Status == string(rule.Experimental) {
			n++
		}
	}
	if n > 0 {
		s += fmt.Sprintf(" (%d experimental)", n)
	}
	return s
}

type rulesDescribeCmd struct {
	Name string `arg:"" name:"name" placeholder:"NAME[/CHECK]" help:"The rule: vanishing_gradient, VanishingGradient or vanishinggradient; with /CHECK one of its checks, as in labels_fit/broadcast."`
	JSON bool   `name:"json" help:"As JSON."`
}

// Run describes one rule.
func (c rulesDescribeCmd) Run(a *app) error {
	name, check, one := strings.Cut(c.Name, "/")
	d, ok := rules.Lookup(name)
	from := ""
	if !ok {
		own, err := ownRules()
		if err != nil {
			return err
		}
		var mine ownRule
		if mine, ok = findOwn(own, name); ok {
			d, from = mine.def, mine.from
		}
	}
	if !ok {
		var names []string
		for _, d := range rules.Catalogue() {
			names = append(names, d.Name)
		}
		hint := rules.Foreign(name)
		if hint == "" {
			hint = nearest(name, names, "`vigil rules list` lists them")
		}
		return &usage{Message: fmt.Sprintf("unknown rule %q", name), What: name, Hint: hint}
	}
	if one {
		return c.check(a, d, check)
	}
	page, err := view.DescribeRule(d, from)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(a.stdout, page)
	}
	describe(a.stdout, a.page(), d, from, page)
	return nil
}

// check describes one check of a rule.
func (c rulesDescribeCmd) check(a *app, d *rule.Definition, name string) error {
	var known []string
	name = record.CheckNow(d.Name, name)
	for _, x := range rules.Checks(d) {
		_, of, _ := strings.Cut(x.ID, "/")
		if of != name {
			known = append(known, of)
			continue
		}
		if c.JSON {
			return writeJSON(a.stdout, map[string]any{"rule": d.Name, "in_default_set": d.Default != nil, "check": x, "explanation": explained(d, name)})
		}
		describeCheck(a.stdout, a.page(), d, x, explained(d, name))
		return nil
	}
	hint := "`vigil rules describe " + d.Name + "` shows its checks"
	if len(known) > 0 {
		hint = nearest(name, known, hint)
	}
	return &usage{Message: fmt.Sprintf("the rule %s has no check %q", d.Name, name), What: c.Name, Hint: hint}
}

func explained(d *rule.Definition, check string) rules.Explanation {
	c, ok := d.Check(check)
	if !ok {
		return rules.Explanation{}
	}
	return rules.Explain(d, c)
}

// describeCheck says of a check what docs/checks.md says of it.
func describeCheck(w io.Writer, p live.Page, d *rule.Definition, x rules.CheckText, e rules.Explanation) {
	fmt.Fprintf(w, "%s, %s\n\n%s\n\n", p.Bold(x.ID), x.Status, p.Hang("", x.When))
	var judgedBy []string
	for _, t := range e.Thresholds {
		judgedBy = append(judgedBy, t.Text())
	}
	for _, entry := range []struct {
		name  string
		lines []string
	}{
		{"why", []string{e.Why}}, {"cause", e.Causes}, {"remedy", e.Remedies}, {"false alarm", []string{e.FalseAlarm}}, {"mute", []string{e.Mute}}, {"judged by", judgedBy},
		{"severity", []string{strings.Join(append([]string{x.Severity}, x.OtherSeverities...), ", ")}},
		{"cause class", []string{strings.Join(append([]string{x.CauseClass}, x.OtherCauses...), ", ")}},
		{"scope", []string{x.Scope}}, {"files", []string{strings.Join(x.Files, ", ")}},
	} {
		name := entry.name
		for _, line := range entry.lines {
			if line != "" {
				fmt.Fprintln(w, p.Hang("  "+p.Dim(fmt.Sprintf("%-11s", name))+"  ", line))
				name = ""
			}
		}
	}
	fmt.Fprintf(w, "\nThe rule: `vigil rules describe %s`\n", d.Name)
}

func describe(w io.Writer, p live.Page, d *rule.Definition, from string, page view.RulePage) {
	fmt.Fprintf(w, "%s (%s), severity %s\n\n%s\n%s\n", p.Bold(d.Name), d.Class, d.Severity, p.Hang("", d.Summary), p.Hang("", d.Why))
	for _, x := range page.Parameters {
		if from != "" && x.Name == expression.Key {
			fmt.Fprintf(w, "\n%s\n", p.Bold("Expression ("+from+"):"))
			for line := range strings.Lines(x.Default) {
				fmt.Fprintf(w, "  %s\n", strings.TrimRight(line, "\n"))
			}
		}
	}
	if checks := rules.Checks(d); len(checks) > 0 {
		fmt.Fprintln(w, "\n"+p.Bold("Checks:"))
		for _, c := range checks {
			mark := ""
			if c.Status == string(rule.Experimental) {
				mark = ", experimental"
			}
			fmt.Fprintf(w, "  %s (%s%s)\n%s\n", c.ID, c.Severity, mark, p.Hang("      ", c.When))
		}
	}
	fmt.Fprintln(w, "\n"+p.Bold("Parameters:"))
	for _, x := range page.Parameters {
		if from != "" && x.Name == expression.Key {
			continue
		}
		line := fmt.Sprintf("%s (%s", x.Name, x.Type)
		if x.Unit != "" {
			line += ", " + x.Unit
		}
		if x.Range != "" {
			line += ", " + x.Range
		}
		def := x.Default
		if def == "" {
			def = "none"
		}
		fmt.Fprintf(w, "%s\n%s\n", p.Hang("  ", line+"; default "+def+")"), p.Hang("      ", x.Meaning))
	}
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", p.Bold(title+":"))
		for _, l := range lines {
			fmt.Fprintln(w, p.Hang("  - ", l))
		}
	}
	var lines []string
	for _, n := range page.Needs {
		lines = append(lines, plain(n.Text()))
	}
	section("Needs (captured by itself)", lines)
	section("Cost", page.Cost)
	section("Likely causes", d.Causes)
	section("What to try", d.Remedies)
	if from != "" {
		return
	}
	if d.Default != nil {
		fmt.Fprintf(w, "\nIn the default set: yes.\n%s\n", p.Hang("  ", d.Default.Why))
	} else {
		fmt.Fprintf(w, "\nIn the default set: no; `vigil run --rule %s -- …` adds it.\n", d.Spec())
	}
}
