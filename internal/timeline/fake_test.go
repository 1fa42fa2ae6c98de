package timeline

import (
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func after(seconds float64) time.Time { return begun.Add(time.Duration(math.Round(seconds * 1e9))) }

// fake is a run in memory.
type fake struct {
	hosts   []string
	samples map[string][]record.Sample
	times   map[string][]record.StepTime
	events  []record.Event
	failing error // of Times
}

func (f *fake) Hosts() []string             { return f.hosts }
func (f *fake) MetricNames(string) []string { return nil }
func (f *fake) Metric(string, string, time.Time, time.Time) ([]time.Time, []float64, error) {
	return nil, nil, nil
}

func (f *fake) Samples(host string, _, _ time.Time, fn func(*record.Sample) error) error {
	for i := range f.samples[host] {
		s := f.samples[host][i]
		if err := fn(&s); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) Times(worker string, _, _ time.Time, fn func(*record.StepTime) error) error {
	for i := range f.times[worker] {
		row := f.times[worker][i]
		if err := fn(&row); err != nil {
			return err
		}
	}
	return f.failing
}

func (f *fake) Events(time.Time, time.Time) ([]record.Event, error) {
	return slices.Clone(f.events), nil
}

func (f *fake) SpanOf(worker string, mode record.Mode, first, _ int64) (from, to time.Time, ok bool) {
	for _, row := range f.times[worker] {
		if row.Mode == mode && row.ModeStep <= first && first < row.ModeStep+row.Steps {
			return row.Start, row.End, true
		}
	}
	return time.Time{}, time.Time{}, false
}

// row is a row of steps with parts in milliseconds, in their order.
func row(worker string, mode record.Mode, step, steps int64, from float64, ms ...float64) record.StepTime {
	r := record.StepTime{Worker: worker, Step: step, Mode: mode, ModeStep: step, Steps: steps, Start: after(from)}
	for p, n := range ms {
		r.Parts[p] = int64(math.Round(n * 1e6))
	}
	r.End = r.Start.Add(time.Duration(r.Total()))
	r.Longest, r.LongestStep = r.Total()/steps, step
	return r
}

// detail are intervals of a step with parts in milliseconds, in their order.
func detail(step int64, from float64, ms ...float64) []record.Interval {
	var list []record.Interval
	at := after(from)
	for p, n := range ms {
		end := at.Add(time.Duration(n * 1e6))
		list = append(list, record.Interval{Part: record.StepPart(p), Start: at, End: end, Step: step, ModeStep: step})
		at = end
	}
	return list
}

func stored(list ...[]record.Interval) []Detail {
	var all []Detail
	for _, l := range list {
		all = append(all, Detail{Bytes: int64(len(l)) * 20, Read: func() ([]record.Interval, error) { return l, nil }})
	}
	return all
}

func run(m *fake, workers ...string) Run {
	r := Run{Run: record.Run{Name: "run", Command: []string{"python", "train.py"}, Started: begun, Host: "here"}, Workers: workers, Metrics: m}
	for i, w := range workers {
		r.Run.Workers = append(r.Run.Workers, record.Worker{Name: w, Rank: i, World: len(workers), Host: "here", Chief: i == 0})
	}
	return r
}
