package view

import (
	"math"
	"slices"
)

// heatColumns lays steps on common columns. A column stands for a stretch of
// steps.
type heatColumns struct {
	column map[int64]int
	starts []int64 // the first step of each
}

func newHeatColumns(steps map[int64]bool, most int) *heatColumns {
	all := make([]int64, 0, len(steps))
	for s := range steps {
		all = append(all, s)
	}
	slices.Sort(all)
	n := min(most, len(all))
	c := &heatColumns{make(map[int64]int, len(all)), make([]int64, n)}
	for i, s := range all {
		at := i * n / len(all)
		if i == 0 || (i-1)*n/len(all) != at {
			c.starts[at] = s
		}
		c.column[s] = at
	}
	return c
}

// empty is a row without a value.
func (c *heatColumns) empty() []float64 {
	row := make([]float64, len(c.starts))
	for i := range row {
		row[i] = math.NaN()
	}
	return row
}

// put keeps of a column's values the one of largest magnitude, so that a spike
// is not lost.
func (c *heatColumns) put(row []float64, step int64, x float64) {
	at := c.column[step]
	if old := row[at]; math.IsNaN(old) || math.Abs(x) > math.Abs(old) {
		row[at] = x
	}
}
