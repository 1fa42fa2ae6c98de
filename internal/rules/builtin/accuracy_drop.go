package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// accuracyDrop compares the accuracy of each validation pass, as it builds up,
// with the accuracy that the user says was reached before. What is right and
// what is wrong is counted at capture, so that no values are stored.
var accuracyDrop = rule.Definition{
	Name: "accuracy_drop", Class: "AccuracyDrop", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  accuracyDropChecks,
	Summary: "The validation accuracy is below that of an earlier model by more than a margin.",
	Why:     "A model that was pruned, quantised, fine-tuned or retrained should not lose accuracy against the one before it.",
	Parameters: []rule.Parameter{
		{Name: "previous_accuracy", Type: rule.Float, Optional: true, Range: rule.Between(0, 1), Unit: "fraction", Meaning: "the accuracy to compare with"},
		{Name: "threshold", Type: rule.Float, Default: "0.05", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "allowed loss of accuracy"},
		{Name: "samples", Type: rule.Int, Default: "500", Range: rule.AtLeast(1), Unit: "labels", Meaning: "labels of a validation pass needed before the first decision"},
		{Name: "labels_regex", Type: rule.List, Default: ".*labels", Meaning: "tensors with true labels: class numbers, or one-hot; unless changed, the labels that losses are given count too"},
		{Name: "predictions_regex", Type: rule.List, Default: ".*predictions", Meaning: "tensors with predictions: class numbers, scores with the classes on axis 1, or probabilities of class 1; unless changed, the predictions that losses are given count too"},
		every("1"),
	},
	CauseClass: "regularisation",
	Causes:     []string{"pruning or quantisation that went too far", "a learning rate that is too high for fine-tuning", "data that differs from before"},
	Remedies:   []string{"prune less at a time, and fine-tune in between", "go back to the model before", "compare the input of both (input_drift)"},
	Example:    map[string]string{"previous_accuracy": "0.9"},
	Needs: func(p rule.Params) []rule.Need {
		var s rule.Schedule
		for m := range s {
			s[m].Off = true
		}
		s[rule.Eval] = rule.ModeSchedule{Every: p.Int("every")}
		sels := accuracySelectors(p)
		labels, predictions := accuracyClasses(p), accuracyClasses(p)
		labels.Role, predictions.Role = rule.Label, rule.Prediction
		return []rule.Need{
			{Selector: sels[0], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{labels}},
			{Selector: sels[1], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{predictions}},
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
			sels: accuracySelectors(p), key: accuracyClasses(p).Key(),
			previous: p.Float("previous_accuracy"), threshold: p.Float("threshold"), samples: p.Int("samples"),
		}, nil
	},
}

func accuracySelectors(p rule.Params) []rule.Selector {
	return []rule.Selector{
		unless(p.List("labels_regex"), labelsRegex, "labels"),
		unless(p.List("predictions_regex"), predictionsRegex, "predictions"),
	}
}

func accuracyClasses(p rule.Params) rule.Classes {
	set := strings.Join(p.List("labels_regex"), " or ") + " " + strings.Join(p.List("predictions_regex"), " or ")
	return rule.Classes{Set: set, Scores: true, Axis: 1, Ignore: "-100"}
}

type accuracy struct {
	sels                []rule.Selector
	key                 string
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

func (r *accuracy) Select() []rule.Selector { return r.sels }
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
	n := r.count(v.Tensors(0), rep)
	v.Tensors(1) // that they are there is worth knowing
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
		Message: fmt.Sprintf("The accuracy is %s after %s, %s below the previous %s.", num(math.Round(1e4*now)/1e4), plural(int(r.state.Total), "label"), num(math.Round(1e4*drop)/1e4), num(r.previous)),
		Context: map[string]any{"previous_accuracy": r.previous, "accuracy": now, "drop": drop, "right": r.state.Right, "labels": r.state.Total},
	})
}

// count adds what a step compared and gives the number of labels; those that
// nothing was predicted for are left out.
func (r *accuracy) count(labels []rule.Item, rep *rule.Report) (n int) {
	for _, it := range labels {
		of, wrong := map[int64]int64{}, map[int64]int64{}
		reason := ""
		for quantity, x := range it.Numbers(r.key) {
			if k, ok := inBrackets(rule.ClassLabel, quantity); ok {
				of[k[0]] = int64(x)
			} else if k, ok := inBrackets(rule.ClassWrong, quantity); ok {
				wrong[k[0]] = int64(x)
			} else if slices.Contains(skips, quantity) {
				reason = quantity
			}
		}
		switch {
		case reason != "":
			rep.Skip(reason)
			continue
		case len(of) == 0:
			rep.Skip("not_counted")
			continue
		case len(wrong) == 0:
			rep.Skip("no_predictions")
			continue
		}
		for k, w := range wrong {
			r.state.Right += of[k] - w
			r.state.Total += of[k]
			n += int(of[k])
		}
	}
	return n
}
