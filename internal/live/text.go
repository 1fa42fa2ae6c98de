package live

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

// statusLine is the state of the job in one line of at most width columns;
// what is told besides comes last. The curve of the losses gets the room that
// is left; where there is none, what is read least goes first.
func (s Style) statusLine(p *Progress, width int, besides ...string) string {
	columns := min(curve, len(p.Losses))
	line := s.status(p, columns, 0, besides)
	if over := utf8.RuneCountInString(line) - width; width > 0 && over > 0 {
		line = s.status(p, max(columns-over, 0), 0, besides)
	}
	for less := 1; less <= mostLess && width > 0 && utf8.RuneCountInString(line) > width; less++ {
		line = s.status(p, 0, less, besides)
	}
	return cut(line, width)
}

// The widths of the curve of the losses: the widest, and what it is not cut
// below but left out.
const (
	curve      = 24
	leastCurve = 4
)

// What is left out of the state where there is too little room, one after the
// other: what capture costs, samples a second, steps a second, the place in the
// epoch.
const (
	lessCost = iota + 1
	lessSamples
	lessSteps
	lessEpoch
	mostLess = lessEpoch
)

// status is the state of the job with a curve of at most so many columns, and
// without so many of its parts.
func (s Style) status(p *Progress, columns, less int, besides []string) string {
	parts := p.place(less < lessEpoch)
	if p.Loss != nil {
		loss := "loss " + record.Digits(*p.Loss)
		if line := s.Sparkline(p.Losses, columns); line != "" && (columns >= leastCurve || columns == len(p.Losses)) {
			loss += " " + line
		}
		parts = append(parts, loss)
	}
	parts = append(parts, p.speed(less < lessSteps, less < lessSamples)...)
	if !p.Early && less < lessCost {
		parts = append(parts, fmt.Sprintf("overhead %.1f%%", p.Overhead))
	}
	if p.Workers > 1 {
		parts = append(parts, fmt.Sprintf("%d workers", p.Workers))
	}
	if p.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%s not captured", count(p.Dropped)))
	}
	separator := " | "
	if s.Unicode {
		separator = " · "
	}
	return "vigil: " + strings.Join(append(parts, besides...), separator)
}

// where says at which step and worker a finding is.
func (p Page) where(f *record.Finding) string {
	at := p.Clock.At(f)
	if f.Worker != "" && (f.Worker != "worker_0" || len(f.Workers) > 1) {
		at += " on " + clean(f.Worker)
		if n := len(f.Workers); n > 1 {
			at += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return at
}

// count is an integer with its thousands apart.
func count(n int64) string {
	if n < 0 {
		return "-" + count(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Bytes spells a number of bytes in a unit that suits it.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return record.Digits(float64(n)/1e3) + " kB"
	case n < 1e9:
		return record.Digits(float64(n)/1e6) + " MB"
	}
	return record.Digits(float64(n)/1e9) + " GB"
}

// clean keeps what comes from a training (names, messages) from steering the
// terminal: control characters are shown as escapes, very long text is cut.
func clean(text string) string {
	if len(text) > 2000 {
		end := 2000
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "..."
	}
	plain := true
	for _, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	q := strconv.Quote(text)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// cut shortens text to width columns; every character counts as one.
func cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + ">"
}
