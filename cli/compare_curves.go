package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Sizes of curves that stand side by side.
const (
	panelRows  = 6
	leastPanel = 24
	mostPanel  = 60
	axisWidth  = 9
	tableRows  = 10
)

// curves shows how each series went in the runs, on one scale.
func (p *comparison) curves() {
	shown := p.Series
	if !p.all && len(shown) > comparedCurves {
		shown = shown[:comparedCurves]
	}
	for _, s := range shown {
		if p.drawn {
			p.draw(s)
		} else {
			p.tabulate(s)
		}
	}
	if more := len(p.Series) - len(shown); more > 0 {
		fmt.Fprintf(p.w, "\n%d more series are shared; --all shows their curves.\n", more)
	}
}

// extent is what a series spans in all runs.
type extent struct {
	from, to  int64
	low, high float64
	log       bool // positive values that span three powers of ten or more
}

func extentOf(s view.SharedSeries) (e extent, finite bool) {
	e = extent{from: math.MaxInt64, to: math.MinInt64, low: math.Inf(1), high: math.Inf(-1)}
	for _, c := range s.Of {
		if c == nil {
			continue
		}
		e.from, e.to = min(e.from, c.Steps[0]), max(e.to, c.At)
		if low, high := float64(c.Min), float64(c.Max); low <= high {
			e.low, e.high = math.Min(e.low, low), math.Max(e.high, high)
		}
	}
	e.log = e.low > 0 && e.high/e.low >= 1000
	return e, e.low <= e.high
}

// share is where a value lies between low (0) and high (1).
func (e extent) share(v float64) float64 {
	switch {
	case e.high == e.low:
		return 0.5
	case e.log:
		return math.Log(v/e.low) / math.Log(e.high/e.low)
	}
	// Divided first: the difference may overflow.
	return (v/2 - e.low/2) / (e.high/2 - e.low/2)
}

// draw draws a series in a panel for each run, as many beside each other as fit.
func (p *comparison) draw(s view.SharedSeries) {
	e, finite := extentOf(s)
	fmt.Fprintf(p.w, "\n%s", p.style.Bold(seriesName(s)))
	if e.log {
		fmt.Fprint(p.w, ", logarithmic")
	}
	fmt.Fprintln(p.w)
	if !finite {
		fmt.Fprintln(p.w, "  no finite value in any of them")
		return
	}
	beside := max(1, min(len(p.names), (p.width-axisWidth)/(leastPanel+2)))
	width := min(mostPanel, (p.width-axisWidth)/beside-2)
	if width < 4 {
		return // no room for anything
	}
	for first := 0; first < len(p.names); first += beside {
		last := min(first+beside, len(p.names))
		p.panels(s, e, first, last, width)
	}
}

// panels draws those of some runs, one beside the other.
func (p *comparison) panels(s view.SharedSeries, e extent, first, last, width int) {
	line := func(axis string, cell func(i int) string) {
		var b strings.Builder
		fmt.Fprintf(&b, "%*s", axisWidth, axis)
		for i := first; i < last; i++ {
			text := cell(i)
			b.WriteString("  " + text + strings.Repeat(" ", max(width-len([]rune(text)), 0)))
		}
		fmt.Fprintln(p.w, strings.TrimRight(b.String(), " "))
	}
	line("", func(i int) string { return shortened(p.names[i], width, p.style.Unicode) })
	drawn := make([][]string, last)
	for i := first; i < last; i++ {
		drawn[i] = panel(s.Of[i], e, width, p.style.Unicode)
	}
	for r := range panelRows {
		axis := ""
		switch r {
		case 0:
			axis = record.Digits(e.high)
		case panelRows - 1:
			axis = record.Digits(e.low)
		}
		line(axis, func(i int) string { return drawn[i][r] })
	}
	from, to := fmt.Sprintf("%d", e.from), fmt.Sprintf("%d", e.to)
	line("step", func(int) string {
		return from + strings.Repeat(" ", max(width-len(from)-len(to), 1)) + to
	})
}

// levels of a cell, from empty to full.
var levels = []rune(" ▁▂▃▄▅▆▇█")

// panel draws a series as rows of characters: the mean of each column's values as a
// column of that height. A column without a finite value has a cross at its foot.
func panel(c *view.Course, e extent, width int, unicode bool) []string {
	rows := make([][]rune, panelRows)
	for r := range rows {
		rows[r] = []rune(strings.Repeat(" ", width))
	}
	if c != nil {
		sums, counts, bad := make([]float64, width), make([]int, width), make([]bool, width)
		last := 0
		for i, step := range c.Steps {
			at := 0
			if e.to > e.from {
				at = int(float64(step-e.from) / float64(e.to-e.from) * float64(width-1))
			}
			at = min(max(at, 0), width-1)
			last = max(last, at)
			if v := float64(c.Values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
				bad[at] = true
			} else {
				sums[at], counts[at] = sums[at]+e.share(v), counts[at]+1
			}
		}
		height, begun := 0.0, false
		for at := range last + 1 {
			switch {
			case counts[at] > 0:
				height, begun = sums[at]/float64(counts[at]), true
			case bad[at]:
				rows[panelRows-1][at] = map[bool]rune{true: '×', false: 'x'}[unicode]
				begun = false
				continue
			case !begun:
				continue
			}
			fill(rows, at, height, unicode)
		}
	}
	text := make([]string, panelRows)
	for r := range rows {
		text[r] = string(rows[r])
	}
	return text
}

// fill fills a column up to a height between 0 and 1.
func fill(rows [][]rune, at int, height float64, unicode bool) {
	eighths := max(1, int(math.Round(height*panelRows*8)))
	for r := range rows {
		n := min(max(eighths-8*(panelRows-1-r), 0), 8)
		switch {
		case unicode:
			rows[r][at] = levels[n]
		case n >= 4 || n > 0 && r == panelRows-1:
			rows[r][at] = '#'
		}
	}
}

// tabulate prints a series at some of the steps that the runs share.
func (p *comparison) tabulate(s view.SharedSeries) {
	at := make([]map[int64]string, len(s.Of))
	seen := map[int64]int{}
	var order []int64
	have := 0
	for i, c := range s.Of {
		at[i] = map[int64]string{}
		if c == nil {
			continue
		}
		have++
		for j, step := range c.Steps {
			at[i][step] = digits(c.Values[j])
			if seen[step]++; seen[step] == 1 {
				order = append(order, step)
			}
		}
	}
	var shared []int64
	for _, step := range order {
		if seen[step] == have {
			shared = append(shared, step)
		}
	}
	if len(shared) == 0 {
		fmt.Fprintf(p.w, "\n%s: they have no step in common\n", seriesName(s))
		return
	}
	var rows [][]string
	n := min(len(shared), tableRows)
	for k := range n {
		step := shared[0]
		if n > 1 {
			step = shared[k*(len(shared)-1)/(n-1)]
		}
		row := []string{fmt.Sprintf("step %d", step)}
		for i := range s.Of {
			text, ok := at[i][step]
			if !ok {
				text = "-"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	p.table(block{seriesName(s), rows})
}
