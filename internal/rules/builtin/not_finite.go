package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// notFinite names the first tensor in which a NaN or an infinity appeared, and
// the way from there.
//
// What counts: losses, weights, biases and gradients of TRAIN and GLOBAL steps
// that are not frozen; inputs and outputs of modules only for NaN, because an
// infinity there may be a mask. Numbers that the script logs and tensors that
// it saves never count, nor do steps whose update a loss scaler skipped.
// A loss or a weight is enough by itself. A gradient alone counts once a loss
// or weight follows it, when three analysed steps in a row have one, or when
// the job ends on it: a script may well drop such a step by hand. Evaluation
// steps need three in a row, too.
var notFinite = rule.Definition{
	Name: "not_finite", Class: "NotFinite", Family: rule.Tensors, Severity: rule.Error,
	Checks:  notFiniteChecks,
	Summary: "Values became NaN or infinite; the finding names where this started and how it spread.",
	Why:     "Once a NaN or infinity is in the weights, every later step is wasted. The tensor that was affected first shows the cause.",
	Parameters: []rule.Parameter{
		every("0"),
		{Name: "confirm", Type: rule.Int, Default: "3", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "how many in a row a gradient, an activation or an evaluation needs by itself"},
	},
	CauseClass: "non-finite",
	Causes: []string{
		"a learning rate that is too high", "a division by zero or a logarithm of zero in the loss", "float16 overflow", "NaN in the input",
	},
	Remedies: []string{
		"lower the learning rate or warm it up, and clip gradients by norm", "add an epsilon to denominators and logarithms",
		"use loss scaling or bfloat16", "check the input for NaN",
	},

	Asks:           []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
	Explains:       []string{"learning_rate", "loss_spike", "loss_flat", "too_few_updates", "overfit", "loss_not_decreasing", "weight_update_ratio", "vanishing_gradient", "dead_relu", "all_zero", "unchanged_tensor", "stalled_training_rule"},
	ExplainsAlways: []string{"exploding_tensor"},
	// A loss runs away before it is infinite.
	ExplainsAlwaysBy: map[string][]string{"first_non_finite": {"loss_not_decreasing/rises"}},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why:    "The rule is made for the default set: only what cannot be healthy counts, so it may rest on one step.",
	},
	Needs: func(p rule.Params) []rule.Need {
		s := rule.TrainOnly(p.Int("every"))
		return []rule.Need{
			{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.AllModes(1), Want: rule.WantStats},
			{Selector: rule.Selector{Collections: []string{"weights", "biases", "gradients"}}, Schedule: s, Want: rule.WantStats},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &firstNonFinite{confirm: int(p.Int("confirm"))}
		r.state.Known, r.state.Growth = map[string]bool{}, map[string]*growth{}
		return r, nil
	},
}

type firstNonFinite struct {
	confirm int
	state   struct {
		Way    []turn             `json:"way"`
		Known  map[string]bool    `json:"known"`
		Streak [4]int             `json:"streak"` // by mode: analysed steps in a row with something
		Fired  bool               `json:"fired"`
		Growth map[string]*growth `json:"growth"` // by kind: size before
		// Finite counts losses that were finite since the first turn.
		Finite int        `json:"finite"`
		Half   bool       `json:"half"`
		Point  rule.Point `json:"point"`
	}
}

// turn is one tensor that turned non-finite.
type turn struct {
	Tensor   string    `json:"tensor"`
	Kind     rule.Kind `json:"kind"`
	Worker   string    `json:"worker"`
	Step     int64     `json:"step"`
	Mode     rule.Mode `json:"mode"`
	ModeStep int64     `json:"mode_step"`
	What     string    `json:"what"`
	Bad      int64     `json:"bad"`
	Size     int64     `json:"size"`
	order    int
}

// growth is the size of a kind of tensor, first and last seen finite.
type growth struct {
	First rule.Number `json:"first"`
	Last  rule.Number `json:"last"`
}

func (r *firstNonFinite) Select() []rule.Selector { return []rule.Selector{rule.Everything()} }
func (r *firstNonFinite) Save() ([]byte, error)   { return save(&r.state) }
func (r *firstNonFinite) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *firstNonFinite) Step(v *rule.View, rep *rule.Report) {
	if r.state.Fired {
		return
	}
	if v.Skipped {
		rep.Skip("update_skipped")
		return
	}
	here := rule.Point{Step: v.Step, Mode: v.Mode, ModeStep: v.ModeStep, Time: v.Time}
	var new []turn
	finiteLoss := false
	bad, certain, judged, sizes := false, false, false, map[rule.Kind]float64{}
	look := func(it rule.Item, s *rule.Stats, scalar bool) {
		n := counts(it.Info, s)
		judged = judged || !scalar || v.Mode != rule.Train
		rep.Datapoints++
		if n == 0 {
			if !s.NonFinite() {
				if it.Info.Kind == rule.Loss && training(v.Mode) {
					finiteLoss = true
				}
				sizes[it.Info.Kind] = max(sizes[it.Info.Kind], s.L1/float64(max(1, s.Count)))
			}
			return
		}
		bad = true
		certain = certain || (training(v.Mode) && sure(it.Info.Kind))
		if k := key(it.Worker, it.Info.Name); !r.state.Known[k] {
			r.state.Known[k] = true
			r.state.Half = r.state.Half || it.Info.DType == "F16"
			new = append(new, turn{it.Info.Name, it.Info.Kind, it.Worker, v.Step, v.Mode, v.ModeStep, kinds(s), n, s.Count, it.Info.Order})
		}
	}
	for _, it := range v.Scalars(0) {
		s := one(it.Value)
		s.L1 = max(it.Value, -it.Value)
		look(it, &s, true)
	}
	for _, it := range v.Tensors(0) {
		if it.Stats != nil {
			look(it, it.Stats, false)
		}
	}
	if finiteLoss && len(r.state.Way) > 0 {
		r.state.Finite++
	}
	if !bad {
		if judged {
			r.recover(v.Mode)
		}
		r.grow(sizes)
		return
	}
	if len(r.state.Way) == 0 {
		r.state.Point, r.state.Finite = here, 0
	}
	slices.SortStableFunc(new, inOrder)
	r.state.Way = append(r.state.Way, new[:min(len(new), max(0, orderKept-len(r.state.Way)))]...)
	r.state.Streak[v.Mode]++
	if certain || r.state.Streak[v.Mode] >= r.confirm {
		r.report(here, rep)
	}
}

// Finish reports what the job ended on, unless losses that stayed finite show
// that the gradient was dropped.
func (r *firstNonFinite) Finish(rep *rule.Report) {
	if !r.state.Fired && r.state.Finite < r.confirm && len(r.state.Way) > 0 && r.state.Streak[r.state.Way[0].Mode] > 0 && training(r.state.Way[0].Mode) {
		r.report(r.state.Point, rep)
	}
}

// recover forgets gradients that turned and came back.
func (r *firstNonFinite) recover(m rule.Mode) {
	r.state.Streak[m] = 0
	if r.state.Streak == [4]int{} && len(r.state.Way) > 0 {
		r.state.Way, r.state.Known = nil, map[string]bool{}
	}
}

func (r *firstNonFinite) grow(sizes map[rule.Kind]float64) {
	for k, x := range sizes {
		g := r.state.Growth[string(k)]
		if g == nil {
			g = &growth{First: rule.Number(x)}
			r.state.Growth[string(k)] = g
		}
		g.Last = rule.Number(x)
	}
}

// counts is the number of elements that speak against a training.
func counts(info *rule.TensorInfo, s *rule.Stats) int64 {
	switch info.Kind {
	case rule.Loss, rule.Gradient, rule.Weight, rule.Bias:
		if info.Frozen {
			return 0
		}
		return s.NaN + s.PosInf + s.NegInf
	case rule.Input, rule.Output:
		return s.NaN
	}
	return 0
}

// sure kinds need no confirmation: what is in them stays there.
func sure(k rule.Kind) bool { return k == rule.Loss || k == rule.Weight || k == rule.Bias }

// inOrder is the order in which values come about within a step: the weights
// the step begins with, then activations and the loss forward, then gradients
// backward.
func inOrder(a, b turn) int {
	if c := cmp.Compare(phase(a.Kind), phase(b.Kind)); c != 0 {
		return c
	}
	if a.Kind == rule.Gradient {
		return cmp.Compare(b.order, a.order)
	}
	return cmp.Compare(a.order, b.order)
}

func phase(k rule.Kind) int {
	switch k {
	case rule.Weight, rule.Bias:
		return 0
	case rule.Input, rule.Output:
		return 1
	case rule.Gradient:
		return 3
	}
	return 2
}

func (r *firstNonFinite) report(here rule.Point, rep *rule.Report) {
	r.state.Fired = true
	first := r.state.Way[0]
	var way []string
	for _, t := range r.state.Way {
		way = append(way, fmt.Sprintf("%s at %s step %d (%s)", t.Tensor, t.Mode, t.ModeStep, t.What))
	}
	class, cause, remedy, asks := r.cause()
	spread := ""
	if n := len(r.state.Way); n > 1 {
		var next []string
		for _, t := range r.state.Way[1:min(n, 4)] {
			next = append(next, t.Tensor)
		}
		spread = "; then " + strings.Join(next, ", ")
		if n > 4 {
			spread += fmt.Sprintf(" and %d more", n-4)
		}
	}
	context := map[string]any{"way": way, "found_at_step": here.Step, "size": first.Size}
	for k, g := range r.state.Growth {
		context["before_"+k] = []rule.Number{g.First, g.Last}
	}
	what := fmt.Sprintf("contains %s in %d values", first.What, first.Size)
	if first.Size == 1 {
		what = "is " + strings.TrimPrefix(first.What, "1 ")
	}
	rep.Violate(rule.Violation{
		Check: "first_non_finite", Subject: first.Tensor, Worker: first.Worker, Observed: float64(first.Bad), Threshold: 0, Comparator: ">",
		Message: fmt.Sprintf("The %s %s at %s step %d: the first non-finite tensor%s.", called(noun(first.Kind), first.Tensor), what, first.Mode, first.ModeStep, spread),
		Context: context, CauseClass: class, Cause: cause, Remedy: remedy, Asks: asks, Steps: int(first.ModeStep) + 1,
		At: &rule.Point{Step: first.Step, Mode: first.Mode, ModeStep: first.ModeStep, Time: r.state.Point.Time},
	})
}

// cause goes by what was seen before the first non-finite value.
func (r *firstNonFinite) cause() (class, cause, remedy string, asks []rule.Advice) {
	first := r.state.Way[0]
	for _, k := range []rule.Kind{rule.Weight, rule.Loss, rule.Gradient} {
		if g := r.state.Growth[string(k)]; g != nil && g.First > 0 && g.Last > 10*g.First {
			class = "learning-rate"
			if k == rule.Gradient {
				class = "" // steep is where a square root or a logarithm ends, too
			}
			return class, fmt.Sprintf("a learning rate that is too high: before it, the %s had grown from %s to %s", noun(k), num(float64(g.First)), num(float64(g.Last))),
				"lower the learning rate by a factor of ten, or warm it up; clip gradients by norm", []rule.Advice{rule.LowerLearningRate, rule.ClipMore}
		}
	}
	switch {
	case r.state.Half:
		return "", "float16 overflow", "use loss scaling or bfloat16", nil
	case first.Kind == rule.Input:
		return "", "NaN in the input", "check the data for NaN and for divisions by a std of zero", nil
	case first.ModeStep <= 2 && r.state.Growth[string(rule.Loss)] == nil && first.Kind == rule.Loss:
		return "", "NaN in the input, or a logarithm or division of zero in the loss: the loss was never finite",
			"check the input for NaN; add an epsilon to denominators and logarithms", nil
	case first.Kind == rule.Gradient:
		return "", "an infinite derivative of a finite loss: a square root or norm at zero, or a where() branch that divides by zero",
			"add an epsilon inside roots, norms and denominators; torch.autograd.detect_anomaly() names the operation", nil
	}
	return "", "a division by zero or a logarithm of zero in the model or the loss, or NaN in the input; the weights had not grown before",
		"add an epsilon to denominators and logarithms, check the input for NaN, and lower the learning rate", []rule.Advice{rule.LowerLearningRate}
}

func noun(k rule.Kind) string {
	switch k {
	case rule.Input, rule.Output:
		return "module " + string(k)
	}
	return string(k)
}
