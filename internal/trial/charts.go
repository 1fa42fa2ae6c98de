package trial

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

// Columns is a series as a chart shows it. Tables that are long have levels,
// which say of stretches of it what a chart needs. Rows are read only where
// stretches are longer than columns, or are not what counts: steps were taken
// back, or stored again later on.
//
// What a sealed table gives is remembered: it never changes. So a chart that is
// drawn again costs what came since.
func (t *Trial) Columns(q Query, columns int) (source.Columns, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return source.Columns{}, fmt.Errorf("read chart of %.200q: %w", q.Tensor, err)
	}
	if q.Stat == "" {
		q.Stat = chunk.ValueStat
	}
	from, to := q.Bounds()
	part, isPart := record.PartOf(q.Tensor)
	lines := []*line{valueLine(&q)}
	if isPart && q.Stat == chunk.ValueStat {
		lines = append(lines, partLine(part, q.Mode, chunk.ByStep))
	}
	for _, l := range lines {
		if c, some := t.firstChart(t.candidates(q.Worker), l, from, to, columns); some {
			return c, nil
		}
	}
	if q.Stat == chunk.ValueStat && q.Mode == record.Global {
		all := Query{Tensor: q.Tensor, Mode: q.Mode, Worker: q.Worker} // a machine metric by number of the sample
		if steps, values := t.seriesByTime(&all); len(steps) > 0 {
			return source.ColumnsOf(steps, values, from, to, columns), nil
		}
	}
	if !slices.Contains(t.statNames(q.Tensor), q.Stat) {
		return source.Columns{}, fmt.Errorf("read chart of %.200q, %q: %w", q.Tensor, q.Stat, fs.ErrNotExist)
	}
	return source.Columns{}, nil
}

// ColumnsByTime is a machine metric, or a part of steps, as a chart shows it;
// fs.ErrNotExist when the run has no such series.
func (t *Trial) ColumnsByTime(q source.TimeQuery, columns int) (source.Columns, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return source.Columns{}, fmt.Errorf("read chart of %.200q: %w", q.Series, err)
	}
	from, to := q.Bounds()
	l, list := metricLine(&q), []*series(nil)
	part, isPart := record.PartOf(q.Series)
	has := func(s *series) bool {
		if q.Together == nil {
			return t.hasMetric(s, q.Series)
		}
		return slices.ContainsFunc(q.Together, func(name string) bool { return t.hasMetric(s, name) })
	}
	switch {
	case isPart:
		l, list = partLine(part, q.Mode, chunk.ByTime), t.candidates(q.Of)
	case q.Of != "":
		if s := t.host(q.Of); s != nil && has(s) {
			list = append(list, s)
		}
	case slices.ContainsFunc(t.allHosts(), has):
		for _, host := range t.hostNames() {
			list = append(list, t.host(host))
		}
	}
	if c, some := t.firstChart(list, l, from, to, columns); some {
		return c, nil
	}
	if len(list) == 0 || isPart && !t.hasTimes() {
		return source.Columns{}, fmt.Errorf("read chart of %.200q of %.200q: %w", q.Series, q.Of, fs.ErrNotExist)
	}
	return source.Columns{}, nil
}

// firstChart is that of the first worker or host that has any points in the range,
// or at all; false where none has.
func (t *Trial) firstChart(list []*series, l *line, from, to int64, columns int) (first source.Columns, some bool) {
	for _, s := range list {
		c, has := t.chart(s, l, from, to, columns)
		if c.Points > 0 {
			return c, true
		}
		if has && !some {
			first, some = c, true
		}
	}
	return first, some
}

// chart puts the columns of a series together; false where there is no point of it.
func (t *Trial) chart(s *series, l *line, from, to int64, columns int) (c source.Columns, some bool) {
	p := plot{t: t, s: s, l: l}
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for _, n := range s.numbers() {
		h := t.drawing(s, n, l)
		if k := len(h.steps); k > 0 {
			begin, end = min(begin, h.steps[0]), max(end, h.steps[k-1])
		}
		if k := h.visible; k > 0 {
			begin, end = min(begin, h.levels[0].From), max(end, h.levels[k-1].To)
		}
		if len(h.steps)+h.visible > 0 {
			p.drawings = append(p.drawings, h)
		}
	}
	if p.drawings == nil {
		return c, false
	}
	p.Range = source.RangeOf(from, to, begin, end, columns)
	c = p.columns()
	c.Begin, c.End = begin, end
	return c, true
}

// plot is a chart that is put together.
type plot struct {
	source.Range
	t        *Trial
	s        *series
	l        *line
	drawings []drawing
	bits     []bit // in the order stored
}

// bit is a stretch, or the points of a chunk, in the range of a chart.
type bit struct {
	from, to int64
	drawing  int
	level    int  // -1: points
	rows     bool // its rows have to be read
}

func (p *plot) columns() source.Columns {
	p.split()
	p.overlaps()
	steps, values := p.points()
	stretches := p.stretches()
	count := int64(len(steps))
	for i := range stretches {
		count += stretches[i].Count
	}
	if len(stretches) > 0 && p.Few(count) {
		for i := range p.bits {
			p.bits[i].rows = true
		}
		steps, values = p.points()
		stretches = nil
	}
	return p.Chart(steps, values, stretches)
}

// split finds the stretches and points in the range.
func (p *plot) split() {
	for i := range p.drawings {
		h := &p.drawings[i]
		if steps, _ := p.Cut(h.steps, h.values); len(steps) > 0 {
			p.bits = append(p.bits, bit{from: steps[0], to: steps[len(steps)-1], drawing: i, level: -1, rows: true})
		}
		first, _ := slices.BinarySearchFunc(h.levels[:h.visible], p.From, func(v chunk.Level, step int64) int { return cmp.Compare(v.To, step) })
		for k, v := range h.levels[first:h.visible] {
			if v.From > p.To {
				break
			}
			p.bits = append(p.bits, bit{from: v.From, to: v.To, drawing: i, level: first + k, rows: !p.Whole(&v.Stretch)})
		}
	}
}

// overlaps finds what shares steps with others: there the value stored last counts.
func (p *plot) overlaps() {
	order := make([]*bit, len(p.bits))
	for i := range p.bits {
		order[i] = &p.bits[i]
	}
	before := func(a, b *bit) int { return cmp.Compare(a.from, b.from) }
	if !slices.IsSortedFunc(order, before) {
		slices.SortFunc(order, before)
	}
	for i, last := 1, 0; i < len(order); i++ {
		if order[i].from <= order[last].to {
			order[i].rows, order[last].rows = true, true
		}
		if order[i].to > order[last].to {
			last = i
		}
	}
}

// points are those of all bits whose rows are needed.
func (p *plot) points() (steps []int64, values []float64) {
	for i := 0; i < len(p.bits); i++ {
		b := p.bits[i]
		h := &p.drawings[b.drawing]
		a, v := h.steps, h.values
		if !b.rows {
			continue
		}
		if b.level >= 0 {
			last := b.level
			for i+1 < len(p.bits) && p.bits[i+1].drawing == b.drawing && p.bits[i+1].level == last+1 && p.bits[i+1].rows {
				i, last = i+1, last+1
			}
			a, v = p.t.rowsOf(p.s.chunks[h.n], p.l, h, b.level, last)
		}
		a, v = p.Cut(a, v)
		steps, values = append(steps, a...), append(values, v...)
	}
	return ascending(steps, values)
}

// stretches are those of all other bits.
func (p *plot) stretches() (list []record.Stretch) {
	for _, b := range p.bits {
		if !b.rows {
			list = append(list, p.drawings[b.drawing].levels[b.level].Stretch)
		}
	}
	before := func(a, b record.Stretch) int { return cmp.Compare(a.From, b.From) }
	if !slices.IsSortedFunc(list, before) {
		slices.SortFunc(list, before)
	}
	return list
}
