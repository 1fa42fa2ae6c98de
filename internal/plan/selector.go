package plan

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
)

// pattern is a regular expression that counts its matches, so that one that
// selects nothing can be named.
type pattern struct {
	re      *pyre.Regexp
	hits    atomic.Int64
	limited atomic.Int64 // searches given up at the step limit
}

func (p *pattern) found(name string) bool {
	ok, err := p.re.Search(name)
	if err != nil {
		p.limited.Add(1)
	}
	return ok
}

// selector is a compiled Selector.
type selector struct {
	names       map[string]*atomic.Int64
	patterns    []*pattern
	types       []string
	side        record.Kind
	kinds       []record.Kind
	root        bool
	collections []string
}

func newSelector(s Selector) (*selector, error) {
	c := &selector{types: s.ModuleTypes, side: s.Side, kinds: s.Kinds, root: s.Root, collections: s.Collections, names: map[string]*atomic.Int64{}}
	if (len(s.ModuleTypes) > 0 || s.Root) && s.Side != record.Input && s.Side != record.Output {
		return nil, fmt.Errorf("select by module: side %q is neither input nor output", s.Side)
	}
	for _, n := range s.Names {
		c.names[n] = new(atomic.Int64)
	}
	for _, r := range s.Regex {
		re, err := pyre.Compile(r)
		if err != nil {
			return nil, err
		}
		c.patterns = append(c.patterns, &pattern{re: re})
	}
	return c, nil
}

// has leaves collections to the plan. Every pattern is asked, for the counts.
func (c *selector) has(t *record.TensorInfo) bool {
	yes := slices.Contains(c.kinds, t.Kind)
	if c.side != "" && side(t.Kind) == c.side {
		yes = yes || slices.Contains(c.types, t.ModuleType) || c.root && t.Module == ""
	}
	if n := c.names[t.Name]; n != nil {
		n.Add(1)
		yes = true
	}
	for _, p := range c.patterns {
		if p.found(t.Name) && (t.Kind != record.State || MeansState(t.Name, p.found)) {
			p.hits.Add(1)
			yes = true
		}
	}
	return yes
}

// Matcher compiles the selector and gives what reports whether it selects a
// tensor by name, pattern, kind or module; collections that it names are not
// looked into.
func (s Selector) Matcher() (func(record.TensorInfo) bool, error) {
	c, err := newSelector(s)
	if err != nil {
		return nil, err
	}
	return func(t record.TensorInfo) bool { return c.has(&t) }, nil
}

// side is the side of its module that a tensor of a kind is on: what a loss was
// given is an input.
func side(k record.Kind) record.Kind {
	if k == record.Label || k == record.Prediction {
		return record.Input
	}
	return k
}

// hasRole reports whether tensors of a kind are selected as such.
func (c *selector) hasRole(kind record.Kind) bool { return slices.Contains(c.kinds, kind) }

func (c *selector) sides(m *module) (input, output bool) {
	input = slices.Contains(c.kinds, record.Input) || c.wants(record.Input, m)
	output = slices.Contains(c.kinds, record.Output) || c.wants(record.Output, m)
	return input, output
}

func (c *selector) wants(side record.Kind, m *module) bool {
	if c.side == side && (slices.Contains(c.types, m.typ) || c.root && m.path == "") {
		return true
	}
	for n := range c.names {
		if m.named(side, n) {
			return true
		}
	}
	for _, p := range c.patterns {
		if m.matches(side, p.found) {
			return true
		}
	}
	return false
}

// empty selectors select nothing.
func (s Selector) empty() bool {
	return len(s.Collections)+len(s.Names)+len(s.Regex)+len(s.ModuleTypes)+len(s.Kinds) == 0 && !s.Root
}

// merge is the union of two selectors of one collection.
func (s Selector) merge(t Selector) (Selector, error) {
	out := Selector{
		Collections: union(s.Collections, t.Collections), Names: union(s.Names, t.Names), Regex: union(s.Regex, t.Regex),
		ModuleTypes: union(s.ModuleTypes, t.ModuleTypes), Kinds: union(s.Kinds, t.Kinds), Side: s.Side, Root: s.Root || t.Root,
	}
	if t.Side != "" {
		if s.Side != "" && s.Side != t.Side {
			return out, fmt.Errorf("unite selectors: module types with side %q and with side %q; use two collections", s.Side, t.Side)
		}
		out.Side = t.Side
	}
	return out, nil
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
