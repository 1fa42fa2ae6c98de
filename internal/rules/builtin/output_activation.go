package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// outputActivation judges what the model puts its outputs through before the
// loss gets them.
var outputActivation = rule.Definition{
	Name: "output_activation", Class: "OutputActivation", Family: rule.Tensors, Severity: rule.Error,
	Checks:  outputActivationChecks,
	Summary: "The last activation of the model does not fit its loss.",
	Why: "A loss that applies softmax or sigmoid itself learns slowly, or not at all, from outputs that already went through one; " +
		"a loss that expects log-probabilities gives nonsense for anything else. An output whose range excludes the labels never reaches them.",
	Frameworks: rule.DeepLearning,
	CauseClass: "output-activation",
	Lacks:      "the loss is none that Vigil knows by its function",
	Causes:     []string{"an activation at the end of the model that the loss applies itself", "a missing log_softmax before nll_loss", "softmax or normalisation over the wrong axis", "an output that is limited to a range which the labels leave"},
	Remedies:   []string{"pass the raw outputs (logits) to cross_entropy and binary_cross_entropy_with_logits", "put log_softmax before nll_loss, or use cross_entropy", "end a regression with a linear layer, or scale the labels to the range of the activation"},
	ExplainsAlways: slices.Concat(withoutGradient, []string{
		"learning_rate", "loss_flat", "loss_spike", "impossible_loss", "too_few_updates", "loss_not_decreasing", "vanishing_gradient", "dead_relu", "saturated_activation", "unchanged_tensor", "weight_update_ratio", "all_zero", "exploding_tensor",
		"underfit", "overtraining", "overfit", "class_imbalance", "confusion", "update_gradient_mismatch", "loss_choice", "data_scaling",
	}),
	// Softmax over one entry gives 1 for every sample, and outputs that are all cut off are 0.
	ExplainsAlwaysBy: map[string][]string{"softmax_of_one_entry": {"network_structure/same_output"}, "rectified_logits": {"network_structure/same_output"}},
	Default: &rule.Preset{Why: "It judges what the graph between loss and last layer shows, and says nothing where something else stands between them. " +
		"Limited outputs count in a regression only when the labels leave the range by more than a tenth of that range, and either by more than their deviation or with their mean at the edge of the range; where the loss has other terms only by more than their std and 0.3 of their range."},
	Needs: noNeeds,
	New:   onFacts(hasLoss, judgeOutputs),
}

// judgeOutputs judges the loss, and where nothing is said of it each loss that it is the sum of.
func judgeOutputs(f *rule.Facts) []rule.Violation {
	if found := judgeOutput(f); found != nil {
		return found
	}
	return ofAddends(f, judgeOutput, "softmax_twice", "sigmoid_twice", "limited_logits", "rectified_logits", "no_logarithm", "wrong_axis", "softmax_of_one_entry", "softmax_for_multi_label", "labels_out_of_reach")
}

func judgeOutput(f *rule.Facts) []rule.Violation {
	v := viewLoss(f)
	p := f.Predictions
	if found := intoDivergence(&v); found != nil {
		return found
	}
	if found := rawOverlap(&v); found != nil {
		return found
	}
	if f.Graph != nil && f.Graph.AcrossSamples && slices.Contains(f.Graph.Head, "ctc_loss") {
		text := "log_softmax runs over samples or time steps instead of the classes: ctc_loss expects the classes on the last axis."
		return []rule.Violation{v.violation("wrong_axis", text, "use dim=-1 (or dim=2) in log_softmax; ctc_loss expects (time, batch, classes)", rule.Error)}
	}
	if found := intoAlignment(&v); found != nil {
		return found
	}
	if f.Graph != nil && f.Graph.AcrossSamples {
		text := "log_softmax runs over the samples of the batch instead of the classes, so a sample's prediction depends on the rest of its batch."
		return []rule.Violation{v.violation("wrong_axis", text, "use dim=1 (or dim=-1) in log_softmax, or cross_entropy on the raw outputs", rule.Error)}
	}
	if f.Graph != nil && f.Graph.NormedAcross {
		text := "The outputs are normalised over the samples of the batch: each column has norm 1 instead of each sample, so a sample's output depends on the rest of its batch."
		return []rule.Violation{v.violation("wrong_axis", text, "use dim=1 (or dim=-1) in normalize, or norm", rule.Warning)}
	}
	if found := scoresOfOne(f, &v); found != nil {
		return found
	}
	if found := answersOfOne(f, &v); found != nil {
		return found
	}
	if f.Graph != nil && f.Graph.Policy != nil && f.Graph.Policy.Twice {
		text := "Softmax is applied twice: the policy treats probabilities as logits, so no action can become likely and it stays close to random."
		return []rule.Violation{v.violation("softmax_twice", text, "use Categorical(probs=...) for the output of softmax, or remove the softmax and use Categorical(logits=...)", rule.Error)}
	}
	if p == nil || v.loss == "" {
		return handWritten(&v)
	}
	if found := oneEntry(&v, p); found != nil {
		return found
	}
	switch v.loss {
	case "cross_entropy":
		return intoCrossEntropy(&v, p)
	case "binary_cross_entropy_with_logits":
		return intoLogits(&v, p)
	case "nll_loss":
		return intoLikelihood(&v, p)
	case "binary_cross_entropy":
		if found := oneOfSeveral(&v, p); found != nil {
			return found
		}
	}
	if found := wrongAxis(&v, p); found != nil {
		return found
	}
	if v.regression() {
		return outOfReach(&v, p)
	}
	return nil
}

// rawOverlap finds a Dice loss, or one of its kin, of what a layer gives: overlaps
// are those of probabilities, and of numbers that may be negative or above one they
// have no least value.
func rawOverlap(v *lossView) []rule.Violation {
	g := v.facts.Graph
	if g == nil || g.Overlap != "linear" && g.Overlap != "convolution" {
		return nil
	}
	text := fmt.Sprintf("The Dice loss gets the raw outputs of a %s layer instead of probabilities: values below 0 and above 1 count as overlap, so it can fall while the masks stay wrong.", g.Overlap)
	return []rule.Violation{v.violation("logits_as_probabilities", text, "apply sigmoid (or softmax over the classes) before the Dice loss", rule.Warning)}
}

// handWritten finds a cross-entropy that is written out, -(y·log(p) + …), and
// takes the logarithm of what a layer puts out. That of a variance is not
// negated, and that of a value is subtracted from another.
func handWritten(v *lossView) []rule.Violation {
	if v.facts.Graph == nil {
		return nil
	}
	head := v.facts.Graph.Head
	if found := pickedProbability(v, head); found != nil {
		return found
	}
	at := slices.Index(head, "log")
	if at < 2 || head[at-1] != "mul" || head[at-2] != "add" || !slices.Contains(head[:at], "neg") {
		return nil
	}
	for _, op := range head[at+1 : max(at+1, len(head)-1)] {
		if op != "clamp" && op != "add" && !slices.Contains(pickingOps, op) {
			return nil
		}
	}
	if last := head[len(head)-1]; len(head) < at+2 || last != "linear" && last != "convolution" {
		return nil
	}
	what := "the last layer"
	if path := lastModule(v.facts, []string{record.LinearModule, record.ConvModule}, nil); path != "" {
		what = path
	}
	text := fmt.Sprintf("The loss takes the logarithm of the raw outputs of %s as if they were probabilities: values outside 0 to 1 are clipped and get no gradient, or give NaN.", what)
	return []rule.Violation{v.violation("logarithm_of_logits", text, "apply sigmoid at the end of the model, or use binary_cross_entropy_with_logits on the raw outputs", rule.Error)}
}

// pickedProbability finds a likelihood that is written out, minus what is picked
// for the label of each sample, where softmax comes without a logarithm.
func pickedProbability(v *lossView, head []string) []rule.Violation {
	at := slices.Index(head, "softmax")
	if at < 2 || at+1 >= len(head) || v.facts.Graph.Policy != nil || len(v.facts.Optimisers) > 1 {
		return nil
	}
	minus, picked := 0, 0
	for _, op := range head[:at] {
		switch op {
		case "neg":
			minus++
		case "gather", "index":
			picked++
		case "mul":
			if minus > 0 { // scaled by something else before the minus
				return nil
			}
		case "mean", "sum", "add", "div", "select":
		default:
			return nil
		}
	}
	if minus != 1 || picked != 1 || head[at+1] != "linear" && head[at+1] != "convolution" {
		return nil
	}
	text := "The loss is the negative probability of the label instead of the negative log-probability: a sample that is confidently wrong gets no gradient."
	return []rule.Violation{v.violation("no_logarithm", text, "use log_softmax instead of softmax, or cross_entropy on the raw outputs (logits)", rule.Error)}
}

// oneOfSeveral finds a softmax before a loss that asks of each class by itself whether
// it is there, with labels of which several are, or none.
func oneOfSeveral(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	l := v.facts.Labels
	if v.act() != "softmax" || !p.RowsSumToOne || l == nil || !ofLoss(l, v.loss) || len(p.Shape) < 2 || !slices.Equal(p.LabelShape, p.Shape) || l.Elements < leastLabels {
		return nil
	}
	least, most, ok := span(l)
	if !ok || !isWhole(l) || least != 0 || most != 1 || l.OneHot || l.RowsSumToOne {
		return nil
	}
	text := fmt.Sprintf("%s makes the class probabilities of a sample add up to 1, but its labels have several classes or none, so they cannot all be right.", capital(v.module("softmax")))
	return []rule.Violation{v.violation("softmax_for_multi_label", text, "use binary_cross_entropy_with_logits on the raw outputs, or sigmoid instead of softmax", rule.Warning)}
}

// violation is a finding about the way from the model to the loss.
func (v *lossView) violation(check, message, remedy string, severity rule.Severity) rule.Violation {
	context := map[string]any{"loss": v.loss}
	if v.facts.Graph != nil {
		context["graph"] = v.facts.Graph.Head
	}
	out := rule.Violation{Check: check, Subject: v.subject(), Message: message, Remedy: remedy, Severity: severity, Comparator: "=", Context: context}
	if p := v.facts.Predictions; p != nil {
		context["predictions"] = p.Shape
		if p.Values != nil {
			context["predictions_min"], context["predictions_max"] = p.Values.Min, p.Values.Max
		}
	}
	return out
}

func intoCrossEntropy(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	raw := "remove it: cross_entropy expects raw outputs (logits) and applies log_softmax itself"
	switch op := v.act(); {
	case op == "softmax" || v.facts.Graph != nil && p.RowsSumToOne:
		what := "The outputs"
		if op == "softmax" {
			what = capital(v.module(op))
		}
		text := fmt.Sprintf("%s passes probabilities to cross_entropy, which applies softmax again: no class can get a probability above %s, so the loss cannot fall far and gradients are small.", what, twice(lossClasses(p)))
		return []rule.Violation{v.violation("softmax_twice", text, raw, rule.Error)}
	case slices.Contains([]string{"sigmoid", "hardsigmoid", "tanh"}, op) && lossClasses(p) > 1:
		text := fmt.Sprintf("%s limits the range of the %s logits of cross_entropy, so no class can get a probability near 1.", capital(v.module(op)), num(float64(lossClasses(p))))
		return []rule.Violation{v.violation("limited_logits", text, raw, rule.Warning)}
	case v.facts.Graph != nil && v.facts.Graph.Cosines && lossClasses(p) > 1:
		classes := lossClasses(p)
		least := math.Log1p((float64(classes) - 1) * math.Exp(-2))
		text := fmt.Sprintf("cross_entropy gets cosine similarities, between -1 and 1: with %s classes the loss cannot fall below %s (chance level: %s), even when all samples are classified correctly.",
			num(float64(classes)), num(least), num(math.Log(float64(classes))))
		return []rule.Violation{v.violation("limited_logits", text, "multiply the cosine similarities by a scale of 10 to 64, fixed or learnt, before cross_entropy", rule.Warning)}
	}
	return rectified(v, p, raw)
}

// twice tells the largest probability that softmax of probabilities gives.
func twice(classes int64) string {
	if classes < 2 {
		return "a limit"
	}
	return num(math.E / (math.E + float64(classes) - 1))
}

func intoLogits(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	raw := "remove it: binary_cross_entropy_with_logits applies sigmoid itself; or use binary_cross_entropy"
	switch op := v.act(); op {
	case "sigmoid", "softmax", "hardsigmoid":
		text := fmt.Sprintf("%s passes probabilities to binary_cross_entropy_with_logits, which applies sigmoid again: predictions are between 0.5 and 0.73, so no sample can be predicted negative.", capital(v.module(op)))
		return []rule.Violation{v.violation("sigmoid_twice", text, raw, rule.Error)}
	case "tanh":
		text := fmt.Sprintf("%s limits the range of the logits of binary_cross_entropy_with_logits: probabilities stay between 0.27 and 0.73.", capital(v.module(op)))
		return []rule.Violation{v.violation("limited_logits", text, raw, rule.Warning)}
	}
	return rectified(v, p, raw)
}

// rectified finds outputs that cannot be negative where a loss wants both signs.
func rectified(v *lossView, p *rule.PredictionFacts, remedy string) []rule.Violation {
	op := v.lone()
	if op != "relu" && op != "softplus" {
		return nil
	}
	text := fmt.Sprintf("%s removes negative outputs before %s, which expects logits: removed values get no gradient, and no sample can be predicted negative.", capital(v.module(op)), v.loss)
	return []rule.Violation{v.violation("rectified_logits", text, remedy, rule.Warning)}
}

// intoLikelihood judges what nll_loss gets. Logarithms of probabilities are
// never positive.
func intoLikelihood(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	if p.LogRows || p.Values == nil || p.Values.NonFinite > 0 || lossClasses(p) < 2 {
		return nil
	}
	remedy := "apply log_softmax over the classes (dim=1) before nll_loss, or use cross_entropy on the raw outputs"
	op := v.act()
	switch {
	case v.facts.Loss != nil && v.facts.Loss.Module == "NLLLoss" && op == "log_softmax":
		text := fmt.Sprintf("%s runs over another axis than that of the %s classes, so nll_loss does not get log-probabilities (shape %v).", capital(v.module(op)), num(float64(lossClasses(p))), p.Shape)
		return []rule.Violation{v.violation("wrong_axis", text, "use dim=1 in log_softmax: nll_loss expects the classes there", rule.Error)}
	case v.facts.Graph != nil && p.RowsSumToOne && (op == "softmax" || !v.seen):
		text := "nll_loss gets probabilities but expects log-probabilities: the loss is the negative probability, between -1 and 0."
		if op != "" {
			text = fmt.Sprintf("%s passes probabilities to nll_loss, which expects log-probabilities: the loss is the negative probability, between -1 and 0.", capital(v.module(op)))
		}
		return []rule.Violation{v.violation("no_logarithm", text, remedy, rule.Error)}
	case p.Values.Max > 1e-3 && (v.raw() || slices.Contains([]string{"relu", "sigmoid", "tanh", "softplus", "softmax", "hardsigmoid", "hardtanh"}, op)):
		what := "the raw outputs of the last layer"
		if v.path != "" {
			what = "the raw outputs of " + v.path
		}
		if op != "" {
			what = "the outputs of " + v.module(op)
		}
		text := fmt.Sprintf("nll_loss gets %s (%s) but expects log-probabilities, which are never positive: the loss has no lower bound.", what, rangeText(float64(p.Values.Min), float64(p.Values.Max)))
		return []rule.Violation{v.violation("no_logarithm", text, remedy, rule.Error)}
	}
	return nil
}

// wrongAxis finds softmax over the samples of a batch: then the values of all
// samples together add up to the number of classes, and their mean is one
// divided by the number of samples.
func wrongAxis(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	if v.lone() != "softmax" || len(v.facts.Graph.Head) != 3 || len(p.Shape) != 2 || p.RowsSumToOne || p.Values == nil || p.Values.NonFinite > 0 {
		return nil
	}
	if samples := float64(p.Shape[0]); p.Shape[1] < 2 || samples < 2 || !about(float64(p.Values.Mean)*samples, 1, 0.02) || p.Values.Elements != product(p.Shape) {
		return nil
	}
	text := fmt.Sprintf("%s runs over the %d samples of the batch instead of the %d entries of a sample, so a sample's prediction depends on the rest of its batch.", capital(v.module("softmax")), p.Shape[0], p.Shape[1])
	return []rule.Violation{v.violation("wrong_axis", text, "use dim=1 (or dim=-1) in softmax", rule.Error)}
}

// capital begins a sentence.
func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
