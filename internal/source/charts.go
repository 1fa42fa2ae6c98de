package source

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Charts are series as a chart shows them, at a cost that depends on the chart
// more than on the series.
type Charts interface {
	// Columns is a series over steps, with errors as of Series.
	Columns(q Query, columns int) (Columns, error)
	// ColumnsByTime is a machine metric, or a part of steps, over time.
	ColumnsByTime(q TimeQuery, columns int) (Columns, error)
}

// TimeQuery selects values of a series by time.
type TimeQuery struct {
	Series   string      // a machine metric, or a part of steps: time/step, time/data, …
	Of       string      // the host or worker; empty: the first host, or the first worker that has any, the chief before all
	Mode     record.Mode // of parts of steps, which count at their beginning
	From, To time.Time   // from is included, to is not; the zero time is no bound
	// Together are machine metrics that stand for the series: at each instant their
	// sum or, with Mean, their mean.
	Together []string
	Mean     bool
}

// Columns are the columns of a chart, or the points themselves where these are
// at most twice as many as the columns asked for.
//
// Of columns, what is asked for is widened to whole ones. Their width depends on
// the length of the range only, and they begin at its multiples: a chart that is
// moved shows the same columns at other places.
type Columns struct {
	Points  int64            // that Columns, or Steps, stand for
	Width   int64            // of a column in steps, or microseconds: a power of two; 0: Steps and Values are the points themselves
	Columns []record.Stretch // ascending; one without a point is left out. There may be one more than asked for
	Steps   []int64          // or microseconds since 1970
	Values  []float64
	// Begin and End are the first and the last step of the whole series.
	Begin, End int64
}

// DefaultColumns are as many as a large screen is wide.
const DefaultColumns = 1600

// Range is what a chart of a series covers: whole columns.
type Range struct {
	From, To int64 // both included
	asked    struct{ from, to int64 }
	width    int // bits of a step that do not tell columns apart
	columns  int
}

// RangeOf cuts a range of steps, to not included, into columns and widens it to
// them. A bound of math.MinInt64 or math.MaxInt64 is none: then the series, which
// begins and ends where it is said, does.
func RangeOf(from, to, begin, end int64, columns int) Range {
	if columns < 1 {
		columns = DefaultColumns
	}
	if from == math.MinInt64 {
		from = begin
	}
	last := to - 1
	if to == math.MaxInt64 {
		last = end
	}
	last = max(last, from)
	r := Range{columns: columns}
	r.asked.from, r.asked.to = from, last
	for uint64(last-from)>>r.width >= uint64(columns) && r.width < 62 {
		r.width++
	}
	r.From, r.To = from>>r.width<<r.width, last|(1<<r.width-1)
	return r
}

// Whole reports whether a stretch lies in one column.
func (r *Range) Whole(s *record.Stretch) bool {
	return bits.Len64(uint64(s.From^s.To)) <= r.width && s.From >= r.From && s.To <= r.To
}

// Cut are the points of an ascending series in the range.
func (r *Range) Cut(steps []int64, values []float64) ([]int64, []float64) {
	return between(steps, values, r.From, r.To)
}

func between(steps []int64, values []float64, from, to int64) ([]int64, []float64) {
	a, _ := slices.BinarySearch(steps, from)
	b, found := slices.BinarySearch(steps, to)
	if found {
		b++
	}
	return steps[a:b:b], values[a:b:b]
}

// Few reports whether the points are shown themselves, where so many are in the columns.
func (r *Range) Few(points int64) bool { return points <= 2*int64(r.columns) }

// Chart puts together the columns of a series: its points in the range, and
// stretches, each in one column, of the others. Both ascend, and no point is at
// a step of a stretch.
func (r *Range) Chart(steps []int64, values []float64, stretches []record.Stretch) Columns {
	c := Columns{Points: int64(len(steps))}
	for i := range stretches {
		c.Points += stretches[i].Count
	}
	if len(stretches) == 0 && r.Few(c.Points) {
		c.Steps, c.Values = between(steps, values, r.asked.from, r.asked.to)
		c.Points = int64(len(c.Steps))
		return c
	}
	c.Width = 1 << r.width
	var now record.Stretch
	begin := func(step int64) {
		if now.Count > 0 && now.From>>r.width != step>>r.width {
			c.Columns, now = append(c.Columns, now), record.Stretch{}
		}
	}
	i := 0
	add := func(until int64) {
		for ; i < len(steps) && steps[i] <= until; i++ {
			begin(steps[i])
			now.Add(steps[i], values[i])
		}
	}
	for k := range stretches {
		add(stretches[k].From)
		begin(stretches[k].From)
		now.Join(&stretches[k])
	}
	add(math.MaxInt64)
	if now.Count > 0 {
		c.Columns = append(c.Columns, now)
	}
	return c
}

// ColumnsOf makes a chart of a whole series that is read, ascending.
func ColumnsOf(steps []int64, values []float64, from, to int64, columns int) Columns {
	if len(steps) == 0 {
		return Columns{}
	}
	begin, end := steps[0], steps[len(steps)-1]
	r := RangeOf(from, to, begin, end, columns)
	steps, values = r.Cut(steps, values)
	c := r.Chart(steps, values, nil)
	c.Begin, c.End = begin, end
	return c
}

// Bounds are those of a query as RangeOf takes them.
func (q *Query) Bounds() (from, to int64) {
	switch {
	case q.To > 0:
		return q.From, q.To
	case q.From > 0:
		return q.From, math.MaxInt64
	}
	return math.MinInt64, math.MaxInt64
}

// Bounds are those of a query in microseconds, as RangeOf takes them.
func (q *TimeQuery) Bounds() (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !q.From.IsZero() {
		from = ceilMicros(q.From)
	}
	if !q.To.IsZero() {
		to = ceilMicros(q.To)
	}
	return from, to
}

// ceilMicros is the first whole microsecond that is not before a time.
func ceilMicros(t time.Time) int64 {
	us := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		us++
	}
	return us
}
