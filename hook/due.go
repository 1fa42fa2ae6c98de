package hook

import (
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// firstPlan is how long the first step waits for the agent's plan, so that
// what is due at step 0 is captured there. An agent answers within
// milliseconds; later steps never wait for one.
const firstPlan = 2 * time.Second

// refresh takes a new plan in, at the start of a step.
func (h *Hook) refresh() {
	p := h.client.Plan()
	for end := time.Now().Add(firstPlan); h.global == 0 && !h.answers(p) && time.Now().Before(end); {
		time.Sleep(200 * time.Microsecond)
		p = h.client.Plan()
	}
	if p == nil || h.plan != nil && p.Version == h.version {
		return
	}
	h.plan, h.version = p, p.Version
	h.budget.share = p.Budget
	h.due = make(map[uint32][]int, len(p.Tensors))
	for _, pair := range p.Tensors {
		if pair[0] < 0 || pair[0] > capture.MaxTensors {
			continue
		}
		id := uint32(pair[0])
		list := h.due[id]
		if i := int(pair[1]); i >= 0 && i < len(p.Schedules) {
			list = append(list, i)
		}
		h.due[id] = list
	}
	h.watched = make(map[watchKey][]int, len(p.Modules))
	for _, m := range p.Modules {
		if m.Schedule >= 0 && m.Schedule < len(p.Schedules) {
			k := watchKey{m.Path, m.Side}
			h.watched[k] = append(h.watched[k], m.Schedule)
		}
	}
	h.client.Use(uint64(max(p.Ring.Use, 0)))
}

// answers reports whether a plan names every tensor that was announced.
func (h *Hook) answers(p *capture.Plan) bool {
	if p == nil {
		return false
	}
	named := make(map[uint32]bool, len(p.Tensors))
	for _, pair := range p.Tensors {
		named[uint32(pair[0])] = true
	}
	for _, t := range h.tensors {
		if t.said && !named[t.id] {
			return false
		}
	}
	return true
}

// due decides by the plan, and announces the tensor when it is due for the
// first time.
func (s *Step) due(t *Tensor) bool {
	h := s.hook
	if h.plan == nil {
		return false
	}
	list, named := h.due[t.id]
	switch k := t.info.Kind; {
	case named && t.said:
	case k == record.Input || k == record.Output:
		list = h.watched[watchKey{t.info.Module, k}]
	default:
		if t.seen {
			return false
		}
		return true
	}
	for _, i := range list {
		m := h.plan.Schedules[i][s.mode]
		if m.Due(s.n, h.budget.auto()) {
			return true
		}
	}
	return false
}

// copy puts the values into the ring.
func (s *Step) copy(t *Tensor, dt tensor.DType, b []byte, dim []int64) {
	h := s.hook
	if !t.said {
		t.info.Shape = dim
		h.tell([]*Tensor{t})
	}
	s.took, t.seen = true, true
	r := capture.Record{
		Kind: capture.Tensor, Mode: s.mode, DType: dt, ID: t.id, Step: s.global, ModeStep: s.n,
		Shape: h.shapeID(t, dim), NBytes: uint64(len(b)),
	}
	room := h.client.Room()
	if uint64(len(b)) <= room {
		at, to, ok := s.room(uint64(len(b)))
		if !ok {
			s.drop(t)
			return
		}
		copy(to, b)
		r.Offset = at
		h.publish(r)
		h.client.Hold()
		return
	}
	s.pieces(t, r, b, room/2)
}

// pieces sends a tensor that is larger than the room in the ring.
func (s *Step) pieces(t *Tensor, r capture.Record, b []byte, size uint64) {
	h := s.hook
	r.Kind = capture.Piece
	size &^= 63
	if size == 0 {
		s.drop(t)
		return
	}
	for at := uint64(0); at < uint64(len(b)); at += size {
		part := b[at:min(at+size, uint64(len(b)))]
		off, to, ok := s.room(uint64(len(part)))
		if !ok {
			s.drop(t)
			return
		}
		copy(to, part)
		r.Offset, r.NBytes, r.Value, r.Flags = off, uint64(len(part)), float64(at), 0
		if at+size >= uint64(len(b)) {
			r.Flags = capture.FlagLast
		}
		h.publish(r)
		h.client.Hold()
	}
}

// room finds n bytes. When there are none it waits once, a tenth of a step and
// at most a tenth of a second; then the breaker is open and values are dropped
// at once until there is room again.
func (s *Step) room(n uint64) (at uint64, to []byte, ok bool) {
	h := s.hook
	at, to, ok = h.client.Alloc(n)
	if ok && !h.client.Full() {
		h.breaker = false
		return at, to, true
	}
	if h.breaker {
		return 0, nil, false
	}
	wait := 100 * time.Millisecond
	if m := h.budget.median(); m > 0 {
		wait = min(m/10, wait)
	}
	for end := time.Now().Add(wait); ; {
		if at, to, ok = h.client.Alloc(n); ok && !h.client.Full() {
			return at, to, true
		}
		if !time.Now().Before(end) {
			h.breaker = true
			return 0, nil, false
		}
		time.Sleep(min(wait, 200*time.Microsecond))
	}
}

func (s *Step) drop(t *Tensor) {
	reason := capture.RingFull
	if s.hook.breaker {
		reason = capture.BreakerOpen
	}
	s.hook.dropped[reason.String()]++
	s.hook.publish(capture.Record{
		Kind: capture.Drop, Mode: s.mode, ID: t.id, Step: s.global, ModeStep: s.n, NBytes: 1, Shape: uint32(reason),
	})
}
