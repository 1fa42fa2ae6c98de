package trial

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// part is where a worker's part of a step is stored. A journal and the chunk
// it becomes have the same number and the same order of steps, so a part keeps
// its place when it is sealed.
type part struct {
	series *series
	n, row int
	free   bool // it may hold numbers only that belong to no step
}

// key is what a decision names a part by. The global step is not in it: workers
// may number a step differently.
type key struct {
	worker   string
	mode     record.Mode
	modeStep int64
}

// replayer walks through the decisions on complete steps, from the first on
// and further as more are stored.
type replayer struct {
	t       *Trial
	taken   map[*series]map[int]int // steps of each journal or chunk that are queued
	queues  map[key][]part          // parts that no decision has named yet, in the order stored
	decided map[int]int             // decisions of each journal or chunk that were handed over
	cache   []*sealed               // chunks whose values are in memory, the last used last
	after   record.Cursor           // what was decided before it is left out
	rows    record.Rows             // of each source in the windows so far
	readers map[record.RowSource]*rowReader
}

// cached is the number of chunks of each worker whose values a replayer keeps.
const cached = 2

func (t *Trial) newReplayer() *replayer {
	return &replayer{t: t, taken: map[*series]map[int]int{}, queues: map[key][]part{}, decided: map[int]int{}, after: record.NewCursor(), rows: record.Rows{}, readers: map[record.RowSource]*rowReader{}}
}

// from makes the replayer begin behind a cursor: what lies before it is not
// even read.
func (r *replayer) from(at record.Cursor) {
	r.after, r.rows = at, at.Rows.Clone()
	for _, s := range r.t.all() {
		next, known := at.Next[s.worker]
		if !known {
			continue
		}
		r.taken[s] = map[int]int{}
		passed := false // a chunk that ends before the cursor
		for _, n := range slices.Backward(s.numbers()) {
			if passed {
				r.taken[s][n] = math.MaxInt
				continue
			}
			steps := r.t.stepsOf(s, n)
			passed = len(steps) > 0
			for _, st := range steps {
				passed = passed && st.Step.Step < next
			}
		}
	}
	passed := false
	for _, n := range slices.Backward(r.t.complete.numbers()) {
		if passed {
			r.decided[n] = math.MaxInt
			continue
		}
		list := r.t.decisionsOf(n)
		passed = len(list) > 0 && before(list[0], at)
	}
}

// before reports whether a decision lies before a cursor.
func before(d *journal.Decision, at record.Cursor) bool {
	if d.Window != nil {
		return d.Window.Index < at.Window
	}
	return d.Step <= at.Step
}

// queue takes in the parts stored since the last call.
func (r *replayer) queue() {
	for _, s := range r.t.all() {
		if r.taken[s] == nil {
			r.taken[s] = map[int]int{}
		}
		for _, n := range s.numbers() {
			if c := s.chunks[n]; c != nil && c.count > 0 && r.taken[s][n] >= c.count || r.taken[s][n] == math.MaxInt {
				continue
			}
			steps := r.t.stepsOf(s, n)
			for row := r.taken[s][n]; row < len(steps); row++ {
				st := steps[row]
				if r.after.Decided(st.Step) || r.t.hidden(s, n, st.Mode, st.ModeStep) {
					continue
				}
				k := key{st.Worker, st.Mode, st.ModeStep}
				p := part{s, n, row, st.Seconds == 0 && st.Overhead == 0}
				r.queues[k] = append(r.queues[k], p)
			}
			r.taken[s][n] = max(r.taken[s][n], len(steps))
		}
	}
}

// load reads a part with its values.
func (r *replayer) load(p part) *record.Step {
	if j := p.series.tails[p.n]; j != nil {
		return r.at(p, j.steps)
	}
	c := p.series.chunks[p.n]
	if c == nil {
		return nil
	}
	for i, have := range r.cache {
		if have == c {
			r.cache = append(append(r.cache[:i:i], r.cache[i+1:]...), c)
			return r.at(p, c.full)
		}
	}
	c.full = r.t.fullSteps(c)
	r.cache = append(r.cache, c)
	for len(r.cache) > cached*max(1, len(r.t.series)) {
		r.cache[0].full = nil
		r.cache = r.cache[1:]
	}
	return r.at(p, c.full)
}

// at is the step of a part with its histograms.
func (r *replayer) at(p part, steps []journal.Lazy) *record.Step {
	if p.row >= len(steps) {
		return nil
	}
	s, err := steps[p.row].Full()
	if err != nil {
		r.t.hurt(p.series.dir, "journal or chunk %d: %v", p.n, err)
		return steps[p.row].Step
	}
	return s
}

// complete puts the step of a decision together. A part that cannot be read is
// left out; Damage names its file.
func (r *replayer) complete(d *journal.Decision) *record.Complete {
	c := &record.Complete{Step: d.Step, Mode: d.Mode, ModeStep: d.ModeStep, Time: d.Time}
	r.named(d, func(list []part) {
		s := r.load(list[0])
		if s == nil {
			return
		}
		for _, p := range list[1:] {
			if given := r.load(p); given != nil {
				s = s.With(given)
			}
		}
		c.Parts = append(c.Parts, s)
	})
	return c
}

// named takes the parts that a decision means out of their queues, those of one
// worker after another: the first one that closed a step, and as many of those
// after it as were given in time.
func (r *replayer) named(d *journal.Decision, each func([]part)) {
	for i, w := range d.Workers {
		k := key{w, d.Mode, d.ModeStep}
		q := r.queues[k]
		if len(q) == 0 {
			continue
		}
		from := max(0, slices.IndexFunc(q, func(p part) bool { return !p.free }))
		to := from + 1
		if i < len(d.Joined) {
			to = min(to+max(d.Joined[i], 0), len(q))
		}
		each(slices.Clone(q[from:to]))
		if q = slices.Delete(q, from, to); len(q) == 0 {
			delete(r.queues, k)
		} else {
			r.queues[k] = q
		}
	}
}

// advance hands over the decisions stored since the last call: steps to fn, and
// windows unless nobody wants them. The trial is not locked while it hands over.
func (r *replayer) advance(fn func(*record.Complete) error, window func(*record.Window) error) error {
	t := r.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("replay run %q: %w", t.path, err)
	}
	r.queue()
	for _, n := range t.complete.numbers() {
		if c := t.complete.chunks[n]; c != nil && c.count > 0 && r.decided[n] >= c.count || r.decided[n] == math.MaxInt {
			continue
		}
		list := t.decisionsOf(n)
		for i := r.decided[n]; i < len(list); i++ {
			d := list[i]
			if before(d, r.after) || d.Window != nil && window == nil || d.Window == nil && t.hidden(t.complete, n, d.Mode, d.ModeStep) {
				continue
			}
			var c *record.Complete
			var w *record.Window
			if d.Window != nil {
				w = r.window(d.Window)
			} else {
				c = r.complete(d)
			}
			r.decided[n] = i + 1
			t.mu.Unlock()
			var err error
			if w != nil {
				err = window(w)
			} else {
				err = fn(c)
			}
			t.mu.Lock()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// release forgets the values in memory.
func (r *replayer) release() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	for _, c := range r.cache {
		c.full = nil
	}
	r.cache = nil
	clear(r.readers)
}

// Replay hands over the complete steps exactly as the live evaluator saw them:
// the same parts in the same order of decisions. An error of fn ends it. fn
// must not change what it is given.
func (t *Trial) Replay(fn func(*record.Complete) error) error {
	return t.Decisions(fn, nil)
}

// Decisions is Replay with the windows of time in their places among the steps;
// window may be nil: then they are not read.
func (t *Trial) Decisions(step func(*record.Complete) error, window func(*record.Window) error) error {
	r := t.newReplayer()
	defer r.release()
	return r.advance(step, window)
}

// Undecided hands over the stored parts that no decision on a complete step
// names, by global step, then worker: steps that were under way when the
// evaluator ended, and parts that came too late for theirs. A new evaluator
// goes on with them.
func (t *Trial) Undecided(fn func(*record.Step) error) error {
	r := t.newReplayer()
	defer r.release()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("replay run %q: %w", t.path, err)
	}
	r.queue()
	for _, n := range t.complete.numbers() {
		for _, d := range t.decisionsOf(n) {
			if d.Window != nil || t.hidden(t.complete, n, d.Mode, d.ModeStep) {
				continue
			}
			r.named(d, func([]part) {})
		}
	}
	return r.rest(fn)
}

// rest hands over the parts in the queues. The trial is not locked while fn
// runs.
func (r *replayer) rest(fn func(*record.Step) error) error {
	var list []*record.Step
	for _, q := range r.queues {
		for _, p := range q {
			if s := r.load(p); s != nil {
				list = append(list, s)
			}
		}
	}
	r.t.mu.Unlock()
	defer r.t.mu.Lock()
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Step != list[j].Step {
			return list[i].Step < list[j].Step
		}
		return list[i].Worker < list[j].Worker
	})
	for _, s := range list {
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// ReplayAfter is Decisions and Undecided for an evaluator that goes on from a
// cursor: complete gets the decisions after it, window those on windows of time
// (nil: nobody wants them), then waiting the parts that none names. What lies before
// the cursor is not read, so the time this takes depends on what came after.
func (t *Trial) ReplayAfter(at record.Cursor, complete func(*record.Complete) error, window func(*record.Window) error, waiting func(*record.Step) error) error {
	r := t.newReplayer()
	defer r.release()
	t.mu.Lock()
	err := t.refresh()
	if err == nil {
		r.from(at)
	}
	t.mu.Unlock()
	if err != nil {
		return fmt.Errorf("replay run %q: %w", t.path, err)
	}
	if err := r.advance(complete, window); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.rest(waiting)
}

// tailing hands over complete steps as Replay does, those that were stored since
// the last call each time.
type tailing struct{ r *replayer }

// Tail begins at the first step.
func (t *Trial) Tail() source.Tail { return &tailing{t.newReplayer()} }

// Next hands over the steps stored since the last call. After an error of fn
// the step that it was given does not come again.
func (l *tailing) Next(fn func(*record.Complete) error) error { return l.r.advance(fn, nil) }

// Close forgets what is in memory.
func (l *tailing) Close() { l.r.release() }
