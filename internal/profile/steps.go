package profile

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Rows are what a batch of marks tells of one worker.
type Rows struct {
	Times     []record.StepTime
	Events    []record.Event
	Intervals []record.Interval // of single steps: of each long one, and of a short one now and then
}

// Worker makes rows of the marks of one process. The zero value is not usable.
type Worker struct {
	name string
	born time.Time // of the process; zero when not known

	wall  int64 // of the marks' zero
	next  int64 // number of the integer that is expected
	seen  bool  // a batch came, and the one that follows it is expected
	whole bool  // the first one was the first of the session

	open    []part // what has begun, outermost first
	state   state
	last    int64 // time of the last mark
	start   int64 // of the time that belongs to no closed step yet
	parts   parts // of that time
	work    int64 // when the step under way began; -1: it has not
	forward cut   // the last ends of parts, where a step that closes late was over
	update  cut
	any     cut
	spans   []span // of that time, as far as they are kept
	micro   int    // forward passes in it that came after a backward
	backed  bool   // backward came after the last of them
	kept    int64  // begin of the last step whose intervals were given

	group   group
	loaders map[int64]json.RawMessage
	passes  int // of loaders, that were told of
	phases  phases
	eval    evaluation
	rows    Rows

	compiler json.RawMessage // how it stands, as long as that is in no event
}

type parts [record.StepParts]int64

// state says what is known of the time before the next mark.
type state uint8

const (
	fresh  state = iota // the process has left no mark yet: its first step begins with one
	astray              // nothing, until a step closes
	known
)

// part is one that has begun.
type part struct {
	record.StepPart
	at int64
}

// cut is a moment at which a step may have been over.
type cut struct {
	at    int64 // -1: there was none
	parts parts // until then
	work  int64 // when the next step began; -1: it has not
}

// span is a part that was under way without a break. micro is its micro-batch in
// the step.
type span struct {
	part     record.StepPart
	from, to int64
	micro    int
}

const (
	maxOpen  = 64
	maxSpans = 512
	// maxLoaders bounds the settings that are kept, maxPasses the events.
	maxLoaders = 1000
	maxPasses  = 10000
	// maxCompiler bounds what is taken of a compiler, in bytes.
	maxCompiler = 4 << 10
)

// New is a worker. born: when its process began, zero where that is not known.
func New(name string, born time.Time) *Worker {
	w := &Worker{name: name, born: born, work: -1, kept: -never, loaders: map[int64]json.RawMessage{}}
	w.forget()
	return w
}

const never = int64(1) << 56

// Loader takes the settings of a loader, by the number that marks name it by.
func (w *Worker) Loader(number int64, facts json.RawMessage) {
	if len(w.loaders) < maxLoaders {
		w.loaders[number] = facts
	}
}

// Compiler takes how the compiler stands. The end of the next batch is when it did.
func (w *Worker) Compiler(facts json.RawMessage) {
	if len(facts) <= maxCompiler {
		w.compiler = facts
	}
}

// Add takes the next batch. missed counts integers of marks that were lost before
// it: the time they told of is in no row.
func (w *Worker) Add(b Batch) (rows Rows, missed int64) {
	if !w.seen {
		w.wall, w.whole = b.Wall, b.First == 0
	}
	if b.First != w.next {
		if w.seen {
			missed = max(b.First-w.next, 0)
		}
		w.stray()
		if b.Since >= 0 && b.Since >= w.last {
			w.begin(b.Since)
		}
	}
	w.seen = true
	w.next = b.Next
	for _, m := range b.Marks {
		w.mark(m)
	}
	w.flush()
	w.compiled()
	rows, w.rows = w.rows, Rows{}
	return rows, missed
}

// Lost says that the marks up to number next cannot be read.
func (w *Worker) Lost() {
	w.stray()
	w.seen, w.next = false, -1
}

// stray forgets the step under way: what it did is not known.
func (w *Worker) stray() {
	w.flush()
	w.state = astray
	w.open = w.open[:0]
	w.forget()
}

// begin begins the time of a step.
func (w *Worker) begin(at int64) {
	w.state, w.start, w.last = known, at, at
	w.parts, w.work = parts{}, -1
	w.spans, w.micro, w.backed = w.spans[:0], 0, false
	w.forget()
}

func (w *Worker) forget() {
	w.forward.at, w.update.at, w.any.at = -1, -1, -1
}

func (w *Worker) mark(m Mark) {
	at := max(m.At, w.last)
	switch w.state {
	case fresh:
		if m.Kind == Begins {
			w.begin(at)
		}
	case astray:
		if m.Kind == Closes && !m.Late {
			w.open = w.open[:0]
			w.begin(at)
			return
		}
	case known:
		w.pass(at)
	}
	w.last = at
	switch m.Kind {
	case Begins:
		w.begins(m.Part, at)
	case Ends:
		w.ends(m.Part, at)
	case Closes:
		if w.state == known {
			w.closes(m, at)
		}
	case Loader:
		w.loader(m, at)
	case Unknown:
		if w.state != fresh {
			w.stray()
		}
	}
}

// pass says that the time until at went into what is under way.
func (w *Worker) pass(at int64) {
	if at == w.last {
		return
	}
	p := w.current()
	w.parts[p] += at - w.last
	if n := len(w.spans); n > 0 && w.spans[n-1].part == p && w.spans[n-1].to == w.last && w.spans[n-1].micro == w.micro {
		w.spans[n-1].to = at
	} else if n < maxSpans {
		w.spans = append(w.spans, span{p, w.last, at, w.micro})
	}
}

// current is the innermost of what has begun. A forward within backward is one
// that is computed again, and a part of backward.
func (w *Worker) current() record.StepPart {
	n := len(w.open)
	if n == 0 {
		return record.Other
	}
	p := w.open[n-1].StepPart
	if p == record.Forward && w.within(record.Backward) {
		return record.Backward
	}
	return p
}

func (w *Worker) within(p record.StepPart) bool {
	return slices.ContainsFunc(w.open, func(o part) bool { return o.StepPart == p })
}

// works tells the parts with which a step begins. A hook that knows no others
// says itself that one has begun, with the part that stands for all else.
func works(p record.StepPart) bool {
	return p == record.Forward || p == record.Backward || p == record.Optimizer || p == record.Other
}

func (w *Worker) begins(p record.StepPart, at int64) {
	if p == record.WaitForData { // a forward that is still under way ended with an error
		w.open = slices.DeleteFunc(w.open, func(o part) bool { return o.StepPart == record.Forward })
	}
	if len(w.open) < maxOpen {
		w.open = append(w.open, part{p, at})
	}
	if !works(p) {
		return
	}
	if p == record.Forward && w.backed {
		w.micro++
		w.backed = false
	}
	for _, work := range []*int64{&w.work, &w.forward.work, &w.update.work, &w.any.work} {
		if *work < 0 {
			*work = at
		}
	}
}

func (w *Worker) ends(p record.StepPart, at int64) {
	i := len(w.open) - 1
	for i >= 0 && w.open[i].StepPart != p {
		i--
	}
	if i < 0 {
		return
	}
	began := w.open[i].at
	w.open = w.open[:i]
	if w.within(p) || w.state != known {
		return
	}
	now := cut{at, w.parts, -1}
	switch {
	case p == record.SaveCheckpoint:
		w.event(record.CheckpointEvent, "", w.time(began), w.time(at), w.phases.step, nil)
	case p == record.Forward && !w.within(record.Backward):
		w.forward, w.any = now, now
	case p == record.Optimizer:
		w.update, w.any = now, now
	case p == record.Backward:
		w.any = now
		w.backed = true
	}
}

// closes ends a step: at the mark, or where it was over when it closes late.
func (w *Worker) closes(m Mark, at int64) {
	c := cut{at, w.parts, -1}
	if m.Late {
		c = w.over(m.Mode, c)
	} else {
		w.open = w.open[:0]
	}
	began := w.work
	if began < 0 || began > c.at {
		began = w.start // it is not known where the gap ended
	}
	row := record.StepTime{
		Worker: w.name, Step: m.Step, Mode: m.Mode, ModeStep: m.ModeStep, Steps: 1,
		Start: w.time(w.start), End: w.time(c.at), Gap: began - w.start, Parts: c.parts,
		Longest: c.at - began, LongestStep: m.ModeStep,
	}
	w.detail(&row, c.at)
	w.group.add(w, &row)
	w.evaluated(&row)
	w.trained(&row)
	w.rest(c)
}

// over is where a step that closes late was over.
func (w *Worker) over(mode record.Mode, now cut) cut {
	c := w.forward
	if mode == record.Train || mode == record.Global {
		c = w.update
	}
	if c.at < 0 {
		c = w.any
	}
	if c.at < w.start {
		return now
	}
	return c
}

// rest leaves the time after a step to the next one.
func (w *Worker) rest(c cut) {
	w.start, w.work = c.at, c.work
	for _, o := range []*cut{&w.forward, &w.update, &w.any} {
		if o.at <= c.at {
			o.at = -1
			continue
		}
		for p := range o.parts {
			o.parts[p] -= c.parts[p]
		}
	}
	for p := range w.parts {
		w.parts[p] -= c.parts[p]
	}
	kept := w.spans[:0]
	for _, s := range w.spans {
		if s.to > c.at {
			kept = append(kept, span{s.part, max(s.from, c.at), s.to, 0})
		}
	}
	w.spans, w.micro, w.backed = kept, 0, false
}

// detail gives the intervals of a step, unless those of another one were given a
// moment ago.
func (w *Worker) detail(row *record.StepTime, until int64) {
	if w.start-w.kept < longStep {
		return
	}
	w.kept = w.start
	for _, s := range w.spans {
		if s.from < until {
			w.rows.Intervals = append(w.rows.Intervals, record.Interval{
				Part: s.part, Start: w.time(s.from), End: w.time(min(s.to, until)),
				Step: row.Step, Mode: row.Mode, ModeStep: row.ModeStep, MicroBatch: s.micro,
			})
		}
	}
}

func (w *Worker) time(at int64) time.Time { return time.Unix(0, w.wall+at).UTC() }
