package trial

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// part is where a worker's part of a step is stored. A journal and the chunk
// it becomes have the same number and the same order of steps, so a part keeps
// its place when it is sealed.
type part struct {
	series *series
	n, row int
}

// key is what a decision names a part by.
type key struct {
	worker   string
	step     int64
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
}

// cached is the number of chunks of each worker whose values a replayer keeps.
const cached = 2

func (t *Trial) newReplayer() *replayer {
	return &replayer{t: t, taken: map[*series]map[int]int{}, queues: map[key][]part{}, decided: map[int]int{}}
}

// queue takes in the parts stored since the last call.
func (r *replayer) queue() {
	for _, s := range r.t.all() {
		if r.taken[s] == nil {
			r.taken[s] = map[int]int{}
		}
		for _, n := range s.numbers() {
			if c := s.chunks[n]; c != nil && c.count > 0 && r.taken[s][n] >= c.count {
				continue
			}
			steps := r.t.stepsOf(s, n)
			for row := r.taken[s][n]; row < len(steps); row++ {
				st := steps[row]
				k := key{st.Worker, st.Step.Step, st.Mode, st.ModeStep}
				r.queues[k] = append(r.queues[k], part{s, n, row})
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
	for _, w := range d.Workers {
		k := key{w, d.Step, d.Mode, d.ModeStep}
		q := r.queues[k]
		if len(q) == 0 {
			continue
		}
		if len(q) == 1 {
			delete(r.queues, k)
		} else {
			r.queues[k] = q[1:]
		}
		if s := r.load(q[0]); s != nil {
			c.Parts = append(c.Parts, s)
		}
	}
	return c
}

// advance hands over the decisions stored since the last call. The trial is
// not locked while fn runs.
func (r *replayer) advance(fn func(*record.Complete) error) error {
	t := r.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("replay run %q: %w", t.path, err)
	}
	r.queue()
	for _, n := range t.complete.numbers() {
		if c := t.complete.chunks[n]; c != nil && c.count > 0 && r.decided[n] >= c.count {
			continue
		}
		list := t.decisionsOf(n)
		for i := r.decided[n]; i < len(list); i++ {
			c := r.complete(list[i])
			r.decided[n] = i + 1
			t.mu.Unlock()
			err := fn(c)
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
}

// Replay hands over the complete steps exactly as the live evaluator saw them:
// the same parts in the same order of decisions. An error of fn ends it. fn
// must not change what it is given.
func (t *Trial) Replay(fn func(*record.Complete) error) error {
	r := t.newReplayer()
	defer r.release()
	return r.advance(fn)
}

// Undecided hands over the stored parts that no decision on a complete step
// names, by global step, then worker: steps that were under way when the
// evaluator ended, and parts that came too late for theirs. A new evaluator
// goes on with them.
func (t *Trial) Undecided(fn func(*record.Step) error) error {
	r := t.newReplayer()
	defer r.release()
	t.mu.Lock()
	if err := t.refresh(); err != nil {
		t.mu.Unlock()
		return fmt.Errorf("replay run %q: %w", t.path, err)
	}
	r.queue()
	for _, n := range t.complete.numbers() {
		for _, d := range t.decisionsOf(n) {
			for _, w := range d.Workers {
				k := key{w, d.Step, d.Mode, d.ModeStep}
				if q := r.queues[k]; len(q) > 0 {
					r.queues[k] = q[1:]
				}
			}
		}
	}
	var list []*record.Step
	for _, q := range r.queues {
		for _, p := range q {
			if s := r.load(p); s != nil {
				list = append(list, s)
			}
		}
	}
	t.mu.Unlock()
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

// pollEvery is how often Follow looks for more.
const pollEvery = 200 * time.Millisecond

// Follow is Replay that goes on until the run has ended or ctx is done; the
// latter is its error then.
func (t *Trial) Follow(ctx context.Context, fn func(*record.Complete) error) error {
	r := t.newReplayer()
	defer r.release()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		// The status is read first: what was stored before the run ended is
		// there when it says so.
		ended := t.Run().Status != record.Running
		if err := r.advance(fn); err != nil || ended {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
