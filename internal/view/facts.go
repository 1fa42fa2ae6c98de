package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Fact is one fact: what it is about, and what is the case.
type Fact struct{ Name, Text string }

// Facts says in words what a hook read of a training in its first steps, in the
// order in which data goes through a step.
func Facts(f *record.Facts) []Fact {
	var lines []Fact
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, Fact{name, text})
		}
	}
	if f.Look != nil && !*f.Look {
		add("look", "off: facts of the training were not read (--no-look)")
	}
	add("copies", copiesText(f.Models))
	add("rate", rateText(f))
	if f.Graph != nil {
		add("loss", strings.Join(f.Graph.Head, "(")+strings.Repeat(")", max(len(f.Graph.Head)-1, 0)))
	}
	add("predictions", predictionsText(f.Predictions))
	add("labels", labelsText(f.Labels))
	add("inputs", inputsText(f.Inputs))
	add("updates", updatesText(f.Updates))
	add("evaluation", evaluationText(f.Evaluation))
	return lines
}

// shownCopies is how many parts of a model that are copies of others are named.
const shownCopies = 5

// copiesText names the parts of models that are copies of others and do not train.
func copiesText(models []record.ModelFacts) string {
	var parts []string
	for i := range models {
		for _, c := range models[i].Copies {
			parts = append(parts, fmt.Sprintf("%s (%s, %s) is a copy of %s and does not train", c.Path, c.Class, record.Several(c.Parameters, "parameter"), c.Of))
		}
	}
	if more := len(parts) - shownCopies; more > 0 {
		parts = append(parts[:shownCopies], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// rateText says of a learning rate that was read while it was warmed up that it is
// no rate of the training, and what it came to.
func rateText(f *record.Facts) string {
	var parts []string
	for i := range f.Optimisers {
		o := &f.Optimisers[i]
		if o.LR == nil {
			continue
		}
		if o.WarmUp == nil {
			if o.Set != nil {
				parts = append(parts, fmt.Sprintf("%s %s, scheduled", o.Class, record.Digits(*o.Set)))
			}
			continue
		}
		says := o.WarmUp.Says()
		if s := f.Schedule; s != nil && len(s.Rates) > 0 && len(f.Optimisers) == 1 && slices.Max(s.Rates) > *o.LR {
			says = "warm-up, rose to " + record.Digits(slices.Max(s.Rates))
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", o.Class, record.Digits(*o.LR), says))
	}
	return strings.Join(parts, "; ")
}

func predictionsText(p *record.PredictionFacts) string {
	if p == nil {
		return ""
	}
	s := tensorText(p.TensorFacts)
	switch {
	case p.RowsSumToOne:
		s += ", probabilities"
	case p.LogRows:
		s += ", log-probabilities"
	}
	if p.OneClass && p.Classes > 1 {
		s += ", one class for all samples"
	}
	return s
}

func inputsText(in *record.InputFacts) string {
	if in == nil || len(in.Tensors) == 0 {
		return ""
	}
	parts := make([]string, 0, len(in.Tensors))
	for _, t := range in.Tensors {
		parts = append(parts, tensorText(t))
	}
	s := strings.Join(parts, "; ")
	if in.Steps > 1 {
		s += fmt.Sprintf("; different at %d of %d steps", in.Distinct, in.Steps)
	}
	return s
}

func tensorText(t record.TensorFacts) string {
	s := fmt.Sprintf("%s %v", t.DType, t.Shape)
	if v := t.Values; v != nil {
		s += fmt.Sprintf(", from %s to %s, mean %s, std %s", record.Digits(float64(v.Min)), record.Digits(float64(v.Max)), record.Digits(float64(v.Mean)), record.Digits(float64(v.Std)))
		if v.NonFinite > 0 {
			s += fmt.Sprintf(", %d NaN or infinite", v.NonFinite)
		}
	}
	return s
}

func updatesText(u *record.UpdateFacts) string {
	if u == nil {
		return ""
	}
	s := fmt.Sprintf("%d examined", u.Steps)
	for _, c := range []struct {
		n    int64
		text string
	}{{u.Kept, "onto gradients of an earlier one"}, {u.Cleared, "with gradients cleared before"}, {u.NoBackward, "without backward"}} {
		if c.n > 0 {
			s += fmt.Sprintf(", %d %s", c.n, c.text)
		}
	}
	if c := u.Clip; c != nil {
		s += fmt.Sprintf(", clipped to norm %s at %d of %d", record.Digits(float64(c.MaxNorm)), c.Clipped, c.Calls)
	}
	return s
}

func evaluationText(e *record.EvaluationFacts) string {
	if e == nil {
		return ""
	}
	s := record.Several(e.Steps, "step") + " examined"
	if len(e.Training) > 0 {
		s += ", in training mode: " + strings.Join(e.Training, ", ")
	}
	return s
}

// shownClasses is how many classes are listed with their counts.
const shownClasses = 10

func labelsText(l *record.LabelFacts) string {
	if l == nil {
		return ""
	}
	s := fmt.Sprintf("%s %v", l.DType, l.Shape)
	n := len(l.Counts)
	if n == 0 && len(l.Range) == 2 {
		s += fmt.Sprintf(", from %s to %s", record.Digits(l.Range[0]), record.Digits(l.Range[1]))
	}
	switch {
	case n > 0 && n <= shownClasses:
		s += fmt.Sprintf(", %s; counts %s", record.Several(int64(n), "class", "classes"), countsText(l.Counts))
	case n > 0:
		s += ", " + record.Several(int64(n), "class", "classes")
	case l.Distinct != nil && *l.Distinct > 0:
		s += fmt.Sprintf(", %d different values", *l.Distinct)
	}
	if l.Loss != "" {
		s += "; for " + l.Loss
	}
	return s
}

// countsText lists classes in the order of their numbers.
func countsText(counts map[string]int64) string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return int(max(-1, min(1, x-y)))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s: %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
