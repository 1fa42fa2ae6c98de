package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// fit is labelsFit: what the facts show is told at once. Two classes of which the
// first steps show one may be a rare class, so the loss has to show it as well.
type fit struct {
	told
	waits struct {
		Only     float64   `json:"only"`     // the label that all samples had
		Elements int64     `json:"elements"` // of these; 0: there is nothing to wait for
		Curve    lossCurve `json:"curve"`
	}
}

// Facts implements rule.FactReader.
func (r *fit) Facts(f *rule.Facts, rep *rule.Report) {
	rep.Inspect(1)
	found := judgeLabels(f)
	for _, v := range found {
		r.say(rep, v)
	}
	r.waits.Only, r.waits.Elements = 0, 0
	if only, n := oneOfTwo(f); len(found) == 0 {
		r.waits.Only, r.waits.Elements = only, n
	}
}

const (
	leastOfTwo  = 128  // labels of one of two classes that are looked at
	ofTwoSteps  = 100  // least length of a training whose loss shows it
	ofTwoLive   = 1000 // steps after which the verdict does not wait for the end
	learntOfTwo = 0.1  // share of the first loss that is left
	ofTwoRise   = 1.5  // how far above the least so far the loss may lie
)

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
	case v.loss == "binary_cross_entropy_with_logits" && v.raw() && single:
	case v.loss == "binary_cross_entropy" && slices.Equal(v.acts, []string{"sigmoid"}) && single:
	case v.loss == "cross_entropy" && v.raw() && classNumbers(f) && lossClasses(p) == 2:
	default:
		return 0, 0
	}
	return least, l.Elements
}

// Select adds the losses to the facts.
func (r *fit) Select() []rule.Selector { return []rule.Selector{{Collections: []string{"losses"}}} }

// Step follows the loss.
func (r *fit) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if _, ok := r.waits.Curve.step(v.Scalars(0)); ok && r.waits.Curve.N == ofTwoLive {
		r.never(rep)
	}
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
	if w.Elements == 0 || c.N < ofTwoSteps || !c.usable() || c.share(0.75, 1) > learntOfTwo*c.begin() {
		return
	}
	lowest := c.Buckets[0].mean()
	for _, b := range c.Buckets {
		if b.mean() > ofTwoRise*lowest {
			return
		}
		lowest = min(lowest, b.mean())
	}
	r.say(rep, rule.Violation{
		Check: "constant", Subject: c.Name, Severity: rule.Warning, Observed: float64(w.Elements), Threshold: leastOfTwo, Comparator: ">=", Steps: int(c.N),
		Cause:  "labels that are all the same, or data that are sorted by class",
		Remedy: "look at how labels are made; if the data are sorted by class, shuffle them",
		Message: fmt.Sprintf("All %s labels of the first steps are %s, of two, and in %d steps the %s fell from %s to %s without ever rising, as it would at the first sample of the other class: the model learns to say that and nothing else.",
			num(float64(w.Elements)), num(w.Only), c.N, called("loss", c.Name), num(c.begin()), num(c.share(0.75, 1))),
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
