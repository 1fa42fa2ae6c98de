package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// divergence looks for a training that runs away while its values are still
// finite.
//
// A step at which weights were analysed counts against the training when at
// least half of the weight matrices (two at least) have a mean magnitude of
// growth times the one first seen, and the mean of the last 50 losses is above
// twice the largest of the first three (the first alone, when the others are
// ten times as large), for every loss. It fires when two or more
// such steps in a row span 60 mode steps.
type divergence struct {
	growth float64
	state  struct {
		Losses losses                 `json:"losses"`
		First  map[string]rule.Number `json:"first"` // mean magnitude first seen
		Streak int                    `json:"streak"`
		Since  int64                  `json:"since"`
		Fired  bool                   `json:"fired"`
		Looks  int64                  `json:"looks"` // steps compared with the first
		// Began is the mode step of the first look at weights: growth is against that.
		Began int64 `json:"began,omitempty"`
		From  int64 `json:"from"`
		To    int64 `json:"to"`
	}
}

const (
	divergeSteps  = 60 // mode steps, longer than the window: one spike is not enough
	divergeLoss   = 2  // times the first losses
	divergeWindow = 50 // losses in the mean
)

func newDivergence(p rule.Params) *divergence {
	r := &divergence{growth: p.Float("growth")}
	r.state.Losses, r.state.First = losses{}, map[string]rule.Number{}
	return r
}

func (r *divergence) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"weights"}}, {Collections: []string{"losses"}}}
}

func (r *divergence) Finish(rep *rule.Report) {
	rep.NotJudged(tooFew("weights", r.state.Looks, r.state.From, r.state.To, 2, divergeSteps))
}
func (r *divergence) Save() ([]byte, error)  { return save(&r.state) }
func (r *divergence) Restore(b []byte) error { return restore(b, &r.state) }

func (r *divergence) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	r.state.Losses.add(v.Scalars(1))
	items := v.Tensors(0)
	if len(items) == 0 {
		return
	}
	seen, grown, worst, most := 0, 0, "", 0.0
	for i := range items {
		it := &items[i]
		if it.Worker != items[0].Worker || it.Stats == nil || it.Info.Frozen || !matrix(it.Info) || it.Stats.NonFinite() {
			continue
		}
		m := it.Stats.AbsMean()
		first, known := r.state.First[it.Info.Name]
		if !known {
			if m > 0 {
				if len(r.state.First) == 0 {
					r.state.Began = v.ModeStep
				}
				r.state.First[it.Info.Name] = rule.Number(m)
			}
			continue
		}
		seen++
		if g := m / float64(first); g >= r.growth {
			grown++
			if g > most {
				most, worst = g, it.Info.Name
			}
		}
	}
	rep.Inspect(seen)
	if seen == 0 {
		return
	}
	if r.state.Looks++; r.state.Looks == 1 {
		r.state.From = v.ModeStep
	}
	r.state.To = v.ModeStep
	if grown < 2 || 2*grown < seen || !r.worse() {
		r.state.Streak, r.state.Fired = 0, false
		return
	}
	if r.state.Streak == 0 {
		r.state.Since = v.ModeStep
	}
	r.state.Streak++
	if r.state.Fired || r.state.Streak < 2 || v.ModeStep-r.state.Since < divergeSteps {
		return
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "growth", Subject: worst, Worker: items[0].Worker, Observed: most, Threshold: r.growth, Comparator: ">=", Steps: r.state.Streak,
		CauseClass: "learning-rate", Cause: "a learning rate that is too high",
		Remedy: "lower the learning rate by a factor of ten, or warm it up; clip gradients by norm", Asks: []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
		Message: fmt.Sprintf("Training diverges: %d of %s have grown at least %s times since step %d (%s %s times), and the loss is above its initial value.",
			grown, plural(seen, "weight"), num(r.growth), r.state.Began, worst, times(most)),
		Context: map[string]any{"grown": grown, "weights": seen, "since_mode_step": r.state.Since, "began": r.state.Began, "losses": r.lastLosses()},
	})
}

// worse reports whether every loss lies clearly above where it began.
func (r *divergence) worse() bool {
	return r.state.Losses.each(func(l *lossSeries) bool {
		if l.N < divergeWindow || len(l.First) < 3 {
			return false
		}
		first := max(l.First[0], l.First[1], l.First[2])
		if first > 10*l.First[0] {
			first = l.First[0] // the others are part of the explosion
		}
		last, _ := moments(l.tail(divergeWindow))
		return first > 0 && last > divergeLoss*first
	})
}

func (r *divergence) lastLosses() map[string]any {
	out := map[string]any{}
	for name, l := range r.state.Losses {
		out[name] = append([]float64(nil), l.tail(20)...)
	}
	return out
}
