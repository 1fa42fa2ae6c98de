package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// openEnd is after how many updates blocks that are frozen from the first layer
// on count as frozen for good, when the job goes on that long.
const openEnd = 3000

// frozenStack is a run of blocks that nobody trains and nobody has trained.
type frozenStack struct {
	Blocks  []string      `json:"blocks"`
	Alike   string        `json:"alike"` // a block that is built like them, and trained; "" when none is
	Layers  []string      `json:"layers"`
	Of      int           `json:"of"`
	Updates int64         `json:"updates"`
	Weights []string      `json:"weights"`
	First   []rule.Number `json:"first"` // mean magnitude of each where it was seen first, 0 before
	Thawed  bool          `json:"thawed"`
}

// stackOf finds blocks before a block that is built alike and trained, all of
// whose values are as an initialiser left them: freezing the lower layers makes
// sense when they were trained before. Layers that are random for a reason are
// no blocks of the stack that is trained, and copies of a network (targets,
// teachers) are next to it, not before it.
func stackOf(f *rule.Facts, units []unit) *frozenStack {
	last := slices.IndexFunc(units, func(u unit) bool { return !u.trained })
	if last < 0 || !units[len(units)-1].trained {
		return nil
	}
	s := &frozenStack{Of: len(units), Updates: updates(f)}
	for i, u := range units {
		if u.trained || slices.ContainsFunc(s.Blocks, func(b string) bool { return within(u.path, b) }) {
			continue
		}
		if u.weight.Changed || meantToStay(u.path) || hasTrainedCompany(f, u.layer) || age([]*rule.ParameterFact{u.weight}) == worn {
			return nil
		}
		block, alike := blockBefore(f, units, i)
		if block == "" {
			continue
		}
		s.Blocks = append(s.Blocks, block)
		s.Alike = alike
	}
	for _, u := range units {
		if !u.trained {
			s.Layers = append(s.Layers, u.name())
			s.Weights = append(s.Weights, u.weight.Name)
		}
	}
	s.First = make([]rule.Number, len(s.Weights))
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

// blockBefore finds the largest block around a frozen layer that is fresh and
// has a trained one after it that is built alike.
func blockBefore(f *rule.Facts, units []unit, at int) (block, alike string) {
	for path := units[at].path; path != "" && frozenWhole(f, path); path = parentOf(path) {
		_, after := builtAlike(f, path)
		if after == "" || meantToStay(path) || !freshBlock(f, path) || !leadsTo(units, path, after) {
			continue
		}
		block, alike = path, after
	}
	return block, alike
}

// freshBlock reports whether a module has several layers, all as they were
// initialised: scales of normalisation say so, or many weights within the limits
// of the usual initialiser.
func freshBlock(f *rule.Facts, path string) bool {
	var ps []*rule.ParameterFact
	var modules []string
	norm, even, n := false, true, int64(0)
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if !within(p.Module, path) {
			continue
		}
		ps = append(ps, p)
		if !slices.Contains(modules, p.Module) {
			modules = append(modules, p.Module)
		}
		switch {
		case p.Kind == record.NormModule:
			norm = norm || !p.Bias && p.First != nil && p.First.Mean == 1
		case mixing(p) && !p.Bias:
			even = even && untouched(p)
			n += elementsOf(p.Shape)
		}
	}
	return len(modules) > 1 && n > 0 && age(ps) == fresh && (norm || even && n >= leastNeck)
}

// leadsTo reports whether a block can be followed by another one, and is not the
// same network next to it.
func leadsTo(units []unit, block, after string) bool {
	var first, last, next, following *unit
	for i := range units {
		u := &units[i]
		switch {
		case within(u.path, block):
			if first == nil {
				first = u
			}
			last, following = u, nil
		case within(u.path, after) && next == nil:
			next = u
		}
		if last != nil && following == nil && u != last {
			following = u
		}
	}
	if first == nil || next == nil || len(next.weight.Shape) < 2 {
		return false
	}
	a, b := first.weight.First, next.weight.First
	if a != nil && b != nil && a.Std == b.Std && a.Mean == b.Mean {
		return false // a copy
	}
	if first.module == nil || next.module == nil || first.module.Order > next.module.Order {
		return false
	}
	if x, y := first.module.Input, next.module.Input; x != nil && y != nil && sameNumbers(x.Values, y.Values) {
		return false // next to it
	}
	return strings.Contains(block, ".") || len(following.weight.Shape) > 1 && last.units() == following.weight.Shape[1]
}

// stackBetween reports a stack after a layer that is trained: nobody thaws from
// below. Blocks of which none is trained are watched to the end.
func (r *updating) stackBetween(f *rule.Facts, units []unit, rep *rule.Report) {
	if s := stackOf(f, units); s != nil {
		r.saysStack(s, updates(f), rep)
	} else if r.stack == nil {
		r.stack = randomBlocks(f, units)
	}
}

// saysStack reports a stack.
func (r *updating) saysStack(s *frozenStack, steps int64, rep *rule.Report) {
	while := fmt.Sprintf("%s, which has the same structure and comes after it, is trained", s.Alike)
	if s.Alike == "" {
		while = "what comes before and the head are trained"
	}
	r.say(rep, rule.Violation{
		Check: "frozen_stack", Subject: s.Blocks[0], Observed: float64(len(s.Layers)), Threshold: 0, Comparator: ">", Steps: int(steps),
		Cause:  "requires_grad was turned off for blocks that were never trained: no pretrained weights were loaded, or the code that unfreezes them does not match their names",
		Remedy: "load pretrained weights before freezing, or call requires_grad_(True) on the blocks; compare the names to unfreeze with named_parameters()",
		Message: fmt.Sprintf("%s frozen (requires_grad=False) at random initial values, while %s (%d of %d layers are frozen, over %d updates). Load pretrained weights or train them.",
			these(s.Blocks, "is", "are"), while, len(s.Layers), s.Of, steps),
		Context: map[string]any{"blocks": s.Blocks, "layers": s.Layers[:min(len(s.Layers), 20)], "of": s.Of},
	})
}

// Select implements rule.Rule: blocks that are frozen from the first layer on may
// be thawed one after the other, so that their weights are watched to the end.
func (*updating) Select() []rule.Selector { return []rule.Selector{{Collections: []string{"weights"}}} }

// Step looks whether weights that began frozen have moved.
func (r *updating) Step(v *rule.View, rep *rule.Report) {
	s := r.stack
	if s == nil || s.Thawed || !training(v.Mode) {
		return
	}
	for _, it := range v.Tensors(0) {
		i := slices.Index(s.Weights, it.Info.Name)
		if i < 0 || it.Stats == nil || it.Stats.Count == 0 {
			continue
		}
		x := rule.Number(it.Stats.AbsMean())
		if s.First[i] == 0 {
			s.First[i] = x
		}
		if !it.Info.Frozen || s.First[i] != x {
			s.Thawed = true
			return
		}
	}
	s.Updates = max(s.Updates, v.ModeStep+1)
	if s.Updates == openEnd {
		r.saysStack(s, s.Updates, rep)
	}
}

// Finish tells of blocks that were frozen to the end.
func (r *updating) Finish(rep *rule.Report) {
	if s := r.stack; s != nil && !s.Thawed && !rep.Cut && s.Updates >= leastFrozen && slices.ContainsFunc(s.First, func(x rule.Number) bool { return x > 0 }) {
		r.saysStack(s, s.Updates, rep)
	}
}

// leastFrozen is how many updates a job has to have for what it thaws in the end.
const leastFrozen = 60

// Save and Restore keep the stack besides what was said.
func (r *updating) Save() ([]byte, error) {
	return save(&updatingState{Said: r.said, Stack: r.stack})
}

// Restore takes both back.
func (r *updating) Restore(b []byte) error {
	var s updatingState
	if err := restore(b, &s); err != nil {
		return err
	}
	r.said, r.stack = s.Said, s.Stack
	if r.said == nil {
		r.said = map[string]bool{}
	}
	return nil
}

type updatingState struct {
	Said  map[string]bool `json:"said"`
	Stack *frozenStack    `json:"stack,omitempty"`
}
