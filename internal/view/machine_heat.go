package view

import (
	"math"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

// MachineHeat is how much of a machine was used over time, 0 to 100: of each
// machine as a whole, of each core and each GPU.
type MachineHeat struct {
	Times   []float64 // where the columns begin, in seconds since 1970
	Seconds float64   // how wide a column is
	Rows    []MachineHeatRow
}

// MachineHeatRow is one core, GPU or total: per column the mean and the highest, NaN
// where nothing was sampled.
type MachineHeatRow struct {
	Name    string
	Kind    string // HeatTotal, HeatCore or HeatGPU
	Values  []float64
	Highest []float64
}

// Kinds of rows of a MachineHeat.
const (
	HeatTotal = "total"
	HeatCore  = "cpu"
	HeatGPU   = "gpu"
)

// mostHeatRows bounds the rows of a MachineHeat.
const mostHeatRows = 1024

// MachineHeatOf is the use of a host (empty: the first one) over a span.
func MachineHeatOf(t source.Run, host string, from, to time.Time, columns int) (*MachineHeat, error) {
	h := &MachineHeat{Times: []float64{}, Rows: []MachineHeatRow{}}
	m, ok := t.(source.Metrics)
	host, there := hostOf(m, ok, host)
	if !there {
		return h, nil
	}
	names := m.MetricNames(host)
	at := instants(m, host, names)
	if len(at) == 0 {
		return h, nil
	}
	every := max(interval(at), 50*time.Millisecond)
	if from.IsZero() {
		from = at[0]
	}
	if to.IsZero() {
		to = at[len(at)-1].Add(every)
	}
	if !to.After(from) {
		return h, nil
	}
	n := int(min(max(int64(to.Sub(from)/every), 1), int64(max(columns, 1))))
	width := max(to.Sub(from)/time.Duration(n), 1)
	h.Seconds = width.Seconds()
	for i := range n {
		h.Times = append(h.Times, seconds(from.Add(time.Duration(i)*width)))
	}
	for _, row := range heatRows(names) {
		f, known, err := metricOf(m, host, row.of, from, to)
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		values, highest := inColumns(f, from, width, n)
		h.Rows = append(h.Rows, MachineHeatRow{row.name, row.kind, values, highest})
	}
	return h, nil
}

type heatRowOf struct{ name, kind, of string }

// heatRows are the totals, then the cores, then the GPUs.
func heatRows(names []string) []heatRowOf {
	rows := []heatRowOf{{"CPU", HeatTotal, "cpu/total"}}
	var cores, gpus []heatRowOf
	for _, name := range byNumber(names) {
		switch {
		case matches("cpu/*", name):
			cores = append(cores, heatRowOf{"core " + strings.TrimPrefix(name, "cpu/"), HeatCore, name})
		case matches("gpu/*/utilization", name):
			gpus = append(gpus, heatRowOf{"GPU " + strings.Split(name, "/")[1], HeatGPU, name})
		}
	}
	if len(gpus) > 0 {
		rows = append(rows, heatRowOf{"GPU", HeatTotal, "gpu/*/utilization"})
	}
	rows = append(append(rows, cores...), gpus...)
	return rows[:min(len(rows), mostHeatRows)]
}

// inColumns are mean and highest of the values in each of n columns.
func inColumns(f figures, from time.Time, width time.Duration, n int) (mean, highest []float64) {
	mean, highest = make([]float64, n), make([]float64, n)
	counts := make([]int, n)
	for i, at := range f.at {
		c := int(min(at.Sub(from)/width, time.Duration(n-1)))
		if v := f.values[i]; c >= 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
			if counts[c]++; counts[c] == 1 {
				highest[c] = v
			}
			mean[c] += v
			highest[c] = max(highest[c], v)
		}
	}
	for c, k := range counts {
		if k == 0 {
			mean[c], highest[c] = math.NaN(), math.NaN()
			continue
		}
		mean[c] /= float64(k)
	}
	return mean, highest
}
