package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// vanishingProfile compares the layers of one model with each other.
//
// A step counts against the training when the largest mean gradient among the
// first third of the weight matrices (at least two of at least four, or of
// three when they get exactly nothing) is below the given share of the largest
// mean gradient of the model. The mean is taken over the elements that are not
// zero, so that embedding rows which a batch does not use change nothing. It fires when three or more analysed steps in a
// row, over at least confirm_steps, count against it, when the loss did not
// fall within the last 100 steps, and when this was so from the first analysed
// step on or the early gradients are exactly zero: a gradient that fades while
// a model learns, or after it has learnt, is no fault. It needs to see a loss.
// At the end of the job half of confirm_steps suffice, when it was so from the
// first step on and the loss has not fallen since.
type vanishingProfile struct {
	relative float64
	confirm  int64
	state    struct {
		Losses losses              `json:"losses"`
		Roots  map[string]*profile `json:"roots"`
		Loaded bool                `json:"loaded,omitempty"` // weights come from an earlier training
	}
}

// profile is one root model's streak.
type profile struct {
	Analysed int64 `json:"analysed"`
	From     int64 `json:"from"`   // mode step analysed first
	To       int64 `json:"to"`     // and last
	Streak   int64 `json:"streak"` // analysed steps in a row
	Since    int64 `json:"since"`  // mode step at which the streak began
	Always   bool  `json:"always"` // since the first analysed step
	Zero     bool  `json:"zero"`   // exactly zero throughout
	Fired    bool  `json:"fired"`  // reported; until the streak ends
	Until    int64 `json:"until"`  // mode step analysed last

	// The evidence at the step analysed last.
	Worst  layerMean `json:"worst"`
	Top    layerMean `json:"top"`
	Early  int       `json:"early"`
	Layers int       `json:"layers"`
	Worker string    `json:"worker"`
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

// Facts tells apart what the remedies may name: weights that were loaded have no
// initialisation to blame.
func (r *vanishingProfile) Facts(f *rule.Facts, _ *rule.Report) { r.state.Loaded = someLoaded(f) }

// Finish judges a job that was too short for the whole time of confirmation
// with half of it, when the loss never fell.
func (r *vanishingProfile) Finish(rep *rule.Report) {
	half := r.confirm / 2
	unjudged := ""
	for _, root := range slices.Sorted(maps.Keys(r.state.Roots)) {
		p := r.state.Roots[root]
		few := tooFew("gradients", p.Analysed, p.From, p.To, leastStreak, half-half/5)
		unjudged = cmp.Or(unjudged, few)
		if p.Streak >= leastStreak && !p.Fired && p.Until-p.Since >= half-half/5 && p.Always && r.state.Losses.neverFell(half) {
			p.Fired = true
			r.report(p, rep)
		}
	}
	rep.NotJudged(unjudged)
}

func (r *vanishingProfile) Save() ([]byte, error) { return save(&r.state) }
func (r *vanishingProfile) Restore(b []byte) error {
	return restore(b, &r.state)
}

func (r *vanishingProfile) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	r.state.Losses.add(v.Scalars(1))
	r.gradients(v, rep)
	for _, root := range slices.Sorted(maps.Keys(r.state.Roots)) {
		p := r.state.Roots[root]
		if p.Streak >= leastStreak && !p.Fired && p.Until-p.Since >= r.confirm && (p.Always || p.Zero) && r.state.Losses.flatNow() {
			p.Fired = true
			r.report(p, rep)
		}
	}
}

// gradients takes the gradients of a step, if it has any.
func (r *vanishingProfile) gradients(v *rule.View, rep *rule.Report) {
	items := v.Tensors(0)
	if v.Skipped || len(items) == 0 {
		return
	}
	worker := items[0].Worker // every worker has the same gradients after reduction
	roots := map[string][]rule.Item{}
	for _, it := range items {
		if it.Worker == worker && it.Stats != nil && !it.Info.Frozen {
			root := rootOf(it.Info.Name)
			roots[root] = append(roots[root], it)
		}
	}
	for root, items := range roots {
		r.judge(root, items, v, rep)
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
			l.Mean = math.Min(s.L1/float64(n), math.MaxFloat64) // a sum may overflow
		}
		if l.Mean > top.Mean {
			top = l
		}
		if matrix(items[i].Info) {
			early = append(early, l)
		}
	}
	layers := len(early)
	if layers < 3 {
		return
	}
	early = early[:max(2, layers/3)]
	worst := early[0]
	highest := 0.0
	for _, l := range early {
		highest = math.Max(highest, l.Mean)
		if l.Mean < worst.Mean {
			worst = l
		}
	}
	p := r.state.Roots[root]
	if p == nil {
		p = &profile{}
		r.state.Roots[root] = p
	}
	if p.Analysed++; p.Analysed == 1 {
		p.From = v.ModeStep
	}
	p.To = v.ModeStep
	few := layers < 4 && highest > 0 // too few to speak of a profile
	if top.Mean == 0 || few || highest >= r.relative*top.Mean {
		*p = profile{Analysed: p.Analysed, From: p.From, To: p.To}
		return
	}
	if p.Streak == 0 {
		p.Since, p.Always, p.Zero = v.ModeStep, p.Analysed == 1, true
	}
	p.Streak++
	p.Zero = p.Zero && highest == 0
	p.Until, p.Worst, p.Top, p.Early, p.Layers, p.Worker = v.ModeStep, worst, top, len(early), layers, items[0].Worker
}

func (r *vanishingProfile) report(p *profile, rep *rule.Report) {
	ratio := p.Worst.Mean / p.Top.Mean
	bad := fmt.Sprintf("%s times smaller than that of %s", times(1/ratio), p.Top.Name)
	cause, remedy := "", ""
	if r.state.Loaded {
		remedy = "replace sigmoid or tanh in hidden layers by ReLU or GELU; add residual connections or normalisation; scale the loss in half precision"
	}
	if p.Worst.Mean == 0 {
		bad = fmt.Sprintf("exactly zero, while %s still gets a gradient", p.Top.Name)
	}
	if p.Zero {
		cause = "later layers pass no gradient back: dead units (ReLU with only negative inputs), a detached branch, or saturated activations"
	}
	rep.Violate(rule.Violation{
		Check: "profile", Subject: p.Worst.Name, Worker: p.Worker, Observed: ratio, Threshold: r.relative, Comparator: "<", Steps: int(p.Streak), Cause: cause, Remedy: remedy,
		Message: fmt.Sprintf("The gradients of the early layers vanish: that of %s has mean magnitude %s, %s. The loss has not fallen for %d steps.",
			p.Worst.Name, num(p.Worst.Mean), bad, min(recentKept, r.state.Losses.length())),
		Context: map[string]any{
			"mean_abs_gradient": p.Worst.Mean, "largest": p.Top.Name, "largest_mean_abs_gradient": p.Top.Mean, "early_layers": p.Early, "layers": p.Layers,
			"since_mode_step": p.Since, "analysed_steps": p.Streak,
		},
	})
}

type layerMean struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"` // magnitude, over elements that are not zero
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
