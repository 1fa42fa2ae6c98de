package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// The patterns under which SageMaker Debugger looks for labels and predictions.
const (
	labelsRegex      = ".*labels"
	predictionsRegex = ".*predictions"
)

// classImbalance judges how often each class was labelled in what the loss was
// given, and how often the model is wrong about it. Both are counted at capture.
var classImbalance = rule.Definition{
	Name: "class_imbalance", Class: "ClassImbalance", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  classImbalanceChecks,
	Summary: "Some classes are much rarer than others in what the model is fed, or are mostly predicted wrongly.",
	Why:     "A high accuracy can hide that rare classes are never learned. The labels that the loss is given show whether resampling took effect.",
	Parameters: []rule.Parameter{
		{Name: "threshold_imbalance", Type: rule.Float, Default: "10", Range: rule.AtLeast(1), Unit: "ratio", Meaning: "allowed ratio of the most frequent class to the rarest"},
		{Name: "threshold_misprediction", Type: rule.Float, Default: "0.7", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "allowed share of wrong predictions of a class"},
		{Name: "samples", Type: rule.Int, Default: "500", Range: rule.AtLeast(1), Unit: "labels", Meaning: "labels to collect before the first verdict"},
		{Name: "argmax", Type: rule.Bool, Default: "False", Meaning: "whether predictions are scores per class; of what a loss was given this is known without it"},
		{Name: "labels_regex", Type: rule.String, Default: labelsRegex, Meaning: "tensors with the true labels; unless changed, the labels that losses are given count too"},
		{Name: "predictions_regex", Type: rule.String, Default: predictionsRegex, Meaning: "tensors with the predictions; unless changed, the predictions that losses are given count too"},
		{Name: "class_axis", Type: rule.Int, Default: "1", Range: rule.AtLeast(0), Unit: "axis", Meaning: "axis of the classes in scores"},
		{Name: "num_classes", Type: rule.Int, Optional: true, Range: rule.AtLeast(2), Unit: "classes", Meaning: "when given, classes that never came count with frequency 0"},
		{Name: "ignore_label", Type: rule.List, Optional: true, Default: "-100", Meaning: "labels to leave out"},
		every("500"),
	},
	CauseClass: "imbalance",
	Causes:     []string{"skewed data", "a sampler that has no effect", "classes with too few samples to be learned"},
	Remedies:   []string{"use a weighted sampler or a weighted loss", "resample the data, or augment the rare classes", "report metrics per class"},
	Needs: func(p rule.Params) []rule.Need {
		s := layers(p.Int("every"))
		sels := imbalanceSelectors(p)
		labels, predictions := imbalanceClasses(p), imbalanceClasses(p)
		labels.Role, predictions.Role = rule.Label, rule.Prediction
		return []rule.Need{
			{Selector: sels[0], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{labels}},
			{Selector: sels[1], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{predictions}},
		}
	},
	New: newImbalance,
}

func imbalanceSelectors(p rule.Params) []rule.Selector {
	return []rule.Selector{
		unless([]string{p.String("labels_regex")}, labelsRegex, "labels"),
		unless([]string{p.String("predictions_regex")}, predictionsRegex, "predictions"),
	}
}

func imbalanceClasses(p rule.Params) rule.Classes {
	ignore := ""
	for i, text := range p.List("ignore_label") {
		if i > 0 {
			ignore += ","
		}
		ignore += text
	}
	return rule.Classes{
		Set: p.String("labels_regex") + " " + p.String("predictions_regex"), Argmax: p.Bool("argmax"), Axis: p.Int("class_axis"), Ignore: ignore,
	}
}

func newImbalance(p rule.Params) (rule.Rule, error) {
	whole := func(x float64) bool { return x == math.Trunc(x) }
	if _, err := listOf("class_imbalance", p, "ignore_label", whole, "allowed: whole numbers"); err != nil {
		return nil, err
	}
	r := &imbalance{
		sels: imbalanceSelectors(p), key: imbalanceClasses(p).Key(), ratio: p.Float("threshold_imbalance"), wrong: p.Float("threshold_misprediction"),
		samples: p.Int("samples"), classes: p.Int("num_classes"),
	}
	r.state = map[string]*classCounts{}
	return r, nil
}

type imbalance struct {
	sels             []rule.Selector
	key              string
	ratio, wrong     float64
	samples, classes int64
	state            map[string]*classCounts // by mode
}

// classCounts is all that came so far in one mode.
type classCounts struct {
	Labels map[int64]int64 `json:"labels"`
	Wrong  map[int64]int64 `json:"wrong"` // only of classes that were predicted for
	Total  int64           `json:"total"`
	Steps  int             `json:"steps"`
}

func (r *imbalance) Select() []rule.Selector { return r.sels }
func (r *imbalance) Finish(*rule.Report)     {}
func (r *imbalance) Save() ([]byte, error)   { return save(r.state) }
func (r *imbalance) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *imbalance) Step(v *rule.View, rep *rule.Report) {
	mode := v.Mode.String()
	c := r.state[mode]
	if c == nil {
		c = &classCounts{Labels: map[int64]int64{}, Wrong: map[int64]int64{}}
	}
	before, regression := c.Total, false
	for _, it := range v.Tensors(0) {
		for quantity, x := range it.Numbers(r.key) {
			if n, ok := inBrackets(rule.ClassLabel, quantity); ok {
				c.Labels[n[0]] += int64(x)
				c.Total += int64(x)
			} else if n, ok := inBrackets(rule.ClassWrong, quantity); ok {
				c.Wrong[n[0]] += int64(x)
			} else if slices.Contains(skips, quantity) {
				rep.Skip(quantity)
				regression = regression || quantity == rule.ClassNotLabels
			}
		}
	}
	v.Tensors(1) // that they are there is worth knowing
	if c.Total == before {
		if regression && before == 0 {
			rep.Close("the labels are not class labels: they are not whole numbers (regression?)")
		}
		return
	}
	r.state[mode] = c
	c.Steps++
	rep.Inspect(int(c.Total - before))
	if len(c.Labels) == 1 {
		rep.Note("only one class was seen in " + mode)
	}
	if c.Total >= r.samples {
		r.judge(c, mode, rep)
	}
}

func (r *imbalance) judge(c *classCounts, mode string, rep *rule.Report) {
	classes := slices.SortedFunc(maps.Keys(c.Labels), func(a, b int64) int {
		return cmp.Or(cmp.Compare(c.Labels[a], c.Labels[b]), cmp.Compare(a, b))
	})
	rarest, most := classes[0], classes[len(classes)-1]
	n := len(classes)
	least := c.Labels[rarest]
	for k := range r.classes {
		if _, seen := c.Labels[k]; !seen { // the first is enough
			n, rarest, least = n+1, k, 0
			break
		}
	}
	ratio := float64(c.Labels[most]) / float64(least)
	var over []int64
	for _, k := range classes {
		if w, predicted := c.Wrong[k]; predicted && float64(w)/float64(c.Labels[k]) > r.wrong {
			over = append(over, k)
		}
	}
	context := r.context(c, mode, classes, over, ratio)
	if n > 1 && ratio > r.ratio {
		rep.Violate(rule.Violation{
			Check: "imbalance", Subject: fmt.Sprintf("class %d", rarest), Observed: ratio, Threshold: r.ratio, Comparator: ">", Context: context, Steps: c.Steps,
			Message: fmt.Sprintf("Imbalanced classes: class %d has %s of %s labels in %s, class %d only %s.",
				most, num(float64(c.Labels[most])), num(float64(c.Total)), mode, rarest, num(float64(least))),
		})
	}
	slices.Sort(over)
	for _, k := range over {
		labels, wrong := float64(c.Labels[k]), float64(c.Wrong[k])
		rep.Violate(rule.Violation{
			Check: "misprediction", Subject: fmt.Sprintf("class %d", k), Observed: wrong / labels, Threshold: r.wrong, Comparator: ">", Context: context, Steps: c.Steps,
			Message: fmt.Sprintf("Class %d is predicted wrongly for %s of its %s labels in %s (%s).", k, num(wrong), num(labels), mode, shareText(wrong, labels)),
		})
	}
}

// tableRows is how many classes the evidence lists: the rarest.
const tableRows = 100

func (r *imbalance) context(c *classCounts, mode string, rarestFirst, over []int64, ratio float64) map[string]any {
	type row struct {
		Class int64        `json:"class"`
		Count int64        `json:"count"`
		Share float64      `json:"share"`
		Wrong *rule.Number `json:"wrong,omitempty"`
	}
	rows := make([]row, 0, min(len(rarestFirst), tableRows))
	for _, k := range rarestFirst[:min(len(rarestFirst), tableRows)] {
		one := row{Class: k, Count: c.Labels[k], Share: float64(c.Labels[k]) / float64(c.Total)}
		if w, predicted := c.Wrong[k]; predicted {
			x := rule.Number(float64(w) / float64(c.Labels[k]))
			one.Wrong = &x
		}
		rows = append(rows, one)
	}
	return map[string]any{
		"ratio": rule.Number(ratio), "labels": c.Total, "classes": len(rarestFirst), "table": rows, "mode": mode,
		"rarest": slices.Clone(rarestFirst[:min(len(rarestFirst), 5)]), "over_limit": slices.Clone(over),
	}
}
