package builtin

import (
	"fmt"
	"math"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// dataScaling judges the scale of what the first layer gets, and of the labels
// of a regression.
var dataScaling = rule.Definition{
	Name: "data_scaling", Class: "DataScaling", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     dataScalingChecks,
	Summary:    "Inputs or labels are far from the scale that layer initialisation assumes.",
	Why:        "Initialisers assume inputs with mean 0 and std 1. Inputs far from that saturate activations, make gradients explode or vanish, and let the largest feature dominate the others.",
	Frameworks: rule.DeepLearning,
	CauseClass: "data-scaling",
	Lacks:      "neither inputs nor labels were seen",
	Causes:     []string{"data that is not normalised", "pixel values from 0 to 255 where 0 to 1 is expected", "features in different units"},
	Remedies:   []string{"standardise each feature: subtract the mean of the training data and divide by its std", "divide pixels by 255", "put a normalisation layer first"},
	ExplainsAlways: []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "exploding_tensor", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero",
		"underfit", "overtraining", "overfit", "gradient_clipping", "update_gradient_mismatch", "not_finite", "check_input_images",
	},
	Default: &rule.Preset{Why: "What counts is what the first layer with weights gets, so scaling inside the model is seen; where normalisation comes right before or after it the scale does no harm. The limits are twenty times what is usual, a thousandth of it, and features that differ a thousandfold, where one is large or half of a table's columns are that small. Evaluation counts when the first layer gets a batch of the same kind, ten times as large or small as in training, and beyond all of it; or where one of both has mean 0 and std 1, and the other is two std away, or from 0 to 1."},
	Needs:   noNeeds,
	New:     onFacts(func(f *rule.Facts) bool { return f.Inputs != nil || f.Labels != nil }, judgeScale),
}

// Limits of data_scaling.
const (
	largeScale  = 20   // deviations, where 1 is usual
	smallScale  = 1e-3 // deviations
	madeUp      = 1e-3 // learning rate times the variance of small inputs, from which on the rate fits them
	scaleRatio  = 1000 // largest to least deviation of a feature
	targetScale = 50   // deviation of labels to that of the first predictions
	otherScale  = 10   // size of what a layer gets in evaluation to that in training

	drownedShare = 0.5 // of the features that vary
	leastColumns = 4
	mostColumns  = 256
)

func judgeScale(f *rule.Facts) []rule.Violation {
	return append(append(scaleOfInputs(f), scaleOfLabels(f)...), scaleOfEvaluation(f)...)
}

// firstLayer is the first module with weights that was called, and whether a
// normalisation comes right before or after it. It is nil where that is not
// known.
func firstLayer(f *rule.Facts) (layer *rule.ModuleFacts, before, after bool) {
	if f.Network == nil {
		return nil, false, false
	}
	var previous, next *rule.ModuleFacts
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		switch m.Kind {
		case record.EmbeddingModule:
			return nil, false, false
		case record.LinearModule, record.ConvModule, record.RecurrentModule, record.AttentionModule:
			if layer == nil || m.Order < layer.Order {
				layer = m
			}
		}
	}
	if layer == nil {
		return nil, false, false
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if m.Kind == "container" || m.Kind == record.DropoutModule || m.Path == layer.Path {
			continue
		}
		if m.Order < layer.Order && (previous == nil || m.Order > previous.Order) {
			previous = m
		}
		if m.Order > layer.Order && !strings.HasPrefix(m.Path, layer.Path+".") && (next == nil || m.Order < next.Order) {
			next = m
		}
	}
	return layer, previous != nil && previous.Kind == record.NormModule, next != nil && next.Kind == record.NormModule
}

func scaleOfInputs(f *rule.Facts) []rule.Violation {
	in := f.Inputs
	layer, before, after := firstLayer(f)
	if in == nil || layer == nil || layer.Input == nil || layer.Input.Values == nil || !floating(layer.Input.DType) || layer.Input.Values.Elements < 2 {
		return nil
	}
	x := layer.Input.Values
	v := rule.Violation{Subject: layer.Path, Context: map[string]any{
		"layer": layer.Path, "type": layer.Type, "shape": layer.Input.Shape, "mean": x.Mean, "std": x.Std, "min": x.Min, "max": x.Max,
	}}
	given := called(strings.TrimSpace(layer.Type+" layer"), layer.Path)
	if layer.Path == "" {
		given = "model"
	}
	if x.NonFinite > 0 {
		v.Check, v.CauseClass, v.Severity, v.Observed, v.Comparator = "non_finite", "non-finite", rule.Error, float64(x.NonFinite), ">"
		v.Cause, v.Remedy = "missing or broken values in the data", "remove or fill them where the data is loaded; check for divisions by a std of 0"
		v.Message = fmt.Sprintf("%s of the values that the %s receives at the first step are NaN or infinite.", num(float64(x.NonFinite)), given)
		return []rule.Violation{v}
	}
	if constantInput(in) && sameValues(x, in) {
		v.Check, v.CauseClass, v.Severity, v.Observed, v.Comparator = "constant", "data-loading", rule.Error, float64(x.Mean), "="
		v.Cause, v.Remedy = "the data is not what was meant to be loaded", "inspect a batch where it is loaded: a wrong path, an integer division, or an array that was never filled"
		v.Message = fmt.Sprintf("The input is constant: all values of the first %d steps are %s, so the %s cannot tell samples apart.", in.Steps, num(float64(x.Mean)), given)
		return []rule.Violation{v}
	}
	if before {
		return nil
	}
	mean, std := math.Abs(float64(x.Mean)), float64(x.Std)
	most := max(math.Abs(float64(x.Min)), math.Abs(float64(x.Max)))
	mixed := in.Features != nil && in.Features.StdMin > 0 && in.Features.StdMax > largeScale &&
		float64(in.Features.StdMax) > scaleRatio*float64(in.Features.StdMin) && sameValues(x, in)
	switch {
	case mixed:
		v.Check, v.Observed, v.Threshold, v.Comparator = "mixed", float64(in.Features.StdMax)/float64(in.Features.StdMin), scaleRatio, ">"
		v.Message = fmt.Sprintf("The input features are on very different scales: the %s receives features with std from %s to %s, so the largest dominate. Standardise each feature.", given, num(float64(in.Features.StdMin)), num(float64(in.Features.StdMax)))
	case drowned(layer, in) && sameValues(x, in):
		c := in.Features
		v.Context["faint"] = c.Faint
		v.Check, v.Observed, v.Threshold, v.Comparator = "mixed", float64(c.Faint)/float64(c.Features-c.Constant), drownedShare, ">="
		v.Cause, v.Remedy = "features in different units, all scaled by the same number", "compute mean and std per feature: mean(axis=0), std(axis=0)"
		v.Message = fmt.Sprintf("%s of the %s features that the %s receives vary by less than a thousandth of the largest (std from %s to %s): to the network they are constants. Standardise each feature with its own mean and std.",
			num(float64(c.Faint)), num(float64(c.Features)), given, num(float64(c.StdMin)), num(float64(c.StdMax)))
	case after && (std > largeScale || std < smallScale || dividedTwice(layer.Input) || mean > largeScale*max(std, 1)):
		return nil
	case std > largeScale:
		v.Check, v.Observed, v.Threshold, v.Comparator = "large", std, largeScale, ">"
		v.Message = fmt.Sprintf("The input is not normalised: the %s receives values with std %s (%s), where about 1 is usual. Normalise it.", given, num(std), rangeText(float64(x.Min), float64(x.Max)))
		if x.Min >= 0 && x.Max <= 255 && x.Max > 127 {
			v.Remedy = "divide pixel values by 255, or better, subtract their mean and divide by their std"
		}
	case mean > largeScale*max(std, 1):
		v.Check, v.Observed, v.Threshold, v.Comparator = "offset", mean, largeScale*max(std, 1), ">"
		v.Message = fmt.Sprintf("The input is not centred: the %s receives values around %s that vary by only %s. Subtract the mean.", given, num(float64(x.Mean)), num(std))
	case dividedTwice(layer.Input):
		v.Check, v.Observed, v.Threshold, v.Comparator = "small", std, pixelsTwice, "<"
		v.Cause, v.Remedy = "pixel values were divided by 255 twice", "divide by 255 only once: ToTensor, and decoders that return floats, already do it"
		v.Message = fmt.Sprintf("The input is almost zero: the %s receives values from 0 to %s, which is 1/255. Pixels divided by 255 twice are negligible next to the bias.", given, num(float64(x.Max)))
	case std > 0 && std < smallScale && most < 10*smallScale && !madeUpFor(f, std):
		v.Check, v.Observed, v.Threshold, v.Comparator = "small", std, smallScale, "<"
		v.Message = fmt.Sprintf("The input is almost zero: the %s receives values with std %s (largest %s), where about 1 is usual. They are negligible next to the bias.", given, num(std), num(most))
	default:
		return nil
	}
	return []rule.Violation{v}
}

// madeUpFor reports whether the learning rate of a plain gradient descent is so
// large that it makes up for small inputs: how far an update moves a layer's
// outputs goes by the rate times the inputs' variance. Optimisers that scale
// gradients move weights by the rate alone.
func madeUpFor(f *rule.Facts, std float64) bool {
	for _, o := range f.Optimisers {
		if o.Class != "SGD" {
			continue
		}
		for _, g := range o.Groups {
			if g.LR != nil && *g.LR*std*std >= madeUp {
				return true
			}
		}
	}
	return false
}

// drowned reports whether a linear layer gets a table in which most columns do not
// matter next to others. Of spectra and images, whose edges vary as little, at
// least half of the places do.
func drowned(layer *rule.ModuleFacts, in *record.InputFacts) bool {
	c, t := in.Features, mainInput(in)
	if c == nil || t == nil || len(t.Shape) != 2 || layer.Kind != record.LinearModule || c.Features > mostColumns || c.Features-c.Constant < leastColumns {
		return false
	}
	return float64(c.Faint) >= drownedShare*float64(c.Features-c.Constant)
}

// pixelsTwice is the largest value of pixels that were divided by 255 twice.
const pixelsTwice = 1.0 / 255

// dividedTwice reports whether a layer gets images, as such or as rows of pixels,
// whose values end where those of pixels do that were divided by 255 twice.
func dividedTwice(t *rule.TensorFacts) bool {
	x := t.Values
	pixels := int64(1)
	for _, d := range t.Shape[min(1, len(t.Shape)):] {
		pixels *= d
	}
	return pixels >= 64 && x.Min >= 0 && float64(x.Max) > 0.5*pixelsTwice && float64(x.Max) <= 1.001*pixelsTwice && x.Std > 0
}

// mainInput is the first floating tensor with two axes or more: the one that
// the facts about features are of.
func mainInput(in *record.InputFacts) *rule.TensorFacts {
	for i := range in.Tensors {
		if t := &in.Tensors[i]; floating(t.DType) && len(t.Shape) > 1 {
			return t
		}
	}
	return nil
}

// sameValues reports whether the first layer gets the main input as it is.
func sameValues(x *rule.ValueFacts, in *record.InputFacts) bool {
	t := mainInput(in)
	return t != nil && t.Values != nil && x.Elements == t.Values.Elements && x.Min == t.Values.Min && x.Max == t.Values.Max
}

// constantInput reports whether all values of the main input are one and the same
// number, at several steps.
func constantInput(in *record.InputFacts) bool {
	t, c := mainInput(in), in.Features
	return t != nil && t.Values != nil && t.Values.Elements >= 32 && t.Values.Min == t.Values.Max &&
		c != nil && c.Features > 1 && c.Constant == c.Features && c.MeanMin == c.MeanMax && in.Steps > 1
}

// scaleOfEvaluation finds inputs that are scaled for training and not for
// evaluation, or scaled twice there.
func scaleOfEvaluation(f *rule.Facts) []rule.Violation {
	layer, _, _ := firstLayer(f)
	e := f.Evaluation
	if e == nil || layer == nil || e.Input == nil || e.Layer != layer.Path || layer.Input == nil || !likeSamples(layer.Input, e.Input) {
		return nil
	}
	x, y := layer.Input.Values, e.Input.Values
	a, b := size(x), size(y)
	larger := b > otherScale*a && b > max(math.Abs(float64(x.Min)), math.Abs(float64(x.Max))) && float64(y.Std) > 0
	smaller := a > otherScale*b && a > max(math.Abs(float64(y.Min)), math.Abs(float64(y.Max))) && float64(y.Std) > 0 && float64(y.Zeros) < float64(x.Zeros)+0.5
	if !larger && !smaller && !onlyOneStandard(x, y) {
		return nil
	}
	given := called(strings.TrimSpace(layer.Type+" layer"), layer.Path)
	return []rule.Violation{{
		Check: "evaluation", Subject: layer.Path, Observed: b / a, Threshold: otherScale, Comparator: ">", Severity: rule.Warning,
		Cause:  "evaluation data is scaled differently from training data",
		Remedy: "scale validation and test data with the mean and std computed from the training data",
		Message: fmt.Sprintf("Evaluation data is scaled differently: the %s receives %s (mean %s, std %s) in evaluation, and %s (mean %s, std %s) in training. Scale both with the statistics of the training data.",
			given, rangeText(float64(y.Min), float64(y.Max)), num(float64(y.Mean)), num(float64(y.Std)), rangeText(float64(x.Min), float64(x.Max)), num(float64(x.Mean)), num(float64(x.Std))),
		Context: map[string]any{"training": layer.Input, "evaluation": e.Input},
	}}
}

const (
	standardValues = 1000 // of each, at least
	standardNear   = 0.15 // mean, and deviation less one, of what is standardised
	standardShift  = 2    // deviations that the means lie apart
)

// onlyOneStandard reports whether one of two inputs was given a mean of 0 and a
// deviation of 1, and the other lies elsewhere altogether, or is what pixels are
// before that.
func onlyOneStandard(x, y *rule.ValueFacts) bool {
	standard := func(v *rule.ValueFacts) bool {
		return math.Abs(float64(v.Mean)) <= standardNear && math.Abs(float64(v.Std)-1) <= standardNear
	}
	if min(x.Elements, y.Elements) < standardValues || standard(x) == standard(y) {
		return false
	}
	if standard(y) {
		x, y = y, x
	}
	pixels := y.Min >= 0 && y.Max <= 1 && y.Max > 0.5 && y.Std > 0.05 && x.Min < -0.5
	return pixels || math.Abs(float64(x.Mean-y.Mean)) >= standardShift*math.Max(float64(x.Std), float64(y.Std))
}

// leastCompared is how many values of an input say what its scale is.
const leastCompared = 64

// likeSamples reports whether two inputs are batches of the same kind, large
// enough to compare.
func likeSamples(a, b *rule.TensorFacts) bool {
	if a.Values == nil || b.Values == nil || !floating(a.DType) || !floating(b.DType) || len(a.Shape) < 2 || len(a.Shape) != len(b.Shape) {
		return false
	}
	axis := 1
	if len(a.Shape) == 3 {
		axis = 2 // a sequence may have any length
	}
	return a.Shape[axis] == b.Shape[axis] && a.Values.NonFinite == 0 && b.Values.NonFinite == 0 && a.Values.Elements >= leastCompared && b.Values.Elements >= leastCompared
}

// size is the root of the mean square.
func size(v *rule.ValueFacts) float64 { return math.Hypot(float64(v.Mean), float64(v.Std)) }

// scaleOfLabels finds a regression whose labels the model is far from. Returns
// of reinforcement learning are left alone: they come with a further loss.
func scaleOfLabels(f *rule.Facts) []rule.Violation {
	v := viewLoss(f)
	p, l := f.Predictions, f.Labels
	least, most, ok := span(l)
	if !ok || !v.regression() || !v.alone || !v.raw() || l.Mean == nil || l.Std == nil || p == nil || p.Values == nil || p.Values.Std <= 0 || p.Values.Elements < 2 {
		return nil
	}
	std, spread := *l.Std, float64(p.Values.Std)
	far := max(std, math.Abs(*l.Mean-float64(p.Values.Mean)))
	if std <= largeScale || far <= targetScale*spread {
		return nil
	}
	text := fmt.Sprintf("The labels are not normalised: those of %s range from %s (std %s), but the model's initial outputs vary by only %s. Getting there takes many updates. Standardise the labels.", v.loss, rangeText(least, most), num(std), num(spread))
	out := v.labels("labels", text, "standardise the labels: subtract their mean and divide by their std; undo it on the predictions", rule.Warning)
	out.Observed, out.Threshold, out.Comparator = far/spread, targetScale, ">"
	return []rule.Violation{out}
}
