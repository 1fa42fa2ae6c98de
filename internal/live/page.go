package live

import (
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Page is how text is laid out for one stream: in a style, in lines of at most
// Width columns. A width of 0 is that of a file or a pipe: nothing is wrapped
// or cut there. What is shown while a job runs and what commands print about a
// run comes from here, so that a thing looks the same everywhere.
type Page struct {
	Style
	Width int
	// Explain gives the command that explains a finding; nil, or "", where
	// there is none.
	Explain func(*record.Finding) string
	// Called is how the script calls a tensor; nil where only the name is known
	// under which it is stored.
	Called func(name string) string
	// Clock reports where in the training the steps of findings are; nil where
	// only the steps are known.
	Clock *record.Clock
}

// leastText is the room that text keeps behind a head; in less it goes on
// below it, set in a little.
const leastText = 24

// Hang puts text behind a head and wraps it between words; the lines after the
// first begin where the text did.
func (p Page) Hang(head, text string) string {
	at := columns(head)
	if p.Width <= 0 || at+columns(text) <= p.Width {
		return head + text
	}
	indent := at
	if p.Width-at < leastText {
		indent = min(at, leading(head)+2)
	}
	var b strings.Builder
	b.WriteString(head)
	column, begun := at, false
	for _, word := range strings.Split(text, " ") {
		w := columns(word)
		switch {
		case !begun:
		case column+1+w > p.Width && column > indent:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column, begun = column+w, true
	}
	return b.String()
}

// Label is a line with a label of a column that is so wide: "status     completed".
func (p Page) Label(label string, width int, text string) string {
	return p.Hang(p.Dim(padded(label, width))+"  ", text)
}

// Item is a line with a label of a column of its own: "  cause      text".
func (p Page) Item(label, text string) string {
	return p.Hang("  "+p.Dim(padded(label, labels))+" ", text)
}

// labels is the width of the labels of items.
const labels = 9

// One is text in one line: what does not fit is left out.
func (p Page) One(text string) string {
	if p.Width <= 0 || columns(text) <= p.Width {
		return text
	}
	dots := "..."
	if p.Unicode {
		dots = "…"
	}
	return strings.TrimRight(string([]rune(text)[:max(0, p.Width-columns(dots))]), " ") + dots
}

// Clean keeps what comes from a training (names, messages) from steering the
// terminal: control characters are shown as escapes, very long text is cut.
func Clean(text string) string { return clean(text) }

// Good is for what is as it should be.
func (s Style) Good(text string) string { return s.paint("1;32", text) }

// Tick is Good with the mark of it.
func (s Style) Tick(text string) string {
	if s.Unicode {
		text = "✔ " + text
	}
	return s.Good(text)
}

// severity spells a severity with its mark, in its colour.
func (s Style) severity(v record.Severity) string {
	return s.Severity(v, strings.TrimSpace(s.mark(v)+" "+string(v)))
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// leading is the number of blanks that text begins with.
func leading(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }
