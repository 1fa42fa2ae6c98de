package agent

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// closeStep makes a step ready for the store.
func (w *worker) closeStep(it *capture.Item) {
	o := w.step(it)
	w.forget(o)
	w.abandon(o.key)
	if it.N+1 <= w.stored { // an earlier agent stored it
		o.abort()
		return
	}
	st := o.step
	st.Time = record.Moment(it.Time)
	st.Seconds, st.Overhead = record.Duration(sane(it.Value)), record.Duration(float64(it.NBytes)/1e9)
	st.Skipped = it.Flags&capture.FlagSkipped != 0
	if !o.apart {
		st.Scalars = distinct(st.Scalars)
	}
	st.Derived = append(st.Derived, w.meters.step(st.Mode, st.ModeStep)...)
	w.addTrainingCurves(o)
	st.Derived = append(st.Derived, w.newShapes(o)...)
	if o.lost > 0 {
		w.job.missing(w.name, "lost when the agent died", o.lost)
	}
	w.commitRaw(o)
	w.take(st, it.N+1, false)
}

// closeBetween stores the tensors that the script gave between steps. Their
// part of the step comes after the one that closed it. One whose pieces are
// still coming waits.
func (w *worker) closeBetween() {
	for _, o := range slices.Clone(w.order) {
		if !o.key.between || w.coming(o.key) {
			continue
		}
		w.forget(o)
		if w.last <= w.stored { // an earlier agent stored it
			o.abort()
			continue
		}
		if o.lost > 0 {
			w.job.missing(w.name, "lost when the agent died", o.lost)
		}
		w.commitRaw(o)
		if len(o.step.Stats)+len(o.step.Raw) > 0 {
			o.step.Derived = append(o.step.Derived, w.newShapes(o)...)
			w.take(o.step, w.last, true)
		}
	}
}

// coming tells that pieces of a tensor of a step are still to come.
func (w *worker) coming(key stepKey) bool {
	for _, a := range w.pieces {
		if a.key == key {
			return true
		}
	}
	return false
}

// abandon gives up earlier steps of the mode that were never closed: a step
// that closes proves that nothing more of them will come.
func (w *worker) abandon(closed stepKey) {
	for _, o := range slices.Clone(w.order) {
		if !o.key.between && o.key.mode == closed.mode && o.key.step < closed.step {
			o.abort()
			w.forget(o)
			w.job.missing(w.name, "the step was never closed", 1)
		}
	}
}
