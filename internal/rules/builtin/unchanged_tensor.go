package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// unchangedTensor judges whether the last saved values of a tensor agree with
// the newest. Tensors are compared at capture (pairs with each of the earlier
// steps), scalars here.
var unchangedTensor = rule.Definition{
	Name: "unchanged_tensor", Class: "UnchangedTensor", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  unchangedTensorChecks,
	Summary: "A tensor stays the same over several saved steps.",
	Why:     "Weights that are never updated, a repeated batch and a constant loss look like this.",
	Parameters: []rule.Parameter{
		collectionNames, tensorRegex,
		{Name: "num_steps", Type: rule.Int, Default: "3", Range: rule.Between(2, 1000), Unit: "saved steps", Meaning: "how many saved steps, the current one included, have to agree"},
		{Name: "rtol", Type: rule.Float, Default: "1e-05", Range: rule.AtLeast(0), Meaning: "relative tolerance"},
		{Name: "atol", Type: rule.Float, Default: "1e-08", Range: rule.AtLeast(0), Meaning: "absolute tolerance"},
		{Name: "equal_nan", Type: rule.Bool, Default: "False", Meaning: "whether NaN equals NaN"},
		everyFixed("500"),
	},
	CauseClass: "not-updated",
	Causes:     []string{"a parameter that is frozen or not in the optimiser", "optimizer.step() is not called", "the same batch at every step"},
	Remedies:   []string{"check that optimizer.step() is called", "check the optimiser's parameter groups", "check that the data is shuffled"},
	Needs: func(p rule.Params) []rule.Need {
		sel, everything := selector(p)
		if everything {
			sel = rule.Selector{Collections: []string{"losses", "weights", "biases", "gradients"}}
		}
		return []rule.Need{{Selector: sel, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats, Pairs: unchangedPairs(p)}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &unchanged{rtol: p.Float("rtol"), atol: p.Float("atol"), nan: p.Bool("equal_nan"), every: p.Int("every"), steps: int(p.Int("num_steps"))}
		r.sel, r.everything = selector(p)
		for _, pair := range unchangedPairs(p) {
			r.keys = append(r.keys, pair.Key(rule.AllModes(r.every)))
		}
		r.state.Scalars, r.state.Since = map[string]*history{}, map[string]int64{}
		return r, nil
	},
}

func unchangedPairs(p rule.Params) []rule.Pair {
	var out []rule.Pair
	for lag := int64(1); lag < p.Int("num_steps"); lag++ {
		out = append(out, rule.Pair{Lag: lag, Close: true, RTol: p.Float("rtol"), ATol: p.Float("atol"), EqualNaN: p.Bool("equal_nan")})
	}
	return out
}

type unchanged struct {
	rtol, atol float64
	nan        bool
	every      int64
	steps      int
	sel        rule.Selector
	everything bool
	keys       []string // of the pairs, nearest first
	back       []int64  // used again for each tensor
	state      struct {
		Scalars map[string]*history `json:"scalars"` // by worker, mode and name
		Since   map[string]int64    `json:"since"`   // mode step from which on nothing changed
	}
}

// history is the last values of a scalar at the rule's own interval.
type history struct {
	Steps  []int64       `json:"steps"`
	Values []rule.Number `json:"values"`
}

func (r *unchanged) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *unchanged) Finish(*rule.Report)     {}
func (r *unchanged) Save() ([]byte, error)   { return save(&r.state) }
func (r *unchanged) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *unchanged) Step(v *rule.View, rep *rule.Report) {
	if r.everything {
		rep.Note(noSelector)
	}
	for _, it := range v.Tensors(0) {
		r.tensor(it, v, rep)
	}
	if onInterval(v.ModeStep, r.every) {
		for _, it := range v.Scalars(0) {
			r.scalar(it, v, rep)
		}
	}
}

func (r *unchanged) tensor(it rule.Item, v *rule.View, rep *rule.Report) {
	if len(it.Derived) == 0 {
		return // captured for somebody else
	}
	steps := append(r.back[:0], v.ModeStep)
	greatest, changed := 0.0, false
	for _, k := range r.keys {
		if c, _, ok := it.Find(k, rule.PairShapeChange); ok && c != 0 {
			changed = true
			continue
		}
		n, from, ok := it.Find(k, rule.PairNotClose)
		if !ok || from < 0 {
			return // too few steps yet
		}
		changed = changed || n > 0
		if d, _, ok := it.Find(k, rule.PairMaxAbsDiff); ok {
			greatest = math.Max(greatest, d)
		}
		steps = append(steps, from)
	}
	r.back = steps
	rep.Inspect(1)
	r.decide(it, steps, greatest, changed, v, rep)
}

func (r *unchanged) scalar(it rule.Item, v *rule.View, rep *rule.Report) {
	h := stateOf(r.state.Scalars, &it, v.Mode)
	if len(h.Steps) == r.steps {
		h.Steps, h.Values = append(h.Steps[:0], h.Steps[1:]...), append(h.Values[:0], h.Values[1:]...)
	}
	h.Steps, h.Values = append(h.Steps, v.ModeStep), append(h.Values, rule.Number(it.Value))
	if len(h.Steps) < r.steps {
		return
	}
	rep.Inspect(1)
	greatest, changed := 0.0, false
	for _, old := range h.Values[:r.steps-1] {
		if !isClose(float64(old), it.Value, r.rtol, r.atol, r.nan) {
			changed = true
		} else if d := math.Abs(float64(old) - it.Value); d > greatest {
			greatest = d
		}
	}
	steps := make([]int64, r.steps)
	for i, s := range h.Steps {
		steps[r.steps-1-i] = s
	}
	r.decide(it, steps, greatest, changed, v, rep)
}

// decide reports unless something changed; steps come newest first.
func (r *unchanged) decide(it rule.Item, steps []int64, greatest float64, changed bool, v *rule.View, rep *rule.Report) {
	if changed && len(r.state.Since) == 0 {
		return
	}
	k := key(it.Worker, v.Mode.String()+it.Info.Name)
	if changed {
		delete(r.state.Since, k)
		return
	}
	since, known := r.state.Since[k]
	if !known {
		since = steps[len(steps)-1]
		r.state.Since[k] = since
	}
	rep.Violate(rule.Violation{
		Check: "unchanged", Subject: it.Info.Name, Worker: it.Worker, Observed: greatest, Threshold: r.atol, Comparator: "<=", Steps: len(steps),
		Message: fmt.Sprintf("%s has not changed since %s step %d: its last %d saved values are equal.", it.Info.Name, v.Mode, since, len(steps)),
		Context: map[string]any{"steps": slices.Clone(steps), "since_mode_step": since, "max_abs_diff": greatest, "rtol": r.rtol},
	})
}

// isClose is |older - current| <= atol + rtol * |current|; equal infinities
// are close, NaN is close to NaN only when asked for.
func isClose(older, current, rtol, atol float64, nan bool) bool {
	if math.IsNaN(older) || math.IsNaN(current) {
		return nan && math.IsNaN(older) && math.IsNaN(current)
	}
	if math.IsInf(older, 0) || math.IsInf(current, 0) {
		return older == current
	}
	return math.Abs(older-current) <= atol+rtol*math.Abs(current)
}
