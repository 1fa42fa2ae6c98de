package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Summary is a rule in a list.
type Summary struct {
	Rule         string          `json:"rule"`
	RuleClass    string          `json:"rule_class"`
	Family       string          `json:"family"`
	Severity     record.Severity `json:"severity"`
	InDefaultSet bool            `json:"in_default_set"`
	Summary      string          `json:"summary"`
}

// Description is all that a rule says of itself.
type Description struct {
	Summary
	Aliases    []string          `json:"aliases,omitempty"`
	Why        string            `json:"why"`
	Frameworks []string          `json:"frameworks,omitempty"`
	Parameters []ParameterText   `json:"parameters"`
	Needs      []string          `json:"needs"`
	Cost       []string          `json:"cost"`
	Causes     []string          `json:"causes"`
	Remedies   []string          `json:"remedies"`
	CauseClass string            `json:"cause_class"`
	Checks     []CheckText       `json:"checks"`
	DefaultSet map[string]string `json:"default_set,omitempty"`
	DefaultWhy string            `json:"default_set_why,omitempty"`
}

// ParameterText is a parameter in words.
type ParameterText struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Range   string `json:"range"`
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`
}

// CheckText is a check in words. Cause and remedy are there where they are the
// same for all of its findings.
type CheckText struct {
	ID              string   `json:"id"`
	Former          []string `json:"former,omitempty" doc:"Names that it had before."`
	When            string   `json:"when"`
	Severity        string   `json:"severity"`
	OtherSeverities []string `json:"other_severities,omitempty"`
	CauseClass      string   `json:"cause_class"`
	OtherCauses     []string `json:"other_cause_classes,omitempty"`
	Scope           string   `json:"scope"`
	Status          string   `json:"status"`
	Files           []string `json:"files"`
	Cause           string   `json:"cause,omitempty"`
	Remedy          string   `json:"remedy,omitempty"`
	Parameters      []string `json:"parameters,omitempty"`
}

// Checks gives the checks of a rule in words; none for a rule of the user's own
// that names none.
func Checks(d *rule.Definition) []CheckText {
	out := make([]CheckText, 0, len(d.Checks))
	for i := range d.Checks {
		c := &d.Checks[i]
		_, name, _ := strings.Cut(c.ID, "/")
		t := CheckText{
			ID: c.ID, Former: record.FormerChecks(d.Name, name), When: c.When, Severity: string(c.Severity), CauseClass: c.CauseClass, OtherCauses: c.OtherCauses, Scope: string(c.Scope),
			Status: string(cmp.Or(c.Status, rule.Settled)), Files: c.Files, Cause: c.Cause, Remedy: c.Remedy,
		}
		for _, s := range c.OtherSeverities {
			t.OtherSeverities = append(t.OtherSeverities, string(s))
		}
		for _, p := range c.Parameters {
			t.Parameters = append(t.Parameters, p.Name)
		}
		out = append(out, t)
	}
	return out
}

// Summarise gives the line of a rule in a list.
func Summarise(d *rule.Definition) Summary {
	return Summary{d.Name, d.Class, string(d.Family), d.Severity, d.Default != nil, d.Summary}
}

// Describe gives all that a rule says of itself, with what it needs under its
// own defaults.
func Describe(d *rule.Definition) Description {
	out := Description{
		Summary: Summarise(d), Aliases: d.Aliases, Why: d.Why, Frameworks: d.Frameworks,
		Needs: []string{}, Causes: d.Causes, Remedies: d.Remedies, CauseClass: d.CauseClass,
		Checks: Checks(d),
	}
	for _, p := range d.AllParameters() {
		t := ParameterText{p.Name, string(p.Type), p.Default, p.Range.String(), p.Unit, p.Meaning}
		if len(p.Choices) > 0 {
			t.Range = strings.Join(p.Choices, ", ")
		}
		if p.Optional && t.Default == "" {
			t.Default = "None"
		}
		out.Parameters = append(out.Parameters, t)
	}
	if d.Default != nil {
		out.DefaultSet, out.DefaultWhy = d.Default.Params, d.Default.Why
	}
	if p, err := d.Parse(nil); err == nil && d.Needs != nil {
		asked := d.Needs(p)
		for _, n := range asked {
			out.Needs = append(out.Needs, needText(n))
		}
		out.Cost = Cost(asked)
	} else {
		out.Cost = Cost(nil)
	}
	return out
}

// needText spells a need: which tensors, what of them, when.
func needText(n plan.Need) string {
	var which, what []string
	for _, c := range n.Collections {
		which = append(which, "collection "+c)
	}
	for _, r := range n.Regex {
		which = append(which, fmt.Sprintf("names that match %q", r))
	}
	if len(n.ModuleTypes) > 0 {
		which = append(which, fmt.Sprintf("%ss of %s modules", n.Side, strings.Join(n.ModuleTypes, " and ")))
	}
	for _, w := range []struct {
		bit  plan.Want
		text string
	}{{plan.Stats, "statistics"}, {plan.Hist, "histogram"}, {plan.Raw, "raw values"}, {plan.Median, "median"}, {plan.Prod, "product"}} {
		if n.Want&w.bit != 0 {
			what = append(what, w.text)
		}
	}
	if len(n.Pairs) > 0 {
		what = append(what, "change since earlier steps")
	}
	if len(n.Units) > 0 {
		what = append(what, "activity of units")
	}
	if len(n.Quantiles) > 0 {
		what = append(what, "quantiles")
	}
	for _, r := range n.Readings {
		what = append(what, plan.ReadingText(r))
	}
	return strings.Join(which, ", ") + ": " + strings.Join(what, ", ") + "; " + when(n.Schedule)
}

func when(s plan.Schedule) string {
	var modes []string
	var every []string
	for m, x := range s {
		if x.Off && len(x.Steps) == 0 {
			continue
		}
		modes = append(modes, record.Mode(m).String())
		t := fmt.Sprintf("every %d steps", x.Every)
		switch x.Every {
		case plan.Auto:
			t = "at the interval that the overhead budget allows"
		case 1:
			t = "every step"
		}
		if x.Off {
			t = "at steps " + strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Steps), " ", ", "), "[]")
		} else if len(x.Steps) > 0 {
			t += " and at step " + strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Steps), " ", ", "), "[]")
		}
		if x.End > 0 {
			t += fmt.Sprintf(" before step %d", x.End)
		}
		if !slices.Contains(every, t) {
			every = append(every, t)
		}
	}
	in := "in every mode"
	if len(modes) < len(s) {
		in = "in " + strings.Join(modes, " and ")
	}
	return strings.Join(every, " or ") + " " + in
}
