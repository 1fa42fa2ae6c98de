package plan

import (
	"encoding/json"
	"slices"
)

// Effective is what is captured, for people: one entry per collection and
// schedule, so a collection whose requests differ in their steps has several,
// then one per rule for what it names besides collections. Schedules that
// another one covers are left out when they keep nothing more.
func (p *Plan) Effective() []Collection {
	out := []Collection{}
	for _, g := range p.groups {
		requests := slices.Clone(g.requests)
		for _, n := range p.needs {
			if slices.Contains(n.Collections, g.name) {
				s := n.Schedule
				if g.name == Gradients || g.name == OptimizerVariables {
					s = s.training()
				}
				requests = append(requests, Request{By: n.asker(), Schedule: s, Want: n.Need.Want})
			}
		}
		for _, r := range absorb(mergeRequests(requests)) {
			out = append(out, Collection{Name: g.name, Selector: g.shown(), Schedule: r.Schedule, Want: r.Want, By: split(r.By)})
		}
	}
	for _, n := range p.needs {
		s := n.Selector
		s.Collections = nil
		if !s.empty() && !n.Schedule.Never() {
			out = append(out, Collection{Name: n.By, Selector: s, Schedule: n.Schedule, Want: n.Need.Want, By: []string{n.asker()}})
		}
	}
	return out
}

// shown is the selector of a group with what a built-in one brings.
func (g *group) shown() Selector {
	s := g.selector
	if b := g.builtin; b != nil {
		if b.pattern != "" {
			s.Regex = union([]string{b.pattern}, s.Regex)
		}
		s.Kinds = union(b.kinds, s.Kinds)
		s.ModuleTypes = union(b.types, s.ModuleTypes)
		s.Root = s.Root || b.root
		if s.Side == "" {
			s.Side = b.side
		}
	}
	return s
}

// absorb drops requests that another one covers and that keep no more than it.
// Who asked moves to the one that stays.
func absorb(rs []Request) []Request {
	var out []Request
next:
	for _, r := range rs {
		if r.Schedule.Never() {
			continue
		}
		for i := range out {
			if out[i].Schedule.covers(r.Schedule) && out[i].Want|r.Want == out[i].Want {
				out[i].By = join(union(split(out[i].By), split(r.By)))
				continue next
			}
		}
		out = slices.DeleteFunc(out, func(o Request) bool {
			if !r.Schedule.covers(o.Schedule) || r.Want|o.Want != r.Want {
				return false
			}
			r.By = join(union(split(o.By), split(r.By)))
			return true
		})
		out = append(out, r)
	}
	return out
}

// shownNeed is a Need in the plan's JSON form, where infinities in requests
// for units have no place: pairs and units are shown by their keys.
type shownNeed struct {
	By string `json:"by"`
	Selector
	Schedule Schedule `json:"schedule"`
	Want     Want     `json:"want"`
	Pairs    []string `json:"pairs,omitempty"`
	Units    []string `json:"units,omitempty"`

	Quantiles []float64 `json:"quantiles,omitempty"`
	Readings  []string  `json:"readings,omitempty"`
}

// MarshalJSON is the form for run.json: options, effective collections, what
// each rule needs, warnings.
func (p *Plan) MarshalJSON() ([]byte, error) {
	needs := []shownNeed{}
	for _, n := range p.needs {
		s := shownNeed{By: n.By, Selector: n.Selector, Schedule: n.Schedule, Want: n.Need.Want, Quantiles: n.Quantiles}
		for _, pair := range n.Pairs {
			s.Pairs = append(s.Pairs, pair.Key(n.Schedule))
		}
		for _, u := range n.Units {
			s.Units = append(s.Units, u.Key())
		}
		for _, r := range n.Readings {
			s.Readings = append(s.Readings, r.Key())
		}
		needs = append(needs, s)
	}
	return json.Marshal(struct {
		Options     Options      `json:"options"`
		Collections []Collection `json:"collections"`
		Needs       []shownNeed  `json:"needs"`
		Warnings    []string     `json:"warnings,omitempty"`
	}{p.opts, p.Effective(), needs, p.Warnings()})
}
