package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// stillParts are the layers of a network that do not learn, as the facts have
// them, and the share that they make of all weights.
type stillParts struct {
	Cut         []string `json:"cut,omitempty"` // no gradient reaches them
	CutShare    float64  `json:"cut_share,omitempty"`
	Frozen      []string `json:"frozen,omitempty"` // as they were initialised
	FrozenShare float64  `json:"frozen_share,omitempty"`
	Alive       bool     `json:"alive,omitempty"` // gradients came in the first updates
	Faint       float64  `json:"faint,omitempty"` // the largest input of the first layer, where it is far below 1
	FaintAt     string   `json:"faint_at,omitempty"`
}

// take reads the facts again.
func (s *stillParts) take(f *rule.Facts) {
	*s = stillParts{Alive: f.Updates != nil && len(f.Updates.Norms) > 0 && float64(f.Updates.Norms[0]) > aliveGradient}
	s.Faint, s.FaintAt = faintInputs(f)
	if f.Parameters == nil || f.Parameters.More > 0 {
		return
	}
	var cut, frozen, rest []*rule.ParameterFact
	for i := range f.Parameters.List {
		switch p := &f.Parameters.List[i]; {
		case !mixing(p):
		case p.Trained && p.Held && p.Gradient == record.GradientMissing && !p.Changed && ran(f, p):
			cut = append(cut, p)
		case !p.Trained && !p.Changed && ran(f, p):
			frozen = append(frozen, p)
		default:
			rest = append(rest, p)
		}
	}
	if len(rest) == 0 {
		return
	}
	if updates(f) >= leastOwn {
		s.Cut, s.CutShare = namesOfSome(cut), shareOf(cut, append(frozen, rest...))
	}
	if len(frozen) > 0 && age(withBiases(f, frozen)) == fresh {
		s.Frozen, s.FrozenShare = namesOfSome(frozen), shareOf(frozen, append(cut, rest...))
	}
}

// faintInputs gives the largest value that the first layer gets, and its name,
// where that is far below what is usual and no normalisation makes up for it;
// 0 otherwise. Pixels that were divided by 255 twice are such.
func faintInputs(f *rule.Facts) (float64, string) {
	layer, before, after := firstLayer(f)
	if layer == nil || before || after || layer.Input == nil || layer.Input.Values == nil || !floating(layer.Input.DType) {
		return 0, ""
	}
	x := layer.Input.Values
	most := max(math.Abs(float64(x.Min)), math.Abs(float64(x.Max)))
	if x.NonFinite > 0 || x.Elements < leastCompared || !(x.Std > 0) || most > faintest {
		return 0, ""
	}
	if layer.Path == "" {
		return most, "the model"
	}
	return most, layer.Path
}

// namesOfSome names the modules of parameters, as many as a message has room for
// and one more.
func namesOfSome(ps []*rule.ParameterFact) []string {
	names := modulesOf(ps)
	return names[:min(len(names), 4)]
}

// withBiases adds what else frozen modules and the normalisation next to them hold:
// only that reports whether values are those of an initialiser.
func withBiases(f *rule.Facts, ps []*rule.ParameterFact) []*rule.ParameterFact {
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; !p.Trained && !mixing(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

const (
	cutWeighs    = 0.1  // share of the weights that no gradient reaches
	frozenWeighs = 0.25 // share that is frozen
	faintest     = 0.02 // the largest input, where about 1 is usual
	creepFar     = 0.3  // of their size that weights can have come, at most, when they creep
)

// explain says what a loss that stays at a guess comes from: what the weights
// themselves show comes first, and labels last, since nothing proves them.
func (r *flat) explain(v *rule.Violation, what string) {
	m, s := &r.state.Motion, &r.state.Still
	far := m.Fast * float64(r.state.Curve.N) / plateauEvery
	steady := m.steady()
	switch {
	case s.CutShare >= cutWeighs:
		v.CauseClass, v.Cause = "not-updated", "layers that no gradient reaches: their outputs stay random"
		v.Remedy = "remove detach(), .data or no_grad() between these layers and the loss"
		v.Message = fmt.Sprintf("%s. No gradient reaches %s (%s of the weights).", what, someNames(s.Cut), percent(s.CutShare))
	case s.FrozenShare >= frozenWeighs:
		v.CauseClass, v.Cause = "not-updated", "layers that are frozen at their random initial values"
		v.Remedy = "call requires_grad_(True) on them, or load pretrained weights"
		v.Message = fmt.Sprintf("%s. The weights of %s are frozen at their random initial values (%s of all), so later layers get random features.", what, someNames(s.Frozen), percent(s.FrozenShare))
	case m.Felt && m.Pull <= collapsedPull:
		v.CauseClass, v.Cause = "activation", "all units are dead or saturated, so no weight gets a gradient"
		v.Remedy = "inspect the layer outputs; lower the learning rate, initialise biases with 0, use LeakyReLU, or normalise before bounded activations"
		v.Asks = []rule.Advice{rule.LowerLearningRate}
		v.Message = what + ". No weight gets a gradient: the units after them are dead or saturated."
		if s.Alive || m.Grown >= 2 || len(m.Spans) > 0 && m.Spans[0].Ratio >= 1 {
			v.CauseClass, v.Cause = "learning-rate", "a learning rate so high that the weights moved to where gradients are zero"
			v.Remedy = "lower the learning rate by a factor of ten, or warm it up; then inspect the layer outputs: units may be dead or saturated for other reasons"
			v.Message = what + ". No weight gets a gradient any more, although they did at first: large updates left the units after them dead or saturated."
		}
	case s.Faint > 0:
		v.CauseClass, v.Cause = "data-scaling", "inputs that are far too small, such as pixels divided by 255 twice"
		v.Remedy = "normalise the inputs once: subtract the mean and divide by the std; inspect a batch just before the model"
		v.Message = fmt.Sprintf("%s. The inputs of %s are no larger than %s, where about 1 is usual: they are negligible next to its bias.", what, s.FaintAt, num(s.Faint))
	case steady >= leastSteady && steady <= 1.3 && far < creepFar && r.state.Curve.N < r.live && m.Half:
		v.CauseClass, v.Cause = "not-updated", "16-bit weights whose rounding swallows most of each update, or too few updates"
		v.Remedy = keepWide + "; or train for longer"
		v.Asks = []rule.Advice{rule.TrainLonger}
		v.Message = fmt.Sprintf("%s; the 16-bit weights drift in one direction, but by no more than %s of their size.", what, percent(far))
	case steady >= leastSteady && steady <= 1.3 && far < creepFar && r.state.Curve.N < r.live:
		v.CauseClass, v.Cause = "learning-rate", "a learning rate that is too low, or too few updates"
		v.Remedy = "raise the learning rate by factors of ten until the loss moves, or train for longer"
		v.Asks = []rule.Advice{rule.RaiseLearningRate, rule.TrainLonger}
		v.Message = fmt.Sprintf("%s; the weights drift in one direction, but by no more than %s of their size.", what, percent(far))
	default:
		v.Cause = "most often labels that do not belong to the inputs, or inputs without signal; no other explanation was found"
		v.Message = fmt.Sprintf("%s, although the weights change by up to %s of their size in %d steps. Either the labels do not belong to the inputs, or the signal is lost before the loss.", what, percent(m.Fast), plateauEvery)
	}
}
