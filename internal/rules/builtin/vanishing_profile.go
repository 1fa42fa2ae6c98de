package builtin

import (
	"fmt"
	"math"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// vanishingProfile compares the layers of one model with each other.
//
// A step counts against the training when the largest mean gradient among the
// first third of the weight matrices (at least two of at least four) is below
// the given share of the largest mean gradient of the model. The mean is taken
// over the elements that are not zero, so that embedding rows which a batch
// does not use change nothing. It fires when three or more analysed steps in a
// row, over at least confirm_steps, count against it, when the loss did not
// fall within the last 100 steps, and when this was so from the first analysed
// step on or the early gradients are exactly zero: a gradient that fades while
// a model learns, or after it has learnt, is no fault. It needs to see a loss.
type vanishingProfile struct {
	relative float64
	confirm  int64
	state    struct {
		Losses losses              `json:"losses"`
		Roots  map[string]*profile `json:"roots"`
	}
}

// profile is one root model's streak.
type profile struct {
	Analysed int64 `json:"analysed"`
	Streak   int64 `json:"streak"`  // analysed steps in a row
	Since    int64 `json:"since"`   // mode step at which the streak began
	Always   bool  `json:"always"`  // since the first analysed step
	Zero     bool  `json:"zero"`    // exactly zero throughout
	Largest  bool  `json:"largest"` // reported; until the streak ends
}

// leastStreak is the number of analysed steps that have to agree.
const leastStreak = 3

func newVanishingProfile(p rule.Params) *vanishingProfile {
	r := &vanishingProfile{relative: p.Float("relative"), confirm: p.Int("confirm_steps")}
	r.state.Losses, r.state.Roots = losses{}, map[string]*profile{}
	return r
}

func (r *vanishingProfile) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"gradients"}}, {Collections: []string{"losses"}}}
}

func (r *vanishingProfile) Finish(*rule.Report)   {}
func (r *vanishingProfile) Save() ([]byte, error) { return save(&r.state) }
func (r *vanishingProfile) Restore(b []byte) error {
	return restore(b, &r.state)
}

func (r *vanishingProfile) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	r.state.Losses.add(v.Scalars(1))
	items := v.Tensors(0)
	if v.Skipped || len(items) == 0 {
		return
	}
	worker := items[0].Worker // every worker has the same gradients after reduction
	roots := map[string][]rule.Item{}
	var order []string
	for _, it := range items {
		if it.Worker != worker || it.Stats == nil || it.Info.Frozen {
			continue
		}
		root := rootOf(it.Info.Name)
		if roots[root] == nil {
			order = append(order, root)
		}
		roots[root] = append(roots[root], it)
	}
	for _, root := range order {
		r.judge(root, roots[root], v, rep)
	}
}

// judge looks at the gradients of one root model, in the order of its layers.
func (r *vanishingProfile) judge(root string, items []rule.Item, v *rule.View, rep *rule.Report) {
	var early []layerMean
	var top layerMean
	rep.Inspect(len(items))
	for i := range items {
		s := items[i].Stats
		if s.NonFinite() {
			rep.Skip(rule.SkipNonFinite)
			return
		}
		l := layerMean{items[i].Info.Name, 0}
		if n := s.Count - s.Zeros; n > 0 {
			l.mean = s.L1 / float64(n)
		}
		if l.mean > top.mean {
			top = l
		}
		if matrix(items[i].Info) {
			early = append(early, l)
		}
	}
	if len(early) < 4 {
		return
	}
	layers := len(early)
	early = early[:max(2, layers/3)]
	worst := early[0]
	highest := 0.0
	for _, l := range early {
		highest = math.Max(highest, l.mean)
		if l.mean < worst.mean {
			worst = l
		}
	}
	p := r.state.Roots[root]
	if p == nil {
		p = &profile{}
		r.state.Roots[root] = p
	}
	p.Analysed++
	if top.mean == 0 || highest >= r.relative*top.mean {
		*p = profile{Analysed: p.Analysed}
		return
	}
	if p.Streak == 0 {
		p.Since, p.Always, p.Zero = v.ModeStep, p.Analysed == 1, true
	}
	p.Streak++
	p.Zero = p.Zero && highest == 0
	if p.Largest || p.Streak < leastStreak || v.ModeStep-p.Since < r.confirm || (!p.Always && !p.Zero) || !r.state.Losses.flatNow() {
		return
	}
	p.Largest = true
	r.report(p, worst, top, len(early), layers, items[0].Worker, v, rep)
}

func (r *vanishingProfile) report(p *profile, worst, top layerMean, early, layers int, worker string, v *rule.View, rep *rule.Report) {
	ratio := worst.mean / top.mean
	bad := fmt.Sprintf("%s times smaller than that of %s", num(1/ratio), top.name)
	cause := ""
	if worst.mean == 0 {
		bad = fmt.Sprintf("exactly zero, while %s still gets one", top.name)
	}
	if p.Zero {
		cause = "the layers above pass nothing back: units that are dead (ReLU with negative inputs throughout), a detached branch, or saturated activations"
	}
	rep.Violate(rule.Violation{
		Check: "profile", Subject: worst.name, Worker: worker, Observed: ratio, Threshold: r.relative, Comparator: "<", Steps: int(p.Streak), Cause: cause,
		Message: fmt.Sprintf("The gradients of the early layers vanish: that of %s has mean magnitude %s, %s, and the loss has not fallen for 100 steps.",
			worst.name, num(worst.mean), bad),
		Context: map[string]any{
			"mean_abs_gradient": worst.mean, "largest": top.name, "largest_mean_abs_gradient": top.mean, "early_layers": early, "layers": layers,
			"since_mode_step": p.Since, "analysed_steps": p.Streak,
		},
	})
}

type layerMean struct {
	name string
	mean float64 // magnitude, over elements that are not zero
}

// matrix tells weights of layers from biases and the vectors of normalisation.
func matrix(info *rule.TensorInfo) bool {
	if info.Shape != nil {
		return len(info.Shape) >= 2
	}
	return strings.Contains(info.Name, "weight")
}

// rootOf gives the root model's class name, with which the names of gradients
// begin ("gradient/Net_conv1.weight"), so that the layers of a generator are
// not compared with those of a discriminator.
func rootOf(name string) string {
	name = strings.TrimPrefix(name, "gradient/")
	if i := strings.IndexByte(name, '_'); i >= 0 {
		return name[:i]
	}
	return ""
}
