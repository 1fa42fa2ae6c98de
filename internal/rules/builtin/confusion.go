package builtin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// confusion judges the confusion matrix of each step, which is counted at
// capture.
var confusion = rule.Definition{
	Name: "confusion", Class: "Confusion", Aliases: []string{"classifier_confusion", "ClassifierConfusion"}, Family: rule.Tensors, Severity: rule.Warning,
	Checks:  confusionChecks,
	Summary: "A classifier confuses a class with another one too often.",
	Why:     "Overall accuracy does not show which two classes the model cannot tell apart.",
	Parameters: []rule.Parameter{
		{Name: "category_no", Type: rule.Int, Optional: true, Range: rule.AtLeast(2), Unit: "classes", Meaning: "number of classes; unless given, one more than the largest seen at the step"},
		{Name: "labels", Type: rule.String, Default: "labels", Meaning: "tensor with the true labels"},
		{Name: "predictions", Type: rule.String, Default: "predictions", Meaning: "tensor with the predictions"},
		{Name: "labels_collection", Type: rule.String, Default: "labels", Meaning: "collection that counts where that tensor of labels is not there"},
		{Name: "predictions_collection", Type: rule.String, Default: "predictions", Meaning: "collection that counts where that tensor of predictions is not there"},
		{Name: "min_diag", Type: rule.Float, Default: "0.9", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "least share of a class that has to be right"},
		{Name: "max_off_diag", Type: rule.Float, Default: "0.1", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "largest share of a class that may be taken for one other class"},
		{Name: "normalize", Type: rule.String, Default: "label", Choices: []string{"label", "prediction"}, Meaning: "whether shares are of all samples with a label, or of all with a prediction"},
		every("500"),
	},
	CauseClass: "labels",
	Causes:     []string{"classes that look alike", "wrong labels", "classes that are too rare"},
	Remedies:   []string{"look at samples of the two classes that are confused", "get more data for them", "clean the labels"},
	Needs: func(p rule.Params) []rule.Need {
		s := layers(p.Int("every"))
		sels := confusionSelectors(p)
		labels, predictions := confusionClasses(p), confusionClasses(p)
		labels.Role, labels.First = rule.Label, p.String("labels")
		predictions.Role, predictions.First = rule.Prediction, p.String("predictions")
		return []rule.Need{
			{Selector: sels[0], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{labels}},
			{Selector: sels[1], Schedule: s, Want: rule.WantStats, Readings: []rule.Reading{predictions}},
		}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &confused{
			sels: confusionSelectors(p), key: confusionClasses(p).Key(), size: p.Int("category_no"), diag: p.Float("min_diag"), off: p.Float("max_off_diag"),
			byPrediction: p.String("normalize") == "prediction",
		}, nil
	},
}

func confusionSelectors(p rule.Params) []rule.Selector {
	return []rule.Selector{
		{Names: []string{p.String("labels")}, Collections: []string{p.String("labels_collection")}},
		{Names: []string{p.String("predictions")}, Collections: []string{p.String("predictions_collection")}},
	}
}

func confusionClasses(p rule.Params) rule.Classes {
	set := p.String("labels") + " or " + p.String("labels_collection") + " " + p.String("predictions") + " or " + p.String("predictions_collection")
	return rule.Classes{Set: set, Scores: true, Axis: 1, Cells: true}
}

type confused struct {
	stateless
	sels         []rule.Selector
	key          string
	size         int64
	diag, off    float64
	byPrediction bool
}

func (r *confused) Select() []rule.Selector { return r.sels }

// confusedCell is a label, what was predicted, and how often; of a sum by prediction
// the two change places.
type confusedCell struct{ of, as, count int64 }

func (r *confused) Step(v *rule.View, rep *rule.Report) {
	counts := map[[2]int64]int64{}
	for _, it := range v.Tensors(0) {
		for quantity, x := range it.Numbers(r.key) {
			if n, ok := inBrackets(rule.ClassCell, quantity); ok && len(n) == 2 {
				counts[[2]int64{n[0], n[1]}] += int64(x)
			} else if slices.Contains(skips, quantity) {
				rep.Skip(quantity)
			}
		}
	}
	v.Tensors(1) // that they are there is worth knowing
	size := r.size
	if size == 0 {
		for k := range counts {
			size = max(size, k[0]+1, k[1]+1)
		}
	}
	var cells []confusedCell
	sums, samples := map[int64]int64{}, int64(0)
	for k, n := range counts {
		if k[0] < 0 || k[1] < 0 || k[0] >= size || k[1] >= size {
			for range n {
				rep.Skip("id_out_of_range")
			}
			continue
		}
		c := confusedCell{k[0], k[1], n}
		if r.byPrediction {
			c = confusedCell{k[1], k[0], n}
		}
		cells = append(cells, c)
		sums[c.of] += n
		samples += n
	}
	if samples == 0 {
		return
	}
	rep.Inspect(int(samples))
	slices.SortFunc(cells, func(a, b confusedCell) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.as, b.as)) })
	r.judge(v, size, samples, cells, sums, rep)
}

func (r *confused) judge(v *rule.View, size, samples int64, cells []confusedCell, sums map[int64]int64, rep *rule.Report) {
	right := map[int64]int64{}
	for _, c := range cells {
		if c.of == c.as {
			right[c.of] = c.count
		}
	}
	context := r.context(size, samples, cells, sums) // goes with the first finding of a step
	violate := func(x rule.Violation, of int64) {
		x.Context = context
		if context == nil {
			x.Context = map[string]any{"samples": samples}
		}
		context = nil
		x.Context["sum"] = sums[of]
		x.Steps = 1
		rep.Violate(x)
	}
	last := int64(-1)
	for _, c := range cells {
		sum := float64(sums[c.of])
		if got := float64(right[c.of]) / sum; c.of != last && got < r.diag {
			violate(rule.Violation{
				Check: "diag", Subject: fmt.Sprintf("class %d", c.of), Observed: got, Threshold: r.diag, Comparator: "<",
				Message: fmt.Sprintf("Only %s of the %s of class %d are correct at %s step %d.", shareText(got, 1), r.sum(sums[c.of]), c.of, v.Mode, v.ModeStep),
			}, c.of)
		}
		last = c.of
		if got := float64(c.count) / sum; c.of != c.as && got > r.off {
			label, prediction := c.of, c.as
			if r.byPrediction {
				label, prediction = c.as, c.of
			}
			violate(rule.Violation{
				Check: "off_diag", Subject: fmt.Sprintf("class %d as %d", label, prediction), Observed: got, Threshold: r.off, Comparator: ">",
				Message: fmt.Sprintf("Class %d is confused with class %d: %s of the %s of class %d at %s step %d.",
					label, prediction, shareText(got, 1), r.sum(sums[c.of]), c.of, v.Mode, v.ModeStep),
			}, c.of)
		}
	}
}

func (r *confused) sum(n int64) string {
	if r.byPrediction {
		return plural(int(n), "prediction")
	}
	return plural(int(n), "label")
}

// fullMatrix is how many classes a matrix may have to be shown as a whole; of a
// larger one the most frequent mistakes are.
const fullMatrix = 50

func (r *confused) context(size, samples int64, cells []confusedCell, sums map[int64]int64) map[string]any {
	context := map[string]any{"samples": samples, "classes": size, "normalize": "label"}
	if r.byPrediction {
		context["normalize"] = "prediction"
	}
	if size <= fullMatrix {
		matrix := make([][]int64, size) // rows are labels
		for i := range matrix {
			matrix[i] = make([]int64, size)
		}
		var without []int64
		for i := range size {
			if sums[i] == 0 {
				without = append(without, i)
			}
		}
		for _, c := range cells {
			if r.byPrediction {
				matrix[c.as][c.of] = c.count
			} else {
				matrix[c.of][c.as] = c.count
			}
		}
		context["matrix"], context["without_samples"] = matrix, without
		return context
	}
	var mistakes []confusedCell
	for _, c := range cells {
		if c.of != c.as {
			mistakes = append(mistakes, c)
		}
	}
	slices.SortStableFunc(mistakes, func(a, b confusedCell) int { return cmp.Compare(b.count, a.count) })
	var top []map[string]int64
	for _, c := range mistakes[:min(len(mistakes), fullMatrix)] {
		if r.byPrediction {
			c.of, c.as = c.as, c.of
		}
		top = append(top, map[string]int64{"label": c.of, "prediction": c.as, "count": c.count})
	}
	context["mistakes"] = top
	return context
}
