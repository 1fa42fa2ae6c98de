package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// vanishingGradient judges the mean magnitude of each gradient against a fixed
// threshold, as SageMaker Debugger does. In the default set (relative > 0) it
// compares layers with each other instead: see vanishingProfile.
var vanishingGradient = rule.Definition{
	Name: "vanishing_gradient", Class: "VanishingGradient", Family: rule.Tensors, Severity: rule.Error,
	Checks:     vanishingGradientChecks,
	Summary:    "Gradients have become extremely small or zero.",
	Why:        "The affected layers no longer learn. Usual places are deep stacks, saturating activations and long recurrences.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "threshold", Type: rule.Float, Default: "0.0000001", Range: rule.Above(0), Unit: "gradient units", Meaning: "a mean absolute gradient below this is vanishing"},
		every("500"),
		{Name: "relative", Type: rule.Float, Default: "0", Range: rule.Between(0, 1).OpenMax(), Unit: "ratio", Meaning: "when above 0, judge instead whether the first third of the layers stays below this share of the largest gradient while the loss is flat"},
		{Name: "confirm_steps", Type: rule.Int, Default: "100", Range: rule.AtLeast(1), Unit: "mode steps", Meaning: "with relative: how long that has to hold"},
	},
	CauseClass: "activation",
	Causes: []string{
		"saturating activations (sigmoid or tanh in hidden layers)", "too many layers without skip connections",
		"initial weights that are too small", "half precision without loss scaling",
	},
	Remedies: []string{
		"replace sigmoid or tanh in hidden layers by ReLU or GELU", "add residual connections or normalisation layers",
		"use He or Glorot initialisation", "scale the loss in half precision", "late in a good training: the model may be prunable",
	},
	Explains: []string{"loss_flat", "too_few_updates", "loss_not_decreasing", "weight_update_ratio", "all_zero", "unchanged_tensor"},
	Default: &rule.Preset{
		Params: map[string]string{"relative": "0.0002", "confirm_steps": "100", "every": "0"},
		Why: "Small gradients alone mean nothing: at convergence they all are. A stack whose first third has gradients five thousand times below the largest (healthy LSTMs and GANs stay within three hundred, stacks of eight sigmoid layers and more are beyond fifty thousand), from the first step on " +
			"or down to exact zero, in every analysed step of 100 and more, while the loss does not fall beyond its own noise, is not learning. Zeros of unused embedding rows do not count.",
	},
	Needs: func(p rule.Params) []rule.Need {
		needs := []rule.Need{{Selector: rule.Selector{Collections: []string{"gradients"}}, Schedule: rule.TrainOnly(p.Int("every")), Want: rule.WantStats}}
		if p.Float("relative") > 0 {
			needs = append(needs, rule.Need{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats})
		}
		return needs
	},
	New: func(p rule.Params) (rule.Rule, error) {
		if p.Float("relative") > 0 {
			return newVanishingProfile(p), nil
		}
		return &vanishing{threshold: p.Float("threshold")}, nil
	},
}

type vanishing struct {
	stateless
	threshold float64
}

func (r *vanishing) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"gradients"}}}
}

func (r *vanishing) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	items := v.Tensors(0)
	var offenders []int
	for i := range items {
		s := items[i].Stats
		switch {
		case s == nil:
			continue
		case s.Count == 0:
			rep.Skip(rule.SkipEmpty)
			continue
		}
		rep.Inspect(1)
		if s.NonFinite() {
			rep.Skip(rule.SkipNonFinite)
		} else if s.AbsMean() < r.threshold {
			offenders = append(offenders, i)
		}
	}
	if len(offenders) == 0 {
		return
	}
	r.report(items, offenders, rep)
}

// report gives each finding the picture of all gradients of its worker, which
// shows whether the early layers are affected.
func (r *vanishing) report(items []rule.Item, offenders []int, rep *rule.Report) {
	var all map[string]any
	var means []float64
	below, worker := 0, ""
	for _, i := range offenders {
		it := &items[i]
		if all == nil || it.Worker != worker {
			worker = it.Worker
			all, means, below = r.picture(items, worker)
		}
		m := it.Stats.AbsMean()
		rep.Violate(rule.Violation{
			Check: "threshold", Subject: it.Info.Name, Worker: it.Worker, Observed: m, Threshold: r.threshold, Comparator: "<", Context: all,
			Message: fmt.Sprintf("The gradient of %s vanishes: its mean magnitude %s is below %s (the same for %d of %s).",
				it.Info.Name, num(m), num(r.threshold), below, plural(len(means), "gradient")),
		})
	}
}

func (r *vanishing) picture(items []rule.Item, worker string) (context map[string]any, means []float64, below int) {
	var names []string
	for i := range items {
		if o := &items[i]; o.Worker == worker && o.Stats != nil && o.Stats.Count > 0 && !o.Stats.NonFinite() {
			m := o.Stats.AbsMean()
			means = append(means, m)
			if m < r.threshold && len(names) < 50 {
				names = append(names, o.Info.Name)
			}
		}
	}
	slices.Sort(means)
	below, _ = slices.BinarySearch(means, r.threshold)
	return map[string]any{
		"below": below, "share": float64(below) / float64(len(means)), "layers_below": names,
		"min": means[0], "median": means[len(means)/2], "max": means[len(means)-1],
	}, means, below
}
