package hook

import (
	"time"
	"unsafe"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Step is one step of training between Begin and End. A nil *Step is inert. It
// belongs to one goroutine.
type Step struct {
	hook    *Hook
	mode    record.Mode
	global  int64
	n       int64 // mode step
	began   time.Time
	cost    time.Duration
	auto    bool // values whose interval the budget chooses are due
	took    bool // something was copied
	skipped bool
	done    bool
}

// Begin opens a step of a mode. Steps of each mode count from 0.
func (h *Hook) Begin(m Mode) *Step {
	if m > Global || !h.live() {
		return nil
	}
	defer h.leave()
	now := time.Now()
	h.announce()
	h.refresh()
	s := &Step{hook: h, mode: record.Mode(m), global: h.global, n: h.steps[m], began: now}
	h.global++
	h.steps[m]++
	s.auto = s.n%h.budget.auto() == 0
	h.marks.begins()
	s.cost = time.Since(now)
	return s
}

// Number is the step's number in its mode, -1 for an inert step.
func (s *Step) Number() int64 {
	if s == nil {
		return -1
	}
	return s.n
}

// in locks the hook for a call of the step and starts its clock.
func (s *Step) in() (start time.Time, ok bool) {
	if s == nil || !s.hook.live() {
		return start, false
	}
	if s.done {
		s.hook.mu.Unlock()
		return start, false
	}
	return time.Now(), true
}

func (s *Step) out(start time.Time) {
	s.cost += time.Since(start)
	s.hook.leave()
}

// Loss records the loss of the step, the series "loss".
func (s *Step) Loss(v float64) { s.number("loss", record.Loss, v) }

// NamedLoss records a loss of another name.
func (s *Step) NamedLoss(name string, v float64) { s.number(name, record.Loss, v) }

// Scalar records any number: an accuracy, a learning rate.
func (s *Step) Scalar(name string, v float64) { s.number(name, record.Metric, v) }

func (s *Step) number(name string, kind record.Kind, v float64) {
	start, ok := s.in()
	if !ok {
		return
	}
	defer s.out(start)
	h := s.hook
	t := h.scalar(name, kind)
	if !t.said {
		h.announce()
	}
	if kind == record.Loss && h.plan != nil && !h.plan.Losses {
		return
	}
	h.publish(capture.Record{Kind: capture.Scalar, Mode: s.mode, ID: t.id, Step: s.global, ModeStep: s.n, Value: v})
}

// Due reports whether a value of the tensor would be captured at this step, so
// that the program can save itself the work of making it.
func (s *Step) Due(t *Tensor) bool {
	start, ok := s.in()
	if !ok || t == nil {
		if ok {
			s.hook.mu.Unlock()
		}
		return false
	}
	defer s.out(start)
	return s.due(t)
}

// Float32 captures the values of a tensor, in row-major order, if they are due.
// The slice is copied before the call returns. A shape may be given when it
// differs from the registered one.
func (s *Step) Float32(t *Tensor, v []float32, shape ...int) {
	s.values(t, tensor.F32, bytesOf(v), len(v), shape)
}

// Float64 is like Float32.
func (s *Step) Float64(t *Tensor, v []float64, shape ...int) {
	s.values(t, tensor.F64, bytesOf(v), len(v), shape)
}

func bytesOf[T float32 | float64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func (s *Step) values(t *Tensor, dt tensor.DType, b []byte, n int, shape []int) {
	start, ok := s.in()
	if !ok {
		return
	}
	defer s.out(start)
	if t == nil || t.hook != s.hook {
		return
	}
	t.dt = dt
	if t.said && t.info.DType != dt.String() {
		s.hook.tell([]*Tensor{t})
	}
	if !s.due(t) {
		return
	}
	dim := t.info.Shape
	if len(shape) > 0 {
		dim = dims(shape)
	}
	if e, err := tensor.Elements(dim); err != nil || e != int64(n) {
		dim = []int64{int64(n)} // the values are worth more than a wrong shape
	}
	s.copy(t, dt, b, dim)
}

// Skip says that the update of this step was skipped, as a loss scaler does
// when a gradient overflowed; the step is not judged for that.
func (s *Step) Skip() {
	if start, ok := s.in(); ok {
		s.skipped = true
		s.out(start)
	}
}

// End closes the step. Calls after it do nothing.
func (s *Step) End() {
	start, ok := s.in()
	if !ok {
		return
	}
	defer s.hook.leave()
	s.done = true
	h := s.hook
	length := time.Since(s.began)
	s.cost += time.Since(start)
	r := capture.Record{
		Kind: capture.Step, Mode: s.mode, Step: s.global, ModeStep: s.n,
		Value: length.Seconds(), NBytes: uint64(max(s.cost, 0)),
	}
	if s.skipped {
		r.Flags = capture.FlagSkipped
	}
	h.publish(r)
	h.stepEnds(s)
	h.budget.step(length, s.cost, s.auto && s.took)
}

func (h *Hook) publish(r capture.Record) {
	if !h.client.Publish(r) {
		h.dropped[capture.RingFull.String()]++
	}
}
