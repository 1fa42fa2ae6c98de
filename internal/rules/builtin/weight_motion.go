package builtin

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// weightMotion is how the weight matrices of a training move: how large single
// updates are against them, how far they get, and how much they have grown.
// Only the first worker's that come count, and only what is trained.
type weightMotion struct {
	First map[string]float64 `json:"first"` // mean magnitude first seen
	Last  map[string]float64 `json:"last"`  // and last
	// Updates are the single updates that were seen, each as the median over
	// weights of mean |change| / mean |weight before|.
	Updates []weightUpdate `json:"updates"`
	// Spans are the changes over plateauEvery steps, the median of the same
	// ratio; Fast is the largest over weights and spans, Slow the least.
	Spans []weightUpdate `json:"spans"`
	Fast  float64        `json:"fast"`
	Slow  float64        `json:"slow"`
	// Grown is the median over weights of last / first, Most the largest.
	Grown float64 `json:"grown"`
	Most  float64 `json:"most"`
	Where string  `json:"where"` // the one that grew most
	// Scale is the median over weights of mean magnitude times the root of the
	// number of inputs: about a half after any usual initialisation.
	Scale float64 `json:"scale"`
	// Pull is the largest mean gradient in units of its mean weight at the
	// step at which gradients were seen last.
	Pull float64 `json:"pull"`
	// Felt: gradients were seen.
	Felt bool `json:"felt,omitempty"`
	// Half: weights are numbers of 16 bits, whose rounding takes small updates away.
	Half bool `json:"half,omitempty"`
	// Odd: a value was not finite.
	Odd bool `json:"odd"`
	// Steps that were seen, and those whose update was skipped after an overflow.
	Steps   int64 `json:"steps,omitempty"`
	Skipped int64 `json:"skipped,omitempty"`
}

type weightUpdate struct {
	Step  int64   `json:"step"` // mode step
	Ratio float64 `json:"ratio"`
}

// motionKept is how many spans are kept: the first and the last half of them.
const motionKept = 40

func newWeightMotion() weightMotion {
	return weightMotion{First: map[string]float64{}, Last: map[string]float64{}, Grown: 1, Most: 1}
}

// motionNeeds asks for what weightMotion reads.
func motionNeeds() []rule.Need {
	weights := rule.Selector{Collections: []string{"weights"}}
	return []rule.Need{
		{Selector: rule.Selector{Collections: []string{"weights", "gradients"}}, Schedule: rule.TrainOnly(rule.Auto), Want: rule.WantStats},
		{Selector: weights, Schedule: rule.TrainOnly(plateauEvery), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}},
		updatesNeed(),
	}
}

// weights takes the weights of a step, and reports whether there were some.
func (m *weightMotion) weights(v *rule.View, items []rule.Item) bool {
	var single, span, grown, scale []float64
	seen := false
	for i := range items {
		it := &items[i]
		if it.Worker != items[0].Worker || it.Info.Frozen || !matrix(it.Info) {
			continue
		}
		if _, half := sixteen(it.Info); half {
			m.Half = true
		}
		if s := it.Stats; s != nil && s.NonFinite() {
			m.Odd = true
		} else if s != nil && s.Count > 0 {
			seen = true
			mean := min(s.AbsMean(), math.Sqrt(math.MaxFloat64)) // a sum may overflow
			m.size(it.Info.Name, mean)
			scale = append(scale, mean*math.Sqrt(inputsOf(it.Info.Shape)))
		}
		single = appendRatio(single, it, updatesKey, v.ModeStep-1)
		span = appendRatio(span, it, spanKey, v.ModeStep-plateauEvery)
	}
	if len(single) > 0 {
		m.Updates = append(m.Updates, weightUpdate{v.ModeStep, median(single)})
	}
	if len(span) > 0 {
		if m.Fast == 0 {
			m.Slow = slices.Min(span)
		}
		m.Fast, m.Slow = max(m.Fast, slices.Max(span)), min(m.Slow, slices.Min(span))
		m.Spans = append(m.Spans, weightUpdate{v.ModeStep, median(span)})
		if len(m.Spans) > motionKept {
			m.Spans = slices.Delete(m.Spans, motionKept/2, motionKept/2+1)
		}
	}
	if !seen {
		return false
	}
	m.Most = 0
	for _, name := range slices.Sorted(maps.Keys(m.Last)) {
		g := min(m.Last[name]/m.First[name], math.MaxFloat64)
		grown = append(grown, g)
		if g > m.Most {
			m.Most, m.Where = g, name
		}
	}
	if len(grown) > 0 {
		m.Grown = median(grown)
	}
	m.Scale = median(scale)
	return true
}

// inputsOf is the number of values that one output of a weight adds up.
func inputsOf(shape []int64) float64 {
	n := 1.0
	for _, d := range shape[min(1, len(shape)):] {
		n *= float64(d)
	}
	return n
}

// size remembers how large a weight is. One that begins at zero has no size
// to grow from.
func (m *weightMotion) size(name string, x float64) {
	if _, known := m.First[name]; !known {
		if x > 0 {
			m.First[name] = x
		} else {
			m.First[name] = -1
		}
	}
	if m.First[name] > 0 {
		m.Last[name] = x
	}
}

var spanKey = rule.Pair{Lag: 1}.Key(rule.TrainOnly(plateauEvery))

// appendRatio appends mean |change| / mean |weight before| of a pair that
// compares with the mode step named.
func appendRatio(to []float64, it *rule.Item, key string, from int64) []float64 {
	diff, at, ok := it.Find(key, rule.PairMeanAbsDiff)
	old, _, _ := it.Find(key, rule.PairMeanAbsFrom)
	if !ok || at != from || old <= 0 || !finite(diff/old) {
		return to
	}
	return append(to, diff/old)
}

// gradients remembers how much movement the gradients of a step ask for.
func (m *weightMotion) gradients(v *rule.View, items []rule.Item) {
	m.Steps++
	if v.Skipped {
		m.Skipped++
	}
	if v.Skipped || len(items) == 0 {
		return
	}
	pull := 0.0
	for i := range items {
		w := m.Last[strings.TrimPrefix(items[i].Info.Name, "gradient/")]
		if s := items[i].Stats; s != nil && !s.NonFinite() && w > 0 {
			pull = max(pull, min(s.AbsMean()/w, math.MaxFloat64))
			m.Felt = true
		}
	}
	m.Pull = pull
}

// steady reports how far the weights get in plateauEvery steps, as a share of the
// sum of as many single updates: one when all go one way, a seventh when they
// go any way. It is 0 when it is not known.
func (m *weightMotion) steady() float64 {
	var single, span []float64
	for _, u := range m.Updates {
		single = append(single, u.Ratio)
	}
	for _, s := range m.Spans {
		span = append(span, s.Ratio)
	}
	if len(single) == 0 || len(span) == 0 || median(single) == 0 {
		return 0
	}
	return median(span) / plateauEvery / median(single)
}

// idle reports whether most updates were skipped after an overflow: how little the
// weights move says nothing of the rate then.
func (m *weightMotion) idle() bool { return 2*m.Skipped > m.Steps }

// largest is the largest single update seen.
func (m *weightMotion) largest() weightUpdate {
	var most weightUpdate
	for _, u := range m.Updates {
		if u.Ratio > most.Ratio {
			most = u
		}
	}
	return most
}
