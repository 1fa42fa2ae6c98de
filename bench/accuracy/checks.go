package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// What a check needs to be in the default set: programs on which it is right,
// and people who wrote them, none of whom knew the check.
const (
	enoughPrograms = 3
	enoughPeople   = 2
)

// checkScore is what one check is worth to the diagnosis.
type checkScore struct {
	id     string
	status rule.Status

	programs int      // on which it gave an alarm of a right cause
	unseen   int      // of these, those whose authors did not know the checks
	people   []string // who wrote them
	alarms   int      // healthy runs in which it gave an alarm

	right       int // faulty runs with the right cause first when it is left out
	falseAlarms int // healthy runs with an alarm then
}

// admitted reports whether the check may be in the default set.
func (c checkScore) admitted() bool {
	return c.unseen >= enoughPrograms && len(c.people) >= enoughPeople && c.alarms == 0
}

// idOf is the ID of a finding's check.
func idOf(f record.Finding) string {
	name, _, _ := strings.Cut(f.Check, "@")
	return f.Rule + "/" + name
}

// without is the verdict when a check had said nothing. What other checks of its
// rule would have said in its place is not known.
func (v verdict) without(id string) verdict {
	again := verdict{Program: v.Program, Seed: v.Seed, At: v.At}
	left := slices.DeleteFunc(slices.Clone(v.Findings), func(f record.Finding) bool { return idOf(f) == id })
	return again.compare(diagnosis{Findings: left, Groups: rules.Group(left, nil)}, nil)
}

// scoreChecks scores every check that gave an alarm in the runs.
func scoreChecks(faulty, sound []verdict) []checkScore {
	by := map[string]*checkScore{}
	of := func(f record.Finding) *checkScore {
		id := idOf(f)
		if by[id] == nil {
			c := &checkScore{id: id, status: rule.Settled}
			if d, ok := rules.Lookup(f.Rule); ok {
				if known, ok := d.Check(f.Check); ok && known.IsExperimental() {
					c.status = rule.Experimental
				}
			}
			by[id] = c
		}
		return by[id]
	}
	type seen struct{ id, program string }
	told := map[seen]bool{}
	for _, v := range faulty {
		for _, f := range v.Alarms {
			c := of(f)
			k := seen{c.id, v.Program.Path}
			if told[k] || !slices.Contains(v.Program.Causes, f.CauseClass) {
				continue
			}
			told[k] = true
			c.programs++
			if p := v.Program; p.Unseen {
				c.unseen++
				if !slices.Contains(c.people, p.Author) {
					c.people = append(c.people, p.Author)
				}
			}
		}
	}
	for _, v := range sound {
		said := map[string]bool{}
		for _, f := range v.Alarms {
			if c := of(f); !said[c.id] {
				said[c.id] = true
				c.alarms++
			}
		}
	}
	out := make([]checkScore, 0, len(by))
	for _, c := range by {
		but := func(list []verdict) []verdict {
			list = slices.Clone(list)
			for i, v := range list {
				if slices.ContainsFunc(v.Findings, func(f record.Finding) bool { return idOf(f) == c.id }) {
					list[i] = v.without(c.id)
				}
			}
			return list
		}
		c.right, c.falseAlarms = count(but(faulty)).right, count(but(sound)).alarmed
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b checkScore) int { return strings.Compare(a.id, b.id) })
	return out
}

// perCheck writes what the diagnosis would be without each check, and which
// checks have shown enough to be in the default set.
func perCheck(w *strings.Builder, faulty, sound []verdict) {
	scores := scoreChecks(faulty, sound)
	if len(scores) == 0 {
		return
	}
	now, alarms := count(faulty), count(sound).alarmed
	fmt.Fprintf(w, "\n## With one check left out\n\nA check may be in the default set when it is right on %d programs that %d people wrote without knowing it, and alarms on no healthy one. One that decides nothing changes neither number when it is left out. What other checks of the same rule would say in its place is not counted.\n\n", enoughPrograms, enoughPeople)
	fmt.Fprintf(w, "| without | status | right on programs | of these unseen, by people | alarms on healthy runs | right cause first | false alarms | admitted |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	fmt.Fprintf(w, "| none | | | | | %d | %d | |\n", now.right, alarms)
	for _, c := range scores {
		admitted := ""
		if c.admitted() {
			admitted = "yes"
		}
		effect := fmt.Sprintf("%d | %d", c.right, c.falseAlarms)
		if c.right == now.right && c.falseAlarms == alarms {
			effect = "decides nothing | "
		}
		fmt.Fprintf(w, "| `%s` | %s | %d | %d, %d | %d | %s | %s |\n", c.id, c.status, c.programs, c.unseen, len(c.people), c.alarms, effect, admitted)
	}
}

// notIndexed lists findings that say something else than the index of checks.
func notIndexed(w *strings.Builder, all []verdict) {
	var lines []string
	for _, v := range all {
		for _, f := range v.Findings {
			if err := rules.Indexed(f); err != nil {
				lines = append(lines, fmt.Sprintf("* `%s` (seed %d): %v\n", v.Program.Name(), v.Seed, err))
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n## Findings that are not what the index of checks says\n\n%s", strings.Join(lines, ""))
	}
}
