package view

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sameNumbers = cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })

// Only what both have is compared, in the order of interest.
func TestStatPairs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	here := map[string]float64{"zeta": 1, "mean": 3, "count": 4, "max": nan, "min": -2, "nan": 0, "alpha": inf, "only here": 1}
	there := map[string]float64{"zeta": 2, "mean": -2, "count": 4, "max": 5, "min": 0, "nan": 0, "alpha": inf, "only there": 1}
	want := []StatPair{
		{Name: "count", Here: 4, There: 4},
		{Name: "min", Here: -2, There: 0, Difference: -2, Relative: nan},
		{Name: "max", Here: nan, There: 5, Difference: nan, Relative: nan},
		{Name: "mean", Here: 3, There: -2, Difference: 5, Relative: 2.5},
		{Name: "nan", Relative: nan},
		{Name: "alpha", Here: inf, There: inf, Difference: nan, Relative: nan},
		{Name: "zeta", Here: 1, There: 2, Difference: -1, Relative: -0.5},
	}
	if d := cmp.Diff(want, statPairs(here, there, false), sameNumbers); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Of two matrices of which one has fewer values, those that both have are subtracted.
func TestMatrixLess(t *testing.T) {
	of := func(rowStride, columnStride int64, scale float64) *Matrix {
		m := &Matrix{Rows: Span{2, 9}, Columns: Span{1, 6}, RowStride: rowStride, ColumnStride: columnStride}
		for r := m.Rows.From; r < m.Rows.To; r += rowStride {
			for c := m.Columns.From; c < m.Columns.To; c += columnStride {
				m.Values = append(m.Values, scale*float64(10*r+c))
			}
		}
		return m
	}
	for _, c := range []struct{ mine, its [2]int64 }{{[2]int64{1, 1}, [2]int64{1, 1}}, {[2]int64{1, 2}, [2]int64{4, 1}}, {[2]int64{2, 4}, [2]int64{2, 2}}} {
		m := of(c.mine[0], c.mine[1], 3)
		m.less(of(c.its[0], c.its[1], 1))
		want := of(max(c.mine[0], c.its[0]), max(c.mine[1], c.its[1]), 2)
		want.Min, want.Max = want.Values[0], want.Values[len(want.Values)-1]
		if d := cmp.Diff(want, m); d != "" {
			t.Errorf("%v less %v (-want +got):\n%s", c.mine, c.its, d)
		}
	}
}
