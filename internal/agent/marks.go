package agent

import (
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/profile"
	"github.com/vigil-ml/vigil/internal/record"
)

// stepTimes makes rows of a worker's marks, and keeps those that are not stored yet.
type stepTimes struct {
	profile *profile.Worker
	ready   []readyTimes
	detail  []record.Interval
	since   time.Time // when the first of detail came
	told    bool      // that single steps cannot be stored
}

// readyTimes are the rows of one record of the ring.
type readyTimes struct {
	seq    uint64
	times  []record.StepTime
	events []record.Event
}

const (
	maxReadyTimes = 1000 // records of marks that wait for a full disk
	// Detail of single steps is stored by the file.
	detailEach = 10 * time.Second
	maxDetail  = 20000 // intervals
)

func newStepTimes(name string, p capture.Peer) stepTimes {
	born, _ := proc.Born(proc.ID{PID: p.PID, Start: p.Start})
	return stepTimes{profile: profile.New(name, born)}
}

// Loader takes the settings of a loader of the script.
func (w *worker) Loader(l capture.Loader) { w.spent.profile.Loader(l.ID, l.Facts) }

// Compiler takes how the framework's compiler stands.
func (w *worker) Compiler(c capture.Compiler) { w.spent.profile.Compiler(c.Facts) }

// marks takes what the hook noted of where its time goes.
func (w *worker) marks(it *capture.Item) {
	t := &w.spent
	if it.Lost {
		t.profile.Lost()
		w.job.missing(stepTimesName, "lost when the agent died", 1)
		return
	}
	b, err := profile.Decode(it.Data)
	if err != nil {
		t.profile.Lost()
		w.Refuse(err.Error(), 1)
		return
	}
	rows, missed := t.profile.Add(b)
	if missed > 0 {
		w.job.missing(stepTimesName, "dropped: ring full", missed)
	}
	seq := it.N + 1
	if seq <= w.job.store.LastTimes(w.session) { // an earlier agent stored them
		return
	}
	w.takeTimes(readyTimes{seq, rows.Times, rows.Events})
	if len(rows.Intervals) > 0 && len(t.detail) < maxDetail {
		if len(t.detail) == 0 {
			t.since = time.Now()
		}
		t.detail = append(t.detail, rows.Intervals...)
	}
}

// stepTimesName stands for marks where what is missing is listed.
const stepTimesName = "time/step"

// waiting tells that something is left that the store could not take.
func (w *worker) waiting() bool { return len(w.ready)+len(w.spent.ready) > 0 }

func (w *worker) takeTimes(r readyTimes) {
	if len(r.times)+len(r.events) == 0 {
		return
	}
	t := &w.spent
	if len(t.ready) >= maxReadyTimes {
		w.job.missing(stepTimesName, "the disk was full", int64(len(t.ready[0].times)))
		t.ready = slices.Delete(t.ready, 0, 1)
	}
	t.ready = append(t.ready, r)
}

// storeTimes stores the rows that are ready. It reports false when some are left
// because the store failed.
func (w *worker) storeTimes() bool {
	t := &w.spent
	for len(t.ready) > 0 {
		r := &t.ready[0]
		if err := w.job.storeTimes(w, r); err != nil {
			w.job.storeFailed(err)
			return false
		}
		w.job.countTimes(w, r.times, r.events)
		t.ready = t.ready[1:]
	}
	t.ready = nil
	if len(t.detail) > 0 && (len(t.detail) >= maxDetail || time.Since(t.since) >= detailEach) {
		w.storeDetail()
	}
	return true
}

// storeDetail stores the intervals of single steps. They are not worth a second
// try.
func (w *worker) storeDetail() {
	t := &w.spent
	err := w.job.store.Trace(w.name, t.detail)
	t.detail = t.detail[:0]
	if err != nil && !t.told {
		t.told = true
		w.job.events.notice("warning", "single steps could not be stored: "+err.Error(), "")
	}
}

// endTimes closes what the worker's marks told: its process has ended.
func (w *worker) endTimes() {
	w.takeTimes(readyTimes{w.seen + 1, nil, w.spent.profile.End(time.Now().UTC())})
}

// storeTimes stores what a worker's marks told, and gives it to the rules, if there
// are rules yet: what is stored before, they read from the store.
func (j *job) storeTimes(w *worker, r *readyTimes) error {
	j.rows.Lock()
	defer j.rows.Unlock()
	if err := j.store.Times(w.name, w.session, r.seq, r.times, r.events); err != nil {
		return err
	}
	if j.judging != nil {
		j.judging.times(w.name, r.times, r.events)
	}
	return nil
}
