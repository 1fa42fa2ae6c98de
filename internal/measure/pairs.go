package measure

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// measurePairs compares v with earlier values and keeps it for later ones.
func (m *Meter) measurePairs(out []record.Derived, name string, t *track, mode record.Mode, step int64, v tensor.View) ([]record.Derived, error) {
	if m.spill == nil || !slices.ContainsFunc(t.wants.pairs, func(p wantedPair) bool { return due(p.schedule, step) }) {
		return out, nil
	}
	if t.pairs == nil {
		t.pairs = m.spill.history(name, mode, "")
	}
	var err error
	for i := range t.wants.pairs {
		p := t.wants.duePair(i, step)
		if p == nil {
			continue
		}
		older := t.pairs.partner(p.Pair, p.schedule, step)
		if older == nil {
			continue
		}
		if out, err = m.measurePair(out, name, p, older, v); err != nil {
			return out, err
		}
	}
	m.spill.release(t.pairs, func(c *kept) bool {
		return t.wants.needsPair(t.pairs, c, m.frontier(mode, step))
	})
	return out, m.spill.keep(t.pairs, step, 0, v)
}

// measurePair appends the numbers of one pair.
func (m *Meter) measurePair(out []record.Derived, name string, p *wantedPair, older *kept, v tensor.View) ([]record.Derived, error) {
	add := func(stat string, x float64) {
		out = append(out, record.Derived{Tensor: name, Stat: stat, From: older.step, Value: x})
	}
	if !slices.Equal(older.shape, v.Shape) {
		add(p.shapeChange, 1)
		return out, nil
	}
	s, err := m.spill.compare(older, v, tensor.PairOptions{Close: p.Close, RTol: p.RTol, ATol: p.ATol, EqualNaN: p.EqualNaN})
	if err != nil {
		return out, err
	}
	out = slices.Grow(out, 4)
	add(p.meanDiff, s.MeanAbsDiff)
	add(p.maxDiff, s.MaxAbsDiff)
	add(p.meanFrom, s.MeanAbsFrom)
	if p.Close {
		add(p.notClose, float64(s.NotClose))
	}
	return out, nil
}

// partner is the earlier value that a pair asks for, nil when there is none.
func (h *history) partner(p plan.Pair, s plan.ModeSchedule, step int64) *kept {
	if p.Within > 0 {
		for _, c := range h.kept {
			if c.step >= step {
				break
			}
			if c.step >= step-p.Within && due(s, c.step) {
				return c
			}
		}
		return nil
	}
	return h.before(s, step, p.Lag)
}

// before is the n-th value before step that counts for the schedule, nil when
// there are fewer.
func (h *history) before(s plan.ModeSchedule, step, n int64) *kept {
	for _, c := range slices.Backward(h.kept) {
		if c.step < step && due(s, c.step) {
			if n--; n == 0 {
				return c
			}
		}
	}
	return nil
}

// needsPair reports whether a value may be the earlier one of a pair at the
// step frontier or later.
func (w *wants) needsPair(h *history, c *kept, frontier int64) bool {
	if c.step >= frontier {
		return true
	}
	return slices.ContainsFunc(w.pairs, func(p wantedPair) bool {
		switch {
		case !due(p.schedule, c.step):
			return false
		case p.Within > 0:
			return c.step >= frontier-p.Within
		}
		last := h.before(p.schedule, frontier, p.Lag)
		return last == nil || c.step >= last.step
	})
}
