package measure

import (
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// wants are the pairs and units of a tensor's requests in one mode, each once,
// with the names of their series spelled out.
type wants struct {
	requests []plan.Request // what they were made from
	pairs    []wantedPair
	units    []wantedUnits
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

	total, inactive, samples, negative string
}

// of reports whether w was made from exactly these requests. A plan never
// changes, so the same memory means the same content.
func (w *wants) of(requests []plan.Request) bool {
	return len(w.requests) == len(requests) && &w.requests[0] == &requests[0]
}

func newWants(requests []plan.Request, mode record.Mode) wants {
	w := wants{requests: requests}
	seen := map[string]bool{}
	once := func(key string) bool {
		first := !seen[key]
		seen[key] = true
		return first
	}
	for _, r := range requests {
		s := r.Schedule[mode]
		for _, p := range r.Pairs {
			p.Lag = max(p.Lag, 1)
			if key := p.Key(r.Schedule); once(key) {
				w.pairs = append(w.pairs, wantedPair{
					Pair: p, schedule: s, key: key,
					meanDiff:    key + "." + plan.PairMeanAbsDiff,
					maxDiff:     key + "." + plan.PairMaxAbsDiff,
					meanFrom:    key + "." + plan.PairMeanAbsFrom,
					notClose:    key + "." + plan.PairNotClose,
					shapeChange: key + "." + plan.PairShapeChange,
				})
			}
		}
		for _, u := range r.Units {
			u.Window = max(u.Window, 1)
			if key := u.Key(); once(key) {
				w.units = append(w.units, wantedUnits{
					Units: u, schedule: s, key: key,
					total:    key + "." + plan.UnitsTotal,
					inactive: key + "." + plan.UnitsInactive,
					samples:  key + "." + plan.UnitsSamples,
					negative: key + "." + plan.UnitsNegative,
				})
			}
		}
	}
	return w
}
