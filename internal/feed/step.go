package feed

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Encoder makes frames of steps. Names travel once, then by their number.
type Encoder struct {
	ids   map[string]int
	stats map[string]int // of derived numbers
	head  header
	parts map[string]*part
	order []string
}

// header is before the numbers of a step.
type header struct {
	Step     int64    `json:"step"`
	Mode     int      `json:"mode"`
	ModeStep int64    `json:"mode_step"`
	Time     float64  `json:"time"` // seconds since 1970
	New      []named  `json:"new,omitempty"`
	Stats    []string `json:"stats,omitempty"` // names of derived numbers that come for the first time
	Parts    [][]any  `json:"parts"`           // worker, scalars, tensors, derived numbers
}

// named is a tensor that comes for the first time; its place in the order of
// all of them is its number.
type named struct {
	record.TensorInfo
}

// part are the numbers of one worker: of its scalars first all numbers of
// names, then all values; of each tensor its name's number, whether its values
// are stored, and the statistics; of each derived number that of the tensor, that
// of the statistic, and the value.
type part struct {
	ids, values, tensors, derived []float64
	scalars, rows, numbers        int
}

// NewEncoder begins a stream of frames.
func NewEncoder() *Encoder {
	return &Encoder{ids: map[string]int{}, stats: map[string]int{}, parts: map[string]*part{}}
}

// Begin begins a step.
func (e *Encoder) Begin(step int64, mode record.Mode, modeStep int64, at time.Time) {
	e.head = header{Step: step, Mode: int(mode), ModeStep: modeStep, Time: float64(at.UnixMicro()) / 1e6}
	for _, w := range e.order {
		p := e.parts[w]
		*p = part{p.ids[:0], p.values[:0], p.tensors[:0], p.derived[:0], 0, 0, 0}
	}
}

// Scalar adds one number of a worker.
func (e *Encoder) Scalar(worker string, info *record.TensorInfo, value float64) {
	p := e.part(worker)
	p.ids = append(p.ids, e.id(info))
	p.values = append(p.values, value)
	p.scalars++
}

// Tensor adds the statistics of one tensor of a worker.
func (e *Encoder) Tensor(worker string, info *record.TensorInfo, s *tensor.Stats, stored bool) {
	p := e.part(worker)
	flag := 0.0
	if stored {
		flag = 1
	}
	p.tensors = append(p.tensors, e.id(info), flag, float64(s.Count), s.Min, s.Max, s.Mean, s.M2, s.L1,
		float64(s.Zeros), float64(s.NaN), float64(s.PosInf), float64(s.NegInf))
	p.rows++
}

// Derived adds a number that was computed at capture, of a tensor that Tensor
// was called for. Those that Python does not offer are left out.
func (e *Encoder) Derived(worker string, info *record.TensorInfo, d *record.Derived) {
	if !offered(d.Stat) {
		return
	}
	n, known := e.stats[d.Stat]
	if !known {
		n = len(e.stats)
		e.stats[d.Stat] = n
		e.head.Stats = append(e.head.Stats, d.Stat)
	}
	p := e.part(worker)
	p.derived = append(p.derived, e.id(info), float64(n), d.Value)
	p.numbers++
}

// offered reports whether Python offers a derived number by its name.
func offered(stat string) bool {
	switch stat {
	case plan.MedianKey, plan.MedianErrorKey, plan.ProdKey, plan.ProdSignKey, plan.ProdLogKey:
		return true
	}
	return record.IsShape(stat)
}

// Empty reports whether nothing was added since Begin.
func (e *Encoder) Empty() bool {
	for _, p := range e.parts {
		if p.scalars+p.rows > 0 {
			return false
		}
	}
	return true
}

// Frame is the step as a frame.
func (e *Encoder) Frame() ([]byte, error) {
	size := 0
	e.head.Parts = [][]any{}
	for _, w := range e.order {
		p := e.parts[w]
		if p.scalars+p.rows > 0 {
			counts := []any{w, p.scalars, p.rows}
			if p.numbers > 0 {
				counts = append(counts, p.numbers)
			}
			e.head.Parts = append(e.head.Parts, counts)
			size += 8 * (len(p.ids) + len(p.values) + len(p.tensors) + len(p.derived))
		}
	}
	b, err := withHeader(Step, &e.head, size)
	if err != nil {
		return nil, err
	}
	for _, w := range e.order {
		p := e.parts[w]
		for _, list := range [][]float64{p.ids, p.values, p.tensors, p.derived} {
			for _, x := range list {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
		}
	}
	return finish(b), nil
}

func (e *Encoder) part(worker string) *part {
	p := e.parts[worker]
	if p == nil {
		p = &part{}
		e.parts[worker] = p
		e.order = append(e.order, worker)
	}
	return p
}

func (e *Encoder) id(info *record.TensorInfo) float64 {
	id, known := e.ids[info.Name]
	if !known {
		id = len(e.ids)
		e.ids[info.Name] = id
		e.head.New = append(e.head.New, named{*info})
	}
	return float64(id)
}

// Strings are what Tensor takes for a tensor of n strings, of which there are no
// statistics.
func Strings(n float64) *tensor.Stats {
	nan := math.NaN()
	return &tensor.Stats{Count: int64(n), Min: nan, Max: nan, Mean: nan, M2: nan, L1: nan}
}
