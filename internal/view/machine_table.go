package view

import (
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

// UseRow is how one figure of a machine spread over the whole job. Its values are
// those of the whole machine at each sample: of its cores or GPUs the mean.
// Percentiles are interpolated linearly.
type UseRow struct {
	Host, Metric, Unit string
	Min, Max           float64
	P99, P95, P90, P50 float64
	Samples            int
}

// nodeTotal is a row of a machine, and what it is made of: the first of the names
// that there is, or all of them added.
type nodeTotal struct {
	name, unit string
	first      []string
	sum        []string
}

var nodeTotals = []nodeTotal{
	{name: "total CPU", unit: "%", first: []string{"cpu/total", "cpu/*"}},
	{name: "total GPU", unit: "%", first: []string{"gpu/*/utilization"}},
	{name: "total CPU memory", unit: "%", first: []string{"memory/used_percent"}},
	{name: "total GPU memory", unit: "%", first: []string{"gpu/*/memory_percent"}},
	{name: "total I/O wait", unit: "%", first: []string{"iowait/total", "iowait/*"}},
	{name: "total network", unit: "B/s", sum: []string{"net/received_per_s", "net/sent_per_s"}},
}

// MachineTable is how each machine was used over the whole job.
func MachineTable(t source.Run) ([]UseRow, error) {
	rows := []UseRow{}
	m, ok := t.(source.Metrics)
	if !ok {
		return rows, nil
	}
	for _, host := range m.Hosts() {
		for _, total := range nodeTotals {
			all, err := total.read(m, host)
			if err != nil {
				return nil, err
			}
			if row, ok := useOf(all.sums); ok {
				row.Host, row.Metric, row.Unit = host, total.name, total.unit
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// read gives what a row is made of.
func (n *nodeTotal) read(m source.Metrics, host string) (all tally, err error) {
	for _, name := range slices.Concat(n.first, n.sum) {
		f, there, err := metricOf(m, host, name, time.Time{}, time.Time{})
		if err != nil {
			return all, err
		}
		if there {
			all.add(f.at, f.values)
		}
		if there && n.first != nil {
			break
		}
	}
	return all, nil
}

// useOf is how values spread; false where none is finite.
func useOf(values []float64) (UseRow, bool) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(sorted) == 0 {
		return UseRow{}, false
	}
	slices.Sort(sorted)
	q := func(share float64) float64 { return quantile(sorted, share) }
	return UseRow{Min: q(0), Max: q(1), P99: q(0.99), P95: q(0.95), P90: q(0.9), P50: q(0.5), Samples: len(sorted)}, true
}
