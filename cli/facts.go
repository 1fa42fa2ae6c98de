package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/vigil-ml/vigil/internal/record"
)

// shownModules is how many modules of a network are listed.
const shownModules = 40

// printFacts shows what the hook understood of the training.
func printFacts(w io.Writer, stored json.RawMessage) {
	f, err := record.ParseFacts(stored)
	if f == nil || err != nil {
		return
	}
	var lines [][2]string
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, [2]string{name, text})
		}
	}
	if f.Graph != nil {
		add("computed", strings.Join(f.Graph.Head, " of "))
	}
	add("predictions", predictionsText(f.Predictions))
	add("labels", labelsText(f.Labels))
	add("inputs", inputsText(f.Inputs))
	add("updates", updatesText(f.Updates))
	add("evaluation", evaluationText(f.Evaluation))
	if len(lines) > 0 {
		fmt.Fprintln(w, "\nFacts:")
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, l := range lines {
			fmt.Fprintf(tw, "  %s\t%s\n", l[0], plain(l[1]))
		}
		tw.Flush()
	}
	if f.Network != nil {
		printNetwork(w, f.Network)
	}
}

func printNetwork(w io.Writer, n *record.NetworkFacts) {
	if len(n.Modules) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNetwork, in the order of one forward:")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "  MODULE\tTYPE\tOUTPUT")
	shown := n.Modules[:min(len(n.Modules), shownModules)]
	for _, m := range shown {
		output := ""
		if m.Output != nil {
			output = fmt.Sprintf("%s %v", m.Output.DType, m.Output.Shape)
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", printable(m.Path), printable(m.Type), printable(output))
	}
	tw.Flush()
	if more := int64(len(n.Modules)-len(shown)) + n.More; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
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
		s += ", logarithms of probabilities"
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
		s += fmt.Sprintf(", from %.4g to %.4g, mean %.4g, deviation %.4g", float64(v.Min), float64(v.Max), float64(v.Mean), float64(v.Std))
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
	s := fmt.Sprintf("%d looked at", u.Steps)
	for _, c := range []struct {
		n    int64
		text string
	}{{u.Kept, "onto gradients of an earlier one"}, {u.Cleared, "with gradients cleared before"}, {u.NoBackward, "without backward"}} {
		if c.n > 0 {
			s += fmt.Sprintf(", %d %s", c.n, c.text)
		}
	}
	if c := u.Clip; c != nil {
		s += fmt.Sprintf(", clipped to norm %.4g at %d of %d", float64(c.MaxNorm), c.Clipped, c.Calls)
	}
	return s
}

func evaluationText(e *record.EvaluationFacts) string {
	if e == nil {
		return ""
	}
	s := fmt.Sprintf("%d steps looked at", e.Steps)
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
	if len(l.Range) == 2 {
		s += fmt.Sprintf(", from %.6g to %.6g", l.Range[0], l.Range[1])
	}
	if l.Distinct != nil && *l.Distinct > 0 {
		s += fmt.Sprintf(", %d different", *l.Distinct)
	}
	if n := len(l.Counts); n > 0 && n <= shownClasses {
		s += ": " + countsText(l.Counts)
	}
	if l.Loss != "" {
		s += ", given to " + l.Loss
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
		names[i] = fmt.Sprintf("%s × %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
