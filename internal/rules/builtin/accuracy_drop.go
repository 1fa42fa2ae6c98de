package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// accuracyDrop compares the accuracy of each validation pass, as it builds up,
// with the accuracy that the user says was reached before.
var accuracyDrop = rule.Definition{
	Name: "accuracy_drop", Class: "AccuracyDrop", Family: rule.Tensors, Severity: rule.Warning,
	Summary: "The validation accuracy lies below that of an earlier model by more than a margin.",
	Why:     "A model that was pruned, quantised, tuned or trained anew ought not to lose what the one before it could do.",
	Parameters: []rule.Parameter{
		{Name: "previous_accuracy", Type: rule.Float, Optional: true, Range: rule.Between(0, 1), Unit: "fraction", Meaning: "the accuracy to compare with"},
		{Name: "threshold", Type: rule.Float, Default: "0.05", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "allowed loss of accuracy"},
		{Name: "samples", Type: rule.Int, Default: "500", Range: rule.AtLeast(1), Unit: "labels", Meaning: "labels of a validation pass to see before the first decision on it"},
		{Name: "labels_regex", Type: rule.List, Default: ".*labels", Meaning: "tensors with true labels: class numbers, or one-hot"},
		{Name: "predictions_regex", Type: rule.List, Default: ".*predictions", Meaning: "tensors with predictions: class numbers, scores with the classes on axis 1, or probabilities of class 1"},
		every("1"),
	},
	CauseClass: "regularisation",
	Causes:     []string{"pruning or quantisation that went too far", "a learning rate that is too high for tuning", "data that differs from before"},
	Remedies:   []string{"prune less at once, and train on in between", "go back to the model before", "compare the input of both (input_drift)"},
	Example:    map[string]string{"previous_accuracy": "0.9"},
	Needs: func(p rule.Params) []rule.Need {
		var s rule.Schedule
		for m := range s {
			s[m].Off = true
		}
		s[rule.Eval] = rule.ModeSchedule{Every: p.Int("every")}
		return []rule.Need{
			{Selector: rule.Selector{Regex: p.List("labels_regex")}, Schedule: s, Want: rule.WantStats | rule.WantRaw},
			{Selector: rule.Selector{Regex: p.List("predictions_regex")}, Schedule: s, Want: rule.WantStats | rule.WantRaw},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		if !p.Has("previous_accuracy") {
			return nil, &rule.ParamError{
				Rule: "accuracy_drop", What: "previous_accuracy", Message: "previous_accuracy is not given: there is nothing to compare with",
				Hint: "give the accuracy of the model before, from 0 to 1",
			}
		}
		return &accuracy{
			labels: rule.Selector{Regex: p.List("labels_regex")}, predictions: rule.Selector{Regex: p.List("predictions_regex")},
			previous: p.Float("previous_accuracy"), threshold: p.Float("threshold"), samples: p.Int("samples"),
		}, nil
	},
}

type accuracy struct {
	labels, predictions rule.Selector
	previous, threshold float64
	samples             int64
	state               struct {
		Evaluating bool  `json:"evaluating"` // in a validation pass
		Steps      int   `json:"steps"`      // of the pass
		Right      int64 `json:"right"`
		Total      int64 `json:"total"`
		Fired      bool  `json:"fired"` // in this pass
	}
}

func (r *accuracy) Select() []rule.Selector { return []rule.Selector{r.labels, r.predictions} }
func (r *accuracy) Finish(*rule.Report)     {}
func (r *accuracy) Save() ([]byte, error)   { return save(&r.state) }
func (r *accuracy) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *accuracy) Step(v *rule.View, rep *rule.Report) {
	if v.Mode != rule.Eval {
		r.state.Evaluating = false
		return
	}
	if s := &r.state; !s.Evaluating {
		s.Evaluating, s.Steps, s.Right, s.Total, s.Fired = true, 0, 0, 0, false
	}
	labels, predictions := v.Tensors(0), v.Tensors(1)
	byWorker := map[string][]rule.Item{}
	for _, it := range predictions {
		byWorker[it.Worker] = append(byWorker[it.Worker], it)
	}
	n := 0
	eachWorker(labels, func(items []rule.Item) {
		for i, it := range items { // paired in the order of names
			if others := byWorker[it.Worker]; i < len(others) {
				n += r.count(v, it, others[i], rep)
			} else {
				rep.Skip("no_predictions")
			}
		}
	})
	if n == 0 {
		return
	}
	rep.Inspect(n)
	r.state.Steps++
	now := float64(r.state.Right) / float64(r.state.Total)
	drop := r.previous - now
	if r.state.Total < r.samples || !(drop > r.threshold+sumSlack) || r.state.Fired {
		return
	}
	r.state.Fired = true
	rep.Violate(rule.Violation{
		Check: "drop", Subject: "accuracy", Observed: now, Threshold: r.previous - r.threshold, Comparator: "<", Steps: r.state.Steps,
		Message: fmt.Sprintf("The accuracy is %s after %s, %s below the %s of before.", num(math.Round(1e4*now)/1e4), plural(int(r.state.Total), "label"), num(math.Round(1e4*drop)/1e4), num(r.previous)),
		Context: map[string]any{"previous_accuracy": r.previous, "accuracy": now, "drop": drop, "right": r.state.Right, "labels": r.state.Total},
	})
}

// count adds one batch and gives its size.
func (r *accuracy) count(v *rule.View, labels, predictions rule.Item, rep *rule.Report) int {
	y, err := v.Raw(labels.Worker, labels.Info.Name)
	if err != nil {
		rep.Skip("no_values")
		return 0
	}
	p, err := v.Raw(predictions.Worker, predictions.Info.Name)
	if err != nil {
		rep.Skip("no_values")
		return 0
	}
	classes, ok := classLabels(y, p)
	if !ok {
		rep.Skip("not_class_labels")
		return 0
	}
	guesses, ok := classGuesses(p, classes)
	if !ok {
		rep.Skip("predictions_not_classes")
		return 0
	}
	for i, c := range classes {
		if c == guesses[i] {
			r.state.Right++
		}
	}
	r.state.Total += int64(len(classes))
	return len(classes)
}

// classLabels reads class numbers: whole numbers, or rows of zeros with one 1.
func classLabels(y, predictions rule.Values) ([]int64, bool) {
	shape := squeezed(y.Shape)
	if len(shape) == 2 && slices.Equal(shape, squeezed(predictions.Shape)) && oneHot(y, shape) {
		return argmax(y, shape), true
	}
	return whole(y)
}

func oneHot(y rule.Values, shape []int64) bool {
	for r := range shape[0] {
		ones := 0
		for c := range shape[1] {
			switch rule.At(y, r*shape[1]+c) {
			case 0:
			case 1:
				ones++
			default:
				return false
			}
		}
		if ones != 1 {
			return false
		}
	}
	return true
}

// classGuesses reads class numbers, scores (which have one axis more than the
// labels, axis 1) or probabilities of class 1.
func classGuesses(p rule.Values, labels []int64) ([]int64, bool) {
	if shape := squeezed(p.Shape); len(shape) >= 2 && elements(shape) > len(labels) && elements(shape) == len(labels)*int(shape[1]) {
		return argmax(p, shape), true
	}
	if elements(p.Shape) != len(labels) {
		return nil, false
	}
	if out, ok := whole(p); ok {
		return out, true
	}
	for _, c := range labels {
		if c != 0 && c != 1 {
			return nil, false
		}
	}
	out := make([]int64, len(labels))
	for i := range out {
		x := rule.At(p, int64(i))
		if !(x >= 0 && x <= 1) {
			return nil, false
		}
		if x > 0.5 {
			out[i] = 1
		}
	}
	return out, true
}

// squeezed is a shape without axes of size 1 after the first.
func squeezed(shape []int64) []int64 {
	var out []int64
	for i, d := range shape {
		if i == 0 || d != 1 {
			out = append(out, d)
		}
	}
	return out
}

func elements(shape []int64) int {
	n := 1
	for _, d := range shape {
		n *= int(d)
	}
	return n
}

// whole reads values that are all whole numbers.
func whole(v rule.Values) ([]int64, bool) {
	out := make([]int64, elements(v.Shape))
	for i := range out {
		x := rule.At(v, int64(i))
		if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil, false
		}
		out[i] = int64(x)
	}
	return out, true
}

// argmax is the index of the largest value along axis 1, for each position of
// the other axes.
func argmax(v rule.Values, shape []int64) []int64 {
	rows, classes, rest := int(shape[0]), int(shape[1]), elements(shape[2:])
	out := make([]int64, rows*rest)
	for r := range rows {
		for k := range rest {
			best := math.Inf(-1)
			for c := range classes {
				if x := rule.At(v, int64((r*classes+c)*rest+k)); x > best {
					best, out[r*rest+k] = x, int64(c)
				}
			}
		}
	}
	return out
}
