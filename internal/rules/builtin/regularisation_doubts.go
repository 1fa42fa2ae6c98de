package builtin

import "github.com/vigil-ml/vigil/rule"

// strongDoubts are dropout and decay that are stronger than what most people use, and the
// loss that shows whether the training bears them.
type strongDoubts struct {
	List  []rule.Violation `json:"list,omitempty"`
	Curve lossCurve        `json:"curve"`
	Bears bool             `json:"bears,omitempty"` // the loss has come far down in spite of them
}

const (
	strongUpdates = 200 // after which the loss tells
	strongLeft    = 0.5 // of the loss at the beginning: what is left of it where a training bears them
)

func (d *strongDoubts) add(v rule.Violation) { d.List = append(d.List, v) }

// harm reports whether it is time to say what is doubted: the loss has not come far down.
func (d *strongDoubts) harm(ended bool) bool {
	c := &d.Curve
	if !c.usable() {
		return c.N > 0 || ended // nothing tells that it learns
	}
	if d.Bears || c.N < strongUpdates && !ended {
		return false
	}
	_, last := c.ends()
	d.Bears = mean(last) < strongLeft*c.begin()
	return !d.Bears
}

// regularState is what regularisation keeps.
type regularState struct {
	Said   map[string]bool `json:"said"`
	Doubts strongDoubts    `json:"doubts"`
}

// Select implements rule.Rule.
func (r *regular) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}}
}

// Save implements rule.Rule.
func (r *regular) Save() ([]byte, error) { return save(&regularState{r.said, r.doubts}) }

// Restore implements rule.Rule.
func (r *regular) Restore(b []byte) error {
	s := regularState{}
	if err := restore(b, &s); err != nil {
		return err
	}
	if r.told, r.doubts = newTold(), s.Doubts; s.Said != nil {
		r.said = s.Said
	}
	return nil
}

// Step implements rule.Rule.
func (r *regular) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if _, ok := r.doubts.Curve.step(v.ModeStep, v.Scalars(0)); ok {
		r.tell(false, rep)
	}
}

// Finish implements rule.Rule.
func (r *regular) Finish(rep *rule.Report) { r.tell(true, rep) }

func (r *regular) tell(ended bool, rep *rule.Report) {
	if len(r.doubts.List) == 0 || !r.doubts.harm(ended) {
		return
	}
	for _, v := range r.doubts.List {
		r.say(rep, v)
	}
}
