// Package report writes one self-contained HTML file about a run: what went
// wrong and why, the losses by mode, the statistics of every layer over the
// steps, with the findings marked on the curves. The file needs no network.
package report

import (
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/internal/view"
)

// size keeps the file below 2 MB however long the run was.
var size = view.Size{Points: 1200, Curves: 16, Marks: 40, Cells: 150_000, Rows: 400, Columns: 240}

// value is a number as the page reads it: null when it is not finite, and no
// more digits than a screen shows.
type value float64

func (v value) MarshalJSON() ([]byte, error) {
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, f, 'g', 4, 64), nil
}

// precise is a number with the digits of a float32, for the losses.
type precise float64

func (v precise) MarshalJSON() ([]byte, error) {
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, f, 'g', 7, 64), nil
}

// curve is one line of a chart over updates.
type curve struct {
	Name   string     `json:"name"`
	Steps  []int64    `json:"steps"`
	Values []precise  `json:"values"`
	Gaps   []view.Gap `json:"gaps,omitempty"` // first and last step
}

// heatMap is one statistic of many tensors over the same updates.
type heatMap struct {
	Title string    `json:"title"`
	Log   bool      `json:"log"`
	Steps []int64   `json:"steps"`
	Rows  []heatRow `json:"rows"`
}

type heatRow struct {
	Name   string  `json:"name"`
	Values []value `json:"values"`
}

// pageData is what the page's script reads.
type pageData struct {
	Losses   []curve     `json:"losses"`
	Rates    []curve     `json:"rates"`
	Heat     []heatMap   `json:"heat"`
	Hist     []histMap   `json:"hist"`
	Findings []view.Mark `json:"findings"`
	Machine  []machine   `json:"machine"`
}

// machine are the curves of a host over time: their steps are milliseconds since
// the origin, which is in milliseconds since 1970.
type machine struct {
	Origin int64   `json:"origin"`
	Shares []curve `json:"shares"`
	Rates  []curve `json:"rates"`
}

// machines are the curves of hosts as the page reads them.
func machines(list []view.HostCurves) []machine {
	out := []machine{}
	for _, h := range list {
		out = append(out, machine{h.Origin.UnixMilli(), losses(h.Shares), losses(h.Rates)})
	}
	return out
}

// losses are curves as the page reads them.
func losses(list []view.Curve) []curve {
	curves := []curve{} // a list in JSON, too, where there is none
	for _, c := range list {
		curves = append(curves, curve{c.Name, c.Steps, numbers[precise](c.Values), c.Gaps})
	}
	return curves
}

// heat are heat maps as the page reads them.
func heat(list []view.HeatMap) []heatMap {
	var maps []heatMap
	for _, m := range list {
		h := heatMap{Title: m.Title, Log: m.Log, Steps: m.Steps}
		for _, r := range m.Rows {
			h.Rows = append(h.Rows, heatRow{r.Name, numbers[value](r.Values)})
		}
		maps = append(maps, h)
	}
	return maps
}

// histMap is how the elements of a tensor spread over updates.
type histMap struct {
	Name  string  `json:"name"`
	Edges []value `json:"edges"`
	Steps []int64 `json:"steps"`
	// Columns has a text for each step with a character for each bin: "0" for
	// none, then by the root of its share of the elements up to "o".
	Columns []string `json:"columns"`
}

// shareLevels is how many shades a share may have besides none.
const shareLevels = 63

// histograms are maps as the page reads them.
func histograms(list []view.HistogramMap) []histMap {
	maps := []histMap{}
	for _, m := range list {
		h := histMap{Name: m.Name, Edges: numbers[value](m.Edges), Steps: m.Steps}
		for _, shares := range m.Shares {
			column := make([]byte, len(shares))
			for i, s := range shares {
				column[i] = '0' + byte(math.Ceil(math.Sqrt(min(s, 1))*shareLevels))
			}
			h.Columns = append(h.Columns, string(column))
		}
		maps = append(maps, h)
	}
	return maps
}

func numbers[N ~float64](values []float64) []N {
	out := make([]N, len(values))
	for i, v := range values {
		out[i] = N(v)
	}
	return out
}
