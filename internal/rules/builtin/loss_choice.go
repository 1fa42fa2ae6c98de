package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// lossChoice judges whether the loss is one for what the labels are.
var lossChoice = rule.Definition{
	Name: "loss_choice", Class: "LossChoice", Family: rule.Tensors, Severity: rule.Error,
	Checks:     lossChoiceChecks,
	Summary:    "The loss does not fit the kind of labels.",
	Why:        "A regression loss on class numbers treats class 9 as far from class 1. A classification loss on real values, or on a single class, gives nothing to learn from.",
	Frameworks: rule.DeepLearning,
	CauseClass: "loss",
	Lacks:      "the loss is none that Vigil knows by its function",
	Causes:     []string{"a regression loss on class numbers", "a classification loss on regression targets", "a loss over classes for a model with a single output", "a KL divergence or an overlap score with the wrong sign", "class weights that are the class frequencies instead of their inverse"},
	Remedies:   []string{"for classes, use cross_entropy with one output per class", "for binary or multi-label targets, use binary_cross_entropy_with_logits", "for real values, use mse_loss or smooth_l1_loss"},
	ExplainsAlways: slices.Concat(withoutGradient, []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero", "exploding_tensor",
		"underfit", "overtraining", "overfit", "class_imbalance", "confusion", "update_gradient_mismatch", "labels_fit",
	}),
	Default: &rule.Preset{Why: "Whole numbers are also ratings and counts, so they are taken for classes only where the model has an output for each of them, or where they begin at 0, have no gap and are all equally frequent."},
	Needs:   noNeeds,
	New:     onFacts(hasLoss, judgeLosses),
}

// ofLoss reports whether labels, and the predictions next to them, are those that
// the loss of this name got: in a sum of several losses they may be another's.
func ofLoss(l *rule.LabelFacts, loss string) bool {
	got := cmp.Or(lossModules[l.Loss], l.Loss)
	return !slices.Contains(knownLosses, got) || got == loss || got == "nll_loss" && loss == "cross_entropy"
}

// judgeLosses judges the loss, and where nothing is said of it each loss that it is the sum of.
func judgeLosses(f *rule.Facts) []rule.Violation {
	if found := judgeLoss(f); found != nil {
		return found
	}
	return ofAddends(f, judgeLoss, "one_class", "labels_not_probabilities", "regression_of_classes")
}

func judgeLoss(f *rule.Facts) []rule.Violation {
	if found := priorUpsideDown(f); found != nil {
		return found
	}
	v := viewLoss(f)
	p, l := f.Predictions, f.Labels
	if found := nothingApart(&v); found != nil {
		return found
	}
	if found := overlapUpsideDown(&v); found != nil {
		return found
	}
	if found := densityUpsideDown(&v); found != nil {
		return found
	}
	if found := yesWeighsLess(&v); found != nil {
		return found
	}
	if v.loss == "" || p == nil || l == nil {
		return nil
	}
	if found := rareWeighLess(&v, p, l); found != nil {
		return found
	}
	switch {
	case !v.alone && v.everyAnswer():
		return numbersAsChances(&v, l)
	case !v.alone && v.own && v.regression():
		return classesAsNumbers(&v, p, l)
	case !v.alone && (lossClasses(p) != 1 || !ofLoss(l, v.loss)):
		return nil
	case v.regression():
		return classesAsNumbers(&v, p, l)
	case v.loss == "cross_entropy" || v.loss == "nll_loss":
		if lossClasses(p) == 1 && len(p.LabelShape) > 0 {
			text := fmt.Sprintf("%s gets predictions of shape %v: with a single class the probability is always 1, so the loss is 0 and there is nothing to learn.", v.loss, p.Shape)
			return []rule.Violation{v.violation("one_class", text, "use binary_cross_entropy_with_logits for one output, or one output per class", rule.Error)}
		}
		return softLabels(&v, p, l)
	default:
		return numbersAsChances(&v, l)
	}
}

// nothingApart finds a loss that only draws outputs together: one network, the same
// output for all samples, is its best (Chen and He, 2021).
func nothingApart(v *lossView) []rule.Violation {
	if v.facts.Graph == nil || !v.facts.Graph.Agreement || v.facts.Graph.Parts > 1 || len(v.facts.Optimisers) != 1 {
		return nil
	}
	text := "The loss only pulls two outputs of the same network together and trains both, so the representation collapses: it is minimal when every sample gets the same output."
	return []rule.Violation{v.violation("nothing_pushes_apart", text, "detach one side of each pair (z.detach()) and add a predictor, use a momentum encoder for it, or add a term that pushes different samples apart", rule.Warning)}
}

// overlapUpsideDown finds a Dice loss, or one of its kin, that is the score itself.
func overlapUpsideDown(v *lossView) []rule.Violation {
	if g := v.facts.Graph; g == nil || !g.OverlapGrows || g.Parts > 1 {
		return nil
	}
	text := "The loss grows with the overlap (Dice, IoU) of predictions and labels, so minimising it makes the masks worse."
	return []rule.Violation{v.violation("overlap_sign", text, "minimise 1 - score, or -score, instead of the score", rule.Error)}
}

// balanced reports whether all labels are equally frequent, as far as chance
// allows: Pearson's chi-squared, which is at most three of its deviations above
// its mean.
func balanced(l *rule.LabelFacts) bool {
	expected, free := float64(l.Elements)/float64(len(l.Counts)), float64(len(l.Counts)-1)
	sum := 0.0
	for _, n := range l.Counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum <= free+3*math.Sqrt(2*free)
}

// classesAsNumbers finds numbers of classes that are given to a loss for
// values. Ratings and counts are whole numbers, too.
func classesAsNumbers(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	if !ok {
		return nil
	}
	remedy := "use cross_entropy, with one output per class and class indices as labels"
	if l.OneHot && len(p.Shape) > 1 && p.Shape[len(p.Shape)-1] > 1 && (v.act() == "softmax" || v.act() == "sigmoid") {
		text := fmt.Sprintf("%s compares the %s of %d classes with one-class labels: this trains, but slowly where the model is confidently wrong.", v.loss, v.act(), p.Shape[len(p.Shape)-1])
		return []rule.Violation{v.violation("regression_of_classes", text, remedy, rule.Info)}
	}
	if !isWhole(l) || l.Counts == nil || *l.Distinct != int64(most-least)+1 {
		return nil
	}
	classes := *l.Distinct
	if classes == 2 && least == 0 && v.act() == "sigmoid" {
		text := fmt.Sprintf("%s compares a sigmoid with labels 0 and 1: this trains, but slowly where the model is confidently wrong.", v.loss)
		return []rule.Violation{v.violation("regression_of_two_classes", text, "use binary_cross_entropy_with_logits on the raw output", rule.Info)}
	}
	if classes < 3 || classes > 100 || least != 0 {
		return nil
	}
	units := int64(1)
	if len(p.Shape) > 1 {
		units = p.Shape[len(p.Shape)-1]
	}
	switch {
	case units >= classes && units <= 2*classes && len(p.LabelShape) > 0 && (len(p.LabelShape) < len(p.Shape) || p.LabelShape[len(p.LabelShape)-1] == 1):
		text := fmt.Sprintf("%s compares each of the model's %d outputs with the class number (%s): all outputs learn the same number.", v.loss, units, rangeText(least, most))
		out := v.violation("regression_of_classes", text, remedy, rule.Error)
		out.Observed = float64(classes)
		return []rule.Violation{out}
	case units == 1 && slices.Equal(p.Shape, p.LabelShape) && (v.act() == "max" || v.act() == "amax") && (v.alone || v.own):
		text := fmt.Sprintf("%s compares the model's largest output with the class number (%s), regardless of which output it is.", v.loss, rangeText(least, most))
		out := v.violation("regression_of_classes", text, remedy, rule.Error)
		out.Observed = float64(classes)
		return []rule.Violation{out}
	case units == 1 && slices.Equal(p.Shape, p.LabelShape) && classes <= 20 && l.Elements >= 20*classes && v.raw() && v.alone && balanced(l):
		text := fmt.Sprintf("%s treats the whole numbers %s, all equally frequent, as real values. If they are class numbers, class %s is as different from class %s as from class 0.", v.loss, rangeText(least, most), num(most), num(most-1))
		out := v.violation("regression_of_classes", text, remedy, rule.Warning)
		out.Observed = float64(classes)
		return []rule.Violation{out}
	}
	return nil
}

// softLabels judges labels that are no class numbers but one value for each
// class.
func softLabels(v *lossView, p *rule.PredictionFacts, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	if ok && v.loss == "cross_entropy" && len(p.Shape) == 1 && p.Shape[0] > 1 && slices.Equal(p.LabelShape, p.Shape) && strings.HasPrefix(l.DType, "F") && l.Mean != nil {
		// One sample without a batch, or scores of a list to be ranked, has labels that add up to 1.
		if sum := *l.Mean * float64(p.Shape[0]); math.Abs(sum-1) > 0.5 {
			text := fmt.Sprintf("cross_entropy gets 1-D outputs and labels of %d samples: it treats them as the class scores of a single sample, whose label probabilities add up to %s instead of 1.", p.Shape[0], num(sum))
			return []rule.Violation{v.violation("samples_as_classes", text, "use mse_loss for real values; for classes use one output per class and class indices as labels", rule.Error)}
		}
	}
	if !ok || len(p.Shape) < 2 || p.Shape[1] < 2 || len(p.LabelShape) != len(p.Shape) || l.RowsSumToOne || l.OneHot || l.Mean == nil || len(p.Shape) > 2 {
		return nil
	}
	classes := float64(p.Shape[1])
	sum := *l.Mean * classes
	switch {
	case least < 0 || most > 1:
		text := fmt.Sprintf("cross_entropy gets labels %s, one for each of %s outputs, which are not probabilities: the loss is meaningless and has no lower bound.", rangeText(least, most), num(classes))
		return []rule.Violation{v.labels("labels_not_probabilities", text, "use mse_loss for real values, or class indices as labels", rule.Error)}
	case isWhole(l) && classes <= 100 && math.Abs(sum-1) > 0.1:
		text := fmt.Sprintf("cross_entropy gets multi-label targets with %s of %s classes per sample on average, but its probabilities always add up to 1, so they cannot all be right.", num(math.Round(sum*10)/10), num(classes))
		out := v.violation("several_classes", text, "use binary_cross_entropy_with_logits, which treats each class independently", rule.Warning)
		out.Observed, out.Threshold, out.Comparator = sum, 1, "!="
		return []rule.Violation{out}
	}
	return nil
}

// numbersAsChances finds values of a regression in a loss for yes and no.
func numbersAsChances(v *lossView, l *rule.LabelFacts) []rule.Violation {
	least, most, ok := span(l)
	// Labels are smoothed on purpose, also a little beyond 0 and 1.
	if !ok || l.Distinct != nil || least >= -0.5 && most <= 1.5 {
		return nil
	}
	text := fmt.Sprintf("%s gets labels %s, which are not probabilities: the loss has no lower bound and pushes the outputs towards infinity.", v.loss, rangeText(least, most))
	return []rule.Violation{v.labels("labels_not_probabilities", text, "use mse_loss or smooth_l1_loss for real values, or scale the labels to 0 to 1", rule.Error)}
}
