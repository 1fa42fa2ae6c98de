package agent

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Records takes records from the ring. All data is measured, and copied where
// raw values are wanted, before it returns.
func (w *worker) Records(items []capture.Item) uint64 {
	for i := range items {
		it := &items[i]
		switch {
		case slices.Contains(w.aside, it.N):
			w.leave(it)
		case it.N < w.until:
			w.carefully(it)
		default:
			w.record(it)
		}
		w.seen = it.N + 1
	}
	w.measure()
	w.closeBetween()
	if len(items) > 0 || len(w.ready) > 0 || len(w.unsaved) > 0 {
		w.flush(false)
	}
	n := w.seen
	if len(w.ready) > 0 {
		return w.acked.Load()
	}
	for _, o := range w.order {
		n = min(n, o.first)
	}
	w.acked.Store(max(n, w.acked.Load()))
	return n
}

// record takes one record. What it brings to measure is in the queue then.
func (w *worker) record(it *capture.Item) {
	switch it.Kind {
	case capture.Scalar:
		w.scalar(it)
	case capture.Scalars:
		w.scalars(it)
	case capture.Tensor:
		w.tensor(it)
	case capture.Frame:
		w.frame(it)
	case capture.Piece:
		w.piece(it)
	case capture.Reduced:
		w.reduced(it)
	case capture.Step:
		w.measure()
		w.closeBetween()
		w.closeStep(it)
	case capture.Drop:
		w.drop(it)
	}
}

// step is the open step that a record belongs to; nil when the hook has too
// many of them open.
func (w *worker) step(it *capture.Item) *openStep {
	if it.Between() {
		w.last = it.N + 1
	}
	key := stepKey{mode: it.Mode, step: it.Step, between: it.Between()}
	if o := w.open[key]; o != nil {
		return o
	}
	if len(w.order) >= maxOpenSteps {
		o := w.order[0]
		o.abort()
		w.forget(o)
		w.job.missing(w.name, "the step was never closed", 1)
	}
	o := &openStep{key: key, first: it.N, step: &record.Step{
		Worker: w.name, Step: it.Step, Mode: it.Mode, ModeStep: it.ModeStep,
	}}
	if key.between {
		o.step.Time = record.Moment(it.Time)
	}
	w.open[key] = o
	w.order = append(w.order, o)
	return o
}

func (w *worker) forget(o *openStep) {
	delete(w.open, o.key)
	if i := slices.Index(w.order, o); i >= 0 {
		w.order = slices.Delete(w.order, i, i+1)
	}
}

func (o *openStep) abort() {
	if o.raw != nil {
		o.raw.Abort()
		o.raw = nil
	}
}

func (w *worker) scalar(it *capture.Item) {
	v := record.Scalar{Name: it.Tensor.Name, Value: it.Value}
	if it.Flags&capture.FlagFree != 0 {
		if it.N+1 <= w.stored {
			return
		}
		w.take(&record.Step{
			Worker: w.name, Step: it.Step, Mode: it.Mode, ModeStep: it.ModeStep, Time: record.Moment(it.Time), Scalars: []record.Scalar{v},
		}, it.N+1, true)
		return
	}
	o := w.step(it)
	if len(o.step.Scalars) >= maxScalars {
		w.job.missing(w.name, "too many scalars in one step", 1)
		return
	}
	o.apart = false
	o.step.Scalars = append(o.step.Scalars, v)
}

// scalars takes many numbers at once.
func (w *worker) scalars(it *capture.Item) {
	free := it.Flags&capture.FlagFree != 0
	if free && it.N+1 <= w.stored {
		return
	}
	if it.Lost {
		if free {
			w.job.missing(w.name, "lost when the agent died", int64(len(it.Defs)))
		} else {
			w.step(it).lost += int64(len(it.Defs))
		}
		return
	}
	list := make([]record.Scalar, len(it.Defs))
	for i, d := range it.Defs {
		list[i] = record.Scalar{Name: d.Name, Value: math.Float64frombits(binary.LittleEndian.Uint64(it.Data[8*i:]))}
	}
	if !w.apart(it) {
		list = distinct(list)
	}
	if free {
		w.take(&record.Step{
			Worker: w.name, Step: it.Step, Mode: it.Mode, ModeStep: it.ModeStep, Time: record.Moment(it.Time), Scalars: list,
		}, it.N+1, true)
		return
	}
	o := w.step(it)
	if len(o.step.Scalars)+len(list) > maxScalars {
		w.job.missing(w.name, "too many scalars in one step", int64(len(list)))
		return
	}
	if o.apart = len(o.step.Scalars) == 0; o.apart {
		o.step.Scalars = list
	} else {
		o.step.Scalars = append(o.step.Scalars, list...)
	}
}

// batch names the tensors of many numbers: the first, and how many.
type batch struct{ id, n uint32 }

// apart tells that the names of many numbers differ from each other. It is
// looked at once: the names of ids change with announcements only.
func (w *worker) apart(it *capture.Item) bool {
	k := batch{it.ID, uint32(len(it.Defs))}
	differ, known := w.batches[k]
	if !known {
		names := make(map[string]bool, len(it.Defs))
		for _, d := range it.Defs {
			names[d.Name] = true
		}
		differ = len(names) == len(it.Defs)
		if len(w.batches) < maxBatches {
			w.batches[k] = differ
		}
	}
	return differ
}

func (w *worker) tensor(it *capture.Item) {
	o := w.step(it)
	if it.Lost {
		o.lost++
		return
	}
	w.want(o, it.Tensor, tensor.View{DType: it.DType, Shape: it.Dims, Data: it.Data}, it.Flags&capture.FlagRaw != 0)
}

func (w *worker) frame(it *capture.Item) {
	o := w.step(it)
	for i, p := range it.Places {
		if it.Present != nil && it.Present[i] == 0 {
			continue
		}
		if it.Lost {
			o.lost++
			continue
		}
		v := tensor.View{DType: p.Tensor.DType, Shape: p.Tensor.Shape, Data: it.Data[p.Offset : p.Offset+p.NBytes : p.Offset+p.NBytes]}
		w.want(o, p.Tensor, v, false)
	}
}

// want queues a tensor for measuring when the plan has a use for it now.
func (w *worker) want(o *openStep, d *capture.TensorDef, v tensor.View, force bool) {
	dec := w.decide(d)
	if !w.full {
		dec.Requests = nil
	}
	want := dec.Want(o.key.mode, o.step.ModeStep)
	if want == 0 && !force {
		return
	}
	w.queue = append(w.queue, measurement{o: o, info: d.TensorInfo, dec: dec, view: v, raw: force || want&plan.Raw != 0})
}

func (w *worker) drop(it *capture.Item) {
	n := int64(min(it.NBytes, 1<<40))
	reason := capture.Reason(it.Shape).String()
	if !w.job.droppedAt(w.session, it.N, reason, n) {
		return
	}
	name := w.name
	if d := w.def(it.ID); d != nil {
		name = d.Name
	}
	w.job.missing(name, "dropped: "+strings.ReplaceAll(reason, "_", " "), n)
}

func (w *worker) def(id uint32) *capture.TensorDef {
	if int64(id) < int64(len(w.defs)) {
		return w.defs[id]
	}
	return nil
}

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
	if o.lost > 0 {
		w.job.missing(w.name, "lost when the agent died", o.lost)
	}
	w.commitRaw(o)
	w.take(st, it.N+1, false)
}

// closeBetween stores the tensors that the script gave between steps. Their
// part of the step comes after the one that closed it, and is not judged. One
// whose pieces are still coming waits.
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
		if len(o.step.Stats) > 0 {
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

func sane(v float64) float64 {
	if v >= 0 && v < 1e9 {
		return v
	}
	return 0
}

// distinct keeps the last value of each name, in the order of first
// appearance.
func distinct(s []record.Scalar) []record.Scalar {
	for i := 1; i < len(s); i++ {
		for k := range i {
			if s[k].Name == s[i].Name {
				return distinctSlow(s)
			}
		}
		if i > 32 {
			return distinctSlow(s)
		}
	}
	return s
}

func distinctSlow(s []record.Scalar) []record.Scalar {
	at := make(map[string]int, len(s))
	out := s[:0]
	for _, v := range s {
		if i, ok := at[v.Name]; ok {
			out[i] = v
			continue
		}
		at[v.Name] = len(out)
		out = append(out, v)
	}
	return out
}

// take queues a step for the store.
func (w *worker) take(st *record.Step, seq uint64, free bool) {
	if len(w.ready) >= maxReady/2 {
		w.flush(false) // a batch can bring more steps than may wait
	}
	if len(w.ready) >= maxReady {
		w.job.missing(w.name, "the disk was full", int64(len(w.ready[0].Scalars)+len(w.ready[0].Stats)))
		w.job.droppedHere(diskFull, 1)
		w.ready = slices.Delete(w.ready, 0, 1)
	}
	w.ready = append(w.ready, readyStep{st, free})
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
	judge := make([]*record.Step, 0, len(w.ready))
	for _, st := range w.ready {
		if st.free {
			continue
		}
		for i := range st.Stats {
			st.Stats[i].Hist = nil // rules do not look at it, and it is large
		}
		w.meters.stored(st.Mode, st.ModeStep)
		w.job.stepStored(w, st.Step)
		judge = append(judge, st.Step)
	}
	if len(judge) > 0 {
		w.job.eval.steps(judge)
	}
	w.ready = nil
	return true
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

// addRaw copies one tensor into the raw file of its step.
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
	if err := o.raw.Add(name, v); err != nil {
		w.rawFailed(err, 1)
		return
	}
	o.rawN = append(o.rawN, name)
	o.bytes += int64(len(v.Data))
}

func (w *worker) rawFailed(err error, n int64) {
	switch {
	case errors.Is(err, store.ErrLowDisk), errors.Is(err, store.ErrNoSpace):
		w.job.stopRaw(err)
	case err != nil:
		w.job.events.notice("warning", "raw tensors of a step could not be stored: "+err.Error(), "")
	}
	w.job.missing("raw tensors", "the disk was nearly full", n)
}
