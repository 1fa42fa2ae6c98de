package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// plateauEvery is the interval of the weights' pairs, plateauFar that of
	// the pairs further apart, in mode steps.
	plateauEvery = 50
	plateauFar   = 200
	// aliveGradient is the least mean gradient, in units of the mean weight,
	// that asks for movement. At convergence it is a hundredth of that.
	aliveGradient = 3e-3
	// driftRatio is how much further the weights have to be after 200 steps
	// than after 50: four times when they drift, twice when they only
	// tremble, which is what they do at the floor of the loss.
	driftRatio = 3.1
)

// plateau looks for a training that never began, because the updates are too
// small to matter.
//
// It fires once, when since the first step no weight that is trained moved by
// tiny_update of its mean magnitude over any 50 steps (three pairs at least),
// no loss fell from its first 50 values to its last 50 by more than noise, over
// at least plateau_steps, and yet the gradients ask for movement: the largest
// mean gradient among the weights is not small against its weight, and the
// weights either stand still to the last bit or drift steadily one way. A
// single weight that moves silences it for good: a training whose rate is
// warming up, or that is being tuned finely, has moved. One that was resumed at
// the floor of its loss has no gradient, or trembles.
type plateau struct {
	params   rule.Params
	tiny     float64
	key, far string
	state    standstill
}

// standstill is what is known of a training none of whose weights has moved so far.
type standstill struct {
	Losses losses             `json:"losses"`
	Pairs  int                `json:"pairs"` // steps with pairs, all tiny
	Most   float64            `json:"most"`  // largest change seen
	Where  string             `json:"where"`
	Near   float64            `json:"near"`   // sum over weights of the last change over 50 steps
	Far    float64            `json:"-"`      // the same over 200 steps, where this step has it
	Weight map[string]float64 `json:"weight"` // mean magnitude
	Alive  float64            `json:"alive"`  // largest gradient in units of its weight
	Moved  bool               `json:"moved"`
	Fired  bool               `json:"fired"`
	// Bits is the type of the weights where it has 16 bits; Want how far they would come
	// in plateauEvery steps without rounding, as a share of their size, 0 where that
	// is not known.
	Bits string  `json:"bits,omitempty"`
	Want float64 `json:"want,omitempty"`
	// Steps that were seen, and those whose update was skipped after an overflow.
	Steps   int64 `json:"steps,omitempty"`
	Skipped int64 `json:"skipped,omitempty"`
	// Alone judges the loss where nothing else comes.
	Alone lossAlone `json:"alone"`
}

func plateauNeeds() []rule.Need {
	weights := rule.Selector{Collections: []string{"weights"}}
	return []rule.Need{
		{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats},
		{Selector: weights, Schedule: rule.TrainOnly(plateauEvery), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}},
		{Selector: weights, Schedule: rule.TrainOnly(plateauFar), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}},
		{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: rule.TrainOnly(plateauEvery), Want: rule.WantStats},
	}
}

func newPlateau(p rule.Params) *plateau {
	r := &plateau{params: p, tiny: p.Float("tiny_update")}
	r.key = rule.Pair{Lag: 1}.Key(rule.TrainOnly(plateauEvery))
	r.far = rule.Pair{Lag: 1}.Key(rule.TrainOnly(plateauFar))
	r.state.Losses, r.state.Weight = losses{}, map[string]float64{}
	return r
}

func (r *plateau) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}, {Collections: []string{"weights"}}, {Collections: []string{"gradients"}}}
}

func (r *plateau) Finish(rep *rule.Report) {
	switch s := &r.state; {
	case s.Moved || s.Fired || s.Pairs >= leastStreak || len(s.Losses) == 0:
	case s.Pairs > 0:
		rep.NotJudged(fmt.Sprintf("how far weights move in %d steps was captured %s; it takes %d", plateauEvery, plural(s.Pairs, "time"), leastStreak))
	case s.Alone.Other && s.Steps <= leastStreak*plateauEvery:
		rep.NotJudged(fmt.Sprintf("the training took %s; it takes %d", plural(int(s.Steps), "step"), leastStreak*plateauEvery+1))
	case s.Alone.Other:
		rep.NotJudged(fmt.Sprintf("how far weights move in %d steps was not captured", plateauEvery))
	}
	r.state.Alone.finish(r.params, rep)
}
func (r *plateau) Save() ([]byte, error)  { return save(&r.state) }
func (r *plateau) Restore(b []byte) error { return restore(b, &r.state) }

// Facts takes how far the weights are to move.
func (r *plateau) Facts(f *rule.Facts, _ *rule.Report) {
	r.state.Want = 0
	r.state.Alone.facts(f)
	if rates, known := rates(f); known && len(f.Optimisers) == 1 {
		r.state.Want = plateauEvery * pushOf(f, slices.Max(rates))
	}
}

func (r *plateau) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if a := &r.state.Alone; !a.Other && !a.Fired {
		a.step(v, v.Scalars(0), len(v.Tensors(2)) > 0)
		a.look(r.params, rep)
	}
	if r.state.Moved || r.state.Fired {
		return
	}
	r.state.Steps++
	if v.Skipped {
		r.state.Skipped++
	}
	r.state.Losses.add(v.Scalars(0))
	pairs, near, far := 0, 0.0, 0.0
	for _, it := range v.Tensors(1) {
		if !it.Info.Frozen {
			pairs += r.pair(it, &near, &far, rep)
		}
	}
	r.gradients(v)
	if r.state.Moved || pairs == 0 {
		return
	}
	r.state.Pairs++
	r.state.Near, r.state.Far = near, far
	for _, v := range rule.First(plateauChecks, &r.state, r.params) {
		r.state.Fired = true
		rep.Violate(v)
	}
}

// pair takes one weight's changes and reports whether there was one to take.
func (r *plateau) pair(it rule.Item, near, far *float64, rep *rule.Report) int {
	diff, from, ok := it.Find(r.key, rule.PairMeanAbsDiff)
	if !ok || from < 0 {
		return 0
	}
	rep.Inspect(1)
	if t, ok := sixteen(it.Info); ok {
		r.state.Bits = t.name
	}
	old, _, _ := it.Find(r.key, rule.PairMeanAbsFrom)
	if old == 0 && diff == 0 {
		return 0 // all zero and stays so: unused
	}
	ratio := diff / old
	if !(ratio < r.tiny) || !finite(old) { // also when it is not a number
		r.state.Moved = true
		return 0
	}
	if ratio >= r.state.Most {
		r.state.Most, r.state.Where = ratio, it.Info.Name
	}
	r.state.Weight[it.Info.Name] = old
	*near += ratio
	if d, from, ok := it.Find(r.far, rule.PairMeanAbsDiff); ok && from >= 0 {
		*far += d / old
	}
	return 1
}

// gradients remembers how much movement the gradients of a step ask for.
func (r *plateau) gradients(v *rule.View) {
	items := v.Tensors(2)
	if v.Skipped || len(items) == 0 {
		return
	}
	alive := 0.0
	for _, it := range items {
		w := r.state.Weight[strings.TrimPrefix(it.Info.Name, "gradient/")]
		if it.Stats != nil && !it.Stats.NonFinite() && w > 0 {
			alive = math.Max(alive, math.Min(it.Stats.AbsMean()/w, math.MaxFloat64))
		}
	}
	r.state.Alive = alive
}
