package view

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/rule"
)

// RunRule is a rule of the catalogue as a run stands to it.
type RunRule struct {
	Rule, Class, Configuration string
	Active                     bool
	Severity, Family, Summary  string
	Why                        string
	Standing                   Standing // of an active one
	Status                     record.RuleStatus
	First                      *Named // the first finding that counts
	Last                       *Named
	Needs                      []RuleNeed
	Checks                     int
	Add                        []Command // what adds it, of one that is not active
}

// Command is what a person types, and what that does.
type Command struct{ Text, Does string }

// RulesOf are the rules that judge or judged a run, in their order, those that found
// something first, then all others of the catalogue.
func RulesOf(t source.Run) []RunRule {
	run := t.Run()
	statuses := t.Statuses()
	findings := NamedFindings(t.Findings(), run.Clock())
	standings := Standings(statuses, LacksOf(run.Facts))
	active := map[string]bool{}
	var out []RunRule
	for i, s := range statuses {
		r := RunRule{Rule: s.Rule, Configuration: s.Configuration, Active: true, Standing: standings[i], Status: s}
		if d, ok := rules.Lookup(s.Rule); ok {
			active[d.Name] = true
			r.describe(d)
		}
		for k := range findings {
			f := &findings[k]
			if f.Configuration == s.Configuration && !f.Muted {
				if r.First == nil {
					r.First = f
				}
				r.Last = f
			}
		}
		out = append(out, r)
	}
	rank := map[Stand]int{FoundSomething: 0, CouldNot: 1, Quiet: 2, DidNotJudge: 3}
	slices.SortStableFunc(out, func(a, b RunRule) int { return rank[a.Standing.Stand] - rank[b.Standing.Stand] })
	for _, d := range rules.Catalogue() {
		if active[d.Name] {
			continue
		}
		r := RunRule{Rule: d.Name, Configuration: d.Name, Add: adding(d, run, t.Path())}
		r.describe(d)
		out = append(out, r)
	}
	return out
}

func (r *RunRule) describe(d *rule.Definition) {
	r.Class, r.Severity, r.Family, r.Summary, r.Why, r.Checks = d.Class, string(d.Severity), string(d.Family), d.Summary, d.Why, len(d.Checks)
	if needs, _, err := ruleNeeds(d); err == nil {
		r.Needs = needs
	}
}

// adding are the commands that let a rule judge a run.
func adding(d *rule.Definition, run record.Run, path string) []Command {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole // it has to do in any directory
	}
	spec, name := quoted(d.Spec()), quoted(path)
	list := []Command{}
	if run.Status == record.Running {
		list = append(list, Command{"vigil plan " + name + " --add-rule " + spec, "judges this job from its next step on"})
	}
	list = append(list, Command{"vigil check " + name + " --rule " + spec, "judges what is stored of this run"},
		Command{"vigil run --rule " + spec + " -- " + commandOf(run), "judges the next run from its beginning"})
	return list
}

// commandOf is the command that a run was started with, or one that stands for it.
func commandOf(run record.Run) string {
	if text := CommandText(run); text != "" && len(text) <= 200 {
		return text
	}
	return "python train.py"
}

// CommandText is the command that a run was started with, as a shell takes it.
func CommandText(run record.Run) string {
	words := make([]string, len(run.Command))
	for i, w := range run.Command {
		words[i] = quoted(w)
	}
	return strings.Join(words, " ")
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
