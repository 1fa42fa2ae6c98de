package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// initialWeights judges the values that layers begin with: whether units can
// become different, and whether what a layer gives has the scale of what it
// gets.
var initialWeights = rule.Definition{
	Name: "initial_weights", Class: "InitialWeights", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     initialWeightsChecks,
	Summary:    "Initial weights are all equal, or far too large or small for the number of inputs.",
	Why:        "Units that start equal stay equal, and a layer of zeros followed by another one never learns. Weights on the wrong scale make activations and gradients explode or vanish from layer to layer.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "large", Type: rule.Float, Default: "10", Range: rule.Above(1), Unit: "std times the square root of the number of inputs", Meaning: "a single layer above this is too large, and half of several layers above half of it"},
		{Name: "small", Type: rule.Float, Default: "0.005", Range: rule.Between(0, 1).OpenMin(), Unit: "std times the square root of the number of inputs", Meaning: "half of the layers below this are too small"},
		{Name: "faint", Type: rule.Float, Default: "0.15", Range: rule.Between(0, 1).OpenMin(), Unit: "std times the square root of the number of inputs", Meaning: "half of the layers below this are too small if the loss does not change either"},
		{Name: "fade", Type: rule.Float, Default: "0.001", Range: rule.Between(0, 1).OpenMin(), Unit: "ratio", Meaning: "share of the signal that gets through such layers, at most"},
		{Name: "explosion", Type: rule.Float, Default: "1000", Range: rule.Above(1), Unit: "ratio", Meaning: "growth of the std from input to last layer that makes large weights an error"},
	},
	CauseClass:     "initialisation",
	Causes:         []string{"weights initialised with a constant, or on a scale that does not fit the number of inputs"},
	Remedies:       []string{"keep the framework's default initialisation, or use He (kaiming) initialisation for ReLU and Glorot (xavier) for tanh", "initialise with zero only biases and the last layer of a branch"},
	Explains:       []string{"overtraining", "not_finite", "loss_spike", "impossible_loss"},
	ExplainsAlways: slices.Concat(withoutGradient, []string{"poor_weight_initialization", "vanishing_gradient", "all_zero", "dead_relu", "saturated_activation", "exploding_tensor", "loss_not_decreasing", "unchanged_tensor", "underfit", "learning_rate", "loss_flat", "too_few_updates"}),
	Default: &rule.Preset{
		Why: "The usual initialisers give a std of 0.1 to 2 over the square root of the number of inputs, so a factor of ten above, or of twenty below, is no choice. Less of it counts together with its effect: layers that let a thousandth through, and a loss that has been flat for 60 steps. Zeros in one layer of a branch are usual (residual branches, low-rank factors, heads); " +
			"only layers that never move because of them count. Weights that come from an earlier training are not judged: those that load_state_dict changed or a whole model brought along, those whose rows or columns differ five times as much as numbers that are drawn one by one do, " +
			"and all of a network whose first losses are half of a constant predictor's.",
	},
	Needs: func(rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &initial{told: newTold(), large: p.Float("large"), small: p.Float("small"), faint: p.Float("faint"), fade: p.Float("fade"), explosion: p.Float("explosion")}, nil
	},
}

type initial struct {
	told
	large, small, faint, fade, explosion float64
	waits                                waits
}

// Facts implements rule.FactReader.
func (r *initial) Facts(f *rule.Facts, rep *rule.Report) {
	if f.Parameters == nil || f.Parameters.Updates < 2 {
		return
	}
	layers := slices.DeleteFunc(layersWith(f, true), func(l layer) bool {
		v := l.weight.First
		return !l.weight.Trained || v == nil || v.NonFinite > 0 || v.Elements < 2
	})
	rep.Inspect(len(layers))
	r.nothingLoaded(f, rep)
	r.zeros(f, layers, rep)
	r.constants(f, layers, rep)
	r.tables(f, rep)
	r.oneTable(f, rep)
	if !r.knows(f) {
		r.scale(f, slices.DeleteFunc(slices.Clone(layers), func(l layer) bool { return loaded(l.weight) }), rep)
	}
}

// begunLosses are the first losses that report whether a network begins with knowledge;
// begunShare is the share of a constant prediction's loss that they are below then.
const (
	begunLosses = 3
	begunShare  = 0.5
)

// knows reports whether the first losses are far better than those of a constant
// prediction: no network begins so with weights that an initialiser drew. They were
// loaded.
func (r *initial) knows(f *rule.Facts) bool {
	first, k := r.waits.Curve.First, kindOfLoss(f)
	if len(first) < begunLosses || !r.waits.Curve.usable() || !k.Certain || k.summed() || k.Divided || k.Beside || k.Pairs || k.Elements < 100 {
		return false
	}
	return slices.Max(first[:begunLosses]) < begunShare*k.Guess
}

func (l *layer) constant() bool { return l.weight.First.Min == l.weight.First.Max }
func (l *layer) zero() bool     { return l.constant() && l.weight.First.Min == 0 }

// zeros judges layers that begin with zeros only.
func (r *initial) zeros(f *rule.Facts, layers []layer, rep *rule.Report) {
	var names, stuck []string
	for i, l := range layers {
		if !l.zero() || loaded(l.weight) {
			continue
		}
		names = append(names, l.name())
		if l.weight.Gradient == record.GradientZero && !l.weight.Changed && (i > 0 && layers[i-1].zero() || i+1 < len(layers) && layers[i+1].zero()) {
			stuck = append(stuck, l.name())
		}
	}
	all := len(names) == len(layers) && len(names) > 1 && f.Parameters.More == 0
	if !all && len(stuck) == 0 {
		return
	}
	v := rule.Violation{
		Check: "zero_weights", Subject: names[0], Severity: rule.Error, Observed: float64(len(names)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "the weights were initialised with zero",
		Context: map[string]any{"layers": names, "stuck": stuck},
		Message: fmt.Sprintf("All weights of %s were initialised with 0 and %s not changed since, because no gradient gets through. Initialise them randomly.", someNames(names), these(stuck, "has", "have")),
	}
	if len(stuck) == 0 {
		v.Severity = rule.Warning
		v.Message = fmt.Sprintf("The weights of every layer (%s) were initialised with 0, so no signal gets through the network at first. Initialise them randomly.", someNames(names))
	}
	if v.Subject = names[0]; len(stuck) > 0 {
		v.Subject = stuck[0]
	}
	r.say(rep, v)
}

// twinned reports whether a module has another weight of the same shape: the mean
// and the deviation of a distribution, say, of which one begins as one number.
func twinned(layers []layer, i int) bool {
	return slices.ContainsFunc(layers, func(l layer) bool {
		return l.path == layers[i].path && l.weight != layers[i].weight && slices.Equal(l.weight.Shape, layers[i].weight.Shape) && !l.constant()
	})
}

// next to reports whether a module is next to the last one instead of before it:
// all that come after it have its shape, which does not take what it gives. The
// trend and the season of a series, say, have a layer each, and are added up.
func beside(layers []layer, i int) bool {
	l := layers[i]
	return l.weight.FanIn != l.units() && !slices.ContainsFunc(layers[i+1:], func(after layer) bool {
		return !slices.Equal(after.weight.Shape, l.weight.Shape)
	})
}

// constants judges layers all of whose weights are one number that is not 0.
// In the last layer, also where there are several side by side, and where each
// unit has an input of its own, that does no harm.
func (r *initial) constants(f *rule.Facts, layers []layer, rep *rule.Report) {
	var names []string
	pairs := 0
	for i, l := range layers {
		if i == len(layers)-1 || !l.constant() || l.zero() || loaded(l.weight) || l.units() < 2 || l.depthwise() || twinned(layers, i) || beside(layers, i) {
			continue
		}
		names = append(names, l.name())
		// With biases alike as well, and a layer after it that treats its
		// units alike, units can never become different.
		if alike := l.bias == nil || l.bias.First != nil && l.bias.First.Min == l.bias.First.Max; alike && layers[i+1].constant() {
			pairs++
		}
	}
	if len(names) == 0 {
		return
	}
	first := layers[slices.IndexFunc(layers, func(l layer) bool { return l.name() == names[0] })]
	v := rule.Violation{
		Check: "equal_weights", Subject: names[0], Severity: rule.Warning, Observed: float64(len(names)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause: "the weights were initialised with a constant",
		Message: fmt.Sprintf("All weights of %s start with the same value (%s in %s), so the %d units of the layer compute the same and stay equal. Initialise them randomly.",
			someNames(names), num(float64(first.weight.First.Min)), someNames(names[:1]), first.units()),
		Context: map[string]any{"layers": names},
	}
	if pairs > 0 {
		v.Severity = rule.Error
	}
	r.say(rep, v)
}

// scale judges the deviation of weights against the number of inputs. The layers are
// those with initial weights.
func (r *initial) scale(f *rule.Facts, layers []layer, rep *rule.Report) {
	layers = slices.DeleteFunc(slices.Clone(layers), func(l layer) bool {
		return l.constant() || l.weight.FanIn < 1 || l.weight.First.Elements < 8 || l.kind == record.RecurrentModule && !recurrent(l.weight.Name)
	})
	var large, shifted, small []layer
	single, hidden, several := -1, 0, 0
	for i, l := range layers {
		q, fan := ratio(l.weight), float64(l.weight.FanIn)
		// A few inputs, such as coordinates, are spread out on purpose; and some
		// initialise for the number of outputs.
		out := q * math.Sqrt(min(1, float64(fanOut(l.weight))/fan))
		if l.kind == record.ConvModule {
			q = out
		}
		if fan >= 4 {
			several++
			if out > r.large && (single < 0 || out > ratio(layers[single].weight)) {
				single = i
			}
			if q > r.large/2 {
				large = append(large, l)
			}
		}
		if m := math.Abs(float64(l.weight.First.Mean)); m > float64(l.weight.First.Std) && m*fan > r.large/2 {
			shifted = append(shifted, l)
		}
		if i < len(layers)-1 {
			hidden++
			if q < r.small {
				small = append(small, l)
			}
		}
	}
	switch {
	case several >= 2 && 2*len(large) >= several:
		r.tooLarge(f, large, len(layers), rep)
	case single >= 0:
		r.tooLarge(f, layers[single:single+1], len(layers), rep)
	case len(layers) >= 2 && 2*len(shifted) >= len(layers):
		r.oneSided(f, shifted, rep)
	case hidden >= 3 && 2*len(small) >= hidden:
		r.tooSmall(f, small, hidden, rep)
	default:
		r.suspect(f, layers)
	}
}

// ratio is the deviation in units of what a layer with that many inputs needs.
func ratio(p *rule.ParameterFact) float64 {
	return float64(p.First.Std) * math.Sqrt(float64(p.FanIn))
}

// fanOut is the number of outputs that one input of a weight goes to.
func fanOut(p *rule.ParameterFact) int64 { return elementsOf(p.Shape) / max(p.Shape[1], 1) }

func (r *initial) tooLarge(f *rule.Facts, layers []layer, of int, rep *rule.Report) {
	most := layers[0]
	for _, l := range layers {
		if ratio(l.weight) > ratio(most.weight) {
			most = l
		}
	}
	v := rule.Violation{
		Check: "large_weights", Subject: most.name(), Severity: rule.Warning, Observed: ratio(most.weight), Threshold: r.large / 2, Comparator: ">", Steps: int(updates(f)),
		Cause: "the initial weights are too large",
		Message: fmt.Sprintf("The initial weights of %s are too large: %s has std %s, where %s is usual for %d inputs. Use He or Glorot initialisation.",
			layerNames(layers), layerNames([]layer{most}), num(float64(most.weight.First.Std)), num(usual(most.weight)), most.weight.FanIn),
		Context: map[string]any{"layers": len(layers), "of": of, "deviation": most.weight.First.Std, "inputs": most.weight.FanIn},
	}
	if growth := growthOf(f); growth > r.explosion {
		v.Severity = rule.Error
		v.Context["growth"] = growth
	}
	r.say(rep, v)
}

func (r *initial) oneSided(f *rule.Facts, layers []layer, rep *rule.Report) {
	l := layers[0]
	m := float64(l.weight.First.Mean)
	v := rule.Violation{
		Check: "one_sided_weights", Subject: l.name(), Severity: rule.Warning, Observed: math.Abs(m) * float64(l.weight.FanIn), Threshold: r.large / 2, Comparator: ">", Steps: int(updates(f)),
		Cause: "the weights were initialised with a mean far from 0, for example uniformly between 0 and 1",
		Message: fmt.Sprintf("The initial weights of %s are not centred at 0: those of %s have mean %s, so its %d inputs add up instead of cancelling out. Use He or Glorot initialisation.",
			layerNames(layers), layerNames(layers[:1]), num(m), l.weight.FanIn),
		Context: map[string]any{"layers": len(layers), "mean": l.weight.First.Mean, "deviation": l.weight.First.Std, "inputs": l.weight.FanIn},
	}
	if growth := growthOf(f); growth > r.explosion {
		v.Severity = rule.Error
		v.Context["growth"] = growth
	}
	r.say(rep, v)
}

func (r *initial) tooSmall(f *rule.Facts, layers []layer, of int, rep *rule.Report) {
	least := layers[0]
	for _, l := range layers {
		if ratio(l.weight) < ratio(least.weight) {
			least = l
		}
	}
	v := rule.Violation{
		Check: "small_weights", Subject: least.name(), Severity: rule.Warning, Observed: ratio(least.weight), Threshold: r.small, Comparator: "<", Steps: int(updates(f)),
		Cause: "the initial weights are too small",
		Message: fmt.Sprintf("The initial weights of %s are too small: %s has std %s, where %s is usual for %d inputs, so the signal vanishes. Use He or Glorot initialisation.",
			layerNames(layers), layerNames([]layer{least}), num(float64(least.weight.First.Std)), num(usual(least.weight)), least.weight.FanIn),
		Context: map[string]any{"layers": len(layers), "of": of, "deviation": least.weight.First.Std, "inputs": least.weight.FanIn},
	}
	if normalised(f) {
		v.Severity = rule.Info // normalisation brings the signal back to scale
	}
	r.say(rep, v)
}

// usual is He's deviation.
func usual(p *rule.ParameterFact) float64 { return math.Sqrt(2 / float64(p.FanIn)) }

func layerNames(layers []layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, l.name())
	}
	return someNames(names)
}

// recurrent reports whether a weight of a recurrent module takes the state: only
// its scale follows the number of its inputs.
func recurrent(name string) bool { return strings.Contains(name, "weight_hh") }

// growthOf is how much larger the deviation of the last hidden layer's output is
// than the input's; 0 when it is not known, or not the work of initial weights alone.
func growthOf(f *rule.Facts) float64 {
	if f.Network == nil || f.Network.More > 0 || someLoaded(f) {
		return 0
	}
	var in, out float64
	weighted := slices.DeleteFunc(slices.Clone(f.Network.Modules), func(m rule.ModuleFacts) bool {
		return !slices.Contains(weightedKinds, m.Kind) || m.Output == nil || m.Output.Values == nil
	})
	slices.SortStableFunc(weighted, func(a, b rule.ModuleFacts) int { return int(a.Order - b.Order) })
	if len(weighted) < 2 || weighted[0].Input == nil || weighted[0].Input.Values == nil {
		return 0
	}
	in, out = float64(weighted[0].Input.Values.Std), float64(weighted[len(weighted)-2].Output.Values.Std)
	if !(in > 0) || !finite(out) {
		return 0
	}
	return out / in
}

// normalised reports whether the network normalises about as often as it weighs.
func normalised(f *rule.Facts) bool {
	if f.Network == nil {
		return false
	}
	norms, weighted := 0, 0
	for _, m := range f.Network.Modules {
		switch {
		case m.Kind == record.NormModule:
			norms++
		case slices.Contains(weightedKinds, m.Kind):
			weighted++
		}
	}
	return norms > 0 && 2*norms >= weighted-1
}
