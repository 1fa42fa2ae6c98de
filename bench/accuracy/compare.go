package main

import (
	"fmt"
	"strings"
)

// comparison is how answers differ from those that were kept of an earlier
// version: only runs that both have are compared.
type comparison struct {
	Compared  int
	WereRight int // right cause first, then
	AreRight  int // right cause first, now
	Lost      []difference
	Won       []difference
	New       []difference // healthy programs that alarm now
	Gone      []difference // healthy programs that alarmed then
	Broken    []difference // runs that could be scored and cannot be now
}

type difference struct{ Then, Now answer }

// worse reports whether something got worse.
func (c comparison) worse() bool { return len(c.Lost)+len(c.New)+len(c.Broken) > 0 }

// compare puts answers next to kept ones.
func compare(then, now []answer) comparison {
	type key struct {
		program string
		seed    int
	}
	kept := map[key]answer{}
	for _, a := range then {
		kept[key{a.Program, a.Seed}] = a
	}
	var c comparison
	for _, a := range now {
		b, ok := kept[key{a.Program, a.Seed}]
		if !ok || b.Failed != "" {
			continue
		}
		d := difference{Then: b, Now: a}
		if a.Failed != "" {
			c.Broken = append(c.Broken, d)
			continue
		}
		c.Compared++
		if a.Fault == healthy {
			switch {
			case a.alarmed() && !b.alarmed():
				c.New = append(c.New, d)
			case b.alarmed() && !a.alarmed():
				c.Gone = append(c.Gone, d)
			}
			continue
		}
		if b.Right {
			c.WereRight++
		}
		if a.Right {
			c.AreRight++
		}
		switch {
		case b.Right && !a.Right:
			c.Lost = append(c.Lost, d)
		case a.Right && !b.Right:
			c.Won = append(c.Won, d)
		}
	}
	return c
}

// text is the comparison in Markdown.
func (c comparison) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Compared with kept answers\n\n%d runs are in both. Right cause first: %d then, %d now.\n", c.Compared, c.WereRight, c.AreRight)
	list := func(title string, differences []difference) {
		if len(differences) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s (%d):\n\n| program | seed | then | now |\n| --- | --- | --- | --- |\n", title, len(differences))
		for _, d := range differences {
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", d.Now.Program, d.Now.Seed, d.Then.line(), d.Now.line())
		}
	}
	list("No longer recognised", c.Lost)
	list("Newly recognised", c.Won)
	list("New alarms on healthy programs", c.New)
	list("Healthy programs that no longer alarm", c.Gone)
	list("No longer scored", c.Broken)
	return b.String()
}

// line is what was reported first, or why nothing was scored.
func (a answer) line() string {
	if a.Failed != "" {
		return "failed: " + a.Failed
	}
	if len(a.Groups) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s (%s, %s)", a.Groups[0].Check, a.Groups[0].Severity, a.Groups[0].CauseClass)
}
