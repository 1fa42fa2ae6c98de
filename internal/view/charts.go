package view

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Columns are the columns of a chart of a series, as source.Charts says, of any
// source: one that has no charts is asked for the whole series.
func Columns(t source.Run, q source.Query, columns int) (source.Columns, error) {
	if c, ok := t.(source.Charts); ok {
		return c.Columns(q, columns)
	}
	from, to := q.Bounds()
	q.From, q.To = 0, 0
	steps, values, err := t.Series(q)
	if err != nil {
		return source.Columns{}, err
	}
	return source.ColumnsOf(steps, values, from, to, columns), nil
}

// ColumnsByTime is Columns of a series by time.
func ColumnsByTime(t source.Run, q source.TimeQuery, columns int) (source.Columns, error) {
	if c, ok := t.(source.Charts); ok {
		return c.ColumnsByTime(q, columns)
	}
	m, ok := t.(source.Metrics)
	if !ok {
		return source.Columns{}, fmt.Errorf("read chart of %.200q: this run has nothing by time: %w", q.Series, fs.ErrNotExist)
	}
	var at []int64
	var values []float64
	if part, isPart := record.PartOf(q.Series); isPart {
		err := m.Times(q.Of, time.Time{}, time.Time{}, func(r *record.StepTime) error {
			if r.Mode == q.Mode {
				at, values = append(at, r.Start.UnixMicro()), append(values, r.Seconds(part))
			}
			return nil
		})
		if err != nil {
			return source.Columns{}, err
		}
	} else {
		var f figures
		var err error
		if q.Together == nil {
			f.at, f.values, err = m.Metric(q.Of, q.Series, time.Time{}, time.Time{})
		} else {
			f, err = metricsTogether(m, q.Of, q.Together, q.Mean, time.Time{}, time.Time{})
		}
		if err != nil {
			return source.Columns{}, err
		}
		values = f.values
		for _, t := range f.at {
			at = append(at, t.UnixMicro())
		}
	}
	from, to := q.Bounds()
	return source.ColumnsOf(at, values, from, to, columns), nil
}
