package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// labelsFit judges whether the labels are such as the loss can take, and
// whether they say anything.
var labelsFit = rule.Definition{
	Name: "labels_fit", Class: "LabelsFit", Family: rule.Tensors, Severity: rule.Error,
	Checks:     labelsFitChecks,
	Summary:    "The labels do not fit the predictions, or contain no information.",
	Why:        "A loss silently accepts shapes and values that make no sense, as long as it can compute with them. The model then learns something else than intended, or nothing.",
	Frameworks: rule.DeepLearning,
	CauseClass: "labels",
	Lacks:      "no labels were seen",
	Causes:     []string{"labels whose shape differs from the predictions, so broadcasting compares each with each", "labels that are numbered or scaled differently from what the loss expects", "labels that are all equal", "samples sorted by label and not shuffled", "an ignore_index that is one of the classes, or the end-of-sequence token instead of padding", "a label with the index of ctc_loss's blank"},
	Remedies:   []string{"give labels the shape of the predictions (squeeze or unsqueeze the last axis)", "number classes from 0 to C-1, and use 0 and 1 for binary labels", "inspect the labels of a few batches"},
	ExplainsAlways: []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero", "exploding_tensor",
		"not_finite", "underfit", "overtraining", "overfit", "class_imbalance", "confusion", "update_gradient_mismatch",
	},
	Default: &rule.Preset{Why: "Shapes count only where comparing them makes more values than either has. Labels that are all the same count only for a classifier that is trained by one optimiser with one loss: with three classes or more after 150 steps or at the end; with two, of which one may be rare, when 100 losses fall to a tenth and never rise on the way. Where the loss falls low with the one class and then jumps above that of a guess, the samples are sorted by class. One class among three and more is too frequent at 95 % of the samples, without weights. An ignored class counts only with one label for each sample, where there is no padding, and with one for each pixel where it is as frequent as another class, or there are two. The end of sequences is ignored instead of their padding where it stands once in each at the most, at different places, and nothing but one other label follows it, which counts and stands nowhere else."},
	Needs: func(rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(rule.Params) (rule.Rule, error) { return &fit{told: newTold()}, nil },
}

func judgeLabels(f *rule.Facts) []rule.Violation {
	v := viewLoss(f)
	l, p := f.Labels, f.Predictions
	if l == nil {
		return stretched(&v)
	}
	if l.NonFinite > 0 && v.alone && (f.Loss == nil || f.Loss.Reduction != "none") {
		text := fmt.Sprintf("%s of the labels that %s received in the first steps are NaN or infinite: so is the loss, and every weight after the next update.", num(float64(l.NonFinite)), v.subject())
		out := v.labels("non_finite", text, "remove these samples or mask them before the loss", rule.Error)
		out.CauseClass, out.Observed, out.Comparator = "non-finite", float64(l.NonFinite), ">"
		return []rule.Violation{out}
	}
	if l.Ignored > 0 && l.NonFinite == 0 && l.Range == nil && (l.Elements == 0 || l.Elements == l.Ignored) {
		text := fmt.Sprintf("All %s labels of the first steps have the value that %s ignores (ignore_index): there is nothing to learn from.", num(float64(l.Ignored)), v.subject())
		return []rule.Violation{v.labels("all_ignored", text, "check where labels are masked, and ignore_index", rule.Error)}
	}
	if found := signs(&v, l); found != nil {
		return found
	}
	if found := movedTwice(&v, l); found != nil {
		return found
	}
	if found := notMoved(&v); found != nil {
		return found
	}
	if found := blankNamed(&v, l); found != nil {
		return found
	}
	if found := endUnlabelled(&v, l); found != nil {
		return found
	}
	if found := endIgnored(&v, l); found != nil {
		return found
	}
	if p == nil || v.loss == "" {
		return stretched(&v)
	}
	if found := broadcast(&v, p, l); found != nil {
		return found
	}
	if g := v.facts.Graph; g != nil && g.Stretched != nil && stretchedBy(g) != "sub" && stretchedBy(g) != "" { // weights of samples
		return stretched(&v)
	}
	if found := outsideLabels(&v, p, l); found != nil {
		return found
	}
	if found := leftOut(&v, p, l); found != nil {
		return found
	}
	if found := comesSorted(&v, p, l); found != nil {
		return found
	}
	if found := skewed(&v, p, l); found != nil {
		return found
	}
	return constantLabels(&v, p, l)
}

// labels is a finding about labels.
func (v *lossView) labels(check, message, remedy string, severity rule.Severity) rule.Violation {
	out := v.violation(check, message, remedy, severity)
	l := v.facts.Labels
	out.Context["labels"], out.Context["labels_range"] = l.Shape, l.Range
	return out
}

// stretched finds a loss that the script computes itself, and that compares a
// column of outputs with a row of labels. Distances of all to all, as between two
// sets of samples, are no such loss: they are compared in an exponential, or with
// those inside of each set, and both sets have as many axes.
func stretched(v *lossView) []rule.Violation {
	g := v.facts.Graph
	if g == nil || g.Stretched == nil || len(g.Stretched.From) == 0 || len(g.Stretched.To) != 2 {
		return nil
	}
	s, way := g.Stretched, stretchedWay(g)
	if s.At+1 >= len(way) || !slices.Contains(comparing, way[s.At]) || !makesErrors(way[:s.At], g.Policy != nil) {
		return nil
	}
	between, last := way[s.At+1:len(way)-1], way[len(way)-1]
	if last == "embedding" { // a dot product of two of them
		between = slices.DeleteFunc(slices.Clone(between), func(op string) bool { return op == "sum" })
	} else if last != "linear" && last != "convolution" {
		return nil
	}
	if !onlyOps(between, slices.Concat(knownLosses, outputOps)) {
		return nil
	}
	predictions, labels := fmt.Sprintf("[%d]", s.To[0]), fmt.Sprintf("[%d 1]", s.To[0])
	if len(s.From) == 2 {
		predictions, labels = labels, predictions
	}
	if l, p := v.facts.Labels, v.facts.Predictions; l != nil && p != nil && v.facts.Loss != nil && l.Loss == v.facts.Loss.Module && len(l.Shape) == len(p.Shape) {
		return nil
	}
	what := fmt.Sprintf("subtracts labels of shape %s from predictions of shape %s", labels, predictions)
	switch way[s.At] {
	case "binary_cross_entropy_with_logits", "xlogy":
		what = fmt.Sprintf("compares labels of shape %s with predictions of shape %s", labels, predictions)
	case "mul", "div":
		what = fmt.Sprintf("multiplies values of shape %s, one per sample, with others of shape %s", predictions, labels)
	}
	text := fmt.Sprintf("The loss %s: by broadcasting all are compared with all, %d × %d values, so the model learns the mean of the labels.", what, s.To[0], s.To[1])
	out := v.violation("broadcast", text, "give both the same shape: predictions.squeeze(1), or labels.unsqueeze(1)", rule.Error)
	out.Context["from"], out.Context["to"] = s.From, s.To
	return []rule.Violation{out}
}

// stretchedWay is the way from the loss down to a layer that what stretches lies on: of
// a loss of several terms, such as a likelihood with its own variance, it need not be the head.
func stretchedWay(g *record.GraphFacts) []string {
	if len(g.Stretched.Way) > 0 {
		return g.Stretched.Way
	}
	return g.Head
}

// stretchedBy is the operation that stretches, "" without one.
func stretchedBy(g *record.GraphFacts) string {
	if way := stretchedWay(g); g.Stretched.At < len(way) {
		return way[g.Stretched.At]
	}
	return ""
}

var (
	// comparing are the operations that take a prediction and a label.
	comparing = []string{"sub", "mul", "div", "xlogy", "binary_cross_entropy_with_logits"}
	// errorOps make a loss of differences.
	errorOps = []string{"mean", "sum", "div", "mul", "pow", "abs", "where", "sqrt", "add", "clamp", "log", "cosh", "max", "min", "norm", "smooth_l1_loss", "huber_loss", "relu", "softplus", "logsumexp", "median", "neg", "log1p"}
	// outputOps stand between a last layer and a loss.
	outputOps = append([]string{"sigmoid", "tanh", "relu", "softplus", "exp", "dropout", "mul", "add", "clamp", "batch_norm", "layer_norm", "log", "log_sigmoid"}, pickingOps...)
)

// makesErrors reports whether operations make a loss of differences. One that is
// subtracted below a mean belongs to the error of a place, as in log(cosh(d));
// above it means are compared, unless it is a policy's loss, of which they take
// the entropy off.
func makesErrors(ops []string, policy bool) bool {
	reduced := policy
	for _, op := range ops {
		if !slices.Contains(errorOps, op) && !(reduced && op == "sub") {
			return false
		}
		reduced = reduced || op == "mean" || op == "sum"
	}
	return true
}

func onlyOps(ops, among []string) bool {
	return !slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(among, op) })
}

// signed are the losses whose labels are -1 and 1.
var signed = []string{"CosineEmbeddingLoss", "HingeEmbeddingLoss", "MarginRankingLoss", "SoftMarginLoss", "soft_margin_loss"}

// signs finds labels of 0 and 1 where a loss takes the sign of them: those of 0
// have no part in it.
func signs(v *lossView, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	if !ok || !slices.Contains(signed, l.Loss) || !isWhole(l) || least != 0 || most > 1 || l.Elements < leastLabels {
		return nil
	}
	text := fmt.Sprintf("%s expects labels -1 and 1, but got %s: samples with label 0 are ignored or misinterpreted.", l.Loss, rangeText(least, most))
	if least == most {
		text = fmt.Sprintf("%s expects labels -1 and 1, but all it got are 0.", l.Loss)
	}
	return []rule.Violation{v.labels("zero_and_one", text, "pass 2 * labels - 1", rule.Error)}
}

// together is the shape that comparing two shapes element by element gives;
// nil when they cannot be compared.
func together(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		x, y := a[len(a)-1-i], b[len(b)-1-i]
		if x != y && x != 1 && y != 1 {
			return nil
		}
		if x == 1 {
			out[len(a)-1-i] = y
		}
	}
	return out
}

// broadcast finds predictions and labels that are compared each with each.
// Whoever means that writes both with as many axes.
func broadcast(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	// PyTorch's own losses for yes and no refuse other shapes; one that is written out does not.
	if !v.regression() && v.loss != "binary_cross_entropy_with_logits" || len(p.Shape) == len(p.LabelShape) || len(p.LabelShape) == 0 || len(p.Shape) == 0 {
		return nil
	}
	if !v.alone && p.Shape[0] != p.LabelShape[0] { // distances from some points, as of a term that draws outputs to centres
		return nil
	}
	both := together(p.Shape, p.LabelShape)
	if both == nil || product(both) <= max(product(p.Shape), product(p.LabelShape)) {
		return nil
	}
	text := fmt.Sprintf("%s broadcasts predictions of shape %v against labels of shape %v: every prediction is compared with every label of the batch (%v), so the model learns the mean of the labels.", v.loss, p.Shape, p.LabelShape, both)
	out := v.labels("broadcast", text, "give both the same shape: labels.unsqueeze(-1), or predictions.squeeze(-1)", rule.Error)
	out.Observed, out.Threshold, out.Comparator = float64(product(both)), float64(product(p.Shape)), ">"
	return []rule.Violation{out}
}

// outsideLabels finds labels with values that the loss has no use for.
func outsideLabels(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	if !ok || !v.alone && !v.everyAnswer() {
		return nil
	}
	switch v.loss {
	case "binary_cross_entropy", "binary_cross_entropy_with_logits":
		// What takes many values is a regression: loss_choice tells of it.
		if l.Distinct == nil || least >= 0 && most <= 1 {
			return nil
		}
		text := fmt.Sprintf("%s got labels %s: it expects 0 or 1, and has no lower bound for other values.", v.loss, rangeText(least, most))
		out := v.labels("out_of_range", text, "use labels 0 and 1", rule.Error)
		if *l.Distinct > 20 { // shades, not answers
			out.CauseClass, out.Remedy = "data-scaling", "scale the labels to the range 0 to 1, for example divide pixels by 255"
		}
		return []rule.Violation{out}
	case "cross_entropy", "nll_loss":
		classes := lossClasses(p)
		if !classNumbers(v.facts) || classes < 2 || least >= 0 && int64(most) < classes {
			return nil
		}
		text := fmt.Sprintf("The labels name classes %s, but the model has %d outputs, for classes 0 to %d.", rangeText(least, most), classes, classes-1)
		return []rule.Violation{v.labels("out_of_range", text, "number classes from 0, or give the last layer more outputs", rule.Error)}
	}
	return nil
}

// everyAnswer reports whether all labels of a loss for yes and no count, although it
// is one term of several: its own mean was taken, of nothing that a mask leaves out.
func (v *lossView) everyAnswer() bool {
	l := v.facts.Loss
	if !v.own || l == nil || v.loss != "binary_cross_entropy" && v.loss != "binary_cross_entropy_with_logits" {
		return false
	}
	return l.Reduction == "mean" || l.Function == "" && l.Module == ""
}

// leastLabels is how many labels have to be the same before that means
// anything.
const leastLabels = 32

// constantLabels finds a classifier that is shown one class only. A contrastive
// loss has labels that are all 0; its outputs do not come from a layer.
func constantLabels(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	if !ok || least != most || l.Elements < leastLabels || p.Steps < 3 || !v.alone || !v.raw() {
		return nil
	}
	if v.regression() && least != 0 && math.Abs(least) != 1 && len(p.Shape) > 0 && p.Shape[0] > 1 { // those stand for "real", and for an equation that is to hold
		text := fmt.Sprintf("All %s labels of the first %d steps are %s: the model learns to predict only that.", num(float64(l.Elements)), p.Steps, num(least))
		out := v.labels("constant", text, "check how labels are created: one value may have been repeated for all samples", rule.Warning)
		out.Observed, out.Threshold, out.Comparator = float64(l.Elements), leastLabels, ">="
		return []rule.Violation{out}
	}
	return nil
}

// leftOut finds a class that the loss is told to ignore: in a classifier with one
// label for each sample, where there is no padding that it could stand for, and in
// one of pixels where it is as frequent as the others.
func leftOut(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	if v.facts.Loss == nil || v.loss != "cross_entropy" && v.loss != "nll_loss" || !v.alone || l.Ignored == 0 {
		return nil
	}
	ignored, ok := number(v.facts.Loss.Settings["ignore_index"])
	if !ok || ignored < 0 || int64(ignored) >= lossClasses(p) || !ofSamples(v.facts, p, l) && !ofPlaces(v.facts, p, l, ignored) {
		return nil
	}
	text := fmt.Sprintf("%s ignores class %s, one of the model's %d classes: %s of the %s labels of the first steps are not counted, and that class is never learnt.",
		v.subject(), num(ignored), lossClasses(p), num(float64(l.Ignored)), num(float64(l.Ignored+l.Elements)))
	out := v.labels("class_ignored", text, fmt.Sprintf("remove ignore_index=%s, or number the classes so that this value only marks samples without a label", num(ignored)), rule.Warning)
	out.CauseClass, out.Cause = "loss", "an ignore_index that is one of the classes"
	out.Observed, out.Threshold, out.Comparator = float64(l.Ignored), 0, ">"
	return []rule.Violation{out}
}

// number is a setting that is a number.
func number(x any) (float64, bool) {
	switch n := x.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	}
	return 0, false
}

// ofSamples reports whether there is one class number for each sample that the
// model was called with.
func ofSamples(f *rule.Facts, p *rule.PredictionFacts, l *rule.LabelFacts) bool {
	if !classNumbers(f) || len(l.Shape) != 1 || len(p.Shape) != 2 || f.Inputs == nil || len(f.Inputs.Tensors) == 0 {
		return false
	}
	in := f.Inputs.Tensors[0].Shape
	return len(in) > 0 && in[0] == l.Shape[0]
}

// leastOfPixels is the least share of pixels that are ignored which is not taken
// for those that nobody labelled; mostOfPixels is the most for class 0, which is
// the background, and takes up more than any other.
const leastOfPixels, mostOfPixels = 0.15, 0.9

// ofPlaces reports whether each pixel of an image has a class number, and those
// that are ignored are about as many as there are of another class, or there are
// two classes only; of class 0 they may be more, as the background has. Pixels
// that nobody labelled are few, or nearly all.
func ofPlaces(f *rule.Facts, p *rule.PredictionFacts, l *rule.LabelFacts, ignored float64) bool {
	if !classNumbers(f) || len(p.Shape) < 4 || len(l.Shape) != len(p.Shape)-1 || f.Inputs == nil || len(f.Inputs.Tensors) == 0 {
		return false
	}
	in := f.Inputs.Tensors[0].Shape
	if len(in) != len(p.Shape) || in[0] != p.Shape[0] {
		return false
	}
	classes := lossClasses(p)
	share, fair := float64(l.Ignored)/float64(l.Ignored+l.Elements), 1/float64(classes)
	most := 2 * fair
	if ignored == 0 {
		most = max(most, mostOfPixels)
	}
	return classes == 2 || share >= max(fair/2, leastOfPixels) && share <= most
}

// comesSorted finds a classifier whose samples come sorted by their label.
func comesSorted(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	if !l.InOrder || v.loss != "cross_entropy" && v.loss != "nll_loss" || lossClasses(p) < 3 || !v.alone && !v.own || !ofSamples(v.facts, p, l) {
		return nil
	}
	text := fmt.Sprintf("The data is sorted by class: each batch of the first %d steps has one class or two neighbouring ones, and later batches have later classes (%s, of %d). The model forgets the earlier classes.",
		p.Steps, rangeText(l.Range[0], l.Range[1]), lossClasses(p))
	return []rule.Violation{sorted(v.labels("sorted", text, sortedRemedy, rule.Warning))}
}

const sortedRemedy = "shuffle the samples: DataLoader(..., shuffle=True), or a new permutation each epoch"

// sorted gives a finding the cause of data that come sorted.
func sorted(v rule.Violation) rule.Violation {
	v.CauseClass, v.Cause, v.Remedy = "data-loading", "samples sorted by label and not shuffled", sortedRemedy
	return v
}
