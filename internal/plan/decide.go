package plan

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Request is one schedule on which a tensor is captured and what is kept then.
type Request struct {
	By       string // who asked; several are joined by ", "
	Schedule Schedule
	Want     Want
	Pairs    []Pair
	Units    []Units

	Quantiles []float64
	Readings  []Reading
}

// Decision is what the plan says of one tensor.
type Decision struct {
	Collections []string  // all collections that hold it, sorted, captured or not
	Requests    []Request // empty: not captured
}

// Due are the requests that are due at a step of a mode. Requests that leave
// the interval to the budget are always among them: the hook sends the tensor
// when they are due, and the agent takes what comes.
func (d Decision) Due(mode record.Mode, modeStep int64) []Request {
	var due []Request
	for _, r := range d.Requests {
		if r.Schedule.Due(mode, modeStep, 1) {
			due = append(due, r)
		}
	}
	return due
}

// Want is what is kept at a step: the union over the requests that are due.
func (d Decision) Want(mode record.Mode, modeStep int64) Want {
	var w Want
	for _, r := range d.Due(mode, modeStep) {
		w |= r.Want
	}
	return w
}

// Decide says which collections hold a tensor and when it is captured.
func (p *Plan) Decide(t record.TensorInfo) Decision {
	p.decided.Add(1)
	held := make(map[string]bool, 4)
	var d Decision
	for _, g := range p.groups {
		if !p.holds(g, &t, held) {
			continue
		}
		g.members.Add(1)
		if g.name != All || p.active(g) {
			d.Collections = append(d.Collections, g.name)
		}
		d.Requests = append(d.Requests, g.requests...)
	}
	for _, n := range p.needs {
		yes := n.sel.has(&t)
		for _, c := range n.sel.collections {
			if g := p.byName[c]; g != nil {
				yes = p.holds(g, &t, held) || yes
			}
		}
		if yes {
			d.Requests = append(d.Requests, Request{By: n.asker(), Schedule: n.Schedule, Want: n.Need.Want, Pairs: n.Pairs, Units: n.Units, Quantiles: n.Quantiles, Readings: n.Readings})
		}
	}
	if t.Kind == record.Gradient || t.Kind == record.State {
		for i := range d.Requests {
			d.Requests[i].Schedule = d.Requests[i].Schedule.training()
		}
	}
	if t.Strings { // of which values can be kept, and nothing can be computed
		d.Requests = slices.DeleteFunc(d.Requests, func(r Request) bool { return r.Want&Raw == 0 })
		for i, r := range d.Requests {
			d.Requests[i] = Request{By: r.By, Schedule: r.Schedule, Want: Raw}
		}
	}
	d.Requests = slices.DeleteFunc(d.Requests, func(r Request) bool { return r.Schedule.Never() })
	d.Requests = mergeRequests(d.Requests)
	slices.Sort(d.Collections)
	return d
}

// holds reports whether a tensor is in a collection, by its own selector or by
// a collection it includes. held remembers the answers for one tensor, which
// also ends circles.
func (p *Plan) holds(g *group, t *record.TensorInfo, held map[string]bool) bool {
	if yes, done := held[g.name]; done {
		return yes
	}
	held[g.name] = false
	yes := g.sel.has(t)
	if g.builtin != nil && g.builtin.has(t) {
		yes = true
	}
	for _, c := range g.sel.collections {
		if o := p.byName[c]; o != nil && p.holds(o, t, held) {
			yes = true
		}
	}
	held[g.name] = yes
	return yes
}

// mergeRequests unites requests of equal schedules. Pairs are known by the
// schedule as it was written, so those with pairs are united only when they
// are identical.
func mergeRequests(rs []Request) []Request {
	var out []Request
next:
	for _, r := range rs {
		for i := range out {
			o := &out[i]
			if o.Schedule.identical(r.Schedule) || len(o.Pairs)+len(r.Pairs) == 0 && o.Schedule.Equal(r.Schedule) {
				o.By = join(union(split(o.By), split(r.By)))
				o.Want |= r.Want
				o.Pairs = union(o.Pairs, r.Pairs)
				o.Units = union(o.Units, r.Units)
				o.Quantiles = union(o.Quantiles, r.Quantiles)
				o.Readings = union(o.Readings, r.Readings)
				continue next
			}
		}
		out = append(out, r)
	}
	return out
}

func join(by []string) string { return strings.Join(by, ", ") }

func split(by string) []string {
	if by == "" {
		return nil
	}
	return strings.Split(by, ", ")
}

// Watch says that one side of a module is captured on a schedule.
type Watch struct {
	Side     record.Kind // record.Input or record.Output
	Schedule Schedule
}
