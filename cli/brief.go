package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// briefSize is the most bytes that a brief has; briefText the most of one of
// its texts.
const (
	briefSize = 2048
	briefText = 360
)

// brief says in at most 2 KB what a run is, what was found and what to do, in
// plain text: for a chat, or for a coding assistant.
func brief(run record.Run, f view.Findings) string {
	var head strings.Builder
	fmt.Fprintf(&head, "Vigil on run %s: %s", printable(run.Name), short(endingText(run)))
	fmt.Fprintf(&head, ", %s\n", record.StepsText(run.Steps))
	if run.Framework.Name != "" {
		fmt.Fprintf(&head, "Framework: %s\n", printable(frameworkText(run.Framework)))
	}
	if len(run.Command) > 0 {
		fmt.Fprintf(&head, "Command: %s\n", short(plain(strings.Join(run.Command, " "))))
	}
	if run.Said != "" {
		fmt.Fprintf(&head, "Training: %s\n", short(plain(run.Said)))
	}
	if v := view.VerdictOf(run, f.Judged()); v.Class == "idle" || v.Class == "muted" {
		fmt.Fprintf(&head, "%s\n", v.Text)
	} else {
		fmt.Fprintf(&head, "Findings: %s\n", record.Count(f.Groups))
	}
	if rules := view.Standings(f.Rules, view.LacksOf(run.Facts)); len(rules) > 0 {
		fmt.Fprintf(&head, "%s\n", view.StandingText(rules))
	}
	text, clock := head.String(), run.Clock()
	for i := range f.Groups {
		more := fmt.Sprintf("\nand %d more: %s findings %s\n", len(f.Groups)-i, live.Program(), printable(run.Name))
		one := briefGroup(i+1, &f.Groups[i], clock)
		room := briefSize - len(text)
		if i < len(f.Groups)-1 {
			room -= len(more)
		}
		if len(one) > room {
			return text + more
		}
		text += one
	}
	return text
}

// wrapped is a text whose lines are wrapped between words where a page has a width.
func wrapped(p live.Page, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		head := line[:len(line)-len(rest)]
		b.WriteString(p.Hang(head, strings.TrimSuffix(rest, "\n")) + "\n")
	}
	return b.String()
}

// briefGroup is a root cause with what follows from it.
func briefGroup(number int, g *record.Group, clock *record.Clock) string {
	var b strings.Builder
	r := &g.Root
	name := r.Rule
	if r.Check != "" {
		name += "/" + r.Check
	}
	fmt.Fprintf(&b, "\n%d. %s %s at %s: %s\n", number, r.Severity, printable(name), clock.At(r), short(plain(r.Message)))
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "   %s: %s\n", label, short(plain(text)))
		}
	}
	if r.Where != nil {
		line("where", r.Where.String())
	}
	line("cause", r.Cause)
	line("remedy", r.Advised())
	if r.Suggestion != nil && r.OutweighedBy == "" {
		line("edit", briefEdit(r.Suggestion))
	}
	line("again", record.Repeated(g.Again()))
	var names []string
	for _, s := range g.Follow() {
		names = append(names, s.Rule)
	}
	line("symptoms", strings.Join(names, ", "))
	line("explain", explain(r))
	return b.String()
}

// briefEdit is a suggestion in one line: where, and the lines that go and come.
func briefEdit(s *record.Suggestion) string {
	text := s.Place()
	for _, h := range s.Hunks() {
		for _, l := range h.Lines {
			if l[0] != ' ' {
				text += "  " + l[:1] + " " + strings.TrimSpace(l[1:])
			}
		}
	}
	return text
}

// short cuts a text for the brief.
func short(text string) string {
	if len(text) <= briefText {
		return text
	}
	end := briefText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimRight(text[:end], " ") + "…"
}
