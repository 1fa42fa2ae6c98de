// Package report writes one self-contained HTML file about a run: what went
// wrong and why, the losses by mode, the statistics of every layer over the
// steps, with the findings marked on the curves. The file needs no network.
package report

import (
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/internal/record"
)

// Limits that keep the file below 2 MB however long the run was.
const (
	maxCurvePoints = 1200    // per loss curve; spikes are kept
	maxCurves      = 16      // loss curves
	maxCells       = 150_000 // cells of all heat maps together
	maxRows        = 400     // rows of one heat map
	maxColumns     = 240
	maxMarks       = 40 // findings marked on the curves
)

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

// curve is one line of a chart over global steps.
type curve struct {
	Name   string    `json:"name"`
	Steps  []int64   `json:"steps"`
	Values []precise `json:"values"`
}

// heatMap is one statistic of many tensors over the same global steps.
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

// mark is a finding as the curves show it.
type mark struct {
	Step     int64           `json:"step"`
	Rule     string          `json:"rule"`
	Severity record.Severity `json:"severity"`
	Subject  string          `json:"subject"`
}

// pageData is what the page's script reads.
type pageData struct {
	Losses   []curve   `json:"losses"`
	Heat     []heatMap `json:"heat"`
	Findings []mark    `json:"findings"`
}
