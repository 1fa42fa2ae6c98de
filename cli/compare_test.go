package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// A panel is drawn on the scale of all runs: what ends early leaves room, what is not
// finite has a cross.
func TestPanel(t *testing.T) {
	e := extent{from: 0, to: 9, low: 0, high: 1}
	nan := record.Number(math.NaN())
	for _, tt := range []struct {
		name    string
		values  []record.Number
		unicode bool
		want    string
	}{
		{"falls", []record.Number{1, 1, 0.75, 0.5, 0.5, 0.25, 0.25, 0, 0, 0}, true, `
██
██▄
███
█████
█████▄▄
███████▁▁▁
`},
		{"ends early", []record.Number{0, 0.5}, true, `


 █
 █
▁█
`},
		{"not finite", []record.Number{1, nan, 1}, false, `
# #
# #
# #
# #
# #
#x#
`},
		{"nothing", nil, true, "\n\n\n\n\n\n\n"},
	} {
		var c *view.Course
		for i, v := range tt.values {
			if c == nil {
				c = &view.Course{}
			}
			c.Steps, c.Values = append(c.Steps, int64(i)), append(c.Values, v)
		}
		var got strings.Builder
		for _, row := range panel(c, e, 10, tt.unicode) {
			got.WriteString(strings.TrimRight(row, " ") + "\n")
		}
		if want := strings.TrimPrefix(tt.want, "\n"); strings.TrimLeft(got.String(), "\n") != strings.TrimLeft(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got.String(), want)
		}
	}
}

func TestExtent(t *testing.T) {
	series := func(low, high float64) view.SharedSeries {
		return view.SharedSeries{Of: []*view.Course{nil, {Steps: []int64{3}, At: 9, Min: record.Number(low), Max: record.Number(high)}}}
	}
	for _, tt := range []struct {
		low, high, at, want float64
		log                 bool
	}{
		{0, 10, 5, 0.5, false},
		{1, 10000, 100, 0.5, true},
		{2, 2, 2, 0.5, false},
		{-math.MaxFloat64, math.MaxFloat64, 0, 0.5, false},
	} {
		e, finite := extentOf(series(tt.low, tt.high))
		if got := e.share(tt.at); !finite || e.log != tt.log || math.Abs(got-tt.want) > 1e-9 || e.from != 3 || e.to != 9 {
			t.Errorf("%+v: %+v, %g at %g", tt, e, got, tt.at)
		}
	}
	if _, finite := extentOf(series(math.NaN(), math.NaN())); finite {
		t.Error("nothing finite has an extent")
	}
}
