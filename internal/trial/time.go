package trial

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"sort"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// forget takes in that a file made room for others.
func (t *Trial) forget(rel string) {
	dir := path.Dir(rel)
	if path.Dir(dir) != layout.SystemDir {
		return
	}
	t.removed[rel] = true
	if s := t.hosts[dir]; s != nil {
		if name, n, ok := layout.ChunkNumber(path.Base(rel)); ok && s.chunks[n] != nil {
			delete(s.chunks[n].tables, name)
			s.chunks[n].at = nil
		}
	}
}

// Hosts names the hosts that stored machine metrics, the run's own first, the
// others sorted.
func (t *Trial) Hosts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.hostNames()
}

func (t *Trial) hostNames() []string {
	var list []string
	for _, s := range t.allHosts() {
		if t.samplesOf(s) > 0 {
			list = append(list, s.worker)
		}
	}
	if i := slices.Index(list, t.run.Host); i > 0 {
		list = slices.Insert(slices.Delete(list, i, i+1), 0, t.run.Host)
	}
	return list
}

// host finds the series of a host; nil when it stored none. No name means the
// first one.
func (t *Trial) host(name string) *series {
	if name == "" {
		if list := t.hostNames(); len(list) > 0 {
			name = list[0]
		}
	}
	for _, s := range t.hosts {
		if s.worker == name {
			return s
		}
	}
	return nil
}

// samplesOf is how many samples a host stored, those that made room included.
func (t *Trial) samplesOf(s *series) (n int64) {
	for _, number := range s.numbers() {
		n += t.samplesIn(s, number)
	}
	return n
}

// samplesIn is how many samples one chunk or journal holds, or held.
func (t *Trial) samplesIn(s *series, n int) int64 {
	if j := s.tails[n]; j != nil {
		return int64(len(j.machine.Times))
	}
	return int64(s.chunks[n].count)
}

// MetricNames are the machine's series of a host, sorted.
func (t *Trial) MetricNames(host string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	if s := t.host(host); s != nil {
		return t.metricNames(s)
	}
	return nil
}

func (t *Trial) metricNames(s *series) []string {
	names := map[string]bool{}
	for _, n := range s.numbers() {
		if j := s.tails[n]; j != nil {
			for _, name := range j.machine.Names {
				names[name] = true
			}
		} else if f := t.table(s.chunks[n], chunk.Metrics); f != nil {
			for _, name := range f.MetricNames() {
				names[name] = true
			}
		}
	}
	return sortedKeys(names)
}

// hasMetric reports whether a host stored a series.
func (t *Trial) hasMetric(s *series, name string) bool {
	return slices.ContainsFunc(s.numbers(), func(n int) bool {
		if j := s.tails[n]; j != nil {
			return slices.Contains(j.machine.Names, name)
		}
		f := t.table(s.chunks[n], chunk.Metrics)
		return f != nil && f.HasMetric(name)
	})
}

// block are the samples of one chunk or journal.
type block struct {
	first   int64 // number of the first sample, within the host
	times   []int64
	names   []string    // sorted
	columns [][]float64 // NaN where there is none
}

// instants are the times of the samples of one chunk or journal.
func (t *Trial) instants(s *series, n int) []int64 {
	if j := s.tails[n]; j != nil {
		return j.machine.Times
	}
	c := s.chunks[n]
	if f := t.table(c, chunk.Metrics); f != nil && c.at == nil {
		var err error
		if c.at, err = f.Instants(0, f.Rows()); err != nil {
			t.spoil(c.tables[chunk.Metrics], err)
			c.at = nil
		}
	}
	return c.at
}

// figures reads one column of a chunk or journal; nil when it has none.
func (t *Trial) figures(s *series, n int, name string, from, to int) []float64 {
	if j := s.tails[n]; j != nil {
		if column := j.machine.Column(name); column != nil {
			return column[from:to:to]
		}
		return nil
	}
	c := s.chunks[n]
	f := t.table(c, chunk.Metrics)
	if f == nil {
		return nil
	}
	values, there, err := f.Figures(name, int64(from), int64(to-from))
	if err != nil {
		t.spoil(c.tables[chunk.Metrics], err)
	}
	if !there || err != nil {
		return nil
	}
	return values
}

// within cuts ascending times to a span: from is in it, to is not.
func within(times []int64, from, to time.Time) (first, last int) {
	last = len(times)
	if !from.IsZero() {
		us := ceilMicros(from)
		first = sort.Search(len(times), func(i int) bool { return times[i] >= us })
	}
	if !to.IsZero() {
		us := ceilMicros(to)
		last = sort.Search(len(times), func(i int) bool { return times[i] >= us })
	}
	return min(first, last), last
}

// ceilMicros is the first whole microsecond that is not before a time.
func ceilMicros(t time.Time) int64 {
	us := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		us++
	}
	return us
}

// outside reports whether a chunk holds nothing of a span for sure.
func (c *sealed) outside(from, to time.Time) bool {
	return c != nil && c.span != nil && (!from.IsZero() && c.span[1] < from.UnixMicro() || !to.IsZero() && c.span[0] > ceilMicros(to))
}

// Metric is one series of a host (empty: the first one), ascending by time;
// fs.ErrNotExist when the host has no such series.
func (t *Trial) Metric(host, name string, from, to time.Time) (times []time.Time, values []float64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err = t.refresh()
	if err == nil {
		s := t.host(host)
		if s == nil || !t.hasMetric(s, name) {
			err = fs.ErrNotExist
		} else {
			pieces, n := t.metric(s, name, from, to)
			times, values = make([]time.Time, 0, n), make([]float64, 0, n)
			for _, p := range pieces {
				for i, v := range p.figures {
					if !math.IsNaN(v) {
						times, values = append(times, time.UnixMicro(p.at[i]).UTC()), append(values, v)
					}
				}
			}
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read machine metric %.200q of %.200q: %w", name, host, err)
	}
	return times, values, nil
}

// piece is what one chunk or journal holds of a series.
type piece struct {
	first   int64     // number of the first sample
	at      []int64   // times of the samples
	figures []float64 // as many, NaN where there is none
}

// metric reads a series: its pieces, and how many figures they hold at most.
func (t *Trial) metric(s *series, name string, from, to time.Time) (pieces []piece, most int) {
	first := int64(0)
	for _, n := range s.numbers() {
		number := first
		first += t.samplesIn(s, n)
		if s.chunks[n].outside(from, to) {
			continue
		}
		at := t.instants(s, n)
		a, b := within(at, from, to)
		if a == b {
			continue
		}
		if figures := t.figures(s, n, name, a, b); figures != nil {
			pieces = append(pieces, piece{number + int64(a), at[a:b], figures})
			most += len(figures)
		}
	}
	return pieces, most
}

// block reads samples of a chunk or journal, those from number n on and within a
// span.
func (t *Trial) block(s *series, number int, first, n int64, from, to time.Time) *block {
	at := t.instants(s, number)
	a, b := within(at, from, to)
	a = max(a, int(min(max(n-first, 0), int64(len(at)))))
	if a >= b {
		return nil
	}
	k := &block{first: first + int64(a), times: at[a:b:b]}
	if j := s.tails[number]; j != nil {
		k.names = slices.Sorted(slices.Values(j.machine.Names))
	} else if f := t.table(s.chunks[number], chunk.Metrics); f != nil {
		k.names = f.MetricNames()
	}
	for _, name := range k.names {
		k.columns = append(k.columns, t.figures(s, number, name, a, b))
	}
	return k
}

// Samples hands over what a host (empty: the first one) stored, ascending by
// time, without holding up other readers. An error of fn ends it. fn must not keep
// what it is given.
func (t *Trial) Samples(host string, from, to time.Time, fn func(*record.Sample) error) error {
	return t.samples(host, 0, from, to, func(_ int64, s *record.Sample) error { return fn(s) })
}

// SamplesFrom is Samples in the order stored, from the n-th sample on (counted
// from 0, with those that made room for others), each with its number.
func (t *Trial) SamplesFrom(host string, n int64, fn func(i int64, s *record.Sample) error) error {
	return t.samples(host, n, time.Time{}, time.Time{}, fn)
}

func (t *Trial) samples(host string, n int64, from, to time.Time, fn func(i int64, s *record.Sample) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("read machine metrics of %.200q: %w", host, err)
	}
	s := t.host(host)
	if s == nil {
		return nil
	}
	sample := record.Sample{Host: s.worker}
	first := int64(0)
	for _, number := range s.numbers() {
		start := first
		first += t.samplesIn(s, number)
		if first <= n || s.chunks[number].outside(from, to) {
			continue
		}
		k := t.block(s, number, start, n, from, to)
		if k == nil {
			continue
		}
		t.mu.Unlock()
		err := k.each(&sample, fn)
		t.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// each hands over the samples of a block.
func (k *block) each(s *record.Sample, fn func(i int64, s *record.Sample) error) error {
	for i, at := range k.times {
		s.Time, s.Values = time.UnixMicro(at).UTC(), s.Values[:0]
		for c, column := range k.columns {
			if column != nil && !math.IsNaN(column[i]) {
				s.Values = append(s.Values, record.Scalar{Name: k.names[c], Value: column[i]})
			}
		}
		if err := fn(k.first+int64(i), s); err != nil {
			return err
		}
	}
	return nil
}

// rows reads what goes by time from a series in the order stored, from the n-th
// row on: each list is one chunk or journal, whose first row has the number given.
// The trial is not locked while fn runs.
func rows[T any](t *Trial, s *series, table string, n int64, tail func(*tail) []T, read func(f *chunk.File, from, n int64) ([]T, error),
	skip func(*sealed) bool, fn func(number int, first int64, list []T) error) error {
	first := int64(0)
	for _, number := range s.numbers() {
		var list []T
		start := first
		if j := s.tails[number]; j != nil {
			list = tail(j)
			first += int64(len(list))
			list = list[min(max(n-start, 0), int64(len(list))):]
		} else {
			c := s.chunks[number]
			f := t.table(c, table)
			if f == nil {
				continue
			}
			first += f.Rows()
			from := min(max(n-start, 0), f.Rows())
			if from == f.Rows() || skip != nil && skip(c) {
				continue
			}
			var err error
			if list, err = read(f, from, f.Rows()-from); err != nil {
				t.spoil(c.tables[table], err)
				continue
			}
		}
		if len(list) == 0 {
			continue
		}
		t.mu.Unlock()
		err := fn(number, first-int64(len(list)), list)
		t.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Trial) timesFrom(s *series, n int64, skip func(*sealed) bool, fn func(i int64, row *record.StepTime) error) error {
	return rows(t, s, chunk.Times, n, func(j *tail) []record.StepTime { return j.times }, (*chunk.File).ReadTimes, skip,
		func(number int, first int64, list []record.StepTime) error {
			for i := range list {
				row := list[i]
				if t.hidden(s, number, row.Mode, row.ModeStep) {
					continue
				}
				if err := fn(first+int64(i), &row); err != nil {
					return err
				}
			}
			return nil
		})
}

// Times hands over the step times of a worker (empty: the chief) that overlap a
// span, in the order of time. An error of fn ends it.
func (t *Trial) Times(worker string, from, to time.Time, fn func(*record.StepTime) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.timed(worker)
	if s == nil || err != nil {
		return err
	}
	return t.timesFrom(s, 0, func(c *sealed) bool { return c.outside(from, to) }, func(_ int64, row *record.StepTime) error {
		if !to.IsZero() && !row.Start.Before(to) || !from.IsZero() && !row.End.After(from) {
			return nil
		}
		return fn(row)
	})
}

// TimesFrom hands over the step times of a worker in the order stored, from the
// n-th row on (counted from 0, with those that were taken back), each with its
// number.
func (t *Trial) TimesFrom(worker string, n int64, fn func(i int64, row *record.StepTime) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.timed(worker)
	if s == nil || err != nil {
		return err
	}
	return t.timesFrom(s, n, nil, fn)
}

// timed finds the series of a worker (empty: the chief); nil when there is none.
func (t *Trial) timed(worker string) (*series, error) {
	if err := t.refresh(); err != nil {
		return nil, fmt.Errorf("read step times of %.200q: %w", worker, err)
	}
	if worker == "" {
		if w := t.workers(); len(w) > 0 {
			worker = w[0]
		}
	}
	return t.find(worker), nil
}

func (t *Trial) eventsFrom(s *series, n int64, fn func(i int64, e *record.Event) error) error {
	return rows(t, s, chunk.Events, n, func(j *tail) []record.Event { return j.events }, (*chunk.File).ReadEvents, nil,
		func(_ int, first int64, list []record.Event) error {
			for i := range list {
				e := list[i]
				if err := fn(first+int64(i), &e); err != nil {
					return err
				}
			}
			return nil
		})
}

// EventsFrom hands over the events of a worker or, when it is empty, of a host in
// the order stored, from the n-th on, each with its number.
func (t *Trial) EventsFrom(worker, host string, n int64, fn func(i int64, e *record.Event) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("read events of %.200q: %w", worker+host, err)
	}
	s := t.find(worker)
	if worker == "" {
		s = t.host(host)
	}
	if s == nil {
		return nil
	}
	return t.eventsFrom(s, n, fn)
}

// Events are those of all workers and hosts that overlap a span, by their
// beginning.
func (t *Trial) Events(from, to time.Time) ([]record.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	var list []record.Event
	for _, s := range append(t.all(), t.allHosts()...) {
		err := t.eventsFrom(s, 0, func(_ int64, e *record.Event) error {
			if (to.IsZero() || e.Start.Before(to)) && (from.IsZero() || !e.End.Before(from)) {
				list = append(list, *e)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b record.Event) int { return a.Start.Compare(b.Start) })
	return list, nil
}

// SpanOf is the time that steps of a mode took, the gap before the first one
// included; ok is false when nothing is stored of them.
func (t *Trial) SpanOf(worker string, mode record.Mode, first, last int64) (from, to time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.timed(worker)
	if s == nil || err != nil {
		return from, to, false
	}
	_ = t.timesFrom(s, 0, nil, func(_ int64, row *record.StepTime) error { // its error is always nil
		if row.Mode != mode || row.ModeStep > last || row.ModeStep+max(row.Steps, 1) <= first {
			return nil
		}
		if !ok || row.Start.Before(from) {
			from = row.Start
		}
		if !ok || row.End.After(to) {
			to = row.End
		}
		ok = true
		return nil
	})
	return from, to, ok
}
