package measure

import (
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// wants are the pairs and units of a tensor's requests in one mode, with the
// names of their series spelled out.
type wants struct {
	requests []plan.Request // what they were made from
	pairs    []wantedPair
	units    []wantedUnits

	quantiles []wantedQuantiles
	readings  []wantedReading
}

type wantedPair struct {
	plan.Pair
	schedule plan.ModeSchedule
	key      string

	meanDiff, maxDiff, meanFrom, notClose, shapeChange string
}

type wantedUnits struct {
	plan.Units
	schedule plan.ModeSchedule
	key      string

	total, inactive, samples, negative, low, high string
}

type wantedQuantiles struct {
	schedule plan.ModeSchedule
	qs       []float64
	keys     []string
}

// of reports whether w was made from exactly these requests. A plan never
// changes, so the same memory means the same content.
func (w *wants) of(requests []plan.Request) bool {
	return len(w.requests) == len(requests) && &w.requests[0] == &requests[0]
}

// newWants spells out requests. The key of a pair does not tell all of its
// schedule, that of units nothing of it, so several may have one key; the first
// that is due at a step then stands for the others.
func newWants(requests []plan.Request, mode record.Mode) wants {
	w := wants{requests: requests}
	for _, r := range requests {
		s := r.Schedule[mode]
		for _, p := range r.Pairs {
			p.Lag = max(p.Lag, 1)
			key := p.Key(r.Schedule)
			w.pairs = append(w.pairs, wantedPair{
				Pair: p, schedule: s, key: key,
				meanDiff:    key + "." + plan.PairMeanAbsDiff,
				maxDiff:     key + "." + plan.PairMaxAbsDiff,
				meanFrom:    key + "." + plan.PairMeanAbsFrom,
				notClose:    key + "." + plan.PairNotClose,
				shapeChange: key + "." + plan.PairShapeChange,
			})
		}
		for _, u := range r.Units {
			u.Window = max(u.Window, 1)
			key := u.Key()
			w.units = append(w.units, wantedUnits{
				Units: u, schedule: s, key: key,
				total:    key + "." + plan.UnitsTotal,
				inactive: key + "." + plan.UnitsInactive,
				samples:  key + "." + plan.UnitsSamples,
				negative: key + "." + plan.UnitsNegative,
				low:      key + "." + plan.UnitsLow,
				high:     key + "." + plan.UnitsHigh,
			})
		}
		if len(r.Quantiles) > 0 {
			q := wantedQuantiles{schedule: s, qs: r.Quantiles}
			for _, x := range r.Quantiles {
				q.keys = append(q.keys, plan.QuantileKey(x))
			}
			w.quantiles = append(w.quantiles, q)
		}
		w.readings = appendReadings(w.readings, r.Readings, s)
	}
	return w
}

// duePair is the i-th pair if it is to be computed at a step, else nil.
func (w *wants) duePair(i int, step int64) *wantedPair {
	p := &w.pairs[i]
	if !due(p.schedule, step) {
		return nil
	}
	for k := range i {
		if w.pairs[k].key == p.key && due(w.pairs[k].schedule, step) {
			return nil
		}
	}
	return p
}

// dueUnits is the i-th request for units if it is to be computed at a step,
// else nil.
func (w *wants) dueUnits(i int, step int64) *wantedUnits {
	u := &w.units[i]
	if !due(u.schedule, step) {
		return nil
	}
	for k := range i {
		if w.units[k].key == u.key && due(w.units[k].schedule, step) {
			return nil
		}
	}
	return u
}
