package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/ranking"
	"github.com/vigil-ml/vigil/internal/view"
)

// ranking prints a line for each run, the best first: its number, its findings and
// the parameters in which the runs differ, as far as they fit.
func (p *comparison) ranking() {
	width := p.page.Width
	if width <= 0 {
		width = usual
	}
	heads, rows, left := rankTable(p.rank, p.findingsOf(), width)
	page := p.page
	page.Width = width // heads of several words are broken
	fmt.Fprint(p.w, "\n"+page.Table(0, heads, rows))
	if len(left) > 0 {
		fmt.Fprint(p.w, p.page.Hang("", fmt.Sprintf("There is no room for %s; --json has them.", printable(strings.Join(left, ", ")))))
	}
}

// findingsOf are the findings of each run, by its name.
func (p *comparison) findingsOf() map[string]string {
	of := map[string]string{}
	for i, name := range namesOf(p.Runs) {
		of[name], _, _ = strings.Cut(tallyText(p.Runs[i].Tally, p.Runs[i].Findings), ",") // without symptoms
	}
	return of
}

// rankTable is the ranking as a table: heads, rows, and the parameters for which
// there is no room.
func rankTable(a ranking.Answer, findings map[string]string, width int) (heads []string, rows [][]string, left []string) {
	heads = []string{"RANK", "RUN", strings.TrimSpace(a.Metric + " " + a.Stat), "FINDINGS"}
	for _, place := range a.Runs {
		rank, value := "-", "-"
		if place.Rank > 0 {
			rank = strconv.Itoa(place.Rank)
		}
		if v := float64(place.Value); v == v {
			value = digits(place.Value)
		}
		rows = append(rows, []string{rank, place.Name, value, findings[place.Name]})
	}
	sum := 0
	for i, head := range heads {
		wide := longestWord(head)
		for _, row := range rows {
			wide = max(wide, utf8.RuneCountInString(row[i]))
		}
		sum += wide + 2
	}
	for _, parameter := range a.Parameters {
		cells, wide := []string{}, longestWord(parameter.Name)
		for i := range a.Runs {
			text := "-"
			if v := parameter.Values[i]; v != nil {
				text = plain(*v)
			}
			cells, wide = append(cells, text), max(wide, longestWord(text))
		}
		if sum+wide > width {
			left = append(left, parameter.Name)
			continue
		}
		sum += wide + 2
		heads = append(heads, plain(parameter.Name))
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	return heads, rows, left
}

func longestWord(text string) (n int) {
	for _, word := range strings.Fields(text) {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

// beyondParameters are the differences that the ranking does not show.
func beyondParameters(list []view.Difference) []view.Difference {
	return slices.DeleteFunc(slices.Clone(list), func(d view.Difference) bool {
		return d.Section == view.InConfiguration || d.Section == view.InTraining
	})
}
