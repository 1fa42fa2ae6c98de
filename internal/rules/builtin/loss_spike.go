package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// lossSpike looks for a loss that leaps out of its own noise and stays up.
//
// A spike begins at a loss above the median of the 50 before by factor, by
// deviations robust standard deviations and by a share of the level at which
// the training began. It counts when the next five losses stay above the
// middle between that median and the first of them; it has recovered when ten
// in a row have come down to the noise before. One that has not recovered
// after 40 steps is a warning when the weights have grown by it, as is the third
// that counts; everything else is information.
var lossSpike = rule.Definition{
	Name: "loss_spike", Class: "LossSpike", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  lossSpikeChecks,
	Summary: "The loss spikes far above its noise and stays there for a while.",
	Why:     "A lasting spike destroys what was learnt. Repeated spikes are a sign that training will diverge.",
	Parameters: []rule.Parameter{
		{Name: "factor", Type: rule.Float, Default: "3", Range: rule.Above(1), Unit: "ratio", Meaning: "minimum ratio to the median of the preceding losses"},
		{Name: "deviations", Type: rule.Float, Default: "10", Range: rule.Above(0), Unit: "standard deviations", Meaning: "minimum distance from that median, in standard deviations estimated from the median absolute deviation"},
		{Name: "share", Type: rule.Float, Default: "0.3", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "minimum rise, as a share of the initial level of the loss"},
		{Name: "growth", Type: rule.Float, Default: "1.3", Range: rule.AtLeast(1), Unit: "ratio", Meaning: "growth of the weights which shows that they, and not the data, are the cause"},
	},
	CauseClass: "learning-rate",
	Lacks:      "no loss was captured",
	Causes:     []string{"a learning rate that is too high for this phase of the training", "batches with bad data", "no gradient clipping"},
	Remedies:   []string{"clip gradients by norm", "lower the learning rate, or warm it up after a restart", "inspect the batches at the spikes", "go back to the last checkpoint before it"},
	Asks:       []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
	Explains:   []string{"overfit", "too_few_updates"},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why: "Losses near zero spike by large factors when one sample is unusual, and warm restarts lift the loss on purpose. So a spike has to reach a third of the level at which the training began and has to last, and it is " +
			"an alarm only when it does not recover within 40 steps and the weights have grown by a third meanwhile, or when it is the third one with such growth.",
	},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{
			{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats},
			{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: rule.TrainOnly(rule.Auto), Want: rule.WantStats},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &spikes{factor: p.Float("factor"), deviations: p.Float("deviations"), share: p.Float("share"), growth: p.Float("growth")}
		r.state.Motion = newWeightMotion()
		return r, nil
	},
}

const (
	spikeWindow  = 50 // losses before
	spikeLasts   = 5  // losses that have to stay up
	spikeBack    = 10 // losses in a row that are down again
	spikeWait    = 40 // steps within which it recovers
	spikesInARow = 3  // that are an alarm even when each recovers
	spikesKept   = 3  // findings of information
)

type spikes struct {
	factor, deviations, share, growth float64
	state                             struct {
		Curve   lossCurve    `json:"curve"`
		Motion  weightMotion `json:"motion"`
		Own     ownData      `json:"own"`
		Calm    []float64    `json:"calm"` // the last losses outside spikes
		Spike   *spike       `json:"spike,omitempty"`
		Count   int          `json:"count"` // that lasted and recovered
		Grew    int          `json:"grew"`  // of these, those with grown weights
		Fired   bool         `json:"fired"`
		Several bool         `json:"several"`
	}
}

// spike is one that is under way.
type spike struct {
	At     rule.Point `json:"at"`
	Before float64    `json:"before"` // median
	Noise  float64    `json:"noise"`  // robust deviation
	First  float64    `json:"first"`
	Peak   float64    `json:"peak"`
	N      int        `json:"n"`
	Down   int        `json:"down"` // in a row
	Weight float64    `json:"weight"`
}

func (r *spikes) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}, {Collections: []string{"weights"}}}
}
func (r *spikes) Save() ([]byte, error)  { return save(&r.state) }
func (r *spikes) Restore(b []byte) error { return restore(b, &r.state) }

func (r *spikes) Facts(f *rule.Facts, rep *rule.Report) {
	r.state.Several = len(f.Optimisers) > 1
	r.state.Own.facts(f)
}

// Finish says why nothing was judged, or no more after the first losses.
func (r *spikes) Finish(rep *rule.Report) {
	switch c := &r.state.Curve; {
	case c.N == 0:
	case c.unusable() != "" || r.state.Several:
		rep.NotJudged(cmp.Or(c.unusable(), rivals))
	case r.state.Own.made():
		rep.NotJudged(whyOwnData)
	case c.N <= spikeWindow:
		rep.NotJudged(fmt.Sprintf("%s captured; it takes more than %d", losses64(c.N), spikeWindow))
	}
}

func (r *spikes) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || r.state.Fired {
		return
	}
	r.state.Own.step(v)
	weight := r.state.Motion.Grown // a step's loss is that of the step's weights
	r.state.Motion.weights(v, v.Tensors(1))
	x, ok := r.state.Curve.step(v.ModeStep, v.Scalars(0))
	if !ok || !r.state.Curve.usable() || r.state.Several || r.state.Own.made() {
		return
	}
	rep.Inspect(1)
	if r.state.Spike != nil {
		r.follow(x, rep)
		return
	}
	if len(r.state.Calm) == spikeWindow {
		before := median(r.state.Calm)
		noise := deviation(r.state.Calm, before)
		if before > 0 && x >= r.factor*before && x >= before+r.deviations*noise && x-before >= r.share*r.state.Curve.begin() {
			r.state.Spike = &spike{At: rule.Point{Step: v.Step, Mode: v.Mode, ModeStep: v.ModeStep, Time: v.Time}, Before: before, Noise: noise, First: x, Peak: x, N: 1, Weight: weight}
			return
		}
	}
	r.state.Calm = lastOf(append(r.state.Calm, x), spikeWindow)
}

// follow takes the losses after a leap.
func (r *spikes) follow(x float64, rep *rule.Report) {
	s := r.state.Spike
	s.N++
	s.Peak = max(s.Peak, x)
	if s.N <= spikeLasts && x < (s.Before+s.First)/2 {
		r.state.Spike = nil // a batch, not a spike
		return
	}
	if x <= s.Before+max(3*s.Noise, 0.5*s.Before) {
		s.Down++
	} else {
		s.Down = 0
	}
	grew := r.state.Motion.Grown >= r.growth*s.Weight || r.state.Motion.Odd
	switch {
	case s.Down >= spikeBack:
		r.state.Count++
		if grew {
			r.state.Grew++
		}
		if r.state.Grew >= spikesInARow {
			r.report(rep, s, rule.Warning, fmt.Sprintf("spike number %s; the weights grew at each", ordinal(r.state.Count)))
		} else if r.state.Count <= spikesKept {
			r.report(rep, s, rule.Info, fmt.Sprintf("it recovered after %d steps", s.N-spikeBack))
		}
		r.state.Spike = nil
	case s.N == spikeWait && !r.recovering():
		if grew {
			r.report(rep, s, rule.Warning, fmt.Sprintf("it has not recovered in %d steps, and the weights have grown to %s times their size", s.N, times(r.state.Motion.Grown/s.Weight)))
			return
		}
		r.report(rep, s, rule.Info, fmt.Sprintf("it has not recovered in %d steps", s.N))
	case s.N >= 4*spikeWait: // the new level is where it is now
		r.state.Spike, r.state.Calm = nil, r.state.Calm[:0]
	}
}

// recovering: the loss is on its way down.
func (r *spikes) recovering() bool {
	last := r.state.Curve.tail(spikeWait)
	return median(last[len(last)/2:]) < 0.7*median(last[:len(last)/2])
}

func (r *spikes) report(rep *rule.Report, s *spike, severity rule.Severity, how string) {
	r.state.Fired = severity == rule.Warning
	v := rule.Violation{
		Check: "spike", Subject: r.state.Curve.Name, Observed: s.Peak / s.Before, Threshold: r.factor, Comparator: ">=", Severity: severity, Steps: s.N, At: &s.At,
		Message: fmt.Sprintf("The %s spiked at step %d from %s (median of the %d steps before) to a peak of %s: %s.", called("loss", r.state.Curve.Name), s.At.ModeStep, num(s.Before), spikeWindow, num(s.Peak), how),
		Context: map[string]any{"before": s.Before, "noise": s.Noise, "peak": s.Peak, "spikes": r.state.Count, "weight_growth": r.state.Motion.Grown / s.Weight, "last_values": slices.Clone(r.state.Curve.tail(20))},
	}
	if severity == rule.Info {
		v.CauseClass, v.Cause = "unknown", "unusual batches, or a learning rate at the upper limit"
	}
	rep.Violate(v)
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "first"
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}

// deviation estimates a standard deviation from the median distance to the
// median.
func deviation(x []float64, middle float64) float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - middle)
	}
	return 1.4826 * median(d)
}
