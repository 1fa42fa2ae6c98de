package plan

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Options of a plan.
type Options struct {
	Every     int64   `json:"every"`  // interval for collections that name none; Auto: by the budget
	Budget    float64 `json:"budget"` // share of the step time that capture may add: 0.02
	SaveAll   bool    `json:"save_all,omitempty"`
	Framework string  `json:"framework,omitempty"` // "pytorch", "go"; empty: not known yet
}

// Plan says for every tensor and module what is captured when, and who asked.
// It does not change; With makes a new one. Its methods may be called by
// several goroutines.
type Plan struct {
	opts        Options
	collections []Collection // as given
	given       []Need
	groups      []*group // built-in ones first
	byName      map[string]*group
	needs       []*need
	warnings    []string // of what was given; those of matching come later
	decided     atomic.Int64
}

// group is a collection and all that was asked for it.
type group struct {
	name     string
	builtin  *builtinMatcher // nil: defined by the user or the script
	selector Selector
	sel      *selector
	by       []string // who defined it
	requests []Request
	members  atomic.Int64
}

type need struct {
	Need
	sel *selector
}

// New merges the default collections, those that the user or the script asked
// for, and what rules need.
//
// Requests for one collection are united: their selectors, what is kept, and
// the steps (each request keeps its schedule, and a step is due when one of
// them says so). Asking for one of the default collections (losses, weights,
// biases, gradients) replaces the schedule it has when nobody asks; a
// collection that is off in every mode is not captured unless a rule needs it.
func New(o Options, collections []Collection, needs []Need) (*Plan, error) {
	p := &Plan{opts: o, collections: slices.Clone(collections), given: slices.Clone(needs), byName: map[string]*group{}}
	for _, b := range builtins {
		p.addGroup(&group{name: b.name, builtin: newBuiltin(b)})
	}
	for _, c := range p.collections {
		if err := p.addCollection(c); err != nil {
			return nil, fmt.Errorf("plan collection %q: %w", c.Name, err)
		}
	}
	if o.SaveAll {
		all := p.byName[All]
		all.requests = append(all.requests, Request{By: "--save-all", Want: Stats | Raw})
	}
	for _, g := range p.groups {
		if err := p.finish(g); err != nil {
			return nil, fmt.Errorf("plan collection %q: %w", g.name, err)
		}
	}
	for _, n := range p.given {
		sel, err := newSelector(n.Selector)
		if err != nil {
			return nil, fmt.Errorf("plan needs of %q: %w", n.By, err)
		}
		if len(n.Pairs) == 0 { // whose keys name the interval as the rule gave it
			n.Schedule = n.Schedule.resolve(o.Every)
		}
		p.needs = append(p.needs, &need{n, sel})
		p.checkReferences(n.asker(), n.Collections)
	}
	return p, nil
}

// With is the plan with further collections: those a script defines while it
// runs, or a person asks for.
func (p *Plan) With(collections ...Collection) (*Plan, error) {
	return New(p.opts, append(slices.Clone(p.collections), collections...), p.given)
}

// WithOptions is the plan under other options.
func (p *Plan) WithOptions(o Options) (*Plan, error) { return New(o, p.collections, p.given) }

// Options are those the plan was made with.
func (p *Plan) Options() Options { return p.opts }

func (p *Plan) addGroup(g *group) *group {
	p.groups = append(p.groups, g)
	p.byName[g.name] = g
	return g
}

func (p *Plan) addCollection(c Collection) error {
	if c.Name == "" {
		return fmt.Errorf("it has no name")
	}
	g := p.byName[c.Name]
	if g == nil {
		g = p.addGroup(&group{name: c.Name})
	}
	merged, err := g.selector.merge(c.Selector)
	if err != nil {
		return err
	}
	if merged.empty() && (g.builtin == nil || c.Name == Default) {
		return fmt.Errorf("it selects nothing: add a pattern (regex=...)")
	}
	g.selector = merged
	if c.Joins {
		return nil
	}
	g.by = union(g.by, c.By)
	want := c.Want
	if want&^Computed == 0 { // it says nothing of what is kept otherwise
		want |= Stats | Hist
	}
	g.requests = append(g.requests, Request{By: join(c.By), Schedule: c.Schedule, Want: want | Stats})
	return nil
}

// finish compiles a group when all collections are in.
func (p *Plan) finish(g *group) error {
	var err error
	if g.sel, err = newSelector(g.selector); err != nil {
		return err
	}
	p.checkReferences("collection "+g.name, g.selector.Collections)
	if b := g.builtin; len(g.requests) == 0 && b != nil && b.def != nil && (b.only == "" || b.only == p.opts.Framework) {
		def := *g.builtin.def
		def.By = "default"
		g.requests = []Request{def}
	}
	want := Want(0)
	for _, r := range g.requests {
		want |= r.Want
	}
	kept := g.requests[:0]
	for _, r := range g.requests {
		r.Want = want
		r.Schedule = r.Schedule.resolve(p.opts.Every)
		if g.name == Gradients || g.name == OptimizerVariables {
			r.Schedule = r.Schedule.training()
		}
		if !r.Schedule.Never() {
			kept = append(kept, r)
		}
	}
	g.requests = mergeRequests(kept)
	return nil
}

func (p *Plan) checkReferences(who string, names []string) {
	for _, n := range names {
		if p.byName[n] == nil {
			p.warnings = append(p.warnings, fmt.Sprintf("%s: there is no collection %q", who, n))
		}
	}
}

// active reports that a group is captured or that something refers to it.
func (p *Plan) active(g *group) bool {
	if len(g.requests) > 0 || g.builtin == nil {
		return true
	}
	for _, n := range p.needs {
		if slices.Contains(n.Collections, g.name) {
			return true
		}
	}
	for _, o := range p.groups {
		if slices.Contains(o.selector.Collections, g.name) {
			return true
		}
	}
	return false
}

// Warnings names collections that do not exist, patterns that gave up at the
// step limit and, once tensors have been decided, names and patterns that fit
// none of them. They are sorted and may change as tensors come.
func (p *Plan) Warnings() []string {
	out := slices.Clone(p.warnings)
	check := func(who string, s *selector) {
		for name, hits := range s.names {
			if hits.Load() == 0 && p.decided.Load() > 0 {
				out = append(out, fmt.Sprintf("%s: there is no tensor %q", who, name))
			}
		}
		for _, r := range s.patterns {
			if n := r.limited.Load(); n > 0 {
				out = append(out, fmt.Sprintf("%s: the pattern %q is too expensive; some names were skipped and count as not matching", who, r.re))
			}
			if r.hits.Load() == 0 && p.decided.Load() > 0 {
				out = append(out, fmt.Sprintf("%s: no tensor matches %q", who, r.re))
			}
		}
	}
	for _, g := range p.groups {
		check("collection "+g.name, g.sel)
		if len(g.by) > 0 && len(g.requests) > 0 && g.members.Load() == 0 && p.decided.Load() > 0 {
			out = append(out, fmt.Sprintf("collection %s: it has no tensor", g.name))
		}
	}
	for _, n := range p.needs {
		check(n.asker(), n.sel)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
