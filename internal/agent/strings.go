package agent

import (
	"bytes"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// strings takes a tensor of strings. Nothing is computed of it: it is stored as
// it is, with the number of its strings and its shape.
func (w *worker) strings(o *openStep, d *capture.TensorDef, data []byte) {
	s, err := tensor.ParseStrings(data)
	if err != nil {
		w.job.missing(d.Name, cut(err.Error(), 200), 1)
		return
	}
	before := len(o.rawN)
	data = bytes.TrimRight(data, " ")
	w.addRaw(o, d.Name, tensor.View{DType: tensor.U8, Shape: []int64{int64(len(data))}, Data: data})
	if len(o.rawN) == before {
		return
	}
	o.step.Derived = append(o.step.Derived, record.Derived{Tensor: d.Name, Stat: record.StringCount, From: -1, Value: float64(len(s.Values))})
	o.shapes = append(o.shapes, shapeSeen{d.Name, s.Shape})
}
