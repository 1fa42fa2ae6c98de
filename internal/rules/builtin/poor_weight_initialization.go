package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// reluInput is SageMaker Debugger's pattern for inputs of ReLU layers.
const reluInput = ".*relu_input"

// leastSpreadSize is the number of elements from which on the spread of a
// gradient means something.
const leastSpreadSize = 20

// poorWeightInitialization looks at the first steps in three ways: whether the
// inputs of activation layers vary alike, whether gradients have spread, and
// whether the loss begins to fall.
var poorWeightInitialization = rule.Definition{
	Name: "poor_weight_initialization", Class: "PoorWeightInitialization", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     poorWeightInitializationChecks,
	Summary:    "Initial weights give layers very different variances, gradients without spread, or a loss that does not start to fall.",
	Why:        "Good initial weights break the symmetry between units and keep the variance similar across layers. Too small ones make gradients vanish, too large ones make them explode.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "activation_inputs_regex", Type: rule.List, Default: reluInput, Meaning: "inputs of activation layers; unless changed, inputs of modules of type ReLU and ReLU6 count too"},
		{Name: "threshold", Type: rule.Float, Default: "10.0", Range: rule.Above(1), Unit: "ratio", Meaning: "allowed ratio of the largest to the smallest variance over layers"},
		{Name: "distribution_range", Type: rule.Float, Default: "0.001", Range: rule.Above(0), Unit: "gradient units", Meaning: "least width of the central 90 per cent of a gradient"},
		{Name: "patience", Type: rule.Int, Default: "5", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "analysed steps without a new lowest loss before the loss counts as not falling"},
		{Name: "steps", Type: rule.Int, Default: "10", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "how many steps are analysed at all"},
	},
	CauseClass: "initialisation",
	Causes:     []string{"initial weights that are constant or badly scaled", "missing normalisation", "an initialiser that does not fit the activation"},
	Remedies:   []string{"use He initialisation for ReLU, Glorot for tanh", "add normalisation layers", "check for layers that are initialised with zero"},
	Explains:   []string{"loss_not_decreasing", "vanishing_gradient", "dead_relu"},
	Needs: func(p rule.Params) []rule.Need {
		s := rule.TrainOnly(1)
		s[rule.Train].End, s[rule.Global].End = p.Int("steps"), p.Int("steps")
		return []rule.Need{
			{Selector: activationInputs(p), Schedule: s, Want: rule.WantStats},
			{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: s, Want: rule.WantStats, Quantiles: []float64{0.05, 0.95}},
			{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: s, Want: rule.WantStats},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &poorInit{inputs: activationInputs(p), ratio: p.Float("threshold"), width: p.Float("distribution_range"), patience: int(p.Int("patience")), steps: int(p.Int("steps"))}
		r.state.Losses = map[string]*lowestLoss{}
		return r, nil
	},
}

func activationInputs(p rule.Params) rule.Selector {
	s := rule.Selector{Regex: p.List("activation_inputs_regex"), Side: rule.Input}
	if len(s.Regex) == 1 && s.Regex[0] == reluInput {
		s.ModuleTypes = []string{"ReLU", "ReLU6"}
	}
	return s
}

type poorInit struct {
	inputs   rule.Selector
	ratio    float64
	width    float64
	patience int
	steps    int
	state    struct {
		Train     bool                   `json:"train"` // a TRAIN step was saved
		Analysed  int                    `json:"analysed"`
		Inputs    bool                   `json:"inputs"`    // seen at least once
		Gradients bool                   `json:"gradients"` // likewise
		Losses    map[string]*lowestLoss `json:"losses"`
	}
}

// lowestLoss is how one loss goes.
type lowestLoss struct {
	Lowest rule.Number   `json:"lowest"`
	Stale  int           `json:"stale"` // analysed steps since
	Values []rule.Number `json:"values"`
}

func (r *poorInit) Select() []rule.Selector {
	return []rule.Selector{r.inputs, {Collections: []string{"gradients"}}, {Collections: []string{"losses"}}}
}

func (r *poorInit) Save() ([]byte, error)  { return save(&r.state) }
func (r *poorInit) Restore(b []byte) error { return restore(b, &r.state) }

func (r *poorInit) Step(v *rule.View, rep *rule.Report) {
	r.state.Train = r.state.Train || v.Mode == rule.Train
	if !training(v.Mode) || (v.Mode == rule.Global && r.state.Train) {
		return
	}
	inputs, gradients, losses := v.Tensors(0), v.Tensors(1), meanLosses(v, 2)
	if len(inputs)+len(gradients)+len(losses) == 0 {
		return
	}
	r.state.Analysed++
	r.state.Inputs = r.state.Inputs || len(inputs) > 0
	eachWorker(inputs, func(items []rule.Item) { r.spreadOfVariance(items, rep) })
	eachWorker(gradients, func(items []rule.Item) { r.spreadOfGradients(items, rep) })
	for _, l := range losses {
		r.loss(l, rep)
	}
	if r.state.Analysed >= r.steps {
		r.notes(rep)
		rep.Close("")
	}
}

// Finish says what could not be checked in a job that ended early.
func (r *poorInit) Finish(rep *rule.Report) { r.notes(rep) }

func (r *poorInit) notes(rep *rule.Report) {
	if r.state.Analysed == 0 {
		rep.Note("nothing to analyse: neither activation inputs nor gradients nor losses were saved")
		return
	}
	for _, g := range []struct {
		seen bool
		text string
	}{
		{r.state.Inputs, "no activation inputs were saved: the spread of variances was not checked"},
		{r.state.Gradients, "no gradients with quantiles were saved: the spread of gradients was not checked"},
		{len(r.state.Losses) > 0, "no loss was saved: whether it starts to fall was not checked"},
	} {
		if !g.seen {
			rep.Note(g.text)
		}
	}
}

// spreadOfVariance compares the layers of one worker.
func (r *poorInit) spreadOfVariance(items []rule.Item, rep *rule.Report) {
	table := map[string]rule.Number{}
	var low, high *rule.Item
	var least, most float64
	for i := range items {
		it := &items[i]
		switch {
		case it.Stats == nil:
			continue
		case it.Stats.Count < 2:
			rep.Skip(skipSize)
			continue
		case it.Stats.NonFinite():
			rep.Skip(rule.SkipNonFinite)
			continue
		}
		rep.Inspect(1)
		x := it.Stats.Variance()
		table[it.Info.Name] = rule.Number(x)
		if low == nil || x < least {
			low, least = it, x
		}
		if high == nil || x > most {
			high, most = it, x
		}
	}
	if len(table) < 2 {
		return
	}
	v := rule.Violation{
		Check: "variance_spread", Worker: low.Worker, Threshold: r.ratio, Comparator: ">", Steps: r.state.Analysed,
		Context: map[string]any{"largest": high.Info.Name, "largest_variance": most, "smallest": low.Info.Name, "smallest_variance": least, "variances": table},
	}
	switch {
	case most == 0:
		v.Subject, v.Observed, v.Threshold, v.Comparator = "activation inputs", 0, 0, "="
		v.Message = fmt.Sprintf("All activation inputs are constant: the variance of each of the %d layers is 0.", len(table))
	case least == 0:
		v.Subject, v.Observed = low.Info.Name, math.Inf(1)
		v.Message = fmt.Sprintf("%s is constant, while the variance of %s is %s.", low.Info.Name, high.Info.Name, num(most))
	case most/least > r.ratio:
		v.Subject, v.Observed = high.Info.Name, most/least
		v.Message = fmt.Sprintf("The variance of %s (%s) is %s times that of %s (%s).", high.Info.Name, num(most), times(most/least), low.Info.Name, num(least))
	default:
		return
	}
	rep.Violate(v)
}

// spreadOfGradients looks for the narrowest gradient of one worker.
func (r *poorInit) spreadOfGradients(items []rule.Item, rep *rule.Report) {
	var narrow *rule.Item
	var width, p5, p95 float64
	for i := range items {
		it := &items[i]
		low, ok := it.Number(quantile5)
		high, also := it.Number(quantile95)
		switch {
		case it.Stats != nil && it.Stats.Count < leastSpreadSize:
			rep.Skip(skipSize)
			continue
		case it.Stats != nil && it.Stats.NonFinite():
			rep.Skip(rule.SkipNonFinite)
			continue
		case !ok || !also:
			rep.Skip(rule.SkipNoStats)
			continue
		}
		rep.Inspect(1)
		r.state.Gradients = true
		if w := high - low; narrow == nil || w < width {
			narrow, width, p5, p95 = it, w, low, high
		}
	}
	if narrow == nil || !(width < r.width) {
		return
	}
	rep.Violate(rule.Violation{
		Check: "gradient_spread", Subject: narrow.Info.Name, Worker: narrow.Worker, Observed: width, Threshold: r.width, Comparator: "<", Steps: r.state.Analysed,
		Message: fmt.Sprintf("The gradient %s has almost no spread: its central 90 %% is only %s wide.", narrow.Info.Name, num(width)),
		Context: map[string]any{"p5": p5, "p95": p95},
	})
}

var quantile5, quantile95 = rule.QuantileKey(0.05), rule.QuantileKey(0.95)

func (r *poorInit) loss(l meanLoss, rep *rule.Report) {
	rep.Inspect(1)
	s := r.state.Losses[l.name]
	if s == nil {
		s = &lowestLoss{Lowest: rule.Number(math.Inf(1))}
		r.state.Losses[l.name] = s
	}
	s.Values = append(s.Values, rule.Number(l.value))
	first := len(s.Values) == 1
	switch {
	case !finite(l.value):
	case first || l.value < float64(s.Lowest):
		s.Lowest, s.Stale = rule.Number(l.value), 0
		return
	default:
		s.Stale++
	}
	v := rule.Violation{
		Check: "loss_not_starting", Subject: l.name, Observed: float64(s.Stale), Threshold: float64(r.patience), Comparator: ">=", Steps: len(s.Values),
		Cause:   "initial weights, or a learning rate, with which nothing is learnt from the first steps",
		Remedy:  "compare with He or Glorot initialisation; change the learning rate; look at the gradients",
		Message: fmt.Sprintf("The %s does not start to fall: %s gave none below %s.", called("loss", l.name), plural(s.Stale, "analysed step"), num(float64(s.Lowest))),
		Context: map[string]any{"lowest": float64(s.Lowest), "values": append([]rule.Number(nil), s.Values...)},
	}
	if !finite(l.value) {
		v.Observed, v.Comparator, v.CauseClass = l.value, "=", "non-finite"
		v.Context["non_finite"] = true
		v.Cause, v.Remedy = "the initial weights are far too large, or a division by zero or a logarithm of zero in the loss", "use He or Glorot initialisation; add an epsilon to denominators; check the input for NaN"
		v.Message = fmt.Sprintf("The %s is %s at the %s step that was analysed.", called("loss", l.name), num(l.value), ordinal(len(s.Values)))
	} else if s.Stale < r.patience {
		return
	}
	rep.Violate(v)
}
