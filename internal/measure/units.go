package measure

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// measureUnits counts active samples per unit, over the windows asked for.
func (m *Meter) measureUnits(out []record.Derived, name string, t *track, mode record.Mode, step int64, v tensor.View, stats *tensor.Stats) ([]record.Derived, error) {
	for i := range t.wants.units {
		u := t.wants.dueUnits(i, step)
		if u == nil {
			continue
		}
		var samples, negative int64
		var err error
		m.counts, samples, negative, err = tensor.UnitCounts(m.counts, v, tensor.UnitOptions{Channel: u.Channel, Above: u.Above, Below: u.Below})
		if err != nil {
			return out, err
		}
		units := len(m.counts)
		m.totals = slices.Grow(m.totals[:0], units)[:units]
		for k, n := range m.counts {
			m.totals[k] = uint64(n)
		}
		if u.Window > 1 && m.spill != nil {
			h := t.units[u.key]
			if h == nil {
				h = m.spill.history(name, mode, u.key)
				t.units[u.key] = h
			}
			var earlier int64
			earlier, err = m.pool(h, u, &t.wants, mode, step, samples)
			samples += earlier
		}
		add := func(stat string, x float64) {
			out = append(out, record.Derived{Tensor: name, Stat: stat, From: -1, Value: x})
		}
		out = slices.Grow(out, 4)
		add(u.total, float64(units))
		add(u.inactive, float64(inactive(m.totals, samples, u.Inactivity)))
		add(u.samples, float64(samples))
		add(u.negative, float64(negative))
		if !math.IsInf(u.Below, 1) {
			low, high := m.sides(v, u, stats)
			add(u.low, float64(low))
			add(u.high, float64(high))
			for i, unit := range least(m.totals, samples, u.Inactivity) {
				add(fmt.Sprintf("%s.%s[%d]", u.key, plan.UnitsLeast, i), float64(unit))
				add(fmt.Sprintf("%s.%s[%d]", u.key, plan.UnitsLeastActive, i), float64(m.totals[unit]))
			}
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// sides is the number of elements on each side of the active range. Those at
// or above the upper limit are counted in a second pass; the others that are
// neither active nor NaN lie at or below the lower one.
func (m *Meter) sides(v tensor.View, u *wantedUnits, stats *tensor.Stats) (low, high int64) {
	sum := func(counts []uint32) (n int64) {
		for _, c := range counts {
			n += int64(c)
		}
		return n
	}
	active := sum(m.counts)
	// The lower limit of this pass is strict, so it is the next number down.
	o := tensor.UnitOptions{Channel: u.Channel, Above: math.Nextafter(u.Below, math.Inf(-1)), Below: math.Inf(1)}
	counts, _, _, err := tensor.UnitCounts(m.sideCounts, v, o)
	if err != nil { // it would have been one before
		return 0, 0
	}
	m.sideCounts = counts
	high = sum(counts)
	return stats.Count - stats.NaN - active - high, high
}

// inactive is the number of units of which fewer than percent of the samples
// are active; without samples there is none.
func inactive(active []uint64, samples int64, percent float64) (n int64) {
	for _, a := range active {
		if 100*float64(a)/float64(samples) < percent {
			n++
		}
	}
	return n
}

// least are the inactive units with the fewest active samples, fewest first,
// then by number.
func least(active []uint64, samples int64, percent float64) []int {
	var out []int
	for i, a := range active {
		if !(100*float64(a)/float64(samples) < percent) || len(out) == plan.UnitsLeastKept && a >= active[out[len(out)-1]] {
			continue
		}
		at := len(out)
		for at > 0 && active[out[at-1]] > a {
			at--
		}
		out = slices.Insert(out, at, i)
		out = out[:min(len(out), plan.UnitsLeastKept)]
	}
	return out
}

// pool adds the counts of the window's earlier steps to m.totals, says how many
// samples they had, and keeps m.counts for later steps. A step with another
// number of units ends the window.
func (m *Meter) pool(h *history, u *wantedUnits, w *wants, mode record.Mode, step, samples int64) (earlier int64, err error) {
	left := u.Window - 1
	for _, c := range slices.Backward(h.kept) {
		if left == 0 {
			break
		}
		if c.step >= step || !due(u.schedule, c.step) {
			continue
		}
		if len(c.shape) != 1 || c.shape[0] != int64(len(m.counts)) {
			break
		}
		if err := m.spill.addCounts(m.totals, c); err != nil {
			return earlier, err
		}
		earlier += c.samples
		left--
	}
	f := m.frontier(mode, step)
	m.spill.release(h, func(c *kept) bool {
		return slices.ContainsFunc(w.units, func(o wantedUnits) bool { return o.key == u.key && o.needs(h, c, f) })
	})
	m.bytes = m.bytes[:0]
	for _, n := range m.counts {
		m.bytes = binary.LittleEndian.AppendUint32(m.bytes, n)
	}
	v := tensor.View{DType: tensor.U32, Shape: []int64{int64(len(m.counts))}, Data: m.bytes}
	return earlier, m.spill.keep(h, step, samples, v)
}

// needs reports whether the counts of a step may enter a window that ends at
// the step frontier or later.
func (u *wantedUnits) needs(h *history, c *kept, frontier int64) bool {
	if c.step >= frontier {
		return true
	}
	if !due(u.schedule, c.step) {
		return false
	}
	last := h.before(u.schedule, frontier, u.Window-1)
	return last == nil || c.step >= last.step
}
