package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// Explanation says what a finding of a check means. It is made of what rule and
// check say of themselves.
type Explanation struct {
	Seen       string      `json:"seen"`
	Why        string      `json:"why"`
	Causes     []string    `json:"causes"`
	Remedies   []string    `json:"remedies"`
	FalseAlarm string      `json:"false_alarm"`
	Mute       string      `json:"mute"`
	Thresholds []Threshold `json:"thresholds"`
}

// Threshold is a parameter that a check judges by.
type Threshold struct {
	Name       string `json:"name"`
	Default    string `json:"default"`
	DefaultSet string `json:"default_set,omitempty"` // its value there, where it is another
	Unit       string `json:"unit,omitempty"`
	Meaning    string `json:"meaning"`
}

var namedParameter = regexp.MustCompile("`([a-z0-9_]+)`")

// Explain says what a finding of a check of the rule means.
func Explain(d *rule.Definition, c *rule.Check) Explanation {
	e := Explanation{
		Seen: c.When, Why: d.Why, Causes: d.Causes, Remedies: d.Remedies, FalseAlarm: falseAlarm(d, c),
		Mute: muting(d),
	}
	if c.Cause != "" {
		e.Causes = []string{c.Cause}
	}
	if c.Remedy != "" {
		e.Remedies = []string{c.Remedy}
	}
	var named []string
	for _, p := range c.Parameters {
		named = append(named, p.Name)
	}
	for _, m := range namedParameter.FindAllStringSubmatch(c.When, -1) {
		named = append(named, m[1])
	}
	e.Thresholds = thresholds(d, named)
	return e
}

// muting spells, for the configuration, that findings of the rule do not count.
func muting(d *rule.Definition) string {
	return fmt.Sprintf("mute: [{rule: %s, reason: '…'}]", d.Name)
}

// thresholds gives the parameters of the rule that are named, or all where none
// is. Those that select tensors are no thresholds.
func thresholds(d *rule.Definition, named []string) []Threshold {
	out := []Threshold{}
	for _, p := range d.Parameters {
		if len(named) > 0 && !slices.Contains(named, p.Name) || p.Type == rule.List {
			continue
		}
		t := Threshold{Name: p.Name, Default: cmp.Or(p.Default, "none"), Unit: p.Unit, Meaning: p.Meaning}
		if d.Default != nil && d.Default.Params[p.Name] != p.Default {
			t.DefaultSet = d.Default.Params[p.Name]
		}
		out = append(out, t)
	}
	return out
}

// falseAlarm says when a finding of the check may be none.
func falseAlarm(d *rule.Definition, c *rule.Check) string {
	var parts []string
	if c.IsExperimental() {
		parts = append(parts, "The check is experimental: it has not shown yet that it is right often enough.")
	}
	if c.Scope != rule.ScopeGeneral {
		parts = append(parts, fmt.Sprintf("It is made for one kind of training: %s.", c.Scope))
	}
	if d.Default == nil {
		parts = append(parts, "The rule is not in the default set: its thresholds are the well-known ones, and healthy trainings may pass them.")
	} else {
		parts = append(parts, d.Default.Why)
	}
	return strings.Join(parts, " ")
}

// ChecksMarkdown is the documentation page on what each finding means, made of
// the definitions.
func ChecksMarkdown() string {
	var b strings.Builder
	b.WriteString(`# What a finding means

<!-- Made from the definitions in internal/rules/builtin by "go test ./internal/rules -update". Do not edit. -->

Each finding is of one check, named ` + "`rule/check`" + `. For every check this page says what was seen, why it matters, what usually causes it, what to do, and
what it judges by. ` + "`vigil rules describe RULE/CHECK`" + ` prints the same; a finding ends with that command.

A finding names the cause and remedy that fit its numbers. Where a check lists several here, the finding has one of them.

**False alarms.** Each rule says when its findings are reported, and which healthy trainings look alike. If yours is one of them, mute the rule in ` + "`vigil.yaml`" + `,
for one tensor or for all, with the reason ([Configuration](configuration.md#muting)), or change a threshold: ` + "`vigil run --rule RULE:PARAMETER=VALUE -- …`" + `.

`)
	for _, d := range Catalogue() {
		if len(d.Checks) == 0 {
			continue
		}
		fmt.Fprintf(&b, "* [%s](#%s): %s\n", d.Name, d.Name, strings.TrimSuffix(d.Summary, "."))
	}
	for _, d := range Catalogue() {
		if len(d.Checks) > 0 {
			checksSection(&b, d)
		}
	}
	return b.String()
}

func checksSection(b *strings.Builder, d *rule.Definition) {
	fmt.Fprintf(b, "\n## %s\n\n%s All of the rule: [%s](rules.md#%s).\n\n", d.Name, d.Summary, d.Name, d.Name)
	fmt.Fprintf(b, "**Why it matters.** %s\n\n", d.Why)
	alarm := "The rule is not in the default set: its thresholds are the well-known ones, and healthy trainings may pass them."
	if d.Default != nil {
		alarm = d.Default.Why
	}
	fmt.Fprintf(b, "**When it may be a false alarm.** %s\n\n```yaml\n%s\n```\n", alarm, muting(d))
	all := thresholds(d, nil)
	if len(all) > 0 {
		b.WriteString("\n**What it judges by:**\n\n")
		listThresholds(b, all)
	}
	for i := range d.Checks {
		c := &d.Checks[i]
		e := Explain(d, c)
		fmt.Fprintf(b, "\n### %s\n\n* **Seen:** %s\n", c.ID, e.Seen)
		about := alternatives(string(c.Severity), severities(c)) + ", cause class " + alternatives(c.CauseClass, c.OtherCauses)
		if c.Scope != rule.ScopeGeneral {
			about += ", for " + string(c.Scope)
		}
		if c.IsExperimental() {
			about += ", experimental"
		}
		fmt.Fprintf(b, "* **Finding:** %s\n", about)
		fmt.Fprintf(b, "* **Usual cause:** %s\n* **What to do:** %s\n", sentence(e.Causes), sentence(e.Remedies))
		if len(e.Thresholds) < len(all) {
			var names []string
			for _, t := range e.Thresholds {
				names = append(names, "`"+t.Name+"`")
			}
			fmt.Fprintf(b, "* **Judged by:** %s\n", strings.Join(names, ", "))
		}
	}
}

func listThresholds(b *strings.Builder, list []Threshold) {
	for _, t := range list {
		fmt.Fprintf(b, "* %s\n", t.text("`"))
	}
}

func severities(c *rule.Check) []string {
	var out []string
	for _, s := range c.OtherSeverities {
		out = append(out, string(s))
	}
	return out
}

// sentence joins texts, of which each is part of a sentence.
func sentence(texts []string) string { return strings.Join(texts, "; ") + "." }

// Text spells a threshold on a line.
func (t Threshold) Text() string { return t.text("") }

func (t Threshold) text(quote string) string {
	value := quote + t.Default + quote
	if t.DefaultSet != "" {
		value += ", in the default set " + quote + t.DefaultSet + quote
	}
	if t.Unit != "" {
		value += ", " + t.Unit
	}
	return fmt.Sprintf("%s%s%s (%s): %s", quote, t.Name, quote, value, t.Meaning)
}
