package builtin

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// The patterns of SageMaker Debugger for inputs of tanh and sigmoid layers.
const (
	tanhInput      = ".*tanh_input"
	sigmoidInput   = ".*sigmoid_input"
	saturableInput = tanhInput + "|" + sigmoidInput
)

// saturatedActivation judges the share of units of a tanh or sigmoid layer
// whose input hardly ever lies where the function is not flat.
var saturatedActivation = rule.Definition{
	Name: "saturated_activation", Class: "SaturatedActivation", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     saturatedActivationChecks,
	Summary:    "Too many units of a tanh or sigmoid layer are saturated.",
	Why:        "There the derivative is close to zero, so nothing before the layer learns.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		collectionNames,
		{Name: "tensor_regex", Type: rule.List, Default: saturableInput, Meaning: "inputs of tanh and sigmoid layers; unless changed, inputs of modules of type Tanh and Sigmoid count too"},
		{Name: "threshold_tanh_min", Type: rule.Float, Default: "-9.4999", Unit: "input of the activation", Meaning: "lower end of the active range of tanh; below threshold_tanh_max"},
		{Name: "threshold_tanh_max", Type: rule.Float, Default: "9.4999", Unit: "input of the activation", Meaning: "upper end"},
		{Name: "threshold_sigmoid_min", Type: rule.Float, Default: "-23", Unit: "input of the activation", Meaning: "lower end of the active range of sigmoid; below threshold_sigmoid_max"},
		{Name: "threshold_sigmoid_max", Type: rule.Float, Default: "16.99999", Unit: "input of the activation", Meaning: "upper end"},
		{Name: "threshold_tanh", Type: rule.String, Optional: true, Meaning: "both ends for tanh at once, as (low, high)"},
		{Name: "threshold_sigmoid", Type: rule.String, Optional: true, Meaning: "both ends for sigmoid at once, as (low, high)"},
		{Name: "threshold_inactivity", Type: rule.Float, Default: "1.0", Range: rule.Between(0, 100), Unit: "percent", Meaning: "a unit active in less than this share of samples is saturated"},
		{Name: "threshold_layer", Type: rule.Float, Default: "50.0", Range: rule.Between(0, 100), Unit: "percent", Meaning: "a layer fires when more than this share of its units is saturated"},
		{Name: "window_steps", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "samples of this many steps are pooled"},
		{Name: "unit", Type: rule.String, Default: "element", Choices: []string{"element", "channel"}, Meaning: "what one unit is: a position, or a channel (axis 1) from rank 3 on"},
		every("500"),
	},
	CauseClass: "activation",
	Causes:     []string{"weights or inputs that are too large", "a learning rate that is too high", "sigmoid in hidden layers"},
	Remedies:   []string{"normalise the inputs", "use Glorot initialisation", "add normalisation before the activation", "use activations of the ReLU family"},
	Explains:   []string{"vanishing_gradient", "loss_flat", "loss_not_decreasing", "unchanged_tensor", "weight_update_ratio"},
	Needs: func(p rule.Params) []rule.Need {
		tanh, sigmoid, err := saturationUnits(p)
		if err != nil {
			return nil
		}
		s := layers(p.Int("every"))
		need := func(sel rule.Selector, u ...rule.Units) rule.Need {
			return rule.Need{Selector: sel, Schedule: s, Want: rule.WantStats | rule.WantHist, Units: u}
		}
		var needs []rule.Need
		if saturationDefault(p) {
			needs = append(needs,
				need(rule.Selector{Regex: []string{tanhInput}, ModuleTypes: []string{"Tanh"}, Side: rule.Input}, tanh),
				need(rule.Selector{Regex: []string{sigmoidInput}, ModuleTypes: []string{"Sigmoid"}, Side: rule.Input}, sigmoid))
		} else {
			needs = append(needs, need(rule.Selector{Regex: p.List("tensor_regex"), Side: rule.Input}, tanh, sigmoid))
		}
		if c := p.List("collection_names"); len(c) > 0 {
			needs = append(needs, need(rule.Selector{Collections: c}, tanh, sigmoid))
		}
		return needs
	},
	New: func(p rule.Params) (rule.Rule, error) {
		tanh, sigmoid, err := saturationUnits(p)
		if err != nil {
			return nil, err
		}
		r := &saturated{
			sel:   rule.Selector{Collections: p.List("collection_names"), Regex: p.List("tensor_regex"), Side: rule.Input},
			layer: p.Float("threshold_layer"), kinds: map[*rule.TensorInfo]*saturable{},
		}
		r.tanh, r.sigmoid = &saturable{"tanh", tanh, tanh.Key()}, &saturable{"sigmoid", sigmoid, sigmoid.Key()}
		if saturationDefault(p) {
			r.sel.Regex = []string{tanhInput, sigmoidInput}
			r.sel.ModuleTypes = []string{"Tanh", "Sigmoid"}
		}
		r.state = map[string]*saturatedState{}
		return r, nil
	},
}

// saturationDefault reports whether the patterns are the default ones; older
// pages put a comma between them.
func saturationDefault(p rule.Params) bool {
	return strings.Join(p.List("tensor_regex"), "|") == saturableInput
}

// saturationUnits makes the requests for tanh and sigmoid.
func saturationUnits(p rule.Params) (tanh, sigmoid rule.Units, err error) {
	make := func(name string) (rule.Units, error) {
		u := rule.Units{
			Channel: p.String("unit") == "channel", Above: p.Float(name + "_min"), Below: p.Float(name + "_max"),
			Inactivity: p.Float("threshold_inactivity"), Window: p.Int("window_steps"),
		}
		fail := func(what, message, hint string) error {
			return &rule.ParamError{Rule: "saturated_activation", What: what, Message: message, Hint: hint}
		}
		if p.Has(name) {
			if p.Given(name+"_min") || p.Given(name+"_max") {
				return u, fail(name, fmt.Sprintf("parameter %q is given, and so is one of its ends", name), "give the ends or both at once")
			}
			var ok bool
			if u.Above, u.Below, ok = twoNumbers(p.String(name)); !ok {
				return u, fail(name, fmt.Sprintf("parameter %q: %q is not a pair of numbers", name, p.String(name)), "write (low, high)")
			}
		}
		if u.Above >= u.Below {
			return u, fail(name+"_min", fmt.Sprintf("parameter %q is not below %q", name+"_min", name+"_max"), "")
		}
		return u, nil
	}
	if tanh, err = make("threshold_tanh"); err != nil {
		return tanh, sigmoid, err
	}
	sigmoid, err = make("threshold_sigmoid")
	return tanh, sigmoid, err
}

// twoNumbers reads "(a, b)" or "a, b".
func twoNumbers(text string) (a, b float64, ok bool) {
	first, second, ok := strings.Cut(strings.Trim(strings.TrimSpace(text), "()[]"), ",")
	if !ok {
		return 0, 0, false
	}
	a, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	b, also := strconv.ParseFloat(strings.TrimSpace(second), 64)
	return a, b, err == nil && also == nil && finite(a) && finite(b)
}

type saturated struct {
	sel           rule.Selector
	tanh, sigmoid *saturable
	layer         float64
	kinds         map[*rule.TensorInfo]*saturable // what each tensor is; nil: it cannot be told
	said          oncePerStep
	state         map[string]*saturatedState // by worker, mode and tensor
	places        places[saturatedState]
}

// saturable is a kind of activation, and what was asked for to judge it.
type saturable struct {
	kind  string
	units rule.Units
	key   string
}

type saturatedState struct {
	Shares []rule.Number `json:"shares"` // the last 20
	Streak int           `json:"streak"`
}

func (r *saturated) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *saturated) Finish(*rule.Report)     {}
func (r *saturated) Save() ([]byte, error)   { return save(r.state) }
func (r *saturated) Restore(b []byte) error {
	r.places = places[saturatedState]{}
	return restore(b, &r.state)
}

func (r *saturated) Step(v *rule.View, rep *rule.Report) {
	r.said.begin()
	for i, it := range v.Tensors(0) {
		if it.Stats != nil && it.Stats.Count == 0 {
			rep.Skip(rule.SkipEmpty)
			continue
		}
		a, known := r.kinds[it.Info]
		if !known {
			a = r.kind(it.Info)
			r.kinds[it.Info] = a
		}
		if a == nil {
			rep.Skip("unknown_activation")
			continue
		}
		r.judge(i, it, a, v, rep)
	}
}

// kind goes by the type of the module and the name.
func (r *saturated) kind(info *rule.TensorInfo) *saturable {
	name := strings.ToLower(info.ModuleType + " " + info.Name)
	tanh, sigmoid := strings.Contains(name, "tanh"), strings.Contains(name, "sigmoid")
	switch {
	case tanh == sigmoid:
		return nil
	case tanh:
		return r.tanh
	}
	return r.sigmoid
}

func (r *saturated) judge(at int, it rule.Item, a *saturable, v *rule.View, rep *rule.Report) {
	kind, u := a.kind, a.units
	units, _, ok := it.Find(a.key, rule.UnitsTotal)
	if !ok || units == 0 {
		return // captured for somebody else
	}
	rep.Inspect(1)
	flat, _, _ := it.Find(a.key, rule.UnitsInactive)
	samples, _, _ := it.Find(a.key, rule.UnitsSamples)
	s := r.places.state(r.state, at, &it, v.Mode)
	share := 100 * flat / units
	s.Shares = lastOf(append(s.Shares, rule.Number(share)), 20)
	if !(share > r.layer) {
		s.Streak = 0
		return
	}
	s.Streak++
	if !r.said.first(it.Worker, it.Info) {
		return
	}
	low, _, _ := it.Find(a.key, rule.UnitsLow)
	high, _, _ := it.Find(a.key, rule.UnitsHigh)
	side := "both ends"
	if low != high {
		side = map[bool]string{true: "the low end", false: "the high end"}[low > high]
	}
	context := map[string]any{
		"kind": kind, "units": units, "saturated": flat, "samples_per_unit": samples, "low": low, "high": high,
		"limits": []float64{u.Above, u.Below}, "derivatives_at_limits": []float64{slope(kind, u.Above), slope(kind, u.Below)},
		"shares": append([]rule.Number(nil), s.Shares...), "module": it.Info.Module, "module_type": it.Info.ModuleType,
	}
	var worst []map[string]any
	for i := range rule.UnitsLeastKept {
		unit, _, ok := it.Find(a.key, fmt.Sprintf("%s[%d]", rule.UnitsLeast, i))
		active, _, also := it.Find(a.key, fmt.Sprintf("%s[%d]", rule.UnitsLeastActive, i))
		if !ok || !also {
			break
		}
		worst = append(worst, map[string]any{"unit": rule.Number(unit), "active_percent": rule.Number(100 * active / samples)})
	}
	context["most_saturated"] = worst
	if it.Stats != nil {
		context["nan"] = it.Stats.NaN
		if edges, counts, ok := bins(it.Stats, 20); ok {
			context["histogram_edges"], context["histogram"] = edges, counts
		}
	}
	rep.Violate(rule.Violation{
		Check: "layer", Subject: it.Info.Name, Worker: it.Worker, Observed: share, Threshold: r.layer, Comparator: ">", Steps: s.Streak, Context: context,
		Message: fmt.Sprintf("%s %% of the %s of the %s layer with input %s are saturated, mostly at %s: hardly any input is between %s and %s.",
			num(math.Round(share*10)/10), plural(int(units), "unit"), kind, it.Info.Name, side, num(u.Above), num(u.Below)),
	})
}

// slope is the derivative of the activation.
func slope(kind string, x float64) float64 {
	if kind == "tanh" {
		c := math.Cosh(x)
		return 1 / (c * c)
	}
	e := math.Exp(-math.Abs(x))
	return e / ((1 + e) * (1 + e))
}

// bins makes n equally wide bins between the least and the largest finite value
// out of the log2 histogram, in whose buckets values count as evenly spread.
func bins(s *rule.Stats, n int) (edges, counts []float64, ok bool) {
	if s.Hist == nil || s.Finite() < 2 || !(s.Max > s.Min) || !finite(s.Max-s.Min) {
		return nil, nil, false
	}
	for i := 0; i <= n; i++ {
		edges = append(edges, s.Min+(s.Max-s.Min)*float64(i)/float64(n))
	}
	counts = make([]float64, n)
	const perBin = 10 // points at which the distribution is read off
	for i := range n * perBin {
		x := s.Quantile((float64(i) + 0.5) / float64(n*perBin))
		at := max(0, min(n-1, int(float64(n)*(x-s.Min)/(s.Max-s.Min))))
		counts[at] += float64(s.Finite()) / float64(n*perBin)
	}
	for i := range counts {
		counts[i] = math.Round(counts[i])
	}
	return edges, counts, true
}
