package trial

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

// timeSeries are the names of the series that step times give.
func timeSeries() []string {
	list := []string{record.TimeSeries}
	for p := range record.StepParts {
		list = append(list, p.Series())
	}
	return list
}

// byTime are the series by time whose names nobody took: parts of steps, then
// machine metrics of all hosts.
func (t *Trial) byTime(seen map[string]bool) (list []record.TensorInfo) {
	add := func(name string, kind record.Kind) {
		if !seen[name] {
			seen[name] = true
			list = append(list, record.TensorInfo{Name: name, Kind: kind})
		}
	}
	if t.hasTimes() {
		for _, name := range timeSeries() {
			add(name, record.PartTime)
		}
	}
	for _, host := range t.hostNames() {
		for _, name := range t.metricNames(t.host(host)) {
			add(name, record.MachineMetric)
		}
	}
	return list
}

// isByTime tells whether a name is that of a series by time.
func (t *Trial) isByTime(name string) bool {
	if slices.Contains(timeSeries(), name) {
		return t.hasTimes()
	}
	return slices.ContainsFunc(t.allHosts(), func(s *series) bool { return t.hasMetric(s, name) })
}

func (t *Trial) hasTimes() bool {
	return slices.ContainsFunc(t.all(), func(s *series) bool {
		for _, n := range s.numbers() {
			if j := s.tails[n]; j != nil && len(j.times) > 0 || j == nil && s.chunks[n].tables[chunk.Times] != nil {
				return true
			}
		}
		return false
	})
}

// seriesByTime are the values of a series by time: seconds of a part of a step by
// mode step, or a machine metric by number of the sample. Where a row is of
// several steps, there is one value, their mean, at the first.
func (t *Trial) seriesByTime(q *Query) (steps []int64, values []float64) {
	if name, ok := strings.CutPrefix(q.Tensor, "time/"); ok && q.Mode != record.Global {
		for _, s := range t.candidates(q.Worker) {
			if steps, values = t.partSeries(s, name, q); len(steps) > 0 {
				return ascending(steps, values)
			}
		}
		return nil, nil
	}
	if q.Mode != record.Global {
		return nil, nil
	}
	hosts := t.hostNames()
	if q.Worker != "" {
		hosts = []string{q.Worker}
	}
	for _, host := range hosts {
		s := t.host(host)
		if s == nil {
			continue
		}
		pieces, _ := t.metric(s, q.Tensor, time.Time{}, time.Time{})
		for _, p := range pieces {
			for i, v := range p.figures {
				if n := p.first + int64(i); !math.IsNaN(v) && q.Holds(record.Global, n) {
					steps, values = append(steps, n), append(values, v)
				}
			}
		}
		if len(steps) > 0 {
			return steps, values
		}
	}
	return nil, nil
}

// partSeries reads the seconds of a part of steps; "step" is all but the gap.
func (t *Trial) partSeries(s *series, name string, q *Query) (steps []int64, values []float64) {
	columns := []string{name}
	if name == "step" {
		columns = nil
		for p := range record.StepParts {
			columns = append(columns, p.String())
		}
	} else if !slices.Contains(timeSeries(), "time/"+name) {
		return nil, nil
	}
	add := func(n int, mode record.Mode, modeStep, of, ns int64) {
		if q.Holds(mode, modeStep) && !t.hidden(s, n, mode, modeStep) {
			steps, values = append(steps, modeStep), append(values, float64(ns)/1e9/float64(max(of, 1)))
		}
	}
	for _, n := range s.numbers() {
		if j := s.tails[n]; j != nil {
			for i := range j.times {
				row := &j.times[i]
				ns := row.Total() - row.Gap
				for p := range record.StepParts {
					if p.String() == name {
						ns = row.Parts[p]
					}
				}
				add(n, row.Mode, row.ModeStep, row.Steps, ns)
			}
			continue
		}
		c := s.chunks[n]
		f := t.table(c, chunk.Times)
		if f == nil {
			continue
		}
		modes, at, err := f.ModeSteps(0, f.Rows())
		var of []int64
		if err == nil {
			of, err = f.Int64s("steps", 0, f.Rows())
		}
		sum := make([]int64, len(at))
		for _, column := range columns {
			var ns []int64
			if err == nil {
				ns, err = f.Int64s(column, 0, f.Rows())
			}
			for i, v := range ns {
				sum[i] += v
			}
		}
		if err == nil && name == "step" {
			var gaps []int64
			gaps, err = f.Int64s("gap", 0, f.Rows())
			for i, v := range gaps {
				sum[i] -= v
			}
		}
		if err != nil {
			t.spoil(c.tables[chunk.Times], err)
			continue
		}
		for i, modeStep := range at {
			add(n, modes[i], modeStep, of[i], sum[i])
		}
	}
	return steps, values
}
