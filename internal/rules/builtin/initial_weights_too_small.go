package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// waits is what initialWeights remembers of weights that are small, but not so
// small that they are a fault by themselves: whether it is one shows in the
// loss. Some optimisers bring them to scale within a few steps.
type waits struct {
	Small *smallWeights `json:"small,omitempty"`
	Curve lossCurve     `json:"curve"`
	Kind  lossKind      `json:"kind"`
}

// smallWeights are the layers that begin too small, as a finding tells of them.
type smallWeights struct {
	Layers    []string `json:"layers"`
	Of        int      `json:"of"`
	Least     string   `json:"least"` // the smallest of them
	Deviation float64  `json:"deviation"`
	Ratio     float64  `json:"ratio"`
	Usual     float64  `json:"usual"`
	Inputs    int64    `json:"inputs"`
	Fade      float64  `json:"fade"` // what is left of the signal after all layers
}

// stillSteps is how long the loss has to stand where it began.
const stillSteps = 60

// suspect remembers layers of which half are smaller than usual by so much that
// together they let nearly nothing through.
func (r *initial) suspect(f *rule.Facts, layers []layer) {
	r.waits.Small, r.waits.Kind = nil, kindOfLoss(f)
	if len(layers) < 2 || someLoaded(f) || len(f.Optimisers) > 1 || normalised(f) || arrives(f) {
		return
	}
	s := &smallWeights{Of: len(layers), Fade: 1}
	for i := range layers {
		l := &layers[i]
		q := ratio(l.weight)
		s.Fade *= min(1, q)
		if q >= r.faint {
			continue
		}
		s.Layers = append(s.Layers, l.name())
		if s.Least == "" || q < s.Ratio {
			s.Least, s.Ratio, s.Deviation, s.Usual, s.Inputs = l.name(), q, float64(l.weight.First.Std), usual(l.weight), l.weight.FanIn
		}
	}
	if 2*len(s.Layers) >= len(layers) && s.Fade <= r.fade && !creeps(f, s.Deviation) {
		r.waits.Small = s
	}
}

// creepShare is the share of their deviation that weights have to be able to
// move by while the loss stands still, before that says anything of them.
const creepShare = 0.05

// creeps reports whether the learning rate is so small, as at the start of a long
// warm-up, that the loss would stand still with any weights.
func creeps(f *rule.Facts, deviation float64) bool {
	if len(f.Optimisers) != 1 || !scaleFree(f.Optimisers[0].Class) {
		return false
	}
	most := 0.0
	for _, g := range f.Optimisers[0].Groups {
		if g.LR == nil {
			return false
		}
		most = max(most, *g.LR)
	}
	return most > 0 && most*stillSteps < creepShare*deviation
}

// arrives reports whether the last layer gets a signal on scale behind a
// normalisation: so it is in transformers, which begin with small weights and
// normalise once for several layers.
func arrives(f *rule.Facts) bool {
	const alive = 0.05 // deviation of what the last layer gets: two layers of a small head come after the last normalisation
	if f.Network == nil {
		return false
	}
	var last *rule.ModuleFacts
	norms := 0
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if m.Kind == record.NormModule {
			norms++
		}
		if slices.Contains(weightedKinds, m.Kind) && m.Input != nil && m.Input.Values != nil && (last == nil || m.Order > last.Order) {
			last = m
		}
	}
	return norms > 0 && last != nil && float64(last.Input.Values.Std) >= alive
}

// Select adds the losses to the facts.
func (r *initial) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}}
}

// Step follows the loss.
func (r *initial) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if _, ok := r.waits.Curve.step(v.ModeStep, v.Scalars(0)); ok && r.waits.Curve.N >= stillSteps && r.waits.Curve.N%10 == 0 {
		r.stands(rep)
	}
}

// Finish judges what the last steps left open.
func (r *initial) Finish(rep *rule.Report) {
	if r.waits.Curve.N >= stillSteps {
		r.stands(rep)
	}
}

// stands reports small weights when the loss is where it began.
func (r *initial) stands(rep *rule.Report) {
	s, c := r.waits.Small, &r.waits.Curve
	if s == nil || !c.usable() {
		return
	}
	first, last := c.First[:min(stillSteps/2, len(c.First))], c.tail(stillSteps/2)
	before, after := mean(first), mean(last)
	if slices.Max(c.First) == slices.Min(c.First) {
		return // to the bit: what follows from small weights varies from batch to batch
	}
	if fell(first, last) || before <= 0 || after < 0.97*before || after > 1.5*before {
		return
	}
	if k := &r.waits.Kind; k.Guess > 0 && !k.summed() && after < 0.9*k.Guess {
		return // it knows something already
	}
	r.say(rep, rule.Violation{
		Check: "small_weights", Subject: s.Least, Severity: rule.Warning, Observed: s.Ratio, Threshold: r.faint, Comparator: "<", Steps: int(c.N),
		Cause: "the initial weights are too small",
		Message: fmt.Sprintf("The initial weights of %s are too small: %s has std %s, where %s is usual for %d inputs. The signal vanishes, and in %d steps the %s has not decreased: it is %s. Use He or Glorot initialisation.",
			someNames(s.Layers), someNames([]string{s.Least}), num(s.Deviation), num(s.Usual), s.Inputs, c.N, called("loss", c.Name), meanOfLast(after, int64(len(last)))),
		Context: map[string]any{"layers": len(s.Layers), "of": s.Of, "deviation": s.Deviation, "inputs": s.Inputs, "left": s.Fade, "first_mean": before, "last_mean": after},
	})
}

// initialState is what is kept of the rule.
type initialState struct {
	Said  map[string]bool `json:"said"`
	Waits waits           `json:"waits"`
}

func (r *initial) Save() ([]byte, error) { return save(initialState{r.said, r.waits}) }

// Restore takes back what was said and what is waited for.
func (r *initial) Restore(b []byte) error {
	var s initialState
	if err := restore(b, &s); err != nil {
		return err
	}
	if s.Said == nil {
		s.Said = map[string]bool{}
	}
	r.said, r.waits = s.Said, s.Waits
	return nil
}
