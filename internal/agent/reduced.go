package agent

import (
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// reduced takes statistics that the hook computed on a device. What the plan
// wants of the values besides (pairs, units) is not there then: the plan said
// at which steps it is not needed.
func (w *worker) reduced(it *capture.Item) {
	o := w.step(it)
	if it.Lost {
		o.lost += int64(len(it.Reductions))
		return
	}
	for _, r := range it.Reductions {
		dec := w.decide(r.Tensor)
		if !w.full {
			dec.Requests = nil
		}
		want := dec.Want(o.key.mode, o.step.ModeStep)
		if want == 0 {
			continue
		}
		s, err := tensor.FromBlocks(r.Count, r.Width, r.Blocks, r.Hist)
		if err != nil {
			w.job.missing(r.Tensor.Name, cut(err.Error(), 200), 1)
			continue
		}
		if want&plan.Hist == 0 {
			s.Hist = nil
		}
		o.step.Stats = append(o.step.Stats, record.TensorStats{Tensor: r.Tensor.Name, Stats: s})
		w.shaped(o, r.Tensor.Name, r.Tensor.Shape)
	}
}
