package capture

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Session is the agent's end of one process.
type Session struct {
	Hello Hello
	Peer  Peer

	conn  *conn
	ring  *Ring
	sink  Sink
	names *tables
	opts  Options

	tail     uint64 // records read
	asked    uint64 // records looked at for what is to be filled
	acked    uint64
	lost     uint64 // records before this one may have lost their data
	held     uint64 // bytes of data between acked and tail
	use      uint64 // bytes of the data area the hook may use
	frames   int    // frames and pieces since the last look at the ring
	bye      bool
	late     time.Time // until when unknown ids may still be announced (takeover)
	replan   atomic.Bool
	welcomed atomic.Bool // the hook may be told more
	waiting  bool        // announcements came that a plan must answer
	facts    bool        // facts came
	order    [4]stepMark

	compared   map[string]bool          // kinds of messages of which one was compared with its type
	mismatches map[record.Mismatch]bool // that were noted

	out   planWriter
	items []Item
}

// stepMark is the last closed step of one mode.
type stepMark struct {
	seen           bool
	step, modeStep int64
}

// Replan asks the session to send the plan again soon. Any goroutine may.
func (s *Session) Replan() { s.replan.Store(true) }

// SetSynced publishes that the values of the first n records survive a loss of
// power. Any goroutine may call it until the sink was closed.
func (s *Session) SetSynced(n uint64) { s.ring.setSynced(n) }

// RingBytes is the size of the data area.
func (s *Session) RingBytes() int64 { return int64(s.ring.DataBytes) }

// Acked is the number of records that were stored before.
func (s *Session) Acked() uint64 { return s.ring.Acked() }

// Unread is the number of records that are published and not stored.
func (s *Session) Unread() uint64 { return s.ring.Head() - min(s.ring.Acked(), s.ring.Head()) }

// Begun is the number of records that were published when the hook began its
// last step; read reports whether all of these were handed over. Without says, the
// hook does not say when steps begin.
func (s *Session) Begun() (n uint64, read, says bool) {
	n = s.ring.Begun()
	if n == 0 {
		return 0, true, false
	}
	return n - 1, n-1 <= s.tail, true
}

// Dropped is what the hook says it had no room to announce.
func (s *Session) Dropped() uint64 { return s.ring.Dropped() }

// messages handles every message that has arrived whole.
func (s *Session) messages() error {
	for {
		m, ok, err := s.conn.split.next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		s.compare(m)
		if err := s.message(m); err != nil {
			s.sink.Refuse(err.Error(), 1)
		}
	}
}

func (s *Session) message(m Message) error {
	switch m.Type {
	case TypeModules:
		v, err := decode[Modules](m)
		if err == nil && len(v.Modules) > maxModules {
			err = fmt.Errorf("take modules: %d are more than allowed (%d)", len(v.Modules), maxModules)
		}
		if err != nil {
			return err
		}
		s.sink.Modules(v)
		s.waiting = true
	case TypeTensors:
		v, err := decode[Tensors](m)
		if err != nil {
			return err
		}
		defs, err := s.names.tensors(v.Tensors)
		if len(defs) > 0 {
			s.sink.Tensors(defs)
			s.waiting = true
		}
		return err
	case TypeShapes:
		v, err := decode[Shapes](m)
		if err != nil {
			return err
		}
		return s.names.addShapes(v.Shapes)
	case TypeLayout:
		v, err := decode[Layout](m)
		if err != nil {
			return err
		}
		if err := s.names.addLayout(v); err != nil {
			return err
		}
		s.framed(v)
		return nil
	case TypeFacts:
		s.facts = true
		return take(m, s.sink.Facts)
	case TypeLoader:
		return take(m, s.sink.Loader)
	case TypeCompiler:
		return take(m, s.sink.Compiler)
	case TypeMissing:
		return take(m, s.sink.Missing)
	case TypeNotice:
		return take(m, s.sink.Notice)
	case TypeCheckpoint:
		return take(m, s.sink.Checkpoint)
	case TypeProvenance:
		return take(m, s.sink.Provenance)
	case TypeTraceback:
		return take(m, s.sink.Traceback)
	case TypeCollection:
		if err := take(m, s.sink.Collection); err != nil {
			return err
		}
		s.waiting = true
	case TypeBye:
		if err := take(m, s.sink.Bye); err != nil {
			return err
		}
		s.bye = true
	}
	return nil
}

func decode[T any](m Message) (T, error) {
	var v T
	err := m.Decode(&v)
	return v, err
}

func take[T any](m Message, to func(T)) error {
	v, err := decode[T](m)
	if err == nil {
		to(v)
	}
	return err
}

// answer sends the plan when something asks for it. While a message is on its
// way it waits for the rest: many announcements get one answer.
func (s *Session) answer() {
	if !s.waiting && !s.replan.Load() || s.conn.split.begun() {
		return
	}
	s.waiting = false
	s.replan.Store(false)
	p := s.sink.Plan()
	if p.Ring.Use <= 0 || uint64(p.Ring.Use) > s.ring.DataBytes {
		p.Ring.Use = int64(s.ring.DataBytes)
	}
	s.grow(uint64(p.Ring.Use))
	s.out.send(p)
}

// prefaulted is how much of the data area has pages as soon as it is in use:
// the frames of small models and the free area lie there. The first frame of a
// large layout gets its pages when it is announced; all else when it is needed.
const prefaulted = 32 << 20

// grow gives its pages to the part of the data area that comes into use.
func (s *Session) grow(use uint64) {
	if use > s.use {
		s.out.prefault(extent{min(s.use, prefaulted), min(use, prefaulted)})
		s.use = use
	}
}

// framed gives its pages to the first frame of a layout.
func (s *Session) framed(l Layout) {
	if from, to := max(l.At, prefaulted), l.At+l.Bytes; l.At < s.ring.DataBytes && from < to {
		s.out.prefault(extent{from, to})
	}
}

// planWriter writes plans to the socket without ever holding up the reading of
// the ring: a hook that does not read must not be able to.
type planWriter struct {
	conn    *conn
	ring    *Ring
	version uint64

	mu      sync.Mutex
	next    *Plan
	want    []extent // parts of the data area to prefault
	running bool
	closed  atomic.Bool
	done    sync.WaitGroup
}

func (w *planWriter) send(p Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	p.Version = w.version
	w.next = &p
	w.start()
}

func (w *planWriter) prefault(e extent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want = append(w.want, e)
	w.start()
}

// start runs the writer; mu is held.
func (w *planWriter) start() {
	if w.running || w.closed.Load() {
		return
	}
	w.running = true
	w.done.Go(w.run)
}

func (w *planWriter) run() {
	for {
		w.mu.Lock()
		p, want := w.next, extent{}
		w.next = nil
		if p == nil && len(w.want) > 0 {
			want, w.want = w.want[0], w.want[1:]
		}
		if p == nil && want.empty() && len(w.want) == 0 || w.closed.Load() {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if p == nil {
			w.ring.Prefault(want, w.closed.Load)
			continue
		}
		b, err := AppendMessage(nil, TypePlan, p)
		if err == nil {
			err = w.conn.write(b)
		}
		if err == nil {
			w.ring.setPlanVersion(p.Version)
		}
	}
}

// close waits for a write under way, which closing the connection has ended.
func (w *planWriter) close() {
	w.closed.Store(true)
	w.done.Wait()
}
