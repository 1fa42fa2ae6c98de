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

// take reads the facts anew.
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

// withBiases adds what else frozen modules and the normalisation beside them hold:
// only that tells whether values are those of an initialiser.
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
		v.CauseClass, v.Cause = "not-updated", "layers that no gradient reaches: what they give stays as random as at first"
		v.Remedy = "remove the detach, .data or no_grad on the way from there to the loss"
		v.Message = fmt.Sprintf("%s. No gradient reaches %s (%s of the weights).", what, someNames(s.Cut), percent(s.CutShare))
	case s.FrozenShare >= frozenWeighs:
		v.CauseClass, v.Cause = "not-updated", "layers that are frozen as they were initialised"
		v.Remedy = "set requires_grad_(True) on them, or load the weights that they are to have"
		v.Message = fmt.Sprintf("%s. The weights of %s are frozen as an initialiser left them (%s of all): what comes after gets random features.", what, someNames(s.Frozen), percent(s.FrozenShare))
	case m.Felt && m.Pull <= collapsedPull:
		v.CauseClass, v.Cause = "activation", "units that are all dead or saturated: no gradient is left for any weight"
		v.Remedy = "look at the outputs of the layers; lower the learning rate, initialise biases with 0, use a leaky activation or a normalisation before bounded ones"
		v.Asks = []rule.Advice{rule.LowerLearningRate}
		v.Message = what + ". No weight gets a gradient any more: the units behind them are dead or saturated."
		if s.Alive || m.Grown >= 2 || len(m.Spans) > 0 && m.Spans[0].Ratio >= 1 {
			v.CauseClass, v.Cause = "learning-rate", "a learning rate that threw the weights to where no gradient is left"
			v.Remedy = "lower the learning rate by a factor of ten, or warm it up; then look at the outputs of the layers: units may be dead or saturated for other reasons"
			v.Message = what + ". No weight gets a gradient any more, as they did at first: their updates were so large that the units behind them are dead or saturated."
		}
	case s.Faint > 0:
		v.CauseClass, v.Cause = "data-scaling", "inputs that are far too small, as pixels that were divided by 255 twice are"
		v.Remedy = "normalise the inputs: subtract their mean and divide by their deviation, once; look at a batch just before it goes into the model"
		v.Message = fmt.Sprintf("%s. What %s gets is no larger than %s, where about 1 is usual: next to its bias the inputs do not matter.", what, s.FaintAt, num(s.Faint))
	case steady >= leastSteady && steady <= 1.3 && far < creepFar && r.state.Curve.N < r.live && m.Half:
		v.CauseClass, v.Cause = "not-updated", "updates of which rounding takes the most away, as the weights are numbers of 16 bits, or too few updates"
		v.Remedy = keepWide + "; or train for longer"
		v.Asks = []rule.Advice{rule.TrainLonger}
		v.Message = fmt.Sprintf("%s; the weights, numbers of 16 bits, go one way, and came no further than %s of their size.", what, percent(far))
	case steady >= leastSteady && steady <= 1.3 && far < creepFar && r.state.Curve.N < r.live:
		v.CauseClass, v.Cause = "learning-rate", "a learning rate that is too low, or too few updates"
		v.Remedy = "raise the learning rate by factors of ten until the loss moves, or train for longer"
		v.Asks = []rule.Advice{rule.RaiseLearningRate, rule.TrainLonger}
		v.Message = fmt.Sprintf("%s; the weights go one way, and came no further than %s of their size.", what, percent(far))
	default:
		v.Cause = "most often labels that do not belong to the inputs, or input without signal; nothing else was seen that explains it"
		v.Message = fmt.Sprintf("%s; the weights do move, by up to %s of their size in %d steps. Either labels do not belong to the inputs, or the signal is lost before the loss.", what, percent(m.Fast), plateauEvery)
	}
}
