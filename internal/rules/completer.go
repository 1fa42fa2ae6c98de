package rules

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// DefaultWindow is how many incomplete steps may wait for their workers.
const DefaultWindow = 1000

// Completer decides when a step is complete. Workers may number their global
// steps differently, since one may evaluate where another does not; so parts
// belong together when mode and mode step are the same. A step is complete when
// every worker has left its part or has gone; when a later step of its mode is
// complete; when every worker that left a part of it has gone on to a TRAIN
// step that is complete (or a GLOBAL one); when the job has ended; or when more
// than the window are waiting, in which case the older half is declared
// complete as it is.
//
// To a part that is held values may still be given, as a script does that logs
// after its update. Such a step waits until the worker begins another one.
//
// Complete steps leave it in increasing global order, each once, and in each
// mode in increasing order of mode steps; a part that comes after its step has
// left is too late and is counted. The global step of a complete step is the
// largest that a worker gives it, or the next one that is free.
type Completer struct {
	window  int
	workers map[string]bool // true: still there
	pending map[place]*waiting
	held    map[string]place // by worker: its last part, to which values may still be given
	cursor  record.Cursor
	late    int64
}

// place is where a step is in its mode.
type place struct {
	mode record.Mode
	step int64
}

// waiting is a step that is not complete yet.
type waiting struct {
	place
	parts []*record.Step
}

// part is what a worker left, nil when it has not.
func (s *waiting) part(worker string) *record.Step {
	if i := s.index(worker); i >= 0 {
		return s.parts[i]
	}
	return nil
}

func (s *waiting) index(worker string) int {
	return slices.IndexFunc(s.parts, func(p *record.Step) bool { return p.Worker == worker })
}

// NewCompleter makes a completer; a window of 0 or less is DefaultWindow.
func NewCompleter(window int) *Completer {
	if window <= 0 {
		window = DefaultWindow
	}
	return &Completer{window: window, workers: map[string]bool{}, pending: map[place]*waiting{}, held: map[string]place{}, cursor: record.NewCursor()}
}

// Worker announces a worker whose parts are to be waited for.
func (c *Completer) Worker(name string) { c.workers[name] = true }

// Gone says that nothing more will come of a worker, and gives the steps that
// waited for nobody else.
func (c *Completer) Gone(name string) []*record.Complete {
	c.workers[name] = false
	delete(c.held, name)
	upTo := map[record.Mode]int64{}
	for at, s := range c.pending {
		if n, ok := upTo[at.mode]; (!ok || at.step > n) && c.whole(s) {
			upTo[at.mode] = at.step
		}
	}
	return c.release(upTo)
}

// From goes on where a cursor says that another completer was. The parts that
// waited there, and all after them, are to be added.
func (c *Completer) From(at record.Cursor) { c.cursor = at.Clone() }

// Resume says that a step was handed out before a restart.
func (c *Completer) Resume(s *record.Complete) { c.out(s) }

// Cursor says how far it is, for From.
func (c *Completer) Cursor() record.Cursor {
	at := c.cursor.Clone()
	for _, s := range c.pending {
		for _, p := range s.parts {
			at.Next[p.Worker] = min(at.Next[p.Worker], p.Step)
		}
	}
	return at
}

// Late is the number of parts that came after their step was declared
// complete.
func (c *Completer) Late() int64 { return c.late }

// Add takes one worker's part of a step and gives the steps that are complete
// now. A second part of the same worker takes the place of the first.
func (c *Completer) Add(p *record.Step) []*record.Complete {
	return append(c.Next(p.Worker), c.add(p, false)...)
}

// Hold is Add for a part to which values may still be given: its step waits for
// the worker's next one.
func (c *Completer) Hold(p *record.Step) []*record.Complete {
	return append(c.Next(p.Worker), c.add(p, true)...)
}

// Give takes values that a script gave after a step had closed, unless the step
// was handed out or never came.
func (c *Completer) Give(free *record.Step) {
	s := c.pending[place{free.Mode, free.ModeStep}]
	if s == nil {
		return
	}
	if i := s.index(free.Worker); i >= 0 {
		s.parts[i] = s.parts[i].With(free)
	}
}

// Next says that a worker has begun its next step, so that nothing more is given
// to the last one, and gives the steps that waited for that.
func (c *Completer) Next(worker string) []*record.Complete {
	at, held := c.held[worker]
	if !held {
		return nil
	}
	delete(c.held, worker)
	if s := c.pending[at]; s != nil && c.whole(s) {
		return c.release(map[record.Mode]int64{at.mode: at.step})
	}
	return nil
}

// Held are the workers whose last step has been held since before a time.
func (c *Completer) Held(before time.Time) []string {
	var list []string
	for worker, at := range c.held {
		if s := c.pending[at]; s == nil || s.part(worker).Time.Before(before) {
			list = append(list, worker)
		}
	}
	slices.Sort(list)
	return list
}

func (c *Completer) add(p *record.Step, hold bool) []*record.Complete {
	if n, ok := c.cursor.Next[p.Worker]; !ok || p.Step >= n {
		c.cursor.Next[p.Worker] = p.Step + 1
	}
	if c.cursor.Decided(p) {
		c.late++
		return nil
	}
	if _, known := c.workers[p.Worker]; !known {
		c.workers[p.Worker] = true
	}
	at := place{p.Mode, p.ModeStep}
	s := c.pending[at]
	if s == nil {
		s = &waiting{place: at}
		c.pending[at] = s
	}
	if i := s.index(p.Worker); i >= 0 {
		s.parts[i] = p
	} else {
		s.parts = append(s.parts, p)
	}
	if hold {
		c.held[p.Worker] = at
	}
	if c.whole(s) {
		return c.release(map[record.Mode]int64{at.mode: at.step})
	}
	if len(c.pending) > c.window {
		return c.older()
	}
	return nil
}

// End gives all that is left, at the end of the job.
func (c *Completer) End() []*record.Complete {
	upTo := map[record.Mode]int64{}
	for m := record.Train; m <= record.Global; m++ {
		upTo[m] = math.MaxInt64
	}
	clear(c.held)
	return c.release(upTo)
}

// older releases the older half of what waits.
func (c *Completer) older() []*record.Complete {
	list := ordered(slices.Collect(maps.Values(c.pending)))
	upTo := map[record.Mode]int64{}
	for _, s := range list[:(len(list)+1)/2] {
		upTo[s.mode] = s.step
	}
	return c.hand(upTo)
}

func (c *Completer) whole(s *waiting) bool {
	for w, there := range c.workers {
		if there && s.part(w) == nil {
			return false
		}
	}
	for _, p := range s.parts {
		if at, held := c.held[p.Worker]; held && at == s.place {
			return false
		}
	}
	return true
}

// drives reports whether a complete step of one mode ends the waiting for those
// of another that a worker left before it. Updates are what the workers of a
// job have in common; who evaluates, and how much, is each one's own affair.
func drives(mode, other record.Mode) bool {
	switch mode {
	case record.Train:
		return other != record.Train
	case record.Global:
		return other == record.Eval || other == record.Predict
	}
	return false
}

// release hands out all steps up to the one given of each mode, and those of
// other modes that are complete by that.
func (c *Completer) release(upTo map[record.Mode]int64) []*record.Complete {
	for _, mode := range []record.Mode{record.Train, record.Global} {
		n, ok := upTo[mode]
		if !ok {
			continue
		}
		passed := map[string]int64{} // by worker: global step of the last update
		reached := map[string]bool{} // who made that update, or one after it
		for at, s := range c.pending {
			if at.mode != mode {
				continue
			}
			for _, p := range s.parts {
				if at.step <= n {
					passed[p.Worker] = max(passed[p.Worker], p.Step)
				}
				reached[p.Worker] = reached[p.Worker] || at.step >= n
			}
		}
		for at, s := range c.pending {
			if last, ok := upTo[at.mode]; drives(mode, at.mode) && (!ok || at.step > last) && c.left(s, passed, reached) {
				upTo[at.mode] = at.step
			}
		}
	}
	return c.hand(upTo)
}

// left reports whether every worker that took part in a step has gone on. One
// that is no longer there never will; its part is left behind by the first
// update that it did not live to make.
func (c *Completer) left(s *waiting, passed map[string]int64, reached map[string]bool) bool {
	for _, p := range s.parts {
		if p.Step >= passed[p.Worker] && (c.workers[p.Worker] || reached[p.Worker]) {
			return false
		}
	}
	return true
}

// hand gives out all steps up to the one given of each mode.
func (c *Completer) hand(upTo map[record.Mode]int64) []*record.Complete {
	var list []*waiting
	for at, s := range c.pending {
		if n, ok := upTo[at.mode]; ok && at.step <= n {
			list = append(list, s)
			delete(c.pending, at)
		}
	}
	var out []*record.Complete
	for _, s := range ordered(list) {
		done := NewComplete(s.parts)
		done.Step = max(done.Step, c.cursor.Step+1)
		c.out(done)
		out = append(out, done)
	}
	return out
}

func (c *Completer) out(s *record.Complete) {
	c.cursor.Step = max(c.cursor.Step, s.Step)
	if n, ok := c.cursor.ModeSteps[s.Mode]; !ok || s.ModeStep > n {
		c.cursor.ModeSteps[s.Mode] = s.ModeStep
	}
	for _, p := range s.Parts {
		if n, ok := c.cursor.Next[p.Worker]; !ok || p.Step >= n {
			c.cursor.Next[p.Worker] = p.Step + 1
		}
	}
}

// ordered sorts steps by the largest number that a worker gives them, but those
// of one mode by their mode steps.
func ordered(list []*waiting) []*waiting {
	slices.SortFunc(list, func(a, b *waiting) int { return cmp.Or(cmp.Compare(a.mode, b.mode), cmp.Compare(a.step, b.step)) })
	at := make(map[place]int64, len(list))
	for i, s := range list {
		n := latest(s.parts)
		if i > 0 && list[i-1].mode == s.mode {
			n = max(n, at[list[i-1].place])
		}
		at[s.place] = n
	}
	slices.SortStableFunc(list, func(a, b *waiting) int { return cmp.Compare(at[a.place], at[b.place]) })
	return list
}

func latest(parts []*record.Step) int64 {
	n := parts[0].Step
	for _, p := range parts {
		n = max(n, p.Step)
	}
	return n
}

// NewComplete puts the parts of one step together, sorted by worker. Mode and
// mode step are those of all parts; the global step is the largest that a
// worker gives the step, and the time the latest, when the step was there.
func NewComplete(parts []*record.Step) *record.Complete {
	slices.SortFunc(parts, func(a, b *record.Step) int { return strings.Compare(a.Worker, b.Worker) })
	p := parts[0]
	c := &record.Complete{Step: latest(parts), Mode: p.Mode, ModeStep: p.ModeStep, Time: p.Time, Parts: parts}
	for _, p := range parts[1:] {
		if p.Time.After(c.Time) {
			c.Time = p.Time
		}
	}
	return c
}
