package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// plateauEvery is the interval of the weights' pairs, in mode steps.
const plateauEvery = 50

// plateau looks for a training that never began, because the updates are too
// small to matter.
//
// It fires once, when since the first step no weight that is trained moved by
// tiny_update of its mean magnitude over any 50 steps (three pairs at least),
// and no loss fell from its first 50 values to its last 50 by more than noise,
// over at least plateau_steps. A single weight that moves, or a loss that has
// once fallen, silences it for good: a training that has converged, one that
// is being tuned finely, or one whose rate is warming up has moved before.
type plateau struct {
	steps int64
	tiny  float64
	key   string
	state struct {
		Losses losses  `json:"losses"`
		Pairs  int     `json:"pairs"` // steps with pairs, all tiny
		Most   float64 `json:"most"`  // largest change seen
		Where  string  `json:"where"`
		Moved  bool    `json:"moved"`
		Fired  bool    `json:"fired"`
	}
}

func plateauNeeds() []rule.Need {
	return []rule.Need{
		{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats},
		{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: rule.TrainOnly(plateauEvery), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}},
	}
}

func newPlateau(p rule.Params) *plateau {
	r := &plateau{steps: p.Int("plateau_steps"), tiny: p.Float("tiny_update")}
	r.key = rule.Pair{Lag: 1}.Key(rule.TrainOnly(plateauEvery))
	r.state.Losses = losses{}
	return r
}

func (r *plateau) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}, {Collections: []string{"weights"}}}
}

func (r *plateau) Finish(*rule.Report)    {}
func (r *plateau) Save() ([]byte, error)  { return save(&r.state) }
func (r *plateau) Restore(b []byte) error { return restore(b, &r.state) }

func (r *plateau) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || r.state.Moved || r.state.Fired {
		return
	}
	scalars := v.Scalars(0)
	r.state.Losses.add(scalars)
	pairs := 0
	for _, it := range v.Tensors(1) {
		if !it.Info.Frozen {
			pairs += r.pair(it, rep)
		}
	}
	if r.state.Moved || pairs == 0 {
		return
	}
	r.state.Pairs++
	if r.state.Pairs < leastStreak || !r.state.Losses.flatSince(r.steps) {
		return
	}
	r.state.Fired = true
	r.report(v, rep)
}

// pair takes one weight's change and tells whether there was one to take.
func (r *plateau) pair(it rule.Item, rep *rule.Report) int {
	diff, from, ok := it.Find(r.key, rule.PairMeanAbsDiff)
	if !ok || from < 0 {
		return 0
	}
	rep.Inspect(1)
	old, _, _ := it.Find(r.key, rule.PairMeanAbsFrom)
	if old == 0 && diff == 0 {
		return 0 // all zero and stays so: unused
	}
	ratio := diff / old
	if !(ratio < r.tiny) { // also when it is not a number
		r.state.Moved = true
		return 0
	}
	if ratio >= r.state.Most {
		r.state.Most, r.state.Where = ratio, it.Info.Name
	}
	return 1
}

func (r *plateau) report(v *rule.View, rep *rule.Report) {
	name, values := "loss", []float64(nil)
	for n, l := range r.state.Losses {
		if len(values) == 0 || n == "loss" || (name != "loss" && n < name) {
			name, values = n, append([]float64(nil), l.tail(20)...)
		}
	}
	first, _ := moments(r.state.Losses[name].First)
	last, _ := moments(r.state.Losses[name].tail(firstKept))
	how := fmt.Sprintf("no weight moves by more than %s of its size in %d steps", num(r.state.Most), plateauEvery)
	cause := "a learning rate that is far too small"
	if r.state.Most == 0 {
		how = "no weight has changed at all"
		cause = "a learning rate of zero or so small that updates are lost in rounding, or an optimiser that holds other parameters than the model's"
	}
	rep.Violate(rule.Violation{
		Check: "plateau", Subject: name, Observed: r.state.Most, Threshold: r.tiny, Comparator: "<", Severity: rule.Error, Steps: int(r.state.Losses[name].N), Cause: cause,
		Remedy: "raise the learning rate by factors of ten until the loss moves; check the scheduler, and that the optimiser was given model.parameters()",
		Message: fmt.Sprintf("Nothing is learnt: after %d steps the %s is still %s (%s at first), and %s.",
			r.state.Losses[name].N, called("loss", name), num(last), num(first), how),
		Context: map[string]any{"first_mean": first, "last_mean": last, "largest_update": r.state.Most, "weight": r.state.Where, "pairs": r.state.Pairs, "last_values": values},
	})
}
