package agent

import (
	"encoding/binary"
	"math"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

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
