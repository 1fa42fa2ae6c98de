package store

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// figuresPerRow is how many figures of machine metrics weigh as much as a row of
// other tables when it is time to seal a journal.
const figuresPerRow = 2

// hostState is what a host's series knows of its samples.
type hostState struct {
	last  int64 // time of the last one, in microseconds since 1970
	shift int64 // added to all times, since the clock was set back between two writers
}

// host finds the series of a host, or begins it. w.mu is held.
func (w *Writer) host(name string) (*series, error) {
	if s := w.hosts[name]; s != nil {
		return s, nil
	}
	s := &series{dir: layout.System(name), next: 1}
	if err := w.fs.MkdirAll(w.at(s.dir)); err != nil {
		return nil, typed(err)
	}
	if err := w.event(manifest.Event{Worker: &manifest.Worker{Name: name, Dir: s.dir}}); err != nil {
		return nil, err
	}
	w.hosts[name] = s
	return s, nil
}

// Samples appends machine metrics as they are after record.Sample.Rounded. When
// it returns nil they survive kill -9. Those of a host come in the order of time;
// one that is before the last one, because the clock was set back between two
// writers, is stored right behind it, as are all that follow, and an event of the
// host says by how much.
func (w *Writer) Samples(samples ...record.Sample) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store machine metrics: %w", ErrClosed)
	}
	for len(samples) > 0 {
		n := 1
		for n < len(samples) && samples[n].Host == samples[0].Host {
			n++
		}
		if err := w.samples(clean(samples[0].Host), samples[:n]); err != nil {
			return fmt.Errorf("store machine metrics of %q: %w", samples[0].Host, err)
		}
		samples = samples[n:]
	}
	return nil
}

// samples appends samples of one host. w.mu is held.
func (w *Writer) samples(host string, samples []record.Sample) error {
	s, err := w.host(host)
	if err != nil {
		return err
	}
	if at := samples[0].Time.UnixMicro() + s.host.shift; s.host.last > 0 && at < s.host.last {
		back := s.host.last + 1 - at
		when := time.UnixMicro(s.host.last).UTC()
		event := record.Event{Host: host, Kind: record.ClockEvent, Start: when, End: when}
		if event.Facts, err = json.Marshal(map[string]float64{"seconds": -float64(back) / 1e6}); err != nil {
			return err
		}
		w.buf = journal.AppendTimes(w.buf[:0], &journal.Times{Events: []record.Event{event}})
		if err := w.write(s, w.buf); err != nil {
			return err
		}
		s.host.shift += back
	}
	names, free := map[string]uint32(nil), uint32(0)
	if s.active != nil {
		names, free = s.active.names, s.active.free
	}
	rec := journal.Samples{Host: host, First: free, Rows: make([]journal.Row, len(samples))}
	fresh := map[string]uint32{}
	last, figures := s.host.last, 0
	for i, sample := range samples {
		r := &rec.Rows[i]
		last = max(last, sample.Time.UnixMicro()+s.host.shift)
		r.Time = last
		byNumber := map[uint32]float64{}
		for _, v := range sample.Rounded().Values {
			name := clean(v.Name)
			if !chunk.SeriesName(name) {
				continue
			}
			n, known := names[name]
			if !known {
				if n, known = fresh[name]; !known {
					n = free + uint32(len(rec.Names))
					fresh[name] = n
					rec.Names = append(rec.Names, name)
				}
			}
			byNumber[n] = v.Value
		}
		r.Numbers = slices.Sorted(maps.Keys(byNumber))
		for _, n := range r.Numbers {
			r.Values = append(r.Values, byNumber[n])
		}
		figures += len(r.Values)
	}
	w.buf = journal.AppendSamples(w.buf[:0], &rec)
	if err := w.write(s, w.buf); err != nil {
		return err
	}
	s.host.last = last
	a := s.active
	if a.names == nil {
		a.names = map[string]uint32{}
	}
	maps.Copy(a.names, fresh)
	a.free = free + uint32(len(rec.Names))
	w.grow(s, int64(figures+figuresPerRow-1)/figuresPerRow)
	return nil
}

// LastSample is the time of the last sample stored of a host, the zero time when
// there is none.
func (w *Writer) LastSample(host string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.hosts[clean(host)]; s != nil && s.host.last > 0 {
		return time.UnixMicro(s.host.last).UTC()
	}
	return time.Time{}
}

// HostEvents appends events of a host, such as jumps of its clock.
func (w *Writer) HostEvents(host string, events ...record.Event) error {
	if len(events) == 0 {
		return nil
	}
	host = clean(host)
	rec := journal.Times{Events: soundEvents(events)}
	for i := range rec.Events {
		rec.Events[i].Host, rec.Events[i].Worker = host, ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store events of %q: %w", host, ErrClosed)
	}
	s, err := w.host(host)
	if err == nil {
		w.buf = journal.AppendTimes(w.buf[:0], &rec)
		err = w.write(s, w.buf)
	}
	if err != nil {
		return fmt.Errorf("store events of %q: %w", host, err)
	}
	w.grow(s, int64(len(events)))
	return nil
}

// Times appends where the time of a worker's steps went, and its events, as one
// record: when it returns nil they survive kill -9. seq is how far into the
// session's ring they reach, as for Append, but counted apart: a call whose seq is
// not above LastTimes(session) was stored before and is left out.
func (w *Writer) Times(worker, session string, seq uint64, times []record.StepTime, events []record.Event) error {
	if len(times)+len(events) == 0 && session == "" {
		return nil
	}
	rec := journal.Times{Worker: clean(worker), Session: session, Seq: seq, Times: times, Events: soundEvents(events)}
	for i := range times {
		if times[i].Worker != worker {
			return fmt.Errorf("store step times of %q: step %d is of worker %q", worker, times[i].Step, times[i].Worker)
		}
		if times[i].Mode > record.Global {
			return fmt.Errorf("store step times of %q: step %d: unknown mode %s", worker, times[i].Step, times[i].Mode)
		}
	}
	for i := range rec.Events {
		rec.Events[i].Worker = rec.Worker
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store step times of %q: %w", worker, ErrClosed)
	}
	if session != "" && seq <= w.reached[session] {
		return nil
	}
	s, err := w.worker(rec.Worker)
	if err == nil {
		w.buf = journal.AppendTimes(w.buf[:0], &rec)
		err = w.write(s, w.buf)
	}
	if err != nil {
		return fmt.Errorf("store step times of %q: %w", worker, err)
	}
	if session != "" {
		w.reached[session] = seq
	}
	w.grow(s, int64(max(len(times)+len(events), 1)))
	return nil
}

// LastTimes is the highest seq stored for a session by Times, 0 when there is
// none.
func (w *Writer) LastTimes(session string) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reached[session]
}

// soundEvents are events as the formats can hold them.
func soundEvents(events []record.Event) []record.Event {
	list := slices.Clone(events)
	for i := range list {
		e := &list[i]
		for _, s := range []*string{&e.Worker, &e.Host, &e.Kind, &e.Name} {
			*s = clean(*s)
		}
		if len(e.Facts) > 0 && !json.Valid(e.Facts) {
			e.Facts = nil
		}
	}
	return list
}

// byTime are the tables of what goes by time.
func (c *content) byTime() (list []table) {
	if len(c.machine.Times) > 0 {
		list = append(list, table{chunk.Metrics, func(w io.Writer) error { return chunk.WriteMetrics(w, &c.machine) },
			func() *chunk.Levels { return chunk.MetricLevels(&c.machine) }})
	}
	if len(c.times) > 0 {
		list = append(list, table{chunk.Times, func(w io.Writer) error { return chunk.WriteTimes(w, c.times) },
			func() *chunk.Levels { return chunk.TimeLevels(c.times) }})
	}
	if len(c.events) > 0 {
		list = append(list, table{name: chunk.Events, write: func(w io.Writer) error { return chunk.WriteEvents(w, c.events) }})
	}
	return list
}

// span is from when to when machine metrics or step times in a journal are.
func (c *content) span() *[2]int64 {
	var s *[2]int64
	grow := func(from, to int64) {
		if s == nil {
			s = &[2]int64{from, to}
		}
		s[0], s[1] = min(s[0], from), max(s[1], to)
	}
	if t := c.machine.Times; len(t) > 0 {
		grow(t[0], t[len(t)-1])
	}
	for i := range c.times {
		grow(c.times[i].Start.UnixMicro(), c.times[i].End.UnixMicro()+1)
	}
	return s
}

// timeRows is what machine metrics, step times and events weigh when it is time
// to seal.
func (c *content) timeRows() int64 {
	figures := 0
	for _, column := range c.machine.Columns {
		figures += len(column)
	}
	return int64(figures/figuresPerRow + len(c.times) + len(c.events))
}

// hosts takes stock of the hosts' directories.
func (r *resumption) hosts() error {
	w := r.w
	list, err := w.fs.List(w.at(layout.SystemDir))
	if err != nil && !missing(err) {
		return err
	}
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		s := &series{dir: path.Join(layout.SystemDir, e.Name()), next: 1}
		name, known := r.dirs[s.dir]
		if !known {
			name, known = layout.Unescape(e.Name())
		}
		for rel, sealed := range r.sealed {
			if path.Dir(rel) == s.dir && sealed.Span != nil {
				s.host.last = max(s.host.last, sealed.Span[1])
			}
		}
		if err := r.series(s); err != nil {
			return err
		}
		if known {
			w.hosts[name] = s
		}
	}
	return nil
}
