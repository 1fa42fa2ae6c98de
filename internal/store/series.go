package store

import (
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// When a journal is sealed in the background. sealRows is the default of
// SealAt.
const (
	sealBytes = 16 << 20
	sealRows  = 256 << 10
	sealAge   = 30 * time.Minute
)

// series is what one worker writes step by step, or the decisions on complete
// steps: a journal that is appended to, and journals that wait to be sealed.
type series struct {
	dir     string // in the run, with slashes
	next    int    // number of the next journal
	active  *open
	waiting []*open
	infos   *appender // announcements; workers only
	host    hostState // hosts only
}

// open is a journal that is not sealed yet.
type open struct {
	*appender
	n    int
	rows int64
	born time.Time
	// names are the numbers of the machine's series in it, free the next one.
	names map[string]uint32
	free  uint32
}

func (s *series) files() (list []*appender) {
	for _, o := range s.waiting {
		list = append(list, o.appender)
	}
	if s.active != nil {
		list = append(list, s.active.appender)
	}
	if s.infos != nil {
		list = append(list, s.infos)
	}
	return list
}

// worker finds the series of a worker, or begins it. w.mu is held.
func (w *Writer) worker(name string) (*series, error) {
	if s := w.series[name]; s != nil {
		return s, nil
	}
	s := &series{dir: layout.Series(name), next: 1}
	if err := w.fs.MkdirAll(w.at(s.dir)); err != nil {
		return nil, typed(err)
	}
	if err := w.event(manifest.Event{Worker: &manifest.Worker{Name: name, Dir: s.dir}}); err != nil {
		return nil, err
	}
	w.series[name] = s
	return s, nil
}

// write appends one record to a series' journal. w.mu is held.
func (w *Writer) write(s *series, payload []byte) error {
	if len(payload) > journal.MaxPayload {
		return fmt.Errorf("a record of %d bytes is too long", len(payload))
	}
	if s.active == nil {
		a, err := openAppender(w.fs, w.at(path.Join(s.dir, layout.Journal(s.next))))
		if err != nil {
			return err
		}
		if err := a.append([]byte(journal.Header)); err != nil {
			a.f.Close()
			_ = w.fs.Remove(a.path) // an empty journal harms nobody
			return err
		}
		s.active = &open{appender: a, n: s.next, born: time.Now()}
		s.next++
	}
	a := s.active.appender
	w.frame = journal.AppendFrame(w.frame[:0], a.size, payload)
	return a.append(w.frame)
}

// grow counts what was written and lets a large or old journal be sealed.
func (w *Writer) grow(s *series, rows int64) {
	s.active.rows += rows
	if a := s.active; a.size < sealBytes && a.rows < w.sealRows && time.Since(a.born) < sealAge {
		return
	}
	s.waiting = append(s.waiting, s.active)
	s.active = nil
	w.sealing.Add(1)
	go func() {
		defer w.sealing.Done()
		// What cannot be sealed now stays a journal; the next sealing, or
		// Close, tries again and reports.
		_ = w.sealWaiting()
	}()
}

// Append writes whole steps of one worker as one record: when it returns nil
// they survive kill -9, and no reader ever sees a part of them. seq numbers
// the calls of one session (the ring's record number up to which the steps
// reach); a call whose seq is not above LastSeq(session) was stored before and
// is left out, so that a restarted agent never doubles. An empty session is
// never compared. Steps of other workers than worker are refused.
func (w *Writer) Append(worker, session string, seq uint64, steps ...*record.Step) error {
	if len(steps) == 0 && session == "" {
		return nil
	}
	rec := journal.Steps{Worker: clean(worker), Session: session, Seq: seq, Steps: make([]*record.Step, len(steps))}
	rows := int64(0)
	for i, s := range steps {
		if s.Worker != worker {
			return fmt.Errorf("append steps of %q: step %d is of worker %q", worker, s.Step, s.Worker)
		}
		var err error
		if rec.Steps[i], err = sound(s); err != nil {
			return fmt.Errorf("append steps of %q: step %d: %w", worker, s.Step, err)
		}
		rows += int64(len(s.Scalars) + len(s.Stats) + len(s.Derived))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("append steps of %q: %w", worker, ErrClosed)
	}
	if session != "" && seq <= w.sessions[session] {
		return nil
	}
	s, err := w.worker(rec.Worker)
	if err != nil {
		return fmt.Errorf("append steps of %q: %w", worker, err)
	}
	w.buf = journal.AppendSteps(w.buf[:0], &rec)
	if err := w.write(s, w.buf); err != nil {
		return fmt.Errorf("append steps of %q: %w", worker, err)
	}
	if session != "" {
		w.sessions[session] = seq
	}
	w.rows += rows
	w.grow(s, max(rows, 1))
	return nil
}

// Announce stores what is known of tensors. It is durable like Append; an
// announcement of a name replaces the earlier one.
func (w *Writer) Announce(worker string, infos []record.TensorInfo) error {
	if len(infos) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("announce tensors of %q: %w", worker, ErrClosed)
	}
	s, err := w.worker(clean(worker))
	if err == nil && s.infos == nil {
		s.infos, err = openAppender(w.fs, w.at(path.Join(s.dir, layout.Announced)))
	}
	if err == nil {
		list := make([]any, len(infos))
		for i := range infos {
			list[i] = &infos[i]
		}
		err = s.infos.line(list...)
	}
	if err != nil {
		return fmt.Errorf("announce tensors of %q: %w", worker, err)
	}
	return nil
}

// sound checks what the formats cannot hold, and gives a copy with clean names
// where a name is not UTF-8.
func sound(s *record.Step) (*record.Step, error) {
	if s.Mode > record.Global {
		return nil, fmt.Errorf("unknown mode %s", s.Mode)
	}
	ok := utf8.ValidString(s.Worker)
	for i := range s.Scalars {
		ok = ok && utf8.ValidString(s.Scalars[i].Name)
	}
	for i := range s.Stats {
		ok = ok && utf8.ValidString(s.Stats[i].Tensor)
	}
	for i := range s.Derived {
		if st := s.Derived[i].Stat; st == "" || st == chunk.ValueStat {
			return nil, fmt.Errorf("a derived number of %q may not be called %q", s.Derived[i].Tensor, st)
		}
		ok = ok && utf8.ValidString(s.Derived[i].Tensor) && utf8.ValidString(s.Derived[i].Stat)
	}
	for _, name := range s.Raw {
		ok = ok && utf8.ValidString(name)
	}
	if ok {
		return s, nil
	}
	c := *s
	c.Worker = clean(s.Worker)
	c.Scalars = append([]record.Scalar(nil), s.Scalars...)
	for i := range c.Scalars {
		c.Scalars[i].Name = clean(c.Scalars[i].Name)
	}
	c.Stats = append([]record.TensorStats(nil), s.Stats...)
	for i := range c.Stats {
		c.Stats[i].Tensor = clean(c.Stats[i].Tensor)
	}
	c.Derived = append([]record.Derived(nil), s.Derived...)
	for i := range c.Derived {
		c.Derived[i].Tensor, c.Derived[i].Stat = clean(c.Derived[i].Tensor), clean(c.Derived[i].Stat)
	}
	c.Raw = append([]string(nil), s.Raw...)
	for i := range c.Raw {
		c.Raw[i] = clean(c.Raw[i])
	}
	return &c, nil
}

// clean makes a name valid UTF-8, which every format of the store needs.
func clean(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
