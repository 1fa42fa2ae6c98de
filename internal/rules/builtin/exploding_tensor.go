package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// explodingTensor reports every tensor with values that are not finite. In the
// default set (growth > 0) it looks instead for values that run away while
// they are still finite: see divergence.
var explodingTensor = rule.Definition{
	Name: "exploding_tensor", Class: "ExplodingTensor", Family: rule.Tensors, Severity: rule.Error,
	Checks:  explodingTensorChecks,
	Summary: "A tensor contains NaN or infinity, or its values explode.",
	Why:     "Once a NaN or infinity appears it spreads, and every later step is wasted.",
	Parameters: []rule.Parameter{
		collectionNames, tensorRegex,
		{Name: "only_nan", Type: rule.Bool, Default: "False", Meaning: "True: only NaN counts; False: infinities too"},
		every("500"),
		{Name: "growth", Type: rule.Float, Default: "0", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "when above 0, judge instead whether most weights have grown by this factor while the loss is above its initial value"},
	},
	CauseClass: "non-finite",
	Lacks:      "no weights were captured",
	Causes: []string{
		"a learning rate that is too high", "no gradient clipping", "a division by zero or a logarithm of zero in the loss",
		"float16 overflow", "corrupt input",
	},
	Remedies: []string{
		"lower the learning rate or warm it up", "clip gradients by norm", "add an epsilon to denominators", "use loss scaling or bfloat16",
		"check the input for NaN", "start with the tensor that became non-finite first",
	},

	Asks:     []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
	Explains: []string{"loss_spike", "loss_flat", "too_few_updates", "loss_not_decreasing", "weight_update_ratio", "dead_relu", "vanishing_gradient", "unchanged_tensor", "all_zero"},
	Default: &rule.Preset{
		Params: map[string]string{"growth": "10", "every": "0"},
		Why: "Values that are not finite are the business of not_finite. Here at least half of the weight matrices have to be ten times as large as initially and stay so over two analysed steps and " +
			"60 steps, while the mean of the last 50 losses is twice the first ones: weights that grow from a small initialisation bring the loss down, and a loss that merely jumps leaves the weights alone.",
	},
	Needs: func(p rule.Params) []rule.Need {
		sel, everything := selector(p)
		if everything {
			sel = rule.Selector{Collections: []string{"losses", "gradients", "weights"}}
		}
		s := rule.AllModes(p.Int("every"))
		if p.Float("growth") > 0 {
			s = rule.TrainOnly(p.Int("every"))
		}
		return []rule.Need{{Selector: sel, Schedule: s, Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		if p.Float("growth") > 0 {
			return newDivergence(p), nil
		}
		r := &exploding{onlyNaN: p.Bool("only_nan")}
		r.sel, r.everything = selector(p)
		r.state.Known = map[string]bool{}
		return r, nil
	},
}

type exploding struct {
	onlyNaN    bool
	sel        rule.Selector
	everything bool
	state      struct {
		Order []string        `json:"order"` // tensors in the order in which they turned
		Known map[string]bool `json:"known"`
	}
}

// orderKept is how many tensors the order in which they turned names.
const orderKept = 50

func (r *exploding) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *exploding) Finish(*rule.Report)     {}
func (r *exploding) Save() ([]byte, error)   { return save(&r.state) }
func (r *exploding) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *exploding) Step(v *rule.View, rep *rule.Report) {
	if r.everything {
		rep.Note(noSelector)
	}
	if v.Skipped {
		rep.Skip("update_skipped")
		return
	}
	for _, it := range v.Scalars(0) {
		s := one(it.Value)
		r.judge(it, &s, rep)
	}
	for _, it := range v.Tensors(0) {
		switch {
		case it.Stats == nil:
		case it.Info.DType != "" && !floating(it.Info.DType):
			rep.Skip(rule.SkipDType)
		case it.Stats.Count == 0:
			rep.Skip(rule.SkipEmpty)
		default:
			r.judge(it, it.Stats, rep)
		}
	}
}

func (r *exploding) judge(it rule.Item, s *rule.Stats, rep *rule.Report) {
	rep.Inspect(1)
	bad := s.NaN
	if !r.onlyNaN {
		bad += s.PosInf + s.NegInf
	}
	if bad == 0 {
		return
	}
	if !r.state.Known[it.Info.Name] {
		r.state.Known[it.Info.Name] = true
		if len(r.state.Order) < orderKept {
			r.state.Order = append(r.state.Order, it.Info.Name)
		}
	}
	rep.Violate(rule.Violation{
		Check: "non_finite", Subject: it.Info.Name, Worker: it.Worker, Observed: float64(bad), Threshold: 0, Comparator: ">",
		Message: fmt.Sprintf("%s of the %s of %s are not finite (%s).", num(float64(bad)), plural(int(s.Count), "value"), it.Info.Name, kinds(s)),
		Context: map[string]any{
			"nan": s.NaN, "pinf": s.PosInf, "ninf": s.NegInf, "size": s.Count, "finite_min": s.Min, "finite_max": s.Max,
			"first_index": firstIndices(it), "order": append([]string(nil), r.state.Order...),
		},
	})
}

// firstIndices is the position of the first value of each kind that is not
// finite, in row-major order, as far as it was recorded.
func firstIndices(it rule.Item) map[string]int64 {
	out := map[string]int64{}
	for kind, stat := range map[string]string{"nan": rule.FirstNaN, "pinf": rule.FirstPosInf, "ninf": rule.FirstNegInf} {
		if at, ok := it.Number(stat); ok {
			out[kind] = int64(at)
		}
	}
	return out
}

// one gives a scalar the statistics of a tensor with one element.
func one(x float64) rule.Stats {
	s := rule.Stats{Count: 1, Min: x, Max: x, Mean: x}
	switch {
	case x != x:
		s.NaN = 1
	case !finite(x) && x > 0:
		s.PosInf = 1
	case !finite(x):
		s.NegInf = 1
	}
	return s
}

// kinds spells what kinds of values are not finite.
func kinds(s *rule.Stats) string {
	out := ""
	for _, k := range []struct {
		n    int64
		name string
	}{{s.NaN, "NaN"}, {s.PosInf, "+infinity"}, {s.NegInf, "-infinity"}} {
		if k.n > 0 {
			if out != "" {
				out += ", "
			}
			out += fmt.Sprintf("%d %s", k.n, k.name)
		}
	}
	return out
}

// floating tells by its safetensors name whether NaN can occur in a type.
func floating(dtype string) bool {
	return dtype != "" && (dtype[0] == 'F' || dtype[0] == 'C' || dtype == "BF16")
}
