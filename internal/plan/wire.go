package plan

import (
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// WireTensor is a tensor as a session announced it.
type WireTensor struct {
	ID   int64
	Info record.TensorInfo
}

// WireModule is a module as a session announced it; Path is empty for the
// root.
type WireModule struct{ Path, Type string }

// WireWatch asks for one side of a module on Schedules[Schedule]. With an empty
// path and Side record.Label or record.Prediction it asks for what the losses
// are given, whatever they are called; with Side record.State for what
// optimisers keep.
type WireWatch struct {
	Path     string
	Side     record.Kind
	Schedule int
}

// Wire is the part of the plan that a hook needs: when to copy what. Its
// fields are those of the message "plan" in docs/protocol.md.
type Wire struct {
	Schedules []Schedule
	Tensors   [][2]int64 // tensor id and index into Schedules; -1: never
	Values    [][2]int64 // likewise, when a tensor's statistics are not enough; nothing for those of which they always are
	Modules   []WireWatch
	Losses    bool // scalar losses at every step
}

// Wire makes the message's content for the tensors and modules of one session.
// Schedules that another schedule of the same tensor covers are left out.
func (p *Plan) Wire(tensors []WireTensor, modules []WireModule) Wire {
	w := Wire{Schedules: []Schedule{}, Tensors: [][2]int64{}, Values: [][2]int64{}, Modules: []WireWatch{}, Losses: p.losses()}
	for _, t := range tensors {
		d := p.Decide(t.Info)
		var list, values []Schedule
		for _, r := range d.Requests {
			s := r.Schedule
			if strings.HasPrefix(r.By, "rule ") { // nobody else asked
				s = s.yielding()
			}
			list = unite(list, s)
			if r.values() {
				values = unite(values, s)
			}
		}
		if len(list) == 0 {
			w.Tensors = append(w.Tensors, [2]int64{t.ID, -1})
		}
		for _, s := range list {
			w.Tensors = append(w.Tensors, [2]int64{t.ID, int64(w.index(s))})
		}
		for _, s := range values {
			w.Values = append(w.Values, [2]int64{t.ID, int64(w.index(s))})
		}
	}
	for _, m := range modules {
		for _, watch := range p.Module(m.Path, m.Type) {
			w.Modules = append(w.Modules, WireWatch{m.Path, watch.Side, w.index(watch.Schedule)})
		}
	}
	for _, role := range []record.Kind{record.Label, record.Prediction} {
		for _, s := range p.role(role) {
			w.Modules = append(w.Modules, WireWatch{"", role, w.index(s)})
		}
	}
	for _, s := range p.state(tensors) {
		w.Modules = append(w.Modules, WireWatch{"", record.State, w.index(s)})
	}
	return w
}

// values reports whether a request asks for more than statistics of one tensor
// at one step.
func (r *Request) values() bool {
	return r.Want&(Raw|Computed) != 0 || len(r.Pairs)+len(r.Units)+len(r.Quantiles)+len(r.Readings) > 0
}

func (w *Wire) index(s Schedule) int {
	for i, t := range w.Schedules {
		if s.Equal(t) {
			return i
		}
	}
	w.Schedules = append(w.Schedules, s)
	return len(w.Schedules) - 1
}

// losses reports whether anybody wants losses. Rules nearly always do, and
// they cost one record a step.
func (p *Plan) losses() bool {
	return len(p.byName[Losses].requests) > 0 || len(p.byName[All].requests) > 0 || len(p.needs) > 0
}
