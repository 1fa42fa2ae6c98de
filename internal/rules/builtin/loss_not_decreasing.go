package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// lossNotDecreasing compares a loss with its own value some steps before. In
// the default set (plateau_steps > 0) it looks instead for a training that
// never began: see plateau.
var lossNotDecreasing = rule.Definition{
	Name: "loss_not_decreasing", Class: "LossNotDecreasing", Family: rule.Tensors, Severity: rule.Warning,
	Summary: "The loss does not decrease fast enough over a span of steps.",
	Why:     "Typical of a wrong learning rate, a wrong loss, or exploding or vanishing gradients; or training has converged.",
	Parameters: slices.Concat(
		[]rule.Parameter{
			{Name: "collection_names", Type: rule.List, Optional: true, Meaning: "collections with losses"},
			{Name: "tensor_regex", Type: rule.List, Optional: true, Meaning: "patterns of losses"},
			{Name: "use_losses_collection", Type: rule.Bool, Default: "True", Meaning: "also look at the collection losses"},
			{Name: "num_steps", Type: rule.Int, Default: "10", Range: rule.AtLeast(1), Unit: "mode steps", Formerly: []string{"nym_steps"}, Meaning: "distance of the comparison, and least distance between evaluations"},
		},
		lossNotFalling.Parameters, lossIncreased.Parameters,
		[]rule.Parameter{
			{Name: "mode", Type: rule.String, Default: "AUTO", Choices: []string{"AUTO", "EVAL", "TRAIN", "GLOBAL", "PREDICT"}, Meaning: "series to use; AUTO: the first of EVAL, TRAIN, GLOBAL that has the loss"},
			everyFixed("500"),
			{Name: "plateau_steps", Type: rule.Int, Default: "0", Range: rule.AtLeast(0), Unit: "mode steps", Meaning: "when above 0, judge instead whether the loss has been flat since the start for this many steps while the weights hardly change"},
		},
		tinyUpdates.Parameters,
	),
	Checks:     slices.Concat(rule.Index(spanChecks), rule.Index(plateauChecks), rule.Index(aloneChecks)),
	CauseClass: "learning-rate",
	Lacks:      "no loss was captured",
	Causes:     []string{"a learning rate that is too high or too low", "a wrong loss, or shuffled labels", "vanishing or exploding gradients", "training has converged"},
	Remedies:   []string{"change the learning rate", "check the gradients (vanishing_gradient, exploding_tensor)", "if it has converged, stop early"},
	Explains:   []string{"unchanged_tensor"},
	// A loss that runs away leaps on its way.
	ExplainsAlwaysBy: map[string][]string{"rises": {"loss_spike"}},
	Default: &rule.Preset{
		Params: map[string]string{"plateau_steps": "200", "every": "1"},
		Why: "A loss that stays flat is healthy at the end of a training, in a GAN, with a noisy batch, and often in the beginning. So the loss must never have fallen beyond its own noise " +
			"(three standard errors, half a per cent) since the first 50 steps, for 200 steps, and besides no weight may have moved by more than 2e-5 of its size in any 50 steps: " +
			"that is 4e-7 a step, about what a 32-bit weight loses to rounding. A run that is resumed at the floor of its loss looks the same but for two signs, which are required too: the gradients are not small " +
			"against the weights, and the weights drift one way (after 200 steps they are 3.1 times as far as after 50) instead of trembling, or stay flat to the last bit. " +
			"A loss that comes without gradients, as a script logs it by itself, is judged by its own course at the end of the job or after 1,000 steps: it must never have fallen, neither on the whole (two standard errors) nor on the way nor from its first values, " +
			"and its noise must be so small that a fall by 15 % would show.",
	},
	Needs: func(p rule.Params) []rule.Need {
		if p.Int("plateau_steps") > 0 {
			return plateauNeeds()
		}
		return []rule.Need{{Selector: lossSelector(p), Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		if p.Int("plateau_steps") > 0 {
			return newPlateau(p), nil
		}
		r := &lossDecrease{params: p, sel: lossSelector(p), span: p.Int("num_steps"), every: p.Int("every")}
		if m := p.String("mode"); m != "AUTO" {
			if err := r.mode.UnmarshalText([]byte(m)); err != nil {
				return nil, err
			}
			r.fixed = true
		}
		if len(r.sel.Collections)+len(r.sel.Regex) == 0 {
			r.sel, r.everything = rule.Everything(), true
		}
		r.state.Series = map[string]*lossHistory{}
		return r, nil
	},
}

func lossSelector(p rule.Params) rule.Selector {
	s := rule.Selector{Collections: slices.Clone(p.List("collection_names")), Regex: p.List("tensor_regex")}
	if p.Bool("use_losses_collection") && !slices.Contains(s.Collections, "losses") {
		s.Collections = append(s.Collections, "losses")
	}
	return s
}

type lossDecrease struct {
	params     rule.Params
	sel        rule.Selector
	everything bool
	mode       rule.Mode
	fixed      bool // mode is what the user asked for
	span       int64
	every      int64
	state      struct {
		Series map[string]*lossHistory `json:"series"` // by mode and name
	}
}

// lossHistory is one loss in one mode.
type lossHistory struct {
	Points    []lossPoint `json:"points"` // back to the partner of the next evaluation, and for the evidence
	Evaluated int64       `json:"evaluated"`
	Begun     bool        `json:"begun"` // there was an evaluation
	Streak    int         `json:"streak"`
}

// lossPoint is a loss of all workers at one step of its mode.
type lossPoint struct {
	Step   int64         `json:"step"`
	Worker []string      `json:"worker"`
	Value  []rule.Number `json:"value"`
}

func (r *lossDecrease) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *lossDecrease) Finish(*rule.Report)     {}
func (r *lossDecrease) Save() ([]byte, error)   { return save(&r.state) }
func (r *lossDecrease) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *lossDecrease) Step(v *rule.View, rep *rule.Report) {
	if r.everything {
		rep.Note(noSelector)
	}
	global := r.fixed && r.mode == rule.Global
	mode, step := v.Mode, v.ModeStep
	if global {
		mode, step = rule.Global, v.Step // all modes mixed, in global order
	}
	if (r.fixed && mode != r.mode) || !onInterval(step, r.every) {
		return
	}
	items := v.Scalars(0)
	for i := 0; i < len(items); {
		name, p := items[i].Info.Name, lossPoint{Step: step}
		for ; i < len(items) && items[i].Info.Name == name; i++ {
			p.Worker, p.Value = append(p.Worker, items[i].Worker), append(p.Value, rule.Number(items[i].Value))
		}
		r.add(mode, name, p, v, rep)
	}
	r.vectors(mode, step, v, rep)
}

// vectors takes losses that come one for each sample, by their mean.
func (r *lossDecrease) vectors(mode rule.Mode, step int64, v *rule.View, rep *rule.Report) {
	points := map[string]*lossPoint{}
	var order []string
	for _, it := range v.Tensors(0) {
		if it.Stats == nil || it.Info.Kind != rule.Loss || it.Stats.Count == 0 {
			continue
		}
		name := it.Info.Name
		if points[name] == nil {
			points[name] = &lossPoint{Step: step}
			order = append(order, name)
		}
		points[name].Worker, points[name].Value = append(points[name].Worker, it.Worker), append(points[name].Value, rule.Number(it.Stats.MeanValue()))
		rep.Note(fmt.Sprintf("%s has several values; its mean is judged", name))
	}
	for _, name := range order {
		r.add(mode, name, *points[name], v, rep)
	}
}

func (r *lossDecrease) add(mode rule.Mode, name string, p lossPoint, v *rule.View, rep *rule.Report) {
	k := mode.String() + " " + name
	h := r.state.Series[k]
	if h == nil {
		h = &lossHistory{}
		r.state.Series[k] = h
	}
	h.Points = append(h.Points, p)
	if r.chosen(mode, name) {
		r.evaluate(h, mode, name, v, rep)
	}
	h.trim(p.Step - r.span)
}

// chosen reports whether the mode is the one to judge the loss by: the first of
// EVAL, TRAIN, GLOBAL in which it was seen so far.
func (r *lossDecrease) chosen(mode rule.Mode, name string) bool {
	if r.fixed {
		return true
	}
	for _, m := range []rule.Mode{rule.Eval, rule.Train, rule.Global} {
		if r.state.Series[m.String()+" "+name] != nil {
			return m == mode
		}
	}
	return false
}

func (r *lossDecrease) evaluate(h *lossHistory, mode rule.Mode, name string, v *rule.View, rep *rule.Report) {
	now := h.Points[len(h.Points)-1]
	if h.Begun && now.Step < h.Evaluated+r.span {
		return
	}
	var then *lossPoint
	for i := len(h.Points) - 2; i >= 0; i-- {
		if h.Points[i].Step <= now.Step-r.span {
			then = &h.Points[i]
			break
		}
	}
	if then == nil {
		return
	}
	h.Evaluated, h.Begun = now.Step, true
	rep.Inspect(1)
	found := rule.First(spanChecks, &lossSpan{
		Name: name, Mode: mode, From: then.Step, To: now.Step, Before: then.mean(now.Worker), Now: now.mean(then.Worker),
		Last: h.last(20), Streak: h.Streak + 1,
	}, r.params)
	if len(found) == 0 {
		h.Streak = 0
		return
	}
	h.Streak++
	for _, v := range found {
		rep.Violate(v)
	}
}

// mean averages over those of the workers that are among others (nil: all);
// when there is no such worker, over all.
func (p *lossPoint) mean(others []string) float64 {
	sum, n := 0.0, 0
	for i, w := range p.Worker {
		if others == nil || slices.Contains(others, w) {
			sum += float64(p.Value[i])
			n++
		}
	}
	if n == 0 {
		return p.mean(nil)
	}
	return sum / float64(n)
}

func (h *lossHistory) last(n int) []float64 {
	var out []float64
	for i := max(0, len(h.Points)-n); i < len(h.Points); i++ {
		out = append(out, h.Points[i].mean(nil))
	}
	return out
}

// trim drops points that no evaluation and no evidence will need: all before
// the newest one at or below the limit, but for the last 20.
func (h *lossHistory) trim(limit int64) {
	if len(h.Points) < 64 {
		return
	}
	keep := 0
	for i := range h.Points {
		if h.Points[i].Step <= limit {
			keep = i
		}
	}
	keep = min(keep, len(h.Points)-20)
	if keep > len(h.Points)/2 || keep > 1000 {
		h.Points = append(h.Points[:0], h.Points[keep:]...)
	}
}
