package agent

import (
	"errors"
	"slices"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// take queues a step for the store.
func (w *worker) take(st *record.Step, seq uint64, free bool) {
	if len(w.ready) >= maxReady/2 {
		w.flush(false) // a batch can bring more steps than may wait
	}
	if len(w.ready) >= maxReady {
		w.job.missing(w.name, "the disk was full", int64(len(w.ready[0].Scalars)+len(w.ready[0].Stats)))
		w.job.droppedHere(diskFull, 1)
		w.shapes.forget()
		w.ready = slices.Delete(w.ready, 0, 1)
	}
	w.ready = append(w.ready, readyStep{st, seq, free})
	w.readySq = seq
}

// flush stores what is ready, then hands it to the rules. It reports false
// when something is left because the store failed; it is tried again a little
// later, or at once when force is set.
func (w *worker) flush(force bool) bool {
	if w.failing && !force && time.Now().Before(w.retry) {
		return false
	}
	ok := w.announce()
	if ok && len(w.ready) > 0 {
		list := make([]*record.Step, len(w.ready))
		for i, st := range w.ready {
			list[i] = st.Step
		}
		if err := w.job.store.Append(w.name, w.session, w.readySq, list...); err != nil {
			w.job.storeFailed(err)
			ok = false
		}
	}
	w.failing = !ok
	if !ok {
		w.retry = time.Now().Add(500 * time.Millisecond)
		return false
	}
	w.job.storeWorks()
	_, _, hold := w.s.Begun()
	for _, st := range w.ready {
		for i := range st.Stats {
			st.Stats[i].Hist = nil // rules do not look at it, and it is large
		}
		if st.free {
			continue
		}
		w.meters.stored(st.Mode, st.ModeStep)
		w.job.stepStored(w, st.Step)
		if hold {
			w.held = st.seq
		}
	}
	if len(w.ready) > 0 {
		w.job.eval.steps(w.ready, hold)
	}
	w.ready = nil
	if !w.storeTimes() {
		w.failing, w.retry = true, time.Now().Add(500*time.Millisecond)
		return false
	}
	return true
}

// next lets the rules have the last step, when the hook has begun another one and
// all that came before that is stored. A hook that does not say when steps begin
// gives nothing after they have closed.
func (w *worker) next() {
	if w.held == 0 || len(w.ready) > 0 {
		return
	}
	if n, read, says := w.s.Begun(); !says || read && n >= w.held {
		w.held = 0
		w.job.eval.next(w.name)
	}
}

// commitRaw finishes the raw file of a step.
func (w *worker) commitRaw(o *openStep) {
	if o.raw == nil {
		return
	}
	if err := o.raw.Commit(); err != nil {
		w.rawFailed(err, int64(len(o.rawN)))
		return
	}
	o.step.Raw = o.rawN
	w.job.rawStored(o.bytes)
}

// addRaw lends one tensor to the raw file of its step: keepRaw must be called,
// or the file committed, while v is there.
func (w *worker) addRaw(o *openStep, name string, v tensor.View) {
	if w.job.rawStopped() {
		w.rawFailed(nil, 1)
		return
	}
	if o.raw == nil {
		r, err := w.job.store.RawStep(w.name, o.key.mode, o.step.ModeStep)
		if err != nil {
			w.rawFailed(err, 1)
			return
		}
		o.raw = r
	}
	if err := o.raw.Lend(name, v); err != nil {
		w.rawFailed(err, 1)
		return
	}
	o.rawN = append(o.rawN, name)
	o.bytes += int64(len(v.Data))
}

// keepRaw copies what the raw files of open steps were lent. A step whose
// values and end come together is written without that.
func (w *worker) keepRaw() {
	for _, o := range w.order {
		if o.raw == nil {
			continue
		}
		if err := o.raw.Keep(); err != nil {
			w.rawFailed(err, int64(len(o.rawN)))
			o.abort()
			o.rawN, o.bytes = nil, 0
		}
	}
}

// rawFailed says of n tensors that they are not stored: because of err, or, without
// one, because raw capture has stopped.
func (w *worker) rawFailed(err error, n int64) {
	reason := "the disk was nearly full"
	switch {
	case err == nil:
	case errors.Is(err, store.ErrLowDisk), errors.Is(err, store.ErrNoSpace):
		w.job.stopRaw(err)
	default:
		w.job.events.notice("warning", "raw tensors of a step could not be stored: "+err.Error(), "")
		reason = "they could not be written"
		if no := syscall.Errno(0); errors.As(err, &no) {
			reason += ": " + no.Error()
		}
	}
	w.job.missing("raw tensors", reason, n)
}
