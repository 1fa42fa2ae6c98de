package view

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

// figures are a metric of a host over time, ascending.
type figures struct {
	at     []time.Time
	values []float64
}

// metricsOf reports whether a host has a metric, and which ones it is of where it is a
// pattern with "*".
func metricsOf(m source.Metrics, host, name string) (has bool, together []string) {
	names := m.MetricNames(host)
	if slices.Contains(names, name) {
		return true, nil
	}
	together = slices.DeleteFunc(names, func(n string) bool { return !matches(name, n) })
	return len(together) > 0, together
}

// metricOf reads a metric of a host within a span: one series, or for a pattern
// with "*" what its series give together at each instant: their mean, of rates and
// amounts their sum. ok is false where the host has none of it.
func metricOf(m source.Metrics, host, name string, from, to time.Time) (f figures, ok bool, err error) {
	has, names := metricsOf(m, host, name)
	if !has {
		return f, false, nil
	}
	if names == nil {
		names = []string{name}
	}
	f, err = metricsTogether(m, host, names, !added(MetricUnit(name)), from, to)
	return f, true, err
}

// metricsTogether reads what metrics give together at each instant.
func metricsTogether(m source.Metrics, host string, names []string, mean bool, from, to time.Time) (figures, error) {
	var all tally
	for _, n := range names {
		at, values, err := m.Metric(host, n, from, to)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return figures{}, fmt.Errorf("read machine metric %q: %w", n, err)
		}
		all.add(at, values)
	}
	return all.figures(mean), nil
}

// tally adds up series by their instants.
type tally struct {
	at     []time.Time
	sums   []float64
	counts []int
}

func (t *tally) add(at []time.Time, values []float64) {
	if t.at == nil {
		t.at, t.sums, t.counts = at, values, make([]int, len(at))
		for i := range t.counts {
			t.counts[i] = 1
		}
		return
	}
	sums, counts, times := make([]float64, 0, len(t.at)), make([]int, 0, len(t.at)), make([]time.Time, 0, len(t.at))
	i, j := 0, 0
	for i < len(t.at) || j < len(at) {
		switch {
		case j == len(at) || i < len(t.at) && t.at[i].Before(at[j]):
			times, sums, counts = append(times, t.at[i]), append(sums, t.sums[i]), append(counts, t.counts[i])
			i++
		case i == len(t.at) || at[j].Before(t.at[i]):
			times, sums, counts = append(times, at[j]), append(sums, values[j]), append(counts, 1)
			j++
		default:
			times, sums, counts = append(times, at[j]), append(sums, t.sums[i]+values[j]), append(counts, t.counts[i]+1)
			i, j = i+1, j+1
		}
	}
	t.at, t.sums, t.counts = times, sums, counts
}

func (t *tally) figures(mean bool) figures {
	f := figures{t.at, slices.Clone(t.sums)}
	for i, n := range t.counts {
		if mean && n > 1 {
			f.values[i] /= float64(n)
		}
	}
	return f
}
