package view

import (
	"math"
	"math/bits"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
)

type stretch struct {
	From, To    int64
	Min, Max    float64
	Mean        float64
	First, Last float64
	Count       int64
	Finite      int64
}

type chartColumns struct {
	Points     int64
	Width      int64
	Columns    []stretch
	Steps      []int64
	Values     []float64
	Begin, End int64
}

type timeQuery struct {
	series   string
	of       string
	from, to time.Time
}

func columns(t source.Run, q source.Query, n int) (chartColumns, error) {
	from, to := q.From, q.To
	q.From, q.To = 0, 0
	steps, values, err := t.Series(q)
	if err != nil || len(steps) == 0 {
		return chartColumns{}, err
	}
	begin, end := steps[0], steps[len(steps)-1]
	var s []int64
	var v []float64
	for i := range steps {
		if steps[i] >= from && (to == 0 || steps[i] < to) {
			s, v = append(s, steps[i]), append(v, values[i])
		}
	}
	c := plainColumns(s, v, n)
	c.Begin, c.End = begin, end
	return c, nil
}

func columnsByTime(t source.Run, q timeQuery, n int) (chartColumns, error) {
	m, ok := t.(source.Metrics)
	if !ok {
		return chartColumns{}, nil
	}
	host := q.of
	if host == "" {
		host = m.Hosts()[0]
	}
	at, values, err := m.Metric(host, q.series, q.from, q.to)
	if err != nil {
		return chartColumns{}, err
	}
	steps := make([]int64, len(at))
	for i := range at {
		steps[i] = at[i].UnixMicro()
	}
	c := plainColumns(steps, values, n)
	if len(steps) > 0 {
		c.Begin, c.End = steps[0], steps[len(steps)-1]
	}
	return c, nil
}

// plainColumns puts the points of a series into at most n+1 columns.
func plainColumns(steps []int64, values []float64, n int) chartColumns {
	c := chartColumns{Points: int64(len(steps))}
	if len(steps) <= 2*n {
		c.Steps, c.Values = steps, values
		return c
	}
	span := uint64(steps[len(steps)-1] - steps[0] + 1)
	shift := bits.Len64((span - 1) / uint64(n))
	c.Width = 1 << shift
	for i, s := range steps {
		k := len(c.Columns) - 1
		if k < 0 || c.Columns[k].From>>shift != s>>shift {
			c.Columns = append(c.Columns, stretch{From: s, First: values[i], Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()})
			k++
		}
		o := &c.Columns[k]
		o.To, o.Last = s, values[i]
		o.Count++
		v := values[i]
		if v-v != 0 {
			continue
		}
		if o.Finite++; o.Finite == 1 {
			o.Min, o.Max, o.Mean = v, v, v
			continue
		}
		o.Min, o.Max = min(o.Min, v), max(o.Max, v)
		o.Mean += (v - o.Mean) / float64(o.Finite)
	}
	return c
}
