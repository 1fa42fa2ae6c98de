package builtin

import "github.com/vigil-ml/vigil/rule"

// settingDoubts are settings that seldom serve, and the loss that shows whether they do:
// what a momentum is worth depends on the rate and on the gradients.
type settingDoubts struct {
	List  []rule.Violation `json:"list,omitempty"`
	Curve lossCurve        `json:"curve"`
}

const (
	doubtRisen = 50  // updates after which a loss that rises tells
	doubtFlat  = 200 // the same of one that does not fall
	doubtLeast = 10  // updates of a job that tells anything at its end
	// doubtExploded is what the loss has grown to, in units of its first level.
	doubtExploded = 2
	gainLost      = 0.5 // of what the loss had come down by
)

func (d *settingDoubts) add(v rule.Violation) { d.List = append(d.List, v) }

// harm reports whether the loss is in trouble.
func (d *settingDoubts) harm(ended bool) bool {
	c := &d.Curve
	if !c.usable() {
		return c.N > 0 || ended // nothing tells that it serves
	}
	first, last := c.ends()
	switch {
	case ended && c.N >= doubtLeast, c.N >= doubtFlat && c.N%100 == 0:
	case c.N >= doubtRisen && c.N%doubtRisen == 0:
		return fell(last, first)
	case c.N >= doubtLeast: // an explosion, before other rules blame the learning rate for it
		return mean(c.tail(5)) > doubtExploded*c.begin()
	default:
		return false
	}
	best, _ := c.lowest(max(1, c.N/10))
	return !fell(first, last) || mean(last)-best > gainLost*(c.begin()-best)
}

// settingsState is what optimiser_settings keeps.
type settingsState struct {
	Said   map[string]bool `json:"said"`
	Doubts settingDoubts   `json:"doubts"`
}

// Select implements rule.Rule.
func (r *settings) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}}
}

// Save implements rule.Rule.
func (r *settings) Save() ([]byte, error) { return save(&settingsState{r.said, r.doubts}) }

// Restore implements rule.Rule.
func (r *settings) Restore(b []byte) error {
	s := settingsState{}
	if err := restore(b, &s); err != nil {
		return err
	}
	if r.told, r.doubts = newTold(), s.Doubts; s.Said != nil {
		r.said = s.Said
	}
	return nil
}

// Step implements rule.Rule.
func (r *settings) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	if _, ok := r.doubts.Curve.step(v.ModeStep, v.Scalars(0)); ok {
		r.tell(false, rep)
	}
}

// Finish implements rule.Rule.
func (r *settings) Finish(rep *rule.Report) { r.tell(true, rep) }

func (r *settings) tell(ended bool, rep *rule.Report) {
	if len(r.doubts.List) == 0 || !r.doubts.harm(ended) {
		return
	}
	for _, v := range r.doubts.List {
		r.say(rep, v)
	}
}
