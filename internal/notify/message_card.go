package notify

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

// card is what a message says, for all that shows it to people.
type card struct {
	severity            record.Severity
	title, text         string
	step, worker        string
	cause, remedy, more string // more: the command that tells more
	follows             string // the root cause of a finding: mending that fixes it, so it has no remedy of its own
}

func (m *Message) card() card {
	if c := m.Change; c != nil {
		step := "none yet"
		if c.Step >= 0 {
			step = fmt.Sprint(c.Step)
		}
		return card{severity: c.Severity(), title: c.Title(), text: c.Details(), step: step, more: "vigil show"}
	}
	f := &m.Finding
	c := card{
		severity: f.Severity, title: fmt.Sprintf("%s: %s", f.Severity, f.Configuration), text: f.Message, step: fmt.Sprintf("%d (%s step %d)", f.Step, f.Mode, f.ModeStep),
		worker: f.Worker, more: "vigil report",
	}
	if m.Follows != nil {
		c.follows = fmt.Sprintf("%s at step %d", m.Follows.Rule, m.Follows.Step)
	} else {
		c.cause, c.remedy = f.Cause, f.Advised()
	}
	return c
}

// time is when what is told happened.
func (m *Message) time() time.Time {
	if m.Change != nil {
		return m.Change.Time
	}
	return m.Finding.Time
}

// subject is the one line of a message. Of a finding, its form is the one that
// consumers of SageMaker Debugger's notifications know.
func subject(m *Message) string {
	if m.Change != nil {
		return cut(line(fmt.Sprintf("Run %s: %s", m.Run, m.Change.Title())), 200)
	}
	return fmt.Sprintf("SMDebugRule:%s fired", line(m.Finding.Configuration))
}

// body is a message for a person to read: the sentence of the finding, what to
// do, and where more is to be seen.
func body(m *Message) string {
	c := m.card()
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s\n\n", subject(m), line(c.text))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, value)
		}
	}
	row("Run", line(m.Run))
	row("Severity", string(c.severity))
	row("Step", c.step)
	row("Worker", line(c.worker))
	row("Follows", line(c.follows))
	row("Cause", line(c.cause))
	row("Remedy", line(c.remedy))
	fmt.Fprintf(&b, "\nvigil findings %s\n%s %s\n", m.Path, c.more, m.Path)
	return b.String()
}

// short is a message for a telephone.
func short(m *Message) string {
	if m.Change != nil {
		return cut(strings.TrimSpace(fmt.Sprintf("%s. %s", subject(m), line(m.Change.Details()))), 320)
	}
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
