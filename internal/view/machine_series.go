package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

// MachineSeries is a machine metric as a chart shows it: its samples themselves, or
// columns of equal time with what the samples in each were. A column without a
// sample is left out. Times are seconds since 1970.
type MachineSeries struct {
	Name, Unit string
	Known      bool // the host has it
	Raw        bool // X and Mean are the samples; the other lists are empty
	Points     int  // samples in the span
	X, XLast   []float64
	Min, Max   []float64
	Mean, Last []float64
}

// MachineSeriesOf reads metrics of a host (empty: the first one) within a span. A
// name may be a pattern such as "gpu/*/utilization": the mean over the GPUs, of
// rates and amounts the sum. of is the host.
func MachineSeriesOf(t source.Run, host string, names []string, from, to time.Time, columns int) (of string, list []MachineSeries, err error) {
	list = []MachineSeries{}
	m, ok := t.(source.Metrics)
	host, there := hostOf(m, ok, host)
	for _, name := range names {
		s := MachineSeries{Name: name, Unit: MetricUnit(name)}
		q := source.TimeQuery{Series: name, Of: host, From: from, To: to, Mean: !added(s.Unit)}
		if there {
			s.Known, q.Together = metricsOf(m, host, name)
		}
		if s.Known {
			c, err := ColumnsByTime(t, q, columns)
			if err != nil {
				return host, nil, fmt.Errorf("read machine metric %q: %w", name, err)
			}
			s.fill(c)
		}
		list = append(list, s)
	}
	return host, list, nil
}

// hostOf is a host that stored metrics: the one named, or the first.
func hostOf(m source.Metrics, ok bool, host string) (string, bool) {
	if !ok {
		return host, false
	}
	hosts := m.Hosts()
	if host == "" && len(hosts) > 0 {
		host = hosts[0]
	}
	return host, slices.Contains(hosts, host)
}

// fill takes the columns of one metric over.
func (s *MachineSeries) fill(c source.Columns) {
	at := func(us int64) float64 { return float64(us) / 1e6 }
	s.Points, s.Raw = int(c.Points), c.Width == 0
	for i, us := range c.Steps {
		s.X, s.Mean = append(s.X, at(us)), append(s.Mean, c.Values[i])
	}
	for i := range c.Columns {
		v := &c.Columns[i]
		s.X, s.XLast = append(s.X, at(v.From)), append(s.XLast, at(v.To))
		s.Min, s.Max = append(s.Min, v.Min), append(s.Max, v.Max)
		s.Mean, s.Last = append(s.Mean, v.Mean), append(s.Last, v.Last)
	}
}
