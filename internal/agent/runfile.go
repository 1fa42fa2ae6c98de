package agent

import (
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// How often run.json follows, values are synced, and raw tensors are looked at
// that may have become too old.
const (
	runEvery  = 2 * time.Second
	syncEvery = 500 * time.Millisecond // so that what is logged is safe within a second
	keepEvery = 5 * time.Minute
)

// writeRun brings run.json up to date. change may be nil.
func (j *job) writeRun(change func(*record.Run)) error {
	j.saveDrops()
	j.writing.Lock() // what is written last is what was known last
	defer j.writing.Unlock()
	j.cmu.Lock()
	if !j.changed && change == nil {
		j.cmu.Unlock()
		return nil
	}
	j.changed = false
	steps, dropped, missing := j.counts.byMode(), j.counts.allDropped(), j.counts.notCaptured()
	overhead, facts, said := j.counts.overhead(), j.counts.facts, j.counts.said
	spent := j.spent.total(j.progress.clock.Epochs, usable())
	j.cmu.Unlock()
	return j.store.UpdateRun(func(r *record.Run) {
		r.Steps, r.Dropped, r.NotCaptured, r.Overhead = steps, dropped, missing, overhead
		r.Facts, r.Said = facts, said
		if spent != nil {
			r.Time = spent
		}
		if change != nil {
			change(r)
		}
	})
}

// summary is the last event of a run.
func (j *job) summary() *live.Summary {
	s := &live.Summary{
		Run: j.store.Run(), Path: j.store.Path(), Values: j.store.Rows(), RawBytes: j.store.RawBytes(), Tensors: j.tensors(),
	}
	s.NotCaptured = record.OfTraining(s.Run.NotCaptured)
	if j.eval != nil {
		s.Groups, s.Rules, s.Actions = j.eval.engine.Groups(), j.eval.engine.Statuses(), j.eval.undone()
		s.Quiet, s.Good = view.Findings{All: j.eval.engine.Findings(), Groups: s.Groups, Rules: s.Rules}.Judged().Quiet(s.Run)
	}
	return s
}

// tensors counts the distinct names that were announced.
func (j *job) tensors() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	names := map[string]bool{}
	for _, w := range j.workers {
		for _, d := range w.defs {
			if d != nil {
				names[d.Name] = true
			}
		}
	}
	return len(names)
}

// sync makes what was acked safe from a loss of power, and says so.
func (j *job) sync() {
	type mark struct {
		w *worker
		n uint64
	}
	var marks []mark
	j.mu.Lock()
	for _, w := range j.workers {
		if n := w.acked.Load(); n > 0 && !w.isClosed() && n != w.marked {
			w.marked = n
			marks = append(marks, mark{w, n})
		}
	}
	j.mu.Unlock()
	if len(marks) == 0 {
		return
	}
	if err := j.store.Gone(); err != nil {
		j.storeGone(err)
		return
	}
	if err := j.store.Sync(); err != nil {
		j.storeFailed(err)
		return
	}
	for _, m := range marks {
		m.w.synced(m.n)
	}
}
