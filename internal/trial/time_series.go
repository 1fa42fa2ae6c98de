package trial

import (
	"math"
	"slices"
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

// isByTime reports whether a name is that of a series by time.
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
	if part, ok := record.PartOf(q.Tensor); ok && q.Mode != record.Global {
		for _, s := range t.candidates(q.Worker) {
			if steps, values = t.partSeries(s, part, q); len(steps) > 0 {
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

// partSeries reads the seconds of a part of steps, in the order stored.
func (t *Trial) partSeries(s *series, part record.StepPart, q *Query) (steps []int64, values []float64) {
	l := partLine(part, q.Mode, chunk.ByStep)
	for _, n := range s.numbers() {
		below := t.below(s, n, q.Mode)
		var a []int64
		var b []float64
		if j := s.tails[n]; j != nil {
			a, b = l.tail(j, below)
		} else if f := t.table(s.chunks[n], chunk.Times); f != nil {
			rows, read := l.rows(f)
			var err error
			if a, b, err = read(0, rows, below); err != nil {
				t.spoil(s.chunks[n].tables[chunk.Times], err)
				continue
			}
		}
		for i, step := range a {
			if q.Holds(q.Mode, step) {
				steps, values = append(steps, step), append(values, b[i])
			}
		}
	}
	return steps, values
}
