package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// lossView is how a training's loss gets what it compares, as far as the facts
// tell.
type lossView struct {
	loss string // its function, "" when it is not known
	// alone: backward was called once, on this loss itself, and nothing was
	// added. Only then all labels belong to these predictions.
	alone bool
	// own: these predictions came with these labels and no others, whatever else
	// is part of the loss.
	own bool
	// seen: the graph shows what lies between the loss and the last layer.
	seen bool
	// acts are the operations between them, the last one of the network first.
	// What only picks some of the values is left out.
	acts  []string
	layer string // the operation with a weight that they follow
	path  string // of the module with that weight, "" when it is not known
	facts *rule.Facts
}

// The loss of a module class, by its class.
var lossOfModule = map[string]string{
	"CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
	"MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss",
	"GaussianNLLLoss": "gaussian_nll_loss",
}

var (
	knownLosses      = []string{"cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "gaussian_nll_loss", "laplace_nll_loss"}
	regressionLosses = []string{"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "gaussian_nll_loss", "laplace_nll_loss"}
	weightedOps      = []string{"linear", "convolution", "embedding", "recurrent", "lstm", "attention"}
	pickingOps       = []string{"select", "slice", "index", "gather"}
)

// viewLoss reads the facts about the main loss.
func viewLoss(f *rule.Facts) (v lossView) {
	v.facts = f
	if f.Loss != nil {
		v.loss = f.Loss.Function
		if l := lossOfModule[f.Loss.Module]; l != "" {
			v.loss = l
		}
	}
	if v.loss == "" && f.Labels != nil {
		if v.loss = f.Labels.Loss; lossOfModule[v.loss] != "" {
			v.loss = lossOfModule[v.loss]
		}
	}
	if !slices.Contains(knownLosses, v.loss) {
		v.loss = ""
	}
	defer v.ownWay()
	if f.Graph == nil {
		return v
	}
	if d := f.Graph.Density; d != nil && v.loss != "" {
		v.ofDensity(d)
		return v
	}
	at, last := writtenOut(f), len(f.Graph.Head)-1
	byHand := at >= 0
	if !byHand {
		at = slices.IndexFunc(f.Graph.Head, func(op string) bool { return slices.Contains(knownLosses, op) })
	}
	if at < 0 || at >= last || !byHand && !sameLoss(v.loss, f.Graph.Head[at]) {
		return v
	}
	acts, layer, ok := cutAtLayer(f.Graph.Head[at+1:])
	if !ok {
		return v
	}
	if v.loss == "" {
		v.loss = f.Graph.Head[at]
	}
	v.alone = (at == 0 || byHand) && f.Graph.Parts <= 1 && len(f.Optimisers) <= 1 && (f.Labels == nil || len(f.Labels.Others) == 0)
	v.seen, v.acts, v.layer = true, acts, layer
	// Where log_softmax stands right before nll_loss the two are one.
	if v.loss == "nll_loss" && f.Graph.Head[at] == "cross_entropy" {
		v.acts = append([]string{"log_softmax"}, v.acts...)
	}
	v.path = lastModule(f, []string{record.LinearModule, record.ConvModule}, nil)
	return v
}

// ofDensity reads the way from the errors of a likelihood down to the layer that
// gives its mean.
func (v *lossView) ofDensity(d *record.DensityFacts) {
	acts, layer, ok := cutAtLayer(d.Way)
	if !ok {
		return
	}
	f := v.facts
	v.alone = f.Graph.Parts <= 1 && len(f.Optimisers) <= 1 && (f.Labels == nil || len(f.Labels.Others) == 0)
	v.seen, v.acts, v.layer = true, acts, layer // its path is not known: the layer of the scale may be called last
}

// cutAtLayer takes a way from a loss down to the first operation with a
// parameter apart. A parameter that is only added or multiplied, as a bias that a
// model keeps by itself, is no layer but one operation more.
func cutAtLayer(way []string) (acts []string, layer string, ok bool) {
	if len(way) == 0 {
		return nil, "", false
	}
	last := len(way) - 1
	if slices.Contains(weightedOps, way[last]) {
		layer = way[last]
	} else if last++; !slices.Contains([]string{"add", "sub", "mul", "div", "matmul"}, way[last-1]) {
		return nil, "", false
	}
	for _, op := range way[:last] {
		if !slices.Contains(pickingOps, op) {
			acts = append(acts, op)
		}
	}
	return acts, layer, true
}

// ownWay adds what the predictions themselves tell of how they were made, where
// they are those of this loss.
func (v *lossView) ownWay() {
	p, l, loss := v.facts.Predictions, v.facts.Labels, v.facts.Loss
	if v.facts.Graph == nil || p == nil || l == nil || loss == nil || v.loss == "" || l.Loss != cmp.Or(loss.Module, loss.Function, l.Loss) {
		return
	}
	acts, layer, ok := cutAtLayer(p.Way)
	switch {
	case !ok:
	case !v.seen:
		v.seen, v.own, v.acts, v.layer = true, true, acts, layer
		v.path = lastModule(v.facts, []string{record.LinearModule, record.ConvModule}, nil)
	default:
		v.own = slices.Equal(acts, v.acts)
	}
}

// writtenOut is the place in the graph's head of the operation that takes the
// predictions, where the script computes a loss itself in the way that the hook
// knows: a mean or sum of squares or magnitudes of a difference, or of products
// with log_softmax; -1 otherwise.
func writtenOut(f *rule.Facts) int {
	if f.Loss == nil || f.Labels == nil {
		return -1
	}
	for i, op := range f.Graph.Head {
		switch op {
		case "mean", "sum", "div", "pow", "abs", "mul", "neg":
		case "sub":
			if i > 0 && (f.Loss.Module == "" && (f.Loss.Function == "mse_loss" || f.Loss.Function == "l1_loss") || f.Loss.Module == "L1Loss") {
				return i
			}
			return -1
		case "log_softmax":
			if i > 0 && (f.Loss.Module == "CrossEntropyLoss" || f.Loss.Module == "" && f.Loss.Function == "cross_entropy") {
				return i
			}
			return -1
		default:
			return -1
		}
	}
	return -1
}

// sameLoss reports whether the graph shows the loss that the facts speak of.
func sameLoss(told, shown string) bool {
	return told == "" || told == shown || told == "nll_loss" && shown == "cross_entropy"
}

// act is the last operation of the network, "" when it is the layer itself or
// not known.
func (v *lossView) act() string {
	if !v.seen || len(v.acts) == 0 {
		return ""
	}
	return v.acts[0]
}

// lone is the last operation of the network where nothing else is between
// it and the last layer but normalisation and dropout.
func (v *lossView) lone() string {
	if v.act() == "" {
		return ""
	}
	for _, op := range v.acts[1:] {
		if !slices.Contains([]string{"batch_norm", "layer_norm", "group_norm", "rms_norm", "dropout"}, op) {
			return ""
		}
	}
	return v.acts[0]
}

// raw reports whether the loss is given what the last layer puts out.
func (v *lossView) raw() bool { return v.seen && len(v.acts) == 0 }

func (v *lossView) regression() bool { return slices.Contains(regressionLosses, v.loss) }

// regresses reports whether the loss is one for values.
func regresses(f *rule.Facts) bool { v := viewLoss(f); return v.regression() }

// module names the module that makes the last operation, for a sentence: "the
// softmax at the end of the model" where it is none.
func (v *lossView) module(op string) string {
	if path := lastModule(v.facts, []string{record.ActivationKind}, moduleTypes[op]); path != "" {
		return "the " + op + " layer " + path
	}
	if v.path != "" {
		return "the " + op + " after layer " + v.path
	}
	return "the " + op + " at the end of the model"
}

// subject is what findings about the loss are about.
func (v *lossView) subject() string {
	switch f := v.facts; {
	case f.Loss != nil && f.Loss.Module != "":
		return f.Loss.Module
	case v.loss != "":
		return v.loss
	}
	return "loss"
}

// Classes of activation modules, by the operation that they make.
var moduleTypes = map[string][]string{
	"softmax": {"Softmax", "Softmax2d"}, "log_softmax": {"LogSoftmax"}, "sigmoid": {"Sigmoid"}, "tanh": {"Tanh"}, "relu": {"ReLU"},
	"hardtanh": {"Hardtanh", "ReLU6"}, "hardsigmoid": {"Hardsigmoid"}, "softplus": {"Softplus"}, "log_sigmoid": {"LogSigmoid"},
}

// lastModule is the path of the module of some kinds, and of some classes
// unless types is nil, that was called last.
func lastModule(f *rule.Facts, kinds, types []string) string {
	path, order := "", int64(-1)
	if f.Network == nil || f.Network.More > 0 {
		return ""
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if slices.Contains(kinds, m.Kind) && (types == nil || slices.Contains(types, m.Type)) && m.Order > order {
			path, order = m.Path, m.Order
		}
	}
	return path
}

// span is the range of the labels; ok is false without a finite one.
func span(l *rule.LabelFacts) (low, high float64, ok bool) {
	if l == nil || len(l.Range) != 2 || !finite(l.Range[0]) || !finite(l.Range[1]) {
		return 0, 0, false
	}
	return l.Range[0], l.Range[1], true
}

// isWhole reports whether all labels were whole numbers, and not too many.
func isWhole(l *rule.LabelFacts) bool { return l != nil && l.Distinct != nil && *l.Distinct > 0 }

// classNumbers reports whether the labels are numbers of classes, one for each
// prediction.
func classNumbers(f *rule.Facts) bool {
	if f.Labels == nil || f.Predictions == nil || len(f.Labels.DType) == 0 || len(f.Predictions.LabelShape) != len(f.Predictions.Shape)-1 {
		return false
	}
	return f.Labels.DType[0] == 'I' || f.Labels.DType[0] == 'U'
}

// lossClasses is the number of classes that a loss over classes tells apart: the
// length of axis 1. It is 0 when that is not known.
func lossClasses(p *rule.PredictionFacts) int64 {
	if p == nil || len(p.Shape) < 2 {
		return 0
	}
	return p.Shape[1]
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// rangeText spells a range for a person.
func rangeText(low, high float64) string { return fmt.Sprintf("%s to %s", num(low), num(high)) }

// about reports whether two numbers differ by no more than a share of the second.
func about(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b) }
