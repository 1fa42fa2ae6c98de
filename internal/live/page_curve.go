package live

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// The size of a curve on a terminal: its rows, and the most columns it takes.
const (
	curveRows    = 12
	curveColumns = 120
	leastCurved  = 20
)

// logFrom is the factor between the largest and the smallest of positive values
// from which on the axis is logarithmic.
const logFrom = 1000

// Curve draws a series over its steps, with its first and last, least and
// greatest value below. Values that are not finite are gaps, and marked below
// the axis. It ends with a newline.
func (p Page) Curve(steps []int64, values []float64) string {
	low, high := extent(values)
	var b strings.Builder
	if !math.IsInf(low, 1) {
		p.draw(&b, steps, values, newScale(low, high))
	}
	b.WriteString(p.Hang("", p.extremes(steps, values)) + "\n")
	return b.String()
}

// extent gives the least and the greatest finite value.
func extent(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// scale is an axis from low to high.
type scale struct {
	low, high float64
	log       bool
}

func newScale(low, high float64) scale {
	return scale{low, high, low > 0 && high/low >= logFrom}
}

// share is where a value lies between low (0) and high (1).
func (s scale) share(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if high <= low {
		return 0.5
	}
	return (v/2 - low/2) / (high/2 - low/2) // halving first keeps the difference finite
}

// at is the value at a share.
func (s scale) at(share float64) float64 {
	if s.log {
		return math.Exp(math.Log(s.low) + share*(math.Log(s.high)-math.Log(s.low)))
	}
	return s.low + share*(s.high-s.low)
}

// dots is a grid of dots, of which a cell of the terminal holds several.
type dots struct {
	across, down int // dots of a cell
	columns      int // cells
	rows         int
	set          []bool
}

func (d *dots) width() int  { return d.columns * d.across }
func (d *dots) height() int { return d.rows * d.down }

// row is one row of cells, without blanks at its end.
func (d *dots) row(row int) string {
	var line strings.Builder
	for column := range d.columns {
		line.WriteRune(d.cell(column, row))
	}
	return strings.TrimRight(line.String(), " ")
}

func (d *dots) dot(x, y int) {
	if x >= 0 && x < d.width() && y >= 0 && y < d.height() {
		d.set[y*d.width()+x] = true
	}
}

// line sets the dots between two.
func (d *dots) line(x0, y0, x1, y1 int) {
	n := max(abs(x1-x0), abs(y1-y0))
	if n == 0 {
		d.dot(x0, y0)
		return
	}
	for i := range n + 1 {
		d.dot(x0+int(math.Round(float64((x1-x0)*i)/float64(n))), y0+int(math.Round(float64((y1-y0)*i)/float64(n))))
	}
}

func abs(n int) int { return max(n, -n) }

// braille is the bit of each dot of a cell, row by row.
var braille = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// cell is the character of one cell.
func (d *dots) cell(column, row int) rune {
	var bits rune
	for y := range d.down {
		for x := range d.across {
			if d.set[(row*d.down+y)*d.width()+column*d.across+x] {
				bits |= braille[y][x]
			}
		}
	}
	switch {
	case bits == 0:
		return ' '
	case d.down == 1:
		return '*'
	}
	return 0x2800 + bits
}

func (p Page) draw(b *strings.Builder, steps []int64, values []float64, s scale) {
	labels := map[int]string{0: record.Digits(s.high), curveRows / 2: record.Digits(s.at(0.5)), curveRows - 1: record.Digits(s.low)}
	if s.high <= s.low {
		labels = map[int]string{curveRows / 2: record.Digits(s.low)}
	}
	margin := 0
	for _, l := range labels {
		margin = max(margin, columns(l))
	}
	width := p.Width
	if width <= 0 {
		width = 80
	}
	tick, bar, corner, rule := "+", "|", "+", "-"
	if p.Unicode {
		tick, bar, corner, rule = "┤", "│", "└", "─"
	}
	first, last := steps[0], steps[len(steps)-1]
	d, gaps := p.trace(steps, values, s, first, last, max(min(width, curveColumns)-margin-3, leastCurved), curveRows)
	for row := range curveRows {
		mark := bar
		if labels[row] != "" {
			mark = tick
		}
		fmt.Fprintf(b, "%s %s%s\n", p.Dim(strings.Repeat(" ", margin-columns(labels[row]))+labels[row]), p.Dim(mark), d.row(row))
	}
	below := strings.Repeat(" ", margin+1)
	b.WriteString(below + p.Dim(corner+strings.Repeat(rule, d.columns)) + "\n")
	if gaps != "" {
		b.WriteString(below + " " + p.Severity(record.Error, gaps) + "\n")
	}
	from, to := fmt.Sprintf("step %d", first), strconv.FormatInt(last, 10)
	b.WriteString(below + " " + p.Dim(from+strings.Repeat(" ", max(1, d.columns-len(from)-len(to)))+to) + "\n")
	if s.log {
		b.WriteString(below + " " + p.Dim("logarithmic axis") + "\n")
	}
}

// trace draws a series on a scale over a span of steps, as dots of so many
// cells, and marks below where its values are not finite; "" where all are.
func (p Page) trace(steps []int64, values []float64, s scale, first, last int64, width, rows int) (*dots, string) {
	d, gap := &dots{across: 1, down: 1, columns: width, rows: rows}, 'x'
	if p.Unicode {
		d.across, d.down, gap = 2, 4, '×'
	}
	d.set = make([]bool, d.width()*d.height())
	gaps := []rune(strings.Repeat(" ", width))
	x := func(step int64, width int) int {
		if last == first {
			return 0
		}
		return int(float64(step-first) / float64(last-first) * float64(width-1))
	}
	broken := true
	var atX, atY int
	for i, v := range values {
		if !finite(v) {
			gaps[x(steps[i], width)], broken = gap, true
			continue
		}
		toX, toY := x(steps[i], d.width()), int(math.Round((1-s.share(v))*float64(d.height()-1)))
		if broken {
			atX, atY = toX, toY
		}
		d.line(atX, atY, toX, toY)
		atX, atY, broken = toX, toY, false
	}
	return d, strings.TrimRight(string(gaps), " ")
}

// extremes says in one line where a series begins and ends, and its least and
// greatest value.
func (p Page) extremes(steps []int64, values []float64) string {
	low, high := -1, -1
	var odd int64
	for i, v := range values {
		switch {
		case !finite(v):
			odd++
		case low < 0:
			low, high = i, i
		default:
			if v < values[low] {
				low = i
			}
			if v > values[high] {
				high = i
			}
		}
	}
	n := len(values) - 1
	parts := []string{"first " + record.Digits(values[0]), "last " + record.Digits(values[n])}
	if low >= 0 {
		parts = append(parts, fmt.Sprintf("least %s at step %d", record.Digits(values[low]), steps[low]), fmt.Sprintf("greatest %s at step %d", record.Digits(values[high]), steps[high]))
	}
	if odd > 0 {
		parts = append(parts, p.Severity(record.Error, count(odd)+" not finite"))
	}
	separator := ", "
	if p.Unicode {
		separator = " · "
	}
	return strings.Join(parts, separator)
}
