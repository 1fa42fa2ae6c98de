package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// leastCalls is how many steps of a sequence have to be seen.
const leastCalls = 4

// mostCuts is how many calls of a module the hook counts.
const mostCuts = 64

// cutStates finds a recurrence whose state is cut off from its history at every
// step: what is learnt comes from the last step alone, or from each step by
// itself. Who cuts every few steps truncates on purpose, and is left alone.
func (r *updating) cutStates(f *rule.Facts, rep *rule.Report) {
	if f.Network == nil || f.Graph == nil || !f.Graph.Complete {
		return
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if !learns(f, m) {
			continue
		}
		v := rule.Violation{
			Check: "states_cut", Subject: m.Path, Severity: rule.Warning, Threshold: 0, Comparator: ">", Steps: int(updates(f)),
			Cause:   "detach(), .data or .item() on the hidden state inside the loop over the time steps",
			Remedy:  "detach the state once per sequence (or every few dozen steps), not at every step",
			Context: map[string]any{"calls": m.Recorded, "calls_in_graph": m.InGraph, "states": m.States, "states_cut": m.StatesCut},
		}
		last := m.Recorded >= leastCalls && m.InGraph == 1
		cut := m.States >= leastCalls-1 && (m.StatesCut == m.States || m.StatesCut >= mostCuts)
		switch {
		case last && (cut && m.StatesCutInGraph == 1 || m.Kind == record.LinearModule && alongInput(f, m.Recorded)):
			v.Observed = float64(m.Recorded - 1)
			v.Message = fmt.Sprintf("%s runs %d times in one forward, but the loss depends only on the last call: detach() cuts the state off from earlier steps, so nothing is learnt across steps. Remove detach() from the loop.", m.Path, m.Recorded)
		case cut && m.StatesCutInGraph >= leastCalls-1 && 2*m.StatesCutInGraph > m.StatesCut: // the first outputs may be left out
			v.Observed = float64(m.StatesCut)
			v.Message = fmt.Sprintf("%s gets its own state back at %d steps in a row, each time detached from its history: no step can learn what later steps need. Remove detach() from the loop.", m.Path, m.StatesCut)
		default:
			continue
		}
		r.say(rep, v)
		return
	}
}

// learns reports whether a module has a weight that is trained and moves.
func learns(f *rule.Facts, m *rule.ModuleFacts) bool {
	return m.Recorded+m.States > 0 && slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool { return p.Module == m.Path && p.Trained && p.Held })
}

// alongInput reports whether a number of calls is that of the entries along an
// axis of the model's input, all of them or all but one.
func alongInput(f *rule.Facts, calls int64) bool {
	if f.Inputs == nil {
		return false
	}
	return slices.ContainsFunc(f.Inputs.Tensors, func(t record.TensorFacts) bool {
		return len(t.Shape) > 1 && slices.ContainsFunc(t.Shape, func(n int64) bool { return n == calls || n == calls+1 })
	})
}
