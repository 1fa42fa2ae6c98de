package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Panel is one of several curves that stand side by side: a series of one run.
// Without steps it stays empty.
type Panel struct {
	Name   string
	Steps  []int64
	Values []float64
}

// The size of panels: their rows, the widths that they are not made narrower
// or wider than, and the columns between them.
const (
	panelRows  = 8
	leastPanel = 24
	mostPanel  = 60
	panelGap   = 2
)

// Panels draws curves on one scale, as many next to each other as fit, below a
// title. It ends with a newline.
func (p Page) Panels(title string, list []Panel) string {
	s, from, to := common(list)
	var b strings.Builder
	b.WriteString(p.Bold(title))
	if s.log {
		b.WriteString(p.Dim(", logarithmic"))
	}
	b.WriteString("\n")
	if s.low > s.high {
		b.WriteString("  no finite value in any of them\n")
		return b.String()
	}
	labels := map[int]string{0: record.Digits(s.high), panelRows - 1: record.Digits(s.low)}
	if s.high == s.low {
		labels = map[int]string{panelRows / 2: record.Digits(s.low)}
	}
	margin := len("step")
	for _, text := range labels {
		margin = max(margin, columns(text))
	}
	room := p.Width
	if room <= 0 {
		room = 100
	}
	beside := max(1, min(len(list), (room-margin)/(leastPanel+panelGap)))
	width := max(min(mostPanel, (room-margin)/beside-panelGap), 1)
	for some := range slices.Chunk(list, beside) {
		p.beside(&b, some, s, from, to, width, labels, margin)
	}
	return b.String()
}

// common is the scale of several curves, and the steps that they span.
func common(list []Panel) (s scale, from, to int64) {
	low, high := math.Inf(1), math.Inf(-1)
	from, to = math.MaxInt64, math.MinInt64
	for _, c := range list {
		if len(c.Steps) > 0 {
			l, h := extent(c.Values)
			low, high = min(low, l), max(high, h)
			from, to = min(from, c.Steps[0]), max(to, c.Steps[len(c.Steps)-1])
		}
	}
	return newScale(low, high), from, to
}

// next to draws curves in one row, with the names above and the axes once.
func (p Page) beside(b *strings.Builder, list []Panel, s scale, from, to int64, width int, labels map[int]string, margin int) {
	line := func(axis string, cell func(i int) string) {
		var l strings.Builder
		l.WriteString(p.Dim(strings.Repeat(" ", margin-columns(axis)) + axis))
		for i := range list {
			text := cell(i)
			l.WriteString(strings.Repeat(" ", panelGap) + text + strings.Repeat(" ", max(0, width-columns(text))))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	name := Page{Style: p.Style, Width: width}
	line("", func(i int) string { return name.One(list[i].Name) })
	drawn, gaps := make([]*dots, len(list)), make([]string, len(list))
	odd := false
	for i := range list {
		drawn[i], gaps[i] = p.trace(list[i].Steps, list[i].Values, s, from, to, width, panelRows)
		odd = odd || gaps[i] != ""
	}
	for row := range panelRows {
		line(labels[row], func(i int) string { return drawn[i].row(row) })
	}
	if odd {
		line("", func(i int) string { return p.Severity(record.Error, gaps[i]) })
	}
	first, last := fmt.Sprint(from), fmt.Sprint(to)
	line("step", func(int) string { return p.Dim(first + strings.Repeat(" ", max(1, width-len(first)-len(last))) + last) })
}
