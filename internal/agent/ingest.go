package agent

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
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
	w.keepRaw()
	if len(items) > 0 || w.waiting() || len(w.unsaved) > 0 {
		w.flush(false)
	}
	w.next()
	n := w.seen
	if w.waiting() {
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
	case capture.Marks:
		w.marks(it)
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
	if d.Strings {
		w.strings(o, d, v.Data)
		return
	}
	w.queue = append(w.queue, measurement{o: o, info: d.TensorInfo, dec: dec, view: v, raw: force || want&plan.Raw != 0})
}

func (w *worker) drop(it *capture.Item) {
	if o := w.open[stepKey{mode: it.Mode, step: it.Step}]; o != nil {
		o.drops = true
	}
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
