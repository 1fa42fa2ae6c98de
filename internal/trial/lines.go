package trial

import (
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// line is a series as it is in one kind of table, and in journals.
type line struct {
	table, name, stat string
	mode              record.Mode
	byTime            bool // at microseconds, not at steps
	// tail are its points in a journal, those of steps from one on left out.
	tail func(j *tail, below int64) (steps []int64, values []float64)
	// rows are those of it in a table: how many, and a reader of some of them. Of
	// step times it leaves out steps from one on.
	rows func(f *chunk.File) (n int64, read readRows)
}

type readRows func(from, to, below int64) (steps []int64, values []float64, err error)

// valueLine is a scalar, statistic or derived number by step.
func valueLine(q *Query) *line {
	st, isStat := chunk.Statistics[q.Stat]
	l := &line{table: chunk.Scalars, name: q.Tensor, stat: q.Stat, mode: q.Mode}
	if isStat {
		l.table = chunk.Stats
	}
	l.tail = func(j *tail, below int64) (steps []int64, values []float64) {
		for _, s := range j.steps {
			if s.Mode == q.Mode && s.ModeStep < below {
				eachValue(s.Step, q, st, func(v float64) { steps, values = append(steps, s.ModeStep), append(values, v) })
			}
		}
		return steps, values
	}
	l.rows = func(f *chunk.File) (int64, readRows) {
		for _, e := range f.Find(q.Tensor) {
			if isStat || e.Stat == q.Stat {
				return e.Rows, func(from, to, _ int64) ([]int64, []float64, error) {
					return cut(f, chunk.Entry{From: e.From + from, Rows: to - from}, &Query{Mode: q.Mode, From: math.MinInt64}, st, isStat)
				}
			}
		}
		return 0, func(_, _, _ int64) ([]int64, []float64, error) { return nil, nil, nil }
	}
	return l
}

// partLine is a part of steps, in seconds, by step or by time. Where a row is of
// several steps, there is one value, their mean, at the first.
func partLine(part record.StepPart, mode record.Mode, by string) *line {
	place := func(step, start int64) int64 {
		if by == chunk.ByTime {
			return start
		}
		return step
	}
	return &line{
		table: chunk.Times, name: part.Series(), stat: by, mode: mode, byTime: by == chunk.ByTime,
		tail: func(j *tail, below int64) (at []int64, values []float64) {
			for i := range j.times {
				if r := &j.times[i]; r.Mode == mode && r.ModeStep < below {
					at, values = append(at, place(r.ModeStep, r.Start.UnixMicro())), append(values, r.Seconds(part))
				}
			}
			return at, values
		},
		rows: func(f *chunk.File) (int64, readRows) {
			return f.Rows(), func(from, to, below int64) (at []int64, values []float64, err error) {
				rows, err := f.ReadParts(from, to-from, part, by == chunk.ByTime)
				for i := range rows {
					if r := &rows[i]; r.Mode == mode && r.ModeStep < below {
						at, values = append(at, place(r.ModeStep, journal.Time(r.Start).UnixMicro())), append(values, r.Seconds)
					}
				}
				return at, values, err
			}
		},
	}
}

// metricLine is a machine metric by time, in microseconds, or several together.
func metricLine(q *source.TimeQuery) *line {
	l := &line{table: chunk.Metrics, name: q.Series, stat: chunk.ValueStat, mode: record.Global, byTime: true}
	names := q.Together
	if names == nil {
		names = []string{q.Series}
	} else if l.name, l.stat = strings.Join(names, "\n"), "sum"; q.Mean {
		l.stat = "mean"
	}
	points := func(times []int64, column func(name string) ([]float64, error)) (at []int64, values []float64, err error) {
		sums, counts := make([]float64, len(times)), make([]int, len(times))
		for _, name := range names {
			figures, err := column(name)
			if err != nil {
				return nil, nil, err
			}
			for i, v := range figures {
				if !math.IsNaN(v) {
					sums[i], counts[i] = sums[i]+v, counts[i]+1
				}
			}
		}
		for i, n := range counts {
			if n == 0 {
				continue
			}
			if q.Mean && n > 1 {
				sums[i] /= float64(n)
			}
			at, values = append(at, times[i]), append(values, sums[i])
		}
		return at, values, nil
	}
	l.tail = func(j *tail, _ int64) ([]int64, []float64) {
		at, values, _ := points(j.machine.Times, func(name string) ([]float64, error) { return j.machine.Column(name), nil })
		return at, values
	}
	l.rows = func(f *chunk.File) (int64, readRows) {
		if !slices.ContainsFunc(names, f.HasMetric) {
			return 0, func(_, _, _ int64) ([]int64, []float64, error) { return nil, nil, nil }
		}
		return f.Rows(), func(from, to, _ int64) ([]int64, []float64, error) {
			times, err := f.Instants(from, to-from)
			if err != nil {
				return nil, nil, err
			}
			return points(times, func(name string) ([]float64, error) {
				figures, _, err := f.Figures(name, from, to-from)
				return figures, err
			})
		}
	}
	return l
}
