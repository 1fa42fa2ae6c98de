package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// Markdown is the documentation page of all rules, made of their definitions.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Rules

<!-- Made from the definitions in internal/rules/builtin by "go test ./internal/rules -update". Do not edit. -->

A rule looks at a training step by step and reports what is wrong. Rules that are asked for by name use the
parameters' defaults below. The **default set** is what runs when nobody chose: there the rules use thresholds under
which a healthy training is silent. ` + "`vigil rules describe NAME`" + ` prints the same as this page.

| rule | severity | in the default set | what it detects |
| --- | --- | --- | --- |
`)
	for _, d := range Catalogue() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", d.Name, d.Name, d.Severity, yes(d.Default != nil), d.Summary)
	}
	b.WriteString(`
A rule finds several things: its **checks**, each with an ID of rule and check such as ` + "`labels_fit/broadcast`" + `, by which ` + "`vigil rules describe`" + ` shows it. A check that is marked experimental
has not shown yet that it is right often enough: its findings count only under ` + "`--rules experimental`" + ` (also ` + "`--rules default,experimental`" + `), or when its rule is asked for by name, and carry ` + "`\"experimental\": true`" + `.

A rule's name may be written as here, as its class name (` + "`VanishingGradient`" + `), or as that in lower case. A finding that rests on a single step
is at most a warning, unless it is about values that are not finite, or the facts of the training (how model, loss, labels, data and optimiser fit together) say it.

Every rule also accepts these parameters:

`)
	parameters(&b, rule.Common)
	for _, d := range Catalogue() {
		section(&b, d)
	}
	return b.String()
}

func section(b *strings.Builder, d *rule.Definition) {
	x := Describe(d)
	fmt.Fprintf(b, "\n## %s\n\n**%s** %s\n\n", d.Name, d.Summary, d.Why)
	fmt.Fprintf(b, "Class `%s`", d.Class)
	if len(d.Aliases) > 0 {
		fmt.Fprintf(b, ", also `%s`", strings.Join(d.Aliases, "`, `"))
	}
	fmt.Fprintf(b, ". Severity: %s.", d.Severity)
	switch {
	case slices.Equal(d.Frameworks, []string{"xgboost"}):
		b.WriteString(" For trees that are boosted (XGBoost).")
	case len(d.Frameworks) > 0:
		b.WriteString(" For trainings with layers and gradients.")
	}
	b.WriteString("\n\n")
	if d.Example != nil {
		fmt.Fprintf(b, "Its defaults are not enough to judge by: it needs parameters, for example `%s`.\n\n", d.Spec())
	}
	parameters(b, d.Parameters)
	if len(x.Checks) > 0 {
		b.WriteString("\n| check | severity | cause class | for | it fires when |\n| --- | --- | --- | --- | --- |\n")
	}
	for _, c := range x.Checks {
		name := "`" + strings.TrimPrefix(c.ID, d.Name+"/") + "`"
		if c.Status == string(rule.Experimental) {
			name += " (experimental)"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", name, alternatives(c.Severity, c.OtherSeverities), alternatives(c.CauseClass, c.OtherCauses), c.Scope, inCell(c.When))
	}
	b.WriteString("\nWhat it causes to be captured:\n\n")
	if len(x.Needs) == 0 {
		b.WriteString("* nothing; it judges what is captured anyway\n")
	}
	for _, n := range x.Needs {
		fmt.Fprintf(b, "* %s\n", n)
	}
	fmt.Fprintf(b, "\nCost: %s.\n", strings.Join(x.Cost, "; "))
	if d.Default != nil {
		b.WriteString("\nIn the default set")
		if len(d.Default.Params) > 0 {
			b.WriteString(", with ")
			for i, k := range sorted(d.Default.Params) {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(b, "`%s=%s`", k, d.Default.Params[k])
			}
		}
		fmt.Fprintf(b, ". %s\n", d.Default.Why)
	}
	fmt.Fprintf(b, "\nLikely causes: %s.\n\nWhat to try: %s.\n", strings.Join(d.Causes, "; "), strings.Join(d.Remedies, "; "))
}

// alternatives spells what is usual and what else there may be.
func alternatives(usual string, others []string) string {
	return strings.Join(append([]string{usual}, others...), ", ")
}

func parameters(b *strings.Builder, ps []rule.Parameter) {
	b.WriteString("| parameter | type | default | range | unit | meaning |\n| --- | --- | --- | --- | --- | --- |\n")
	d := rule.Definition{Parameters: ps}
	for _, p := range Describe(&d).Parameters[:len(ps)] {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", p.Name, p.Type, code(p.Default), inCell(p.Range), inCell(p.Unit), inCell(p.Meaning))
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + inCell(s) + "`"
}

// inCell makes a text fit a cell of a table.
func inCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func sorted(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
