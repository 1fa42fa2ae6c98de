package trial

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

var _ source.TimesByStep = (*Trial)(nil)

// TimesParts are the step times of a worker by mode step, as source.TimesByStep says:
// a part is what one chunk or journal holds.
func (t *Trial) TimesParts(worker string, mode record.Mode, from, to int64) (list []source.TimesPart, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.timed(worker)
	if s == nil || err != nil {
		return nil, err
	}
	if to == 0 {
		to = math.MaxInt64
	}
	for _, n := range s.numbers() {
		if p, some := t.timesPart(s, n, mode, from, min(to, t.below(s, n, mode))); some {
			list = append(list, p)
		}
	}
	return list, nil
}

func (t *Trial) timesPart(s *series, n int, mode record.Mode, from, to int64) (p source.TimesPart, some bool) {
	within := func(rows []record.StepTime, fn func(*record.StepTime)) {
		for i := range rows {
			if r := &rows[i]; r.Mode == mode && r.ModeStep >= from && r.ModeStep < to {
				fn(r)
			}
		}
	}
	if j := s.tails[n]; j != nil {
		rows := slices.Clip(j.times)
		p.First, p.Last = math.MaxInt64, -1
		within(rows, func(r *record.StepTime) { p.First, p.Last = min(p.First, r.ModeStep), max(p.Last, r.ModeStep) })
		p.Rows = func(fn func(*record.StepTime)) error {
			within(rows, fn)
			return nil
		}
		return p, p.Last >= 0
	}
	c, key := s.chunks[n], drawingKey{dir: s.dir, chunk: n, table: chunk.Times, mode: mode, below: math.MaxInt64}
	k := t.remembered(c, key)
	if len(k.Step) == 0 || k.span[1] < from || k.span[0] >= to {
		return p, false
	}
	first, last := int64(0), int64(math.MaxInt64)
	if k.rises { // only the rows about the range are read
		if i, _ := slices.BinarySearch(k.Step, from); i > 0 {
			first = k.row[i-1]
		}
		if i, _ := slices.BinarySearch(k.Step, to); i < len(k.Step) {
			last = k.row[i] + 1
		}
	}
	p.First, p.Last = max(k.span[0], from), min(k.span[1], to-1)
	p.Rows = func(fn func(*record.StepTime)) error {
		t.mu.Lock()
		f := t.table(c, chunk.Times)
		var rows []record.StepTime
		if f != nil {
			var err error
			if rows, err = f.ReadTimes(first, min(last, f.Rows())-first); err != nil {
				t.spoil(c.tables[chunk.Times], err)
			}
		}
		t.mu.Unlock()
		within(rows, fn)
		return nil
	}
	if k.span[0] < from || k.span[1] >= to {
		return p, true
	}
	p.Once = func(fn func() (any, error)) (any, error) {
		t.mu.Lock()
		v, known := t.once[key]
		t.mu.Unlock()
		if known {
			return v, nil
		}
		v, err := fn()
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.room(pointsOfOnce)
		t.once[key] = v
		return v, nil
	}
	return p, true
}

// pointsOfOnce is what the memory of what is made of a part would hold.
const pointsOfOnce = 8192
