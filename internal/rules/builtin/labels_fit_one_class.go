package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// fit is labelsFit: what the facts show is told at once. Labels of which the
// first steps show one class may be a rare class's complement, or those of data
// that are sorted by class, so the loss has to show it as well.
type fit struct {
	told
	waits struct {
		Only     float64   `json:"only"`     // the label that all samples had
		Elements int64     `json:"elements"` // of these; 0: there is nothing to wait for
		Classes  int64     `json:"classes"`  // that the model tells apart
		Batch    int64     `json:"batch"`    // samples in the first batch
		Least    float64   `json:"least"`    // loss so far
		Jump     float64   `json:"jump"`     // mean of two losses in a row, after it was low, that no batch like those before gives; 0: there was none
		Last     float64   `json:"last"`     // loss
		Curve    lossCurve `json:"curve"`
	}
}

// Facts implements rule.FactReader.
func (r *fit) Facts(f *rule.Facts, rep *rule.Report) {
	if f.Labels != nil || hasAddends(f) {
		rep.Inspect(1)
	}
	found := judgeLabels(f)
	if found == nil {
		found = ofAddends(f, judgeLabels, "broadcast", "out_of_range", "sorted")
	}
	for _, v := range found {
		r.say(rep, v)
	}
	w := &r.waits
	w.Only, w.Elements, w.Classes, w.Batch = 0, 0, 0, 0
	if len(found) > 0 {
		return
	}
	if w.Only, w.Elements = oneOfTwo(f); w.Elements > 0 {
		w.Classes = 2
	} else if w.Only, w.Elements = oneOfMany(f); w.Elements > 0 {
		w.Classes = lossClasses(f.Predictions)
	}
	if w.Elements > 0 && len(f.Labels.Shape) > 0 {
		w.Batch = f.Labels.Shape[0]
	}
}

const (
	leastOfTwo  = 128  // labels of one of two classes that are looked at
	ofTwoSteps  = 100  // least length of a training whose loss shows it
	ofTwoLive   = 1000 // steps after which the verdict does not wait for the end
	learntOfTwo = 0.1  // share of the first loss that is left
	ofTwoRise   = 1.5  // how far above the least so far the loss may lie
	noRise      = 0.02 // share of the first loss below which none counts: a sample of the other class would cost more

	ofManyLive = 150 // steps after which labels of one class of three or more are told
	sortedLow  = 0.3 // of the loss of a guess: so far it falls while one class comes
	sortedHigh = 1.5 // of that loss: so far it jumps when all samples of a batch are of another
	sortedSize = 8   // samples in a batch
)

// oneOfMany gives the only label that a classifier of three classes or more was
// shown, and how often. Who scores candidates one by one and puts the right one
// first has labels that are all 0.
func oneOfMany(f *rule.Facts) (only float64, n int64) {
	v, l, p := viewLoss(f), f.Labels, f.Predictions
	least, most, ok := span(l)
	if !ok || p == nil || least != most || l.Elements < leastLabels || p.Steps < 3 || !v.alone || !v.raw() || v.loss != "cross_entropy" || !classNumbers(f) || lossClasses(p) < 3 || scoresSingly(f) {
		return 0, 0
	}
	return least, l.Elements
}

// scoresSingly reports whether the last layer of the network has one unit.
func scoresSingly(f *rule.Facts) bool {
	path := lastModule(f, weightedKinds, nil)
	return path != "" && f.Parameters != nil && slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool {
		return p.Module == path && !p.Bias && len(p.Shape) > 1 && p.Shape[0] == 1
	})
}

// oneOfTwo gives the only label that a classifier of two classes was shown, and
// how often. Whoever compares pairs has labels that are all alike; what that
// loss gets does not come from a layer.
func oneOfTwo(f *rule.Facts) (only float64, n int64) {
	v, l, p := viewLoss(f), f.Labels, f.Predictions
	least, most, ok := span(l)
	if !ok || p == nil || least != most || least != 0 && least != 1 || l.Elements < leastOfTwo || p.Steps < 5 || !v.alone {
		return 0, 0
	}
	single := len(p.Shape) == 1 || len(p.Shape) == 2 && p.Shape[1] == 1
	switch {
	case v.loss == "binary_cross_entropy_with_logits" && (v.raw() || dotProduct(&v)) && single:
	case v.loss == "binary_cross_entropy" && slices.Equal(v.acts, []string{"sigmoid"}) && single:
	case v.loss == "cross_entropy" && v.raw() && classNumbers(f) && lossClasses(p) == 2:
	default:
		return 0, 0
	}
	return least, l.Elements
}

// dotProduct reports whether predictions are products of embeddings, each of which is
// looked up once: whoever compares a pair looks one of them up twice.
func dotProduct(v *lossView) bool {
	if !v.seen || v.layer != "embedding" || !onlyOps(v.acts, []string{"add", "sum", "mul", "view"}) || !slices.Contains(v.acts, "sum") || v.facts.Network == nil {
		return false
	}
	return !slices.ContainsFunc(v.facts.Network.Modules, func(m rule.ModuleFacts) bool { return m.Kind == record.EmbeddingModule && m.Calls != 1 })
}

// Select adds the losses to the facts.
func (r *fit) Select() []rule.Selector { return []rule.Selector{{Collections: []string{"losses"}}} }

// Step follows the loss.
func (r *fit) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	w := &r.waits
	x, ok := w.Curve.step(v.ModeStep, v.Scalars(0))
	if !ok {
		return
	}
	// Facts come after the first steps, so jumps are kept against a guess of two
	// classes until it is known how many there are.
	if n := w.Curve.N; n == 1 {
		w.Least = x
	} else if both := (x + w.Last) / 2; w.Least < sortedLow*both && both > w.Jump {
		w.Jump = both
	}
	w.Last, w.Least = x, min(w.Least, x)
	if w.Elements == 0 {
		return
	}
	if w.Curve.N == ofTwoLive || w.Classes > 2 && w.Curve.N == ofManyLive || w.Curve.N%8 == 0 && r.changes() {
		r.never(rep)
	}
}

// changes reports whether the loss was low for the one class that the first
// batches had, and then as high as it is when all samples are of another.
func (r *fit) changes() bool {
	w := &r.waits
	if w.Elements == 0 || w.Batch < sortedSize || !w.Curve.usable() {
		return false
	}
	guess := math.Log(float64(w.Classes))
	size := int64(sortedSize)
	if w.Classes == 2 { // one sample of a rare class may cost much
		size, guess = 2*size, 1.3*guess
	}
	return w.Batch >= size && w.Least < sortedLow*guess && w.Jump > sortedHigh*guess
}

// Finish judges a shorter job.
func (r *fit) Finish(rep *rule.Report) {
	if !rep.Cut {
		r.never(rep)
	}
}

// never reports one label of two when the loss falls towards 0 and never rises
// on the way: the first samples of another class would make it.
func (r *fit) never(rep *rule.Report) {
	w := &r.waits
	c := &w.Curve
	if w.Elements == 0 {
		return
	}
	if r.changes() {
		r.say(rep, sorted(rule.Violation{
			Check: "sorted", Subject: c.Name, Severity: rule.Warning, Observed: w.Jump, Threshold: sortedHigh * math.Log(float64(w.Classes)), Comparator: ">", Steps: int(c.N),
			Message: fmt.Sprintf("The data is sorted by class: all %s labels of the first steps are class %s, of %d. The %s fell to %s, then jumped to %s (mean of two steps). Each class overwrites the one before.",
				num(float64(w.Elements)), num(w.Only), w.Classes, called("loss", c.Name), num(w.Least), num(w.Jump)),
			Context: map[string]any{"label": w.Only, "labels": w.Elements, "least": w.Least, "jump": w.Jump},
		}))
		w.Elements = 0
		return
	}
	if w.Classes > 2 {
		v := rule.Violation{
			Check: "constant", Subject: cmp.Or(c.Name, "labels"), Severity: rule.Warning, Observed: float64(w.Elements), Threshold: leastLabels, Comparator: ">=", Steps: int(c.N),
			Cause:   "labels that are all equal",
			Remedy:  "check how labels are created; if the data is sorted by class, shuffle it",
			Message: fmt.Sprintf("All %s labels of the first steps are class %s, of %d: the model learns to predict only that class.", num(float64(w.Elements)), num(w.Only), w.Classes),
			Context: map[string]any{"label": w.Only, "labels": w.Elements},
		}
		if c.N >= ofManyLive { // more classes may come: sorted data are named first, because what helps them shows at once whether it is that
			v = sorted(v)
			v.Cause += ", or labels that are all equal"
		}
		r.say(rep, v)
		return
	}
	if !c.usable() || c.N < ofTwoSteps || c.share(0.75, 1) > learntOfTwo*c.begin() {
		return
	}
	lowest := c.Buckets[0].mean()
	for _, b := range c.Buckets {
		if b.mean() > max(ofTwoRise*lowest, noRise*c.begin()) {
			return
		}
		lowest = min(lowest, b.mean())
	}
	r.say(rep, rule.Violation{
		Check: "constant", Subject: c.Name, Severity: rule.Warning, Observed: float64(w.Elements), Threshold: leastOfTwo, Comparator: ">=", Steps: int(c.N),
		Cause:  "labels that are all equal, or data sorted by class",
		Remedy: "check how labels are created; if the data is sorted by class, shuffle it",
		Message: fmt.Sprintf("All %s labels of the first steps are %s, of two, and in %d steps the %s fell from %s to %s without rising once: the other class never occurs, so the model learns to predict only one.",
			num(float64(w.Elements)), num(w.Only), c.N, called("loss", c.Name), c.began(), c.quarter()),
		Context: map[string]any{"label": w.Only, "labels": w.Elements, "first": c.begin(), "last_mean": c.share(0.75, 1)},
	})
}

// fitState is what is kept of the rule.
type fitState struct {
	Said  map[string]bool `json:"said"`
	Waits any             `json:"waits"`
}

func (r *fit) Save() ([]byte, error) { return save(fitState{r.said, &r.waits}) }

// Restore takes back what was said and what is waited for.
func (r *fit) Restore(b []byte) error {
	s := fitState{Waits: &r.waits}
	if err := restore(b, &s); err != nil {
		return err
	}
	if s.Said == nil {
		s.Said = map[string]bool{}
	}
	r.said = s.Said
	return nil
}
