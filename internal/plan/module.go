package plan

import (
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// module is a module of the training's model that may be watched. Its path is
// empty for the root.
type module struct{ path, typ string }

// indexes is how many inputs and outputs of a module are guessed when a
// pattern is held against names that nobody has seen yet.
const indexes = 4

func (m *module) prefix(side record.Kind) string {
	p := m.path
	if p == "" {
		p = m.typ
	}
	if side == record.Input {
		return p + "_input_"
	}
	return p + "_output_"
}

// matches reports whether a name that the side of the module can have is
// found.
func (m *module) matches(side record.Kind, found func(string) bool) bool {
	prefix := m.prefix(side)
	for i := range indexes {
		if found(prefix + strconv.Itoa(i)) {
			return true
		}
	}
	return false
}

// named reports whether name is an input or output of the module, of any
// index.
func (m *module) named(side record.Kind, name string) bool {
	rest, ok := strings.CutPrefix(name, m.prefix(side))
	if !ok {
		return false
	}
	_, err := strconv.ParseUint(rest, 10, 31)
	return err == nil
}

// Module says whether the inputs and outputs of a module are captured, and
// when. path is empty for the root module. A module is watched when its class
// is selected, or when a pattern or name fits a name its inputs and outputs
// get: <path>_input_<i> and <path>_output_<i>, with the class name in place of
// the root's path.
func (p *Plan) Module(path, typ string) []Watch {
	m := &module{path, typ}
	var in, out []Schedule
	add := func(i, o bool, s Schedule) {
		if i {
			in = unite(in, s)
		}
		if o {
			out = unite(out, s)
		}
	}
	for _, g := range p.groups {
		if len(g.requests) == 0 {
			continue
		}
		i, o := p.sides(g.name, m, nil)
		for _, r := range g.requests {
			add(i, o, r.Schedule)
		}
	}
	for _, n := range p.needs {
		i, o := n.sel.sides(m)
		for _, c := range n.sel.collections {
			ci, co := p.sides(c, m, nil)
			i, o = i || ci, o || co
		}
		add(i, o, n.Schedule.yielding())
	}
	var watches []Watch
	for _, s := range in {
		watches = append(watches, Watch{record.Input, s})
	}
	for _, s := range out {
		watches = append(watches, Watch{record.Output, s})
	}
	return watches
}

// sides asks a collection and those it includes.
func (p *Plan) sides(name string, m *module, seen []string) (input, output bool) {
	g := p.byName[name]
	if g == nil || len(seen) > len(p.groups) {
		return false, false
	}
	if g.builtin != nil {
		input, output = g.builtin.sides(m)
	}
	i, o := g.sel.sides(m)
	input, output = input || i, output || o
	for _, c := range g.sel.collections {
		i, o = p.sides(c, m, append(seen, name))
		input, output = input || i, output || o
	}
	return input, output
}

// unite adds a schedule to a list of which none covers another.
func unite(list []Schedule, s Schedule) []Schedule {
	if s.Never() {
		return list
	}
	kept := list[:0:0]
	for _, t := range list {
		if t.covers(s) {
			return list
		}
		if !s.covers(t) {
			kept = append(kept, t)
		}
	}
	return append(kept, s)
}
