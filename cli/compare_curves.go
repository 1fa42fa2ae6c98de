package cli

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/view"
)

// tableRows is how many steps of a longer series a table shows; one that has at most wholeRows is shown whole.
const (
	tableRows = 10
	wholeRows = 20
)

// curves shows how each series went in the runs, on one scale.
func (p *comparison) curves() {
	shown := p.Series
	if !p.all && len(shown) > comparedCurves {
		shown = shown[:comparedCurves]
	}
	for _, s := range shown {
		if p.drawn {
			fmt.Fprint(p.w, "\n"+p.page.Panels(seriesName(s), p.panels(s)))
		} else {
			p.tabulate(s)
		}
	}
	if more := len(p.Series) - len(shown); more > 0 {
		fmt.Fprintf(p.w, "\n%d more series are shared; --all shows their curves.\n", more)
	}
}

// panels are the curves of a series, one for each run.
func (p *comparison) panels(s view.SharedSeries) []live.Panel {
	list := make([]live.Panel, len(s.Of))
	for i, c := range s.Of {
		list[i].Name = p.names[i]
		if c == nil {
			continue
		}
		list[i].Steps = c.Steps
		for _, v := range c.Values {
			list[i].Values = append(list[i].Values, float64(v))
		}
	}
	return list
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
		fmt.Fprintf(p.w, "\n%s: they have no steps in common\n", seriesName(s))
		return
	}
	var rows [][]string
	n := len(shared)
	if n > wholeRows {
		n = tableRows
	}
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
	p.tables(block{seriesName(s), rows})
}
