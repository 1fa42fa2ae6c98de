package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// networkStructure judges how layers follow each other: whether anything is
// between linear ones, and what stands right before the loss.
var networkStructure = rule.Definition{
	Name: "network_structure", Class: "NetworkStructure", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     networkStructureChecks,
	Summary:    "The network's structure is wrong: linear layers without an activation between them, dropout after the last layer, mixed-up samples or axes, attention with a wrong mask or softmax axis, or a target that leaks into the input.",
	Why:        "Such a network trains without an error message, but computes something else than intended: several linear layers in a row are one linear layer, and dropout on the output changes predictions at random.",
	Frameworks: rule.DeepLearning,
	CauseClass: "structure",
	Causes:     []string{"an activation missing in forward", "an activation that is created but not called", "attention without a causal mask in a model that predicts the next token", "a padding mask that is True where the tokens are"},
	Remedies:   []string{"put an activation (ReLU, GELU) between the layers", "remove dropout from the output", "call every module that is created"},
	Explains:   []string{"underfit", "overtraining", "loss_not_decreasing", "too_few_updates", "loss_flat", "learning_rate"},
	// A mask that is the wrong way round can hide all of a sequence: attention is 0/0 there.
	ExplainsAlwaysBy: map[string][]string{"padding_mask_inverted": {"not_finite"}, "sees_ahead": {"not_finite"}, "dead_units": {"vanishing_gradient"}},
	Default: &rule.Preset{
		Why: "Layers count as linear only where the whole way from the loss to the parameters was read and holds nothing else. Factors of low rank and linear autoencoders are meant so. A layer takes samples for steps when its first axis is as long as the batch, its second as that of the input, and labels come one for each sample. A model is shown what it is to predict when all labels of the first steps are its input one place further on and no attention is causal. A padding mask counts as inverted where attention sees all places that hold one token, at one end of each sequence, and hides all others, and these differ. The softmax of attention goes over the wrong axis where a sequence attends to itself, each comparison is of two computed tensors, and the weights are neither divided again nor multiplied by others before the values are summed up over the other axis. A view renames axes where it gives two of them each other's lengths, values stay where they are in memory, and one of the two is the model's samples, or what comes after is a convolution or the first layer. Second derivatives count where they were taken with a graph, by what the first was taken by, and are exactly zero each time while the first are not. The first step of a recurrent layer is the only one that is used where the weights that take its state have gradients of exactly zero, though it is given sequences and those that take its input have others.",
	},
	Needs: noNeeds,
	New:   func(rule.Params) (rule.Rule, error) { return &structure{newTold()}, nil },
}

type structure struct{ told }

// Facts implements rule.FactReader.
func (r *structure) Facts(f *rule.Facts, rep *rule.Report) {
	r.sameOutput(f, rep)
	r.oneForAll(f, rep)
	r.samplesAsSteps(f, rep)
	r.seesAhead(f, rep)
	r.seesPadding(f, rep)
	r.overQueries(f, rep)
	r.interleaved(f, rep)
	r.viewedNotTransposed(f, rep)
	r.secondZero(f, rep)
	r.firstStep(f, rep)
	if f.Graph == nil || !f.Graph.Complete {
		return
	}
	rep.Inspect(1)
	r.linear(f, rep)
	r.head(f, rep)
}

// sameOutput finds a model that gives all samples of a batch the same although
// they differ. A last layer that began with zeros does so until it has moved,
// and so does a network whose units are all dead; other rules tell of that.
func (r *structure) sameOutput(f *rule.Facts, rep *rule.Report) {
	p, in := f.Predictions, f.Inputs
	if p == nil || p.Values == nil || !p.Values.SameRows || len(p.Shape) == 0 || p.Shape[0] < leastSamples || p.Steps < 2 || in == nil || len(in.Tensors) == 0 || in.Distinct < 2 {
		return
	}
	if v := in.Tensors[0].Values; v == nil || v.SameRows || len(in.Tensors[0].Shape) == 0 || in.Tensors[0].Shape[0] != p.Shape[0] || f.Parameters == nil {
		return
	}
	for _, one := range f.Parameters.List {
		if !one.Bias && len(one.Shape) > 1 && (one.First == nil || one.First.Std == 0) {
			return
		}
	}
	at := ""
	if f.Network != nil {
		for _, m := range f.Network.Modules {
			v := m.Output
			if v == nil || v.Values == nil || len(v.Shape) == 0 || v.Shape[0] != p.Shape[0] {
				continue
			}
			if v.Values.Zeros == 1 {
				return
			}
			if v.Values.SameRows && at == "" {
				at = m.Path
			}
		}
	}
	if dead := deadBefore(f, p.Shape[0]); dead != "" {
		r.say(rep, rule.Violation{
			Check: "dead_units", Subject: dead, Severity: rule.Error, CauseClass: "activation", Observed: float64(p.Shape[0]), Threshold: leastSamples, Comparator: ">=", Steps: int(p.Steps),
			Cause:   "all units of a ReLU are dead: a large negative bias, or weights pushed there by a large update",
			Remedy:  "initialise biases with 0 and use the framework's default weights; use LeakyReLU or GELU",
			Message: fmt.Sprintf("The layer %s gets only zeros for all %d samples of a batch: every unit before it is dead, so all outputs are equal and no earlier layer learns.", dead, p.Shape[0]),
			Context: map[string]any{"predictions": p.Shape, "inputs": in.Tensors[0].Shape},
		})
		return
	}
	where := ""
	if at != "" {
		where = " from " + at + " on"
	}
	r.say(rep, rule.Violation{
		Check: "same_output", Subject: at, Observed: float64(p.Shape[0]), Threshold: leastSamples, Comparator: ">=", Steps: int(p.Steps),
		Cause:  "an operation that mixes the samples of a batch: a mean, sum, softmax or reshape over the first axis",
		Remedy: "check dim= of reductions, and reshapes, in forward: the first axis is the batch",
		Message: fmt.Sprintf("All %d samples of a batch get the same output%s although their inputs differ. Look for a mean, sum or reshape over the first axis.",
			p.Shape[0], where),
		Context: map[string]any{"predictions": p.Shape, "inputs": in.Tensors[0].Shape},
	})
}

// oneForAll finds a model that is called with the samples of a batch and gives one
// row, which is then stretched and compared with the labels of all of them.
func (r *structure) oneForAll(f *rule.Facts, rep *rule.Report) {
	p, l, in := f.Predictions, f.Labels, f.Inputs
	if p == nil || l == nil || in == nil || len(in.Tensors) == 0 || in.Distinct < 2 || p.Steps < 2 || len(p.LabelShape) < 2 || !regresses(f) {
		return
	}
	n := p.LabelShape[0]
	row := slices.Equal(p.Shape, p.LabelShape[1:]) || len(p.Shape) == len(p.LabelShape) && p.Shape[0] == 1 && slices.Equal(p.Shape[1:], p.LabelShape[1:])
	first := in.Tensors[0]
	if n < leastSamples || !row || len(first.Shape) < 2 || first.Shape[0] != n || first.Values == nil || first.Values.SameRows {
		return
	}
	r.say(rep, rule.Violation{
		Check: "one_prediction_per_batch", Subject: "", Observed: float64(n), Threshold: leastSamples, Comparator: ">=", Steps: int(p.Steps),
		Cause:  "an operation that mixes the samples of a batch: a mean, sum or reshape over the batch axis",
		Remedy: "check dim= of reductions, and reshapes, in forward: average over positions or time steps, not over samples",
		Message: fmt.Sprintf("The model gets %d samples (%v) but returns a single prediction (%v), which is compared with all labels (%v). Look for a mean, sum or reshape over the batch axis.",
			n, first.Shape, p.Shape, p.LabelShape),
		Context: map[string]any{"predictions": p.Shape, "labels": p.LabelShape, "inputs": first.Shape},
	})
}

// deadBefore names the layer with a weight that is the first to get zeros only;
// "" without one.
func deadBefore(f *rule.Facts, samples int64) string {
	at, order := "", int64(0)
	if f.Network == nil {
		return ""
	}
	for _, m := range f.Network.Modules {
		if v := m.Input; (m.Kind == record.LinearModule || m.Kind == record.ConvModule) && v != nil && v.Values != nil && v.Values.Zeros == 1 &&
			len(v.Shape) > 1 && v.Shape[0] == samples && (at == "" || m.Order < order) {
			at, order = m.Path, m.Order
		}
	}
	return at
}

// samplesAsSteps finds a recurrent or attention layer that takes the samples of a
// batch for the steps of a sequence: its first axis is as long as the batch,
// which labels with one row for each sample confirm, and batch_first is off.
func (r *structure) samplesAsSteps(f *rule.Facts, rep *rule.Report) {
	p, l, in := f.Predictions, f.Labels, f.Inputs
	if f.Network == nil || f.Network.More > 0 || p == nil || l == nil || in == nil || len(in.Tensors) == 0 || len(in.Tensors[0].Shape) < 2 || len(l.Shape) == 0 || len(l.Shape) > 2 || len(p.Shape) == 0 {
		return
	}
	n := l.Shape[0]
	if n < leastSamples || p.Shape[0] != n || in.Tensors[0].Shape[0] != n || len(p.Shape) > 2 || len(f.Models) > 1 {
		return
	}
	steps := in.Tensors[0].Shape[1]
	if steps < 2 || steps == n || len(l.Shape) == 2 && l.Shape[1] == steps {
		return // labels of each step, or nobody can tell
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		first, ok := m.Settings["batch_first"].(bool)
		if !ok || first || m.Input == nil || len(m.Input.Shape) != 3 || m.Input.Shape[0] != n || m.Input.Shape[1] != steps || m.Kind != record.RecurrentModule && m.Kind != record.AttentionModule {
			continue
		}
		r.say(rep, rule.Violation{
			Check: "batch_first", Subject: m.Path, Observed: float64(n), Threshold: float64(steps), Comparator: "!=", Steps: int(max(p.Steps, 1)),
			Cause:  "batch_first=True is missing",
			Remedy: "create the layer with batch_first=True, or pass the time steps on the first axis",
			Message: fmt.Sprintf("The %s gets %d samples of %d steps, but treats the first axis as time, so it mixes the samples of a batch. Set batch_first=True.",
				called(m.Type+" layer", m.Path), n, steps),
			Context: map[string]any{"input": m.Input.Shape, "labels": l.Shape},
		})
		return
	}
}

// leastSamples is the smallest batch whose equal outputs mean something.
const leastSamples = 4

// Operations that may stand between a layer and a loss without changing which
// output means what.
var outputOperations = []string{"softmax", "log_softmax", "sigmoid", "log_sigmoid", "tanh", "log", "view", "reshape", "squeeze", "unsqueeze", "flatten", "transpose", "permute"}

// Losses that compare predictions with labels one by one.
var plainLosses = []string{"cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "multi_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss", "gaussian_nll_loss"}

// Losses of classes, whose network ends in one number for each answer.
var classLosses = []string{"cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "multi_margin_loss", "multilabel_soft_margin_loss"}

// Operations that may stand above a loss: it is scaled, or one term of several.
var sumOperations = []string{"add", "sub", "mul", "div", "mean", "sum", "neg"}

// lossAt is the place in the graph's head of the loss that compares predictions
// with labels one by one, and its name; -1 without one.
func lossAt(f *rule.Facts) (at int, name string) {
	if at := writtenOut(f); at >= 0 {
		v := viewLoss(f)
		return at, v.loss
	}
	for i, op := range f.Graph.Head {
		if slices.Contains(plainLosses, op) {
			return i, op
		}
		if !slices.Contains(sumOperations, op) {
			break
		}
	}
	return -1, ""
}

// head judges what is between the loss and the last layer.
func (r *structure) head(f *rule.Facts, rep *rule.Report) {
	h := f.Graph.Head
	at, loss := lossAt(f)
	if d := f.Graph.Density; d != nil {
		v := viewLoss(f)
		h, at, loss = d.Way, -1, v.loss
	} else if at < 0 {
		return
	}
	i := at + 1
	for i < len(h) && slices.Contains(outputOperations, h[i]) {
		i++
	}
	if i == len(h) {
		return
	}
	m := moduleAtTheEnd(f, record.DropoutModule)
	switch op := h[i]; {
	// Some devices drop by a product with a mask.
	case op == "dropout", op == "mul" && m != nil && m.Training:
		if !endsIn(h[i+1:], loss) {
			return // it ends elsewhere: nobody knows what is dropped
		}
		subject, p := "dropout", ""
		if m != nil {
			subject = m.Path
			x, ok := setting(m, "p")
			if p = fmt.Sprintf(" (p %s)", num(x)); !ok || x == 0 {
				return
			}
		}
		r.say(rep, rule.Violation{
			Check: "dropout_on_output", Subject: subject, CauseClass: "regularisation", Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
			Cause: "dropout after the last layer", Remedy: "move dropout before the last layer, or remove it",
			Message: fmt.Sprintf("Dropout%s is applied to the output of the last layer, right before the loss %s, so predictions are set to 0 at random. Move it before the last layer.", p, loss),
			Context: map[string]any{"head": h},
		})
	case op == "batch_norm" && at == 0:
		r.say(rep, rule.Violation{
			Check: "normalisation_on_output", Subject: "batch_norm", Severity: rule.Info, Observed: 1, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
			Cause: "batch normalisation after the last layer", Remedy: "remove the normalisation after the last layer",
			Message: fmt.Sprintf("Batch normalisation is applied between the last layer and the loss %s, so a sample's prediction depends on the rest of its batch. Remove it unless this is intended.", loss),
			Context: map[string]any{"head": h},
		})
	}
}

// endsIn reports whether operations end in the network's last layer: it comes
// first, or, where the loss is one of classes, after an activation or a
// normalisation, because hidden features are compared with others, not with
// classes.
func endsIn(operations []string, loss string) bool {
	last := len(operations) - 1
	if last < 0 || !linearOperation(operations[last]) {
		return false
	}
	if last > 0 && !slices.Contains(classLosses, loss) {
		return false
	}
	return !slices.ContainsFunc(operations[:last], func(op string) bool { return !slices.Contains(unitOperations, op) })
}

// Operations on the units of a layer, one by one or brought to scale.
var unitOperations = []string{
	"relu", "gelu", "silu", "elu", "mish", "leaky_relu", "hardtanh", "hardswish", "prelu", "softplus", "tanh", "sigmoid", "batch_norm", "layer_norm", "group_norm", "rms_norm",
}

func linearOperation(name string) bool {
	return slices.Contains([]string{"linear", "convolution", "matmul", "addmm"}, name)
}

// Classes of modules that make probabilities of a network's answers.
var outputActivations = []string{"Softmax", "LogSoftmax", "Sigmoid", "LogSigmoid", "Tanh"}

// moduleAtTheEnd gives the module that was called last, if it is of a kind. What
// makes probabilities of its output does not count.
func moduleAtTheEnd(f *rule.Facts, kind string) *rule.ModuleFacts {
	if f.Network == nil || f.Network.More > 0 {
		return nil
	}
	var last *rule.ModuleFacts
	for i := range f.Network.Modules {
		if m := &f.Network.Modules[i]; m.Kind != "container" && (m.Kind != record.ActivationKind || !slices.Contains(outputActivations, m.Type)) && (last == nil || m.Order > last.Order) {
			last = m
		}
	}
	if last == nil || last.Kind != kind {
		return nil
	}
	return last
}
