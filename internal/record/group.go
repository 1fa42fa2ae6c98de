package record

import (
	"fmt"
	"strings"
)

// Again are the findings of the group that say once more what its root says:
// of the same check of the same rule.
func (g Group) Again() []Finding {
	var list []Finding
	for _, f := range g.Symptoms {
		if f.of() == g.Root.of() {
			list = append(list, f)
		}
	}
	return list
}

// Same reports whether the roots of two groups are of the same check of the same rule.
func (g Group) Same(o *Group) bool { return g.Root.of() == o.Root.of() }

// Follow are the symptoms of the root: findings of other checks, in their
// order, each with those that say the same once more.
func (g Group) Follow() []Symptom {
	var list []Symptom
	place := map[kind]int{g.Root.of(): -1}
	for _, f := range g.Symptoms {
		i, known := place[f.of()]
		switch {
		case !known:
			place[f.of()] = len(list)
			list = append(list, Symptom{Finding: f})
		case i >= 0:
			list[i].Again = append(list[i].Again, f)
		}
	}
	return list
}

// Symptom is a finding that follows from another, and those that say the same
// once more.
type Symptom struct {
	Finding
	Again []Finding
}

// kind tells findings apart that say different things.
type kind struct{ rule, configuration, check string }

func (f *Finding) of() kind { return kind{f.Rule, f.Configuration, f.Check} }

// Repeated says of findings how many they are and where the last one is: "23
// more times, last at step 250"; "" of none.
func Repeated(list []Finding) string {
	if len(list) == 0 {
		return ""
	}
	last := &list[0]
	for i := range list {
		if list[i].Step > last.Step {
			last = &list[i]
		}
	}
	return RepeatedText(len(list), last)
}

// RepeatedText is what Repeated says.
func RepeatedText(n int, last *Finding) string {
	if n == 1 {
		return "1 more time, at " + last.At()
	}
	return fmt.Sprintf("%d more times, last at %s", n, last.At())
}

// Tally counts what was found: root causes by their severity, and the symptoms
// that follow from them. What says the same once more counts for nothing, nor
// does what is outweighed.
type Tally struct {
	Roots    map[Severity]int
	Symptoms int
}

// Count is the tally of groups.
func Count(groups []Group) Tally {
	t := Tally{Roots: map[Severity]int{}}
	for i := range groups {
		t.Roots[groups[i].Root.Severity]++
		t.Symptoms += len(groups[i].Follow())
	}
	return t
}

// String is the tally in words: "1 error, 2 warnings, 4 symptoms"; "none".
func (t Tally) String() string {
	var parts []string
	for _, s := range []Severity{Error, Warning, Info} {
		switch n := t.Roots[s]; {
		case n > 1 && s != Info:
			parts = append(parts, fmt.Sprintf("%d %ss", n, s))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	switch n := t.Symptoms; {
	case n == 1:
		parts = append(parts, "1 symptom")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d symptoms", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Repeated says how often the root was found again; "" when it was not.
func (g Group) Repeated() string { return Repeated(g.Again()) }
