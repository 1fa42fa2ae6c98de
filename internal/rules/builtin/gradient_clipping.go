package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// clipSlack is how far below the limit, as a share, a norm may lie that
	// was clipped to it.
	clipSlack = 1e-3
	// spikeFactor is how many times the median of the window a norm has to
	// exceed to be a spike.
	spikeFactor = 10
)

// gradientClipping judges the norm of all gradients together. Gradients are
// seen after clipping, so one that was clipped sits at the limit.
var gradientClipping = rule.Definition{
	Name: "gradient_clipping", Class: "GradientClipping", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     gradientClippingChecks,
	Summary:    "The global gradient norm is nearly always clipped, or it spikes.",
	Why:        "Clipping is meant for rare spikes. Where it acts at every step it sets the step size instead of the learning rate. A spike points to an unusual batch or loss.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "max_norm", Type: rule.Float, Default: "1.0", Range: rule.Above(0), Unit: "gradient units", Meaning: "the norm that gradients are clipped to"},
		{Name: "window", Type: rule.Int, Default: "10", Range: rule.Between(2, 100000), Unit: "saved steps", Meaning: "window: how many saved steps are examined together"},
		{Name: "threshold_percent", Type: rule.Float, Default: "90", Range: rule.Between(0, 100).OpenMin(), Unit: "percent", Meaning: "share of the window that has to reach the norm"},
		everyFixed("500"),
	},
	CauseClass: "optimizer",
	Causes:     []string{"a limit that is too low for this model", "a learning rate that is too high", "when it spikes, an unusual batch"},
	Remedies:   []string{"raise the limit to the typical gradient norm", "lower the learning rate or warm it up", "inspect the batches of the steps that spike"},
	Asks:       []rule.Advice{rule.ClipLess, rule.LowerLearningRate},
	Explains:   []string{"loss_not_decreasing"},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: rule.TrainOnly(p.Int("every")), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &clipping{limit: p.Float("max_norm"), window: int(p.Int("window")), share: p.Float("threshold_percent"), every: p.Int("every")}
		r.state = map[string]*clippingState{}
		return r, nil
	},
}

type clipping struct {
	limit  float64
	window int
	share  float64
	every  int64
	state  map[string]*clippingState // by worker and mode
}

type clippingState struct {
	Norms []float64 `json:"norms"` // of the window
	Since int       `json:"since"` // steps since always_clipped turned true; 0: it is not
}

func (r *clipping) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"gradients"}}}
}

func (r *clipping) Finish(*rule.Report)    {}
func (r *clipping) Save() ([]byte, error)  { return save(r.state) }
func (r *clipping) Restore(b []byte) error { return restore(b, &r.state) }

func (r *clipping) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || !onInterval(v.ModeStep, r.every) {
		return
	}
	if v.Skipped {
		rep.Skip("update_skipped")
		return
	}
	eachWorker(v.Tensors(0), func(items []rule.Item) { r.worker(items, v.Mode, rep) })
}

// worker takes the gradients of one worker.
func (r *clipping) worker(items []rule.Item, mode rule.Mode, rep *rule.Report) {
	norm, tensors := 0.0, 0
	var top string
	var largest float64
	for i := range items {
		s := items[i].Stats
		switch {
		case s == nil || s.Count == 0:
			continue
		case s.NonFinite():
			rep.Skip(rule.SkipNonFinite)
			return
		}
		l2 := s.L2()
		if norm = math.Hypot(norm, l2); l2 > largest || top == "" {
			top, largest = items[i].Info.Name, l2
		}
		tensors++
	}
	if tensors == 0 {
		return
	}
	if !finite(norm) {
		rep.Skip(rule.SkipNonFinite)
		return
	}
	rep.Inspect(1)
	k := key(items[0].Worker, mode.String())
	s := r.state[k]
	if s == nil {
		s = &clippingState{}
		r.state[k] = s
	}
	s.Norms = lastOf(append(s.Norms, norm), r.window)
	if len(s.Norms) < r.window {
		return
	}
	context := map[string]any{"norm": norm, "tensors": tensors, "norms": lastOf(slices.Clone(s.Norms), 50), "largest_tensor": top, "largest_tensor_norm": largest}
	v := rule.Violation{Subject: "gradients", Worker: items[0].Worker, Steps: r.window, Context: context}
	if middle := median(s.Norms); norm > spikeFactor*middle {
		v.Check, v.Observed, v.Threshold, v.Comparator, v.CauseClass = "spike", norm, spikeFactor*middle, ">", "data-loading"
		v.Cause, v.Remedy = "an unusual batch, or a loss that is unbounded there", "inspect the batch of this step; check the data and the loss; clip gradients to limit the effect of one batch"
		v.Asks = []rule.Advice{rule.ClipMore}
		v.Message = fmt.Sprintf("The gradient norm spikes to %s; its median over the last %d saved steps was %s.", num(norm), r.window, num(middle))
		rep.Violate(v)
		v.Cause, v.Remedy, v.Asks = "", "", nil
	}
	r.always(s, v, rep)
}

// always reports when the condition turns true, and again after each window
// while it lasts.
func (r *clipping) always(s *clippingState, v rule.Violation, rep *rule.Report) {
	reached := 0
	for _, x := range s.Norms {
		if x >= r.limit*(1-clipSlack) {
			reached++
		}
	}
	share := 100 * float64(reached) / float64(len(s.Norms))
	if share < r.share {
		s.Since = 0
		return
	}
	s.Since++
	if (s.Since-1)%r.window != 0 {
		return
	}
	v.Check, v.Observed, v.Threshold, v.Comparator, v.CauseClass = "always_clipped", share, r.share, ">=", ""
	v.Message = fmt.Sprintf("The gradient norm reaches %s at %d of the last %d saved steps: if that is the clipping limit, nearly every step is clipped.", num(r.limit), reached, len(s.Norms))
	rep.Violate(v)
}
