package plan

import "slices"

// Change is what somebody asks of a plan while it is in force.
type Change struct {
	// Every is the interval of collections that name none: nil leaves it, Auto
	// gives it back to the budget.
	Every *int64 `json:"every,omitempty"`
	// Replace are collections that take the place of what was asked for these
	// names before; Add come besides what there is.
	Replace []Collection `json:"replace,omitempty"`
	Add     []Collection `json:"add,omitempty"`
	// Needs are those of rules that are added. They are not kept with the
	// change: the rules are, and bring them along.
	Needs []Need `json:"-"`
}

// Changed is the plan with a change.
func (p *Plan) Changed(c Change) (*Plan, error) {
	o := p.opts
	if c.Every != nil {
		o.Every = *c.Every
	}
	kept := slices.DeleteFunc(slices.Clone(p.collections), func(old Collection) bool { return c.Replaces(old.Name) })
	return New(o, slices.Concat(kept, c.Replace, c.Add), slices.Concat(p.given, c.Needs))
}

// Replaces reports whether the change takes the place of a collection.
func (c Change) Replaces(name string) bool {
	return slices.ContainsFunc(c.Replace, func(n Collection) bool { return n.Name == name })
}

// Has reports whether there is a collection of this name.
func (p *Plan) Has(name string) bool { return p.byName[name] != nil }
