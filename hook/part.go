package hook

import (
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/profile"
	"github.com/vigil-ml/vigil/internal/record"
)

// Part is what a training does at a moment.
type Part uint8

// The parts of a step.
const (
	WaitForData    = Part(record.WaitForData)
	CopyToDevice   = Part(record.CopyToDevice)
	Forward        = Part(record.Forward)
	Backward       = Part(record.Backward)
	WaitForRanks   = Part(record.WaitForRanks)
	UpdateWeights  = Part(record.Optimizer)
	SaveCheckpoint = Part(record.SaveCheckpoint)
	Other          = Part(record.Other)
)

// Part says what the training does from now on, until the next call: where the
// time of its steps goes. It may be called between steps, too. The goroutine that
// trains calls it.
func (h *Hook) Part(p Part) {
	if p > Other || !h.live() {
		return
	}
	defer h.leave()
	h.marks.turn(record.StepPart(p))
}

// marks are what is not sent yet of where the time goes.
type marks struct {
	profile.Writer
	wanted bool // the agent knows marks
	part   record.StepPart
	inside bool // part has begun
	sent   time.Time
}

const (
	marksEach = 250 * time.Millisecond
	mostMarks = 1 << 16 // integers that are kept
)

func (m *marks) turn(p record.StepPart) {
	if !m.wanted || m.Len() > mostMarks {
		return
	}
	if m.inside {
		m.Ends(m.part)
		m.inside = false
	}
	if p != record.Other {
		m.Begins(p)
		m.part, m.inside = p, true
	}
}

// begins opens a step for the marks: what has begun before it goes on within it.
func (m *marks) begins() {
	if !m.wanted {
		return
	}
	if m.inside {
		m.Ends(m.part)
	}
	m.Begins(record.Other)
	if m.inside {
		m.Begins(m.part)
	}
}

// stepEnds closes a step for the marks.
func (h *Hook) stepEnds(s *Step) {
	m := &h.marks
	if !m.wanted {
		return
	}
	m.turn(record.Other)
	m.Ends(record.Other)
	m.Closes(s.mode, s.global, s.n)
	if time.Since(m.sent) > marksEach || m.Len() > mostMarks/4 {
		h.sendMarks(false)
	}
}

// sendMarks publishes what is there. What finds no room is dropped and counted.
func (h *Hook) sendMarks(last bool) {
	m := &h.marks
	if !m.wanted || m.Len() == 0 {
		return
	}
	m.sent = time.Now()
	b := m.Take()
	offset, data, ok := h.client.Alloc(uint64(len(b)))
	if !ok {
		h.dropped[capture.RingFull.String()]++
		return
	}
	copy(data, b)
	r := capture.Record{Kind: capture.Marks, Offset: offset, NBytes: uint64(len(b))}
	if last {
		r.Flags = capture.FlagFinal
	}
	h.publish(r)
	h.client.Hold()
}
