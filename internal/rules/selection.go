package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/rule"
)

// selection is a selector with its patterns compiled and its verdict on every
// tensor remembered, so that a step costs one look-up in a slice per tensor.
type selection struct {
	sel   rule.Selector
	res   []*pyre.Regexp
	names map[string]bool
	parts []string // how to name each collection, regex, name and type list
	hits  []int    // tensors that each part selected
	match []int8   // by tensor id: 0 not asked yet, 1 selected, -1 not
	err   error    // a pattern that could not be decided

	picked [2]pick // tensors and scalars of the step at hand
}

// pick is what a selector selected of one step; it is made when first asked
// for, and all configurations with that selector see the same.
type pick struct {
	step  int64 // of the frame's count
	items []rule.Item
}

// The two kinds of items.
const (
	tensorItems = iota
	scalarItems
)

// items gives what is selected of the step in the frame.
func (s *selection) items(kind int, f *frame, t *tensors) []rule.Item {
	p := &s.picked[kind]
	if p.step != f.count {
		s.pick(p, kind, f, t)
	}
	return slices.Clip(p.items)
}

func (s *selection) pick(p *pick, kind int, f *frame, t *tensors) {
	cells := f.tensors
	if kind == scalarItems {
		cells = f.scalars
	}
	out := p.items[:0]
	for n := range cells {
		c := &cells[n]
		var known int8
		if int(c.id) < len(s.match) {
			known = s.match[c.id]
		}
		if known == selected || known == 0 && s.has(c.id, t) {
			out = append(out, c.item)
		}
	}
	p.step, p.items = f.count, out
}

const (
	selected = 1
	passed   = -1
)

func newSelection(sel rule.Selector) (*selection, error) {
	s := &selection{sel: sel, names: map[string]bool{}}
	for _, c := range sel.Collections {
		s.parts = append(s.parts, fmt.Sprintf("collection %q", c))
	}
	for _, p := range sel.Regex {
		re, err := pyre.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("select tensors: %w", err)
		}
		s.res = append(s.res, re)
		s.parts = append(s.parts, fmt.Sprintf("pattern %q", p))
	}
	for _, n := range sel.Names {
		s.names[n] = true
	}
	s.hits = make([]int, len(s.parts))
	return s, nil
}

// forget drops what is known of the tensor, because its description changed.
func (s *selection) forget(id int32) {
	if int(id) < len(s.match) {
		s.match[id] = 0
	}
}

// has answers from memory, or asks.
func (s *selection) has(id int32, t *tensors) bool {
	if int(id) >= len(s.match) {
		s.match = append(s.match, make([]int8, len(t.infos)-len(s.match))...)
	}
	if s.match[id] == 0 {
		s.match[id] = passed
		if s.judge(t.infos[id], t) {
			s.match[id] = selected
		}
	}
	return s.match[id] == selected
}

// judge decides for one tensor. Another name of values that are selected
// under their first name is passed over: the same values are judged once.
func (s *selection) judge(info *rule.TensorInfo, t *tensors) bool {
	if !s.wants(info, s.hits) {
		return false
	}
	if info.AliasOf != "" && info.AliasOf != info.Name {
		if id, known := t.ids[info.AliasOf]; known && s.wants(t.infos[id], nil) {
			return false
		}
	}
	return true
}

// wants reports whether any part of the selector names the tensor; hits, unless
// nil, counts the parts that do.
func (s *selection) wants(info *rule.TensorInfo, hits []int) bool {
	found := false
	hit := func(part int) {
		found = true
		if hits != nil {
			hits[part]++
		}
	}
	for i, c := range s.sel.Collections {
		if inCollection(info, c) {
			hit(i)
		}
	}
	for i, re := range s.res {
		// For rules on activations a gradient is no activation, whatever
		// its name contains, unless the pattern asks for gradients.
		if s.sel.Side != "" && strings.HasPrefix(info.Name, "gradient") && !strings.HasPrefix(strings.TrimPrefix(s.sel.Regex[i], "^"), "gradient") {
			continue
		}
		if s.sel.Regex[i] == ".*" && info.Kind != rule.State {
			hit(len(s.sel.Collections) + i)
		} else if ok, err := re.Search(info.Name); err != nil {
			s.tooDear(s.sel.Regex[i], info.Name)
		} else if ok && (info.Kind != rule.State || plan.MeansState(info.Name, func(n string) bool { ok, _ := re.Search(n); return ok })) {
			hit(len(s.sel.Collections) + i)
		}
	}
	if s.names[info.Name] {
		found = true
	}
	if len(s.sel.ModuleTypes) > 0 && info.Kind == s.sel.Side && slices.Contains(s.sel.ModuleTypes, info.ModuleType) {
		found = true
	}
	return found
}

// tooDear notes a pattern that gave up at the step limit: what it was to select
// is not known, so whoever relies on it cannot judge.
func (s *selection) tooDear(pattern, name string) {
	if s.err == nil {
		s.err = fmt.Errorf("select tensors: pattern %q takes more than %d steps on %q; avoid nested repetitions", pattern, pyre.MaxSteps, name)
	}
}

// idle names the collections and patterns that selected nothing so far.
func (s *selection) idle(t *tensors) []string {
	for id := range t.infos {
		s.has(int32(id), t)
	}
	var out []string
	for i, n := range s.hits {
		if n == 0 {
			out = append(out, s.parts[i])
		}
	}
	return out
}

// inCollection goes by the collections that the plan has written down; the
// four that stand for a kind of tensor hold also what has that kind.
func inCollection(info *rule.TensorInfo, name string) bool {
	if slices.Contains(info.Collections, name) {
		return true
	}
	switch name {
	case "all":
		return true
	case "gradients":
		return info.Kind == rule.Gradient
	case "weights":
		return info.Kind == rule.Weight
	case "biases":
		return info.Kind == rule.Bias
	case "losses":
		return info.Kind == rule.Loss
	}
	return false
}
