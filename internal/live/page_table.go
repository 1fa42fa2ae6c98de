package live

import (
	"slices"
	"strings"
)

// Between columns of a table are so many blanks; a column is not made narrower
// than leastCell while another one can be.
const (
	columnGap = 2
	leastCell = 8
)

// Table lays rows out in columns below their heads, set in by indent. Where
// the page is too narrow the widest columns are wrapped between words, and
// words that are wider than their column after a sign. Without heads there is
// no line for them.
func (p Page) Table(indent int, heads []string, rows [][]string) string {
	all := rows
	if len(heads) > 0 {
		bold := make([]string, len(heads))
		for i, h := range heads {
			bold[i] = p.Bold(h)
		}
		all = append([][]string{bold}, rows...)
	}
	widths, least := measure(all)
	if p.Width > 0 {
		narrow(widths, least, p.Width-indent)
	}
	var b strings.Builder
	for _, row := range all {
		p.row(&b, indent, widths, row)
	}
	return b.String()
}

// measure gives each column's width, and the width of its longest word.
func measure(rows [][]string) (widths, least []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
			}
			widths[i] = max(widths[i], columns(cell))
			for _, word := range strings.Fields(cell) {
				least[i] = max(least[i], columns(word))
			}
		}
	}
	return widths, least
}

// narrow takes columns from the widest one until all fit, first without
// breaking words.
func narrow(widths, least []int, room int) {
	room -= columnGap * (len(widths) - 1)
	sum := func(list []int) (n int) {
		for _, w := range list {
			n += w
		}
		return n
	}
	for _, floor := range []func(int) int{func(i int) int { return max(least[i], leastCell) }, func(int) int { return leastCell }} {
		for sum(widths) > room {
			widest := -1
			for i, w := range widths {
				if w > floor(i) && (widest < 0 || w > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
}

// row writes one row, in as many lines as its highest cell has.
func (p Page) row(b *strings.Builder, indent int, widths []int, row []string) {
	cells, height := make([][]string, len(row)), 1
	for i, cell := range row {
		cells[i] = []string{cell}
		if columns(cell) > widths[i] {
			cells[i] = fold(cell, widths[i])
		}
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", indent))
		for i := range cells {
			text := ""
			if n < len(cells[i]) {
				text = cells[i][n]
			}
			if i < len(cells)-1 {
				text = padded(text, widths[i]+columnGap)
			}
			line.WriteString(text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// fold breaks a cell into lines of at most width columns: between words, and
// where a word is wider after one of its signs, or anywhere.
func fold(cell string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(cell) {
		if line != "" && columns(line)+1+columns(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for columns(word) > width && !strings.Contains(word, "\x1b") {
			r := []rune(word)
			at := width
			for i := width; i > width/2; i-- {
				if slices.Contains([]rune("/._-:,;="), r[i-1]) {
					at = i
					break
				}
			}
			lines, word = append(lines, string(r[:at])), string(r[at:])
		}
		line = word
	}
	return append(lines, line)
}
