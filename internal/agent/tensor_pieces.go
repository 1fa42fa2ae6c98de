package agent

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// assembly is a tensor that comes in pieces. When only its statistics are
// wanted they are merged as the pieces come; else the pieces are put together
// in a file.
type assembly struct {
	key   stepKey
	def   *capture.TensorDef
	dims  []int64
	dtype tensor.DType
	at    uint64 // bytes that are here
	total uint64
	dec   plan.Decision
	want  plan.Want
	whole bool // the values themselves are needed
	stats tensor.Stats
	file  scratch
}

func (a *assembly) close() { a.file.close() }

// piece takes one piece. Pieces of a tensor come in order; a gap (a piece that
// was dropped) gives the tensor up.
func (w *worker) piece(it *capture.Item) {
	o := w.step(it)
	if it.Lost {
		o.lost++
		return
	}
	a := w.pieces[it.ID]
	start := it.Value == 0
	if a != nil && (start || a.key != o.key) {
		w.dropPieces(a, it.ID)
		a = nil
	}
	if a == nil {
		if !start {
			return // its beginning was dropped and counted
		}
		a = w.beginPieces(o, it)
		if a == nil {
			return
		}
		w.pieces[it.ID] = a
	}
	if uint64(it.Value) != a.at || it.DType != a.dtype {
		w.dropPieces(a, it.ID)
		return
	}
	if err := a.add(it); err != nil {
		w.job.missing(a.def.Name, "put pieces together: "+cut(err.Error(), 200), 1)
		w.dropPieces(a, it.ID)
		return
	}
	if it.Flags&capture.FlagLast == 0 {
		return
	}
	delete(w.pieces, it.ID)
	if a.at != a.total {
		w.job.missing(a.def.Name, "a piece of it is missing", 1)
		a.close()
		return
	}
	w.endPieces(o, a)
}

func (w *worker) dropPieces(a *assembly, id uint32) {
	w.job.missing(a.def.Name, "a piece of it is missing", 1)
	a.close()
	delete(w.pieces, id)
}

func (w *worker) beginPieces(o *openStep, it *capture.Item) *assembly {
	n, err := tensor.Elements(it.Dims)
	if err != nil {
		return nil
	}
	a := &assembly{key: o.key, def: it.Tensor, dims: it.Dims, dtype: it.DType, total: uint64(n) * uint64(it.DType.Size()), dec: w.decide(it.Tensor)}
	if !w.full {
		a.dec.Requests = nil
	}
	a.want = a.dec.Want(o.key.mode, o.step.ModeStep)
	if it.Flags&capture.FlagRawPiece != 0 {
		a.want |= plan.Raw | plan.Stats
	}
	a.whole = a.want&(plan.Raw|plan.Computed) != 0 || it.Tensor.Strings
	for _, r := range a.dec.Due(o.key.mode, o.step.ModeStep) {
		a.whole = a.whole || len(r.Pairs)+len(r.Units)+len(r.Quantiles)+len(r.Readings) > 0
	}
	if a.want == 0 {
		return nil
	}
	if a.whole {
		if a.file, err = newScratch(w.job.store.Path(), a.total); err != nil {
			w.job.missing(a.def.Name, "put pieces together: "+cut(err.Error(), 200), 1)
			return nil
		}
	}
	return a
}

func (a *assembly) add(it *capture.Item) error {
	if uint64(len(it.Data)) > a.total-a.at {
		return fmt.Errorf("more than %d bytes", a.total)
	}
	if a.whole {
		if err := a.file.write(a.at, it.Data); err != nil {
			return err
		}
	} else {
		size := a.dtype.Size()
		if len(it.Data)%size != 0 {
			return fmt.Errorf("a piece of %d bytes cuts an element", len(it.Data))
		}
		v := tensor.View{DType: a.dtype, Shape: []int64{int64(len(it.Data) / size)}, Data: it.Data}
		part := tensor.Compute(v, a.want&plan.Hist != 0)
		if a.at == 0 {
			a.stats = part
		} else {
			a.stats = tensor.Merge(a.stats, part)
		}
	}
	a.at += uint64(len(it.Data))
	return nil
}

func (w *worker) endPieces(o *openStep, a *assembly) {
	defer a.close()
	if !a.whole {
		o.step.Stats = append(o.step.Stats, record.TensorStats{Tensor: a.def.Name, Stats: a.stats})
		w.shaped(o, a.def.Name, a.dims)
		return
	}
	data, err := a.file.bytes()
	if err != nil {
		w.job.missing(a.def.Name, "put pieces together: "+cut(err.Error(), 200), 1)
		return
	}
	if a.def.Strings {
		w.strings(o, a.def, data)
		w.keepRaw()
		return
	}
	w.queue = append(w.queue, measurement{
		o: o, info: a.def.TensorInfo, dec: a.dec, raw: a.want&plan.Raw != 0,
		view: tensor.View{DType: a.dtype, Shape: a.dims, Data: data},
	})
	w.measure()
	w.keepRaw() // the file goes
}
