package trial

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// candidates are the workers whose values may answer a query, best first.
func (t *Trial) candidates(worker string) (list []*series) {
	if worker != "" {
		if s := t.find(worker); s != nil {
			list = append(list, s)
		}
		return list
	}
	for _, w := range t.workers() {
		list = append(list, t.find(w))
	}
	return list
}

// Series are the values of one statistic, ascending by step; of several
// values at one step the last stored one counts. No value at all is no error
// when the name is known; fs.ErrNotExist when the run has no such name or
// statistic.
func (t *Trial) Series(q Query) (steps []int64, values []float64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, nil, fmt.Errorf("read series %.200q: %w", q.Tensor, err)
	}
	if q.Stat == "" {
		q.Stat = chunk.ValueStat
	}
	for _, s := range t.candidates(q.Worker) {
		steps, values = t.seriesOf(s, &q)
		if len(steps) > 0 {
			steps, values = ascending(steps, values)
			return steps, values, nil
		}
	}
	if q.Stat == chunk.ValueStat {
		if steps, values = t.seriesByTime(&q); len(steps) > 0 {
			return steps, values, nil
		}
	}
	if !slices.Contains(t.statNames(q.Tensor), q.Stat) {
		return nil, nil, fmt.Errorf("read series %.200q, %q: %w", q.Tensor, q.Stat, fs.ErrNotExist)
	}
	return nil, nil, nil
}

// seriesOf reads one worker's values in the order in which they were stored.
func (t *Trial) seriesOf(s *series, q *Query) (steps []int64, values []float64) {
	for _, n := range s.numbers() {
		a, b := t.chunkSeries(s, n, q)
		if steps == nil {
			steps, values = a, b
		} else {
			steps, values = append(steps, a...), append(values, b...)
		}
	}
	return steps, values
}

// chunkSeries reads the values that one chunk or journal holds. They are the
// caller's.
func (t *Trial) chunkSeries(s *series, n int, q *Query) (steps []int64, values []float64) {
	st, isStat := chunk.Statistics[q.Stat]
	if j := s.tails[n]; j != nil {
		for _, step := range j.steps {
			if q.Holds(step.Mode, step.ModeStep) && !t.hidden(s, n, step.Mode, step.ModeStep) {
				eachValue(step.Step, q, st, func(v float64) {
					steps, values = append(steps, step.ModeStep), append(values, v)
				})
			}
		}
		return steps, values
	}
	name := chunk.Scalars
	if isStat {
		name = chunk.Stats
	}
	c := s.chunks[n]
	f := t.table(c, name)
	if f == nil {
		return nil, nil
	}
	for _, e := range f.Find(q.Tensor) {
		if !isStat && e.Stat != q.Stat {
			continue
		}
		a, b, err := cut(f, e, q, st, isStat)
		if err != nil {
			t.spoil(c.tables[name], err)
			break
		}
		steps, values = append(steps, a...), append(values, b...)
	}
	if len(t.rewound) > 0 {
		k := 0
		for i, step := range steps {
			if !t.hidden(s, n, q.Mode, step) {
				steps[k], values[k] = step, values[i]
				k++
			}
		}
		steps, values = steps[:k], values[:k]
	}
	return steps, values
}

// eachValue hands over the values of a step that a query is about.
func eachValue(s *record.Step, q *Query, st chunk.Statistic, each func(float64)) {
	switch {
	case q.Stat == chunk.ValueStat:
		for i := range s.Scalars {
			if s.Scalars[i].Name == q.Tensor {
				each(s.Scalars[i].Value)
			}
		}
	case st.Value != nil:
		for i := range s.Stats {
			if s.Stats[i].Tensor == q.Tensor {
				each(st.Value(&s.Stats[i].Stats))
			}
		}
	default:
		for i := range s.Derived {
			if s.Derived[i].Tensor == q.Tensor && s.Derived[i].Stat == q.Stat {
				each(s.Derived[i].Value)
			}
		}
	}
}

// cut reads the rows of one entry of a table that a query is about.
func cut(f *chunk.File, e chunk.Entry, q *Query, st chunk.Statistic, isStat bool) (steps []int64, values []float64, err error) {
	modes, at, err := f.ModeSteps(e.From, e.Rows)
	if err != nil {
		return nil, nil, err
	}
	first, last := 0, len(at)
	for first < last && !q.Holds(modes[first], at[first]) {
		first++
	}
	for last > first && !q.Holds(modes[last-1], at[last-1]) {
		last--
	}
	if first == last {
		return nil, nil, nil
	}
	if isStat {
		rows := make([]tensor.Stats, last-first)
		for _, name := range st.Columns {
			if err := column(f, name, e.From+int64(first), rows); err != nil {
				return nil, nil, err
			}
		}
		values = make([]float64, len(rows))
		for i := range rows {
			values[i] = st.Value(&rows[i])
		}
	} else if values, err = f.Floats("value", e.From+int64(first), int64(last-first)); err != nil {
		return nil, nil, err
	}
	modes, steps = modes[first:last], at[first:last]
	n := 0
	for i, step := range steps {
		if q.Holds(modes[i], step) {
			steps[n], values[n] = step, values[i]
			n++
		}
	}
	return steps[:n], values[:n], nil
}

// span is the smallest range of points that holds all a query is about.
func span(points []chunk.Point, q *Query) (first, last int) {
	in := func(p chunk.Point) bool { return q.Holds(p.Mode, p.ModeStep) }
	first = slices.IndexFunc(points, in)
	if first < 0 {
		return 0, 0
	}
	for last = len(points); !in(points[last-1]); last-- {
	}
	return first, last
}

// ascending sorts by step; of equal steps the last one stays.
func ascending(steps []int64, values []float64) ([]int64, []float64) {
	if !slices.IsSorted(steps) {
		order := make([]int, len(steps))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(i, j int) bool { return steps[order[i]] < steps[order[j]] })
		a, b := make([]int64, len(steps)), make([]float64, len(steps))
		for i, k := range order {
			a[i], b[i] = steps[k], values[k]
		}
		steps, values = a, b
	}
	n := 0
	for i := range steps {
		if n > 0 && steps[n-1] == steps[i] {
			n--
		}
		steps[n], values[n] = steps[i], values[i]
		n++
	}
	return steps[:n], values[:n]
}

// Stats are the statistics of a tensor, histograms included, ascending by
// step. Query.Stat does not matter.
func (t *Trial) Stats(q Query) ([]StatsRow, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, fmt.Errorf("read statistics of %.200q: %w", q.Tensor, err)
	}
	for _, s := range t.candidates(q.Worker) {
		if list := t.statsOf(s, &q); len(list) > 0 {
			sort.SliceStable(list, func(i, j int) bool { return list[i].ModeStep < list[j].ModeStep })
			n := 0
			for i := range list {
				if n > 0 && list[n-1].ModeStep == list[i].ModeStep {
					n--
				}
				list[n] = list[i]
				n++
			}
			return list[:n], nil
		}
	}
	return nil, nil
}

func (t *Trial) statsOf(s *series, q *Query) (list []StatsRow) {
	for _, n := range s.numbers() {
		if j := s.tails[n]; j != nil {
			for _, st := range j.steps {
				for i := range st.Stats {
					if st.Stats[i].Tensor == q.Tensor && q.Holds(st.Mode, st.ModeStep) && !t.hidden(s, n, st.Mode, st.ModeStep) {
						row := StatsRow{Worker: s.worker, Step: st.Step.Step, ModeStep: st.ModeStep, Time: st.Time, Stats: st.Stats[i].Stats}
						if st.Hists != nil {
							row.Hist = t.histogram(path.Join(s.dir, layout.Journal(n)), st.Hists[i])
						}
						list = append(list, row)
					}
				}
			}
			continue
		}
		c := s.chunks[n]
		f := t.table(c, chunk.Stats)
		if f == nil {
			continue
		}
		for _, e := range f.Find(q.Tensor) {
			points, err := f.Points(e.From, e.Rows, true)
			var rows []tensor.Stats
			var hists [][]byte
			first, last := 0, 0
			if err == nil {
				first, last = span(points, q)
				rows, hists, err = f.ReadStats(e.From+int64(first), int64(last-first))
			}
			if err != nil {
				t.spoil(c.tables[chunk.Stats], err)
				break
			}
			for i, p := range points[first:last] {
				if q.Holds(p.Mode, p.ModeStep) && !t.hidden(s, n, p.Mode, p.ModeStep) {
					rows[i].Hist = t.histogram(c.tables[chunk.Stats].entry.Path, hists[i])
					list = append(list, StatsRow{Worker: s.worker, Step: p.Step, ModeStep: p.ModeStep, Time: journal.Time(p.Time), Stats: rows[i]})
				}
			}
		}
	}
	return list
}

// histogram decodes a stored histogram; nil when there is none or it is
// damaged.
func (t *Trial) histogram(file string, b []byte) *tensor.Histogram {
	if b == nil {
		return nil
	}
	h := new(tensor.Histogram)
	if err := h.UnmarshalBinary(b); err != nil {
		t.hurt(file, "%v", err)
		return nil
	}
	return h
}

// StatNames are the values of Query.Stat that have values for a tensor:
// "value" for a scalar, the statistics of a tensor, the keys of its derived
// numbers.
func (t *Trial) StatNames(name string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.statNames(name)
}

func (t *Trial) statNames(name string) []string {
	hasStats := false
	keys := map[string]bool{}
	t.eachName(func(n, stat string) {
		if n != name {
			return
		}
		if stat == "" {
			hasStats = true
		} else if !record.IsShape(stat) {
			keys[stat] = true
		}
	})
	var list []string
	if len(keys) == 0 && !hasStats && t.isByTime(name) {
		keys[chunk.ValueStat] = true
	}
	if keys[chunk.ValueStat] {
		list = append(list, chunk.ValueStat)
		delete(keys, chunk.ValueStat)
	}
	if hasStats {
		list = append(list, chunk.StatisticNames...)
	}
	return append(list, sortedKeys(keys)...)
}

// eachName visits the names of which there are values, with the statistic of
// the scalars or "" for statistics; a name may come several times.
func (t *Trial) eachName(visit func(name, stat string)) {
	for _, s := range t.all() {
		for _, n := range s.numbers() {
			if j := s.tails[n]; j != nil {
				for _, st := range j.steps {
					for i := range st.Scalars {
						visit(st.Scalars[i].Name, chunk.ValueStat)
					}
					for i := range st.Stats {
						visit(st.Stats[i].Tensor, "")
					}
					for i := range st.Derived {
						visit(st.Derived[i].Tensor, st.Derived[i].Stat)
					}
				}
				continue
			}
			for _, name := range []string{chunk.Scalars, chunk.Stats} {
				if f := t.table(s.chunks[n], name); f != nil {
					for _, e := range f.Directory() {
						visit(e.Name, e.Stat)
					}
				}
			}
		}
	}
}
