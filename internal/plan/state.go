package plan

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// The state of an optimiser is called CLASS/PARAMETER/KEY:
// Adam/Net_fc.weight/exp_avg. Twice the weights and more, it is announced only
// where somebody asks for it: by its collection, by name, or by a pattern that
// means it.

// stateKeys are those of PyTorch's optimisers, stateOf the optimisers.
var (
	stateKeys = []string{"exp_avg", "exp_avg_sq", "momentum_buffer"}
	stateOf   = []string{
		"avg", "momentum", "buffer", "optim", "acc_delta", "exp_inf",
		"Adam", "SGD", "RMSprop", "Adagrad", "Adadelta", "Adafactor", "Rprop", "LBFGS", "Lion", "Muon",
	}
)

// probes is how many parameters patterns are held against before any state was
// announced.
const probes = 16

// StateParameter is the name of the parameter that an optimiser's state of this
// name is of; "" when the name is not such a one.
func StateParameter(name string) string {
	from, to := strings.IndexByte(name, '/'), strings.LastIndexByte(name, '/')
	if from < 0 || to <= from {
		return ""
	}
	return name[from+1 : to]
}

// MeansState reports whether a pattern that is found in the name of an
// optimiser's state means that: one that is found in the parameter's name alone
// means the parameter.
func MeansState(name string, found func(string) bool) bool {
	p := StateParameter(name)
	return p == "" || !found(p)
}

// state gives the schedules on which optimisers' state is captured, if it is.
func (p *Plan) state(tensors []WireTensor) []Schedule {
	var names []string
	for _, t := range tensors {
		if k := t.Info.Kind; (k == record.Weight || k == record.Bias) && len(names) < probes {
			names = append(names, t.Info.Name)
		}
	}
	var out []Schedule
	for _, g := range p.groups {
		if len(g.requests) > 0 && p.holdsState(g, names, 0) {
			for _, r := range g.requests {
				out = unite(out, r.Schedule.training())
			}
		}
	}
	for _, n := range p.needs {
		yes := n.sel.state(names)
		for _, c := range n.sel.collections {
			if g := p.byName[c]; g != nil {
				yes = yes || p.holdsState(g, names, 0)
			}
		}
		if yes {
			out = unite(out, n.Schedule.training().yielding())
		}
	}
	return out
}

// holdsState reports whether a collection, or one it includes, may hold
// optimisers' state; depth ends circles.
func (p *Plan) holdsState(g *group, names []string, depth int) bool {
	if depth > len(p.groups) {
		return false
	}
	if b := g.builtin; b != nil && b.isKind(record.State) || g.sel.state(names) {
		return true
	}
	return slices.ContainsFunc(g.sel.collections, func(c string) bool {
		o := p.byName[c]
		return o != nil && p.holdsState(o, names, depth+1)
	})
}

// state reports whether a selector may mean state of the parameters named.
func (c *selector) state(names []string) bool {
	if c.hasRole(record.State) {
		return true
	}
	for n := range c.names {
		if StateParameter(n) != "" {
			return true
		}
	}
	for _, r := range c.patterns {
		text := r.re.String()
		if slices.ContainsFunc(stateOf, func(word string) bool { return strings.Contains(text, word) }) {
			return true
		}
		for _, n := range names {
			if slices.ContainsFunc(stateKeys, func(key string) bool { return r.found("Adam/" + n + "/" + key) }) && !r.found(n) {
				return true
			}
		}
	}
	return false
}
