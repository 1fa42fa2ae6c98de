package builtin

import (
	"cmp"
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// impossibleLoss compares the first losses with what the loss function can
// give at all.
var impossibleLoss = rule.Definition{
	Name: "impossible_loss", Class: "ImpossibleLoss", Family: rule.Tensors, Severity: rule.Error,
	Checks:  impossibleLossChecks,
	Summary: "The loss has a value that its function cannot have, or an implausible initial value.",
	Why:     "A negative cross-entropy means that the loss gets other inputs than it expects.",
	Parameters: []rule.Parameter{
		{Name: "confirm", Type: rule.Int, Default: "5", Range: rule.AtLeast(2), Unit: "mode steps", Meaning: "how many losses have to be impossible"},
		{Name: "worse_than_guess", Type: rule.Float, Default: "10", Range: rule.Above(1), Unit: "ratio", Meaning: "an initial cross-entropy of this many times that of uniform guessing is implausible; it must also be above 20"},
	},
	CauseClass: "output-activation",
	Causes:     []string{"probabilities where log-probabilities are expected", "labels outside the range that the loss expects", "initial weights or input on a far too large scale"},
	Remedies:   []string{"pass what the loss expects: CrossEntropyLoss takes logits, NLLLoss log-probabilities, BCELoss probabilities", "check shape, type and range of the labels"},
	Explains:   []string{"loss_flat", "too_few_updates", "loss_spike", "overfit"},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why: "Only a loss whose function is certain is judged: that of a loss module, or the operation that backward was called on. Sums of several terms and losses written by hand may have any value. " +
			"Rounding takes a loss below zero by no more than a millionth. A wrong sign counts where the graph shows it and all of the first losses are negative.",
	},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &impossible{confirm: int(p.Int("confirm")), worse: p.Float("worse_than_guess")}, nil
	},
}

// firstLosses is how many losses are judged: those whose function the facts
// tell, and as many again.
const firstLosses = 50

type impossible struct {
	confirm int
	worse   float64
	state   struct {
		Curve    lossCurve `json:"curve"`
		Kind     lossKind  `json:"kind"`
		Negated  string    `json:"negated"`  // what is minimised with the wrong sign, in words
		Outside  string    `json:"outside"`  // a loss for yes and no inside one of the script's own, whose labels are neither
		Negative int       `json:"negative"` // losses below zero
		Least    float64   `json:"least"`
		Fired    bool      `json:"fired"`
		High     bool      `json:"high"`             // the start was judged
		Mixed    bool      `json:"mixed,omitempty"`  // it moves logarithms of one output's probabilities both ways
		Below    int       `json:"below,omitempty"`  // losses below zero since that is known
		Loaded   bool      `json:"loaded,omitempty"` // weights come from an earlier training
		Told     bool      `json:"told,omitempty"`   // there are facts of the training
	}
}

func (r *impossible) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}}
}
func (r *impossible) Save() ([]byte, error)  { return save(&r.state) }
func (r *impossible) Restore(b []byte) error { return restore(b, &r.state) }

func (r *impossible) Facts(f *rule.Facts, rep *rule.Report) {
	r.state.Kind, r.state.Negated, r.state.Outside, r.state.Mixed = kindOfLoss(f), negated(f), outside(f), mixedSigns(f)
	r.state.Loaded, r.state.Told = someLoaded(f), true
	r.judge(rep)
}

func (r *impossible) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || r.state.Fired {
		return
	}
	c := &r.state.Curve
	x, ok := c.step(v.ModeStep, v.Scalars(0))
	if !ok {
		return
	}
	rep.Inspect(1)
	if r.state.Mixed && r.mixed(x, rep) {
		return
	}
	if c.N > firstLosses {
		return // a script may well go on with another loss
	}
	if x < -1e-6 {
		r.state.Negative++
		r.state.Least = min(r.state.Least, x)
	}
	r.judge(rep)
}

// Finish judges a job that ended before the facts were known.
func (r *impossible) Finish(rep *rule.Report) {
	r.judge(rep)
	k := &r.state.Kind
	switch c := &r.state.Curve; {
	case c.N == 0:
	case !r.state.Told:
		rep.NotJudged("how the loss is computed is not known")
	case !c.one() || k.Optimisers > 1:
		rep.NotJudged(cmp.Or(c.unusable(), rivals))
	case r.state.Negated == "" && r.state.Outside == "" && !r.state.Mixed && (!k.Certain || lossTakes[k.Function] == ""):
		rep.NotJudged("a loss of this kind may have any value")
	}
}

func (r *impossible) judge(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	if r.state.Fired || c.N > firstLosses && r.state.Negative == 0 || !c.one() || k.Optimisers > 1 {
		return
	}
	if r.state.Negated != "" && r.state.Negative >= r.confirm && int64(r.state.Negative) >= min(c.N, firstLosses) {
		r.upsideDown(rep)
		return
	}
	if r.state.Outside != "" && r.state.Negative >= r.confirm {
		r.outside(rep)
		return
	}
	if !k.Certain || lossTakes[k.Function] == "" {
		return
	}
	switch {
	case r.state.Negative >= r.confirm:
		r.negative(rep)
	case !r.state.High && c.N >= 3 && k.Uniform > 0:
		r.high(rep)
	}
}

// lossTakes says what a loss that is never negative takes.
var lossTakes = map[string]string{
	"cross_entropy":                    "logits, and class numbers or probabilities as labels",
	"nll_loss":                         "log-probabilities",
	"binary_cross_entropy":             "probabilities, and labels from 0 to 1",
	"binary_cross_entropy_with_logits": "logits, and labels from 0 to 1",
	"mse_loss":                         "two tensors of one shape",
	"l1_loss":                          "two tensors of one shape",
	"smooth_l1_loss":                   "two tensors of one shape",
	"huber_loss":                       "two tensors of one shape",
}

func (r *impossible) negative(rep *rule.Report) {
	k := &r.state.Kind
	class, cause := "labels", "labels outside the range from 0 to 1"
	remedy := "scale the labels to the range from 0 to 1, or use a loss that fits the labels"
	switch k.Function {
	case "nll_loss":
		class, cause = "output-activation", "probabilities, or raw outputs, where log-probabilities are expected"
		remedy = "use CrossEntropyLoss on the raw outputs (logits), or LogSoftmax instead of Softmax"
	case "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss":
		class, cause, remedy = "loss", "a negative factor: the distance is maximised", "check the sign of the loss"
	}
	r.report(rep, rule.Violation{
		Check: "negative", Observed: r.state.Least, Threshold: 0, Comparator: "<", Severity: rule.Error, CauseClass: class, Cause: cause, Remedy: remedy,
		Message: fmt.Sprintf("The loss is negative (lowest so far: %s), but %s cannot be negative when it gets what it expects: %s.", num(r.state.Least), k.Function, lossTakes[k.Function]),
	})
}

// negated says what the training makes larger although it measures errors, or
// smaller although it is the logarithm of the probability of what is right; ""
// when the way from backward to the last layer shows nothing of it.
func negated(f *rule.Facts) string {
	if f.Graph == nil || f.Graph.Parts > 1 || len(f.Optimisers) != 1 || len(f.Graph.Head) < 2 {
		return ""
	}
	if len(f.Optimisers[0].Groups) > 0 && f.Optimisers[0].Groups[0].Maximize {
		return ""
	}
	if l := f.Graph.Likelihood; l != nil && l.Larger == 0 && f.Graph.Policy == nil {
		return "the logarithm of the right class's probability"
	}
	minus := false
	h := f.Graph.Head
	for i, op := range h {
		switch op {
		case "neg":
			minus = !minus
		case "mean", "sum", "div":
		case "log_softmax":
			if i > 0 && !minus && i+1 < len(h) && linearOperation(h[i+1]) {
				return "the logarithm of the right class's probability"
			}
			return ""
		case "index", "gather":
			if i+1 >= len(h) || h[i+1] != "log_softmax" {
				return ""
			}
		default:
			if minus && lossTakes[op] != "" && (f.Loss == nil || f.Loss.Function == op) {
				return op
			}
			if (op == "pow" || op == "abs") && minus && i+1 < len(h) && h[i+1] == "sub" && f.Loss != nil && (f.Loss.Function == "mse_loss" || f.Loss.Function == "l1_loss") {
				return f.Loss.Function
			}
			return ""
		}
	}
	return ""
}

// mixedSigns tells of a likelihood that the script writes out and whose terms have
// different signs.
func mixedSigns(f *rule.Facts) bool {
	if f.Graph == nil || f.Graph.Parts > 1 || f.Graph.Policy != nil || len(f.Optimisers) != 1 {
		return false
	}
	l := f.Graph.Likelihood
	return l != nil && l.Larger > 0 && l.Smaller > 0 && l.One
}

// mixed judges one: probabilities have logarithms below zero, so with the right
// signs it is never negative.
func (r *impossible) mixed(loss float64, rep *rule.Report) bool {
	if loss >= -1e-6 || !r.state.Curve.one() || r.state.Kind.Optimisers > 1 {
		return false
	}
	r.state.Below++
	r.state.Least = min(r.state.Least, loss)
	if r.state.Below < r.confirm {
		return false
	}
	r.report(rep, rule.Violation{
		Check: "sign", Observed: r.state.Least, Threshold: 0, Comparator: "<", Severity: rule.Error, CauseClass: "loss", Cause: "a likelihood in which one term has the wrong sign",
		Remedy:  "check the signs: the loss is the negative sum of all log-probabilities of what was observed",
		Message: fmt.Sprintf("The loss is built from log-probabilities and cannot be negative with the right signs, but its lowest value so far is %s: one term has the wrong sign, so the model learns the opposite there.", num(r.state.Least)),
	})
	return true
}

// outside names a loss for yes and no that a loss of the script's own is made of,
// when the labels that it is given lie outside of 0 to 1: what they are until
// they get there nobody knows, but a negative loss tells.
func outside(f *rule.Facts) string {
	if f.Graph == nil || f.Labels == nil || f.Graph.Parts > 1 || len(f.Optimisers) != 1 {
		return ""
	}
	least, most, ok := span(f.Labels)
	if !ok || least >= -0.5 && most <= 1.5 {
		return ""
	}
	for _, op := range f.Graph.Head {
		switch op {
		case "binary_cross_entropy", "binary_cross_entropy_with_logits":
			return op
		case "mean", "sum", "mul", "div":
		default:
			return ""
		}
	}
	return ""
}

// outside reports a negative loss of labels that are no chances.
func (r *impossible) outside(rep *rule.Report) {
	f := r.state.Outside
	r.report(rep, rule.Violation{
		Check: "negative", Observed: r.state.Least, Threshold: 0, Comparator: "<", Severity: rule.Error, CauseClass: "labels", Cause: "labels outside the range from 0 to 1",
		Remedy:  "use labels 0 and 1, or a loss that fits the labels",
		Message: fmt.Sprintf("The loss is negative (lowest so far: %s). A loss made of %s cannot be negative when it gets %s; these labels are outside that range.", num(r.state.Least), f, lossTakes[f]),
	})
}

// upsideDown reports a loss with the wrong sign.
func (r *impossible) upsideDown(rep *rule.Report) {
	what, remedy := fmt.Sprintf("%s, which measures errors, with a minus sign in front", r.state.Negated), "remove the minus sign"
	if lossTakes[r.state.Negated] == "" {
		what, remedy = r.state.Negated+" itself", "put a minus sign in front of it, or use cross_entropy"
	}
	r.report(rep, rule.Violation{
		Check: "sign", Observed: r.state.Least, Threshold: 0, Comparator: "<", Severity: rule.Error, CauseClass: "loss", Cause: "a loss with the wrong sign", Remedy: remedy,
		Message: fmt.Sprintf("The loss has the wrong sign: it minimises %s (lowest so far: %s), so the model learns to be wrong.", what, num(r.state.Least)),
	})
}

// high looks at the first losses of a classification.
func (r *impossible) high(rep *rule.Report) {
	c, k := &r.state.Curve, &r.state.Kind
	r.state.High = true
	start := mean(c.First[:3])
	if k.Reduction != "mean" || c.First[0] < r.worse*k.Uniform || start < max(r.worse*k.Uniform, 20) {
		return
	}
	class, cause, remedy := "initialisation", "the initial weights are far too large", "use the framework's default initialisation, or He or Glorot; make the last layer's weights small"
	if r.state.Loaded {
		class, cause = "data-scaling", "the loaded weights give outputs far beyond the scale of their training"
		remedy = "scale and order inputs and labels as when these weights were trained; normalise the input of a new last layer, or load all weights"
	}
	if k.Input > 50 {
		class, cause = "data-scaling", fmt.Sprintf("the input is not scaled: its values reach %s", num(k.Input))
		remedy = "scale the input to mean 0 and std 1"
	}
	learnt := ": the model is confidently wrong before it has learnt anything."
	if r.state.Loaded {
		learnt = ": the model is confidently wrong."
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "start", Subject: c.Name, Observed: start, Threshold: r.worse * k.Uniform, Comparator: ">=", Severity: rule.Warning, Steps: 3, CauseClass: class, Cause: cause, Remedy: remedy,
		Message: fmt.Sprintf("The initial loss is %s, but uniform guessing over the classes gives %s", meanOfFirst(start, 3), num(k.Uniform)) + learnt,
		Context: map[string]any{"first_values": append([]float64(nil), c.First[:3]...), "uniform_guess": k.Uniform, "largest_input": k.Input},
	})
}

func (r *impossible) report(rep *rule.Report, v rule.Violation) {
	r.state.Fired = true
	v.Subject, v.Steps = r.state.Curve.Name, r.confirm
	v.Context = map[string]any{"function": r.state.Kind.Function, "classes": r.state.Kind.Classes, "first_values": append([]float64(nil), r.state.Curve.First[:min(20, len(r.state.Curve.First))]...)}
	rep.Violate(v)
}
