package notify

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// subject is the one line of a message. Its form is the one that consumers of
// SageMaker Debugger's notifications know.
func subject(m *Message) string {
	return fmt.Sprintf("SMDebugRule:%s fired", line(m.Finding.Configuration))
}

// body is a message for a person to read: the sentence of the finding, what to
// do, and where more is to be seen.
func body(m *Message) string {
	f := &m.Finding
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s\n\n", subject(m), line(f.Message))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, value)
		}
	}
	row("Run", line(m.Run))
	row("Severity", string(f.Severity))
	row("Step", fmt.Sprintf("%d (%s step %d)", f.Step, f.Mode, f.ModeStep))
	row("Worker", line(f.Worker))
	row("Cause", line(f.Cause))
	row("Remedy", line(f.Remedy))
	fmt.Fprintf(&b, "\nvigil findings %s\nvigil report %s\n", m.Path, m.Path)
	return b.String()
}

// short is a message for a telephone.
func short(m *Message) string {
	return cut(fmt.Sprintf("%s. %s (%s, step %d)", subject(m), line(m.Finding.Message), line(m.Run), m.Finding.Step), 320)
}

// line keeps a text from the training on one line.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
