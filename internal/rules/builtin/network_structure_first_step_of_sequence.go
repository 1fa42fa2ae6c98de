package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// firstStep finds a recurrent layer of whose output only the step is used at which
// nothing of the sequence but its first place was seen: out[:, 0] where the last
// step was meant. The weights that take the state on then have a gradient of
// exactly zero, as the state that they get is zero, while those that take the
// input in have one.
func (r *structure) firstStep(f *rule.Facts, rep *rule.Report) {
	ps := f.Parameters
	if ps == nil || ps.More > 0 || ps.Updates < leastFirst || f.Network == nil {
		return
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		steps := stepsOf(m)
		if steps < 2 {
			continue
		}
		last := "_l" + strconv.Itoa(max(layersIn(m), 1)-1)
		// Of two directions one has seen all of the sequence at either end.
		if m.Settings["bidirectional"] == true || !unmovedState(ps.List, m.Path, last) {
			continue
		}
		r.say(rep, rule.Violation{
			Check: "first_step", Subject: m.Path, Observed: 1, Threshold: float64(steps), Comparator: "<", Steps: int(ps.Updates),
			Cause:  "the output at the first step of a sequence is used instead of the last: out[:, 0] instead of out[:, -1]",
			Remedy: "use the last step, out[:, -1] (out[-1] without batch_first), or the state that the layer returns",
			Message: fmt.Sprintf("The model uses only the output of the %s at the first of %d steps, which depends on the first position alone: the recurrent weights get gradients of exactly zero. Use the last step, out[:, -1].",
				called(m.Type+" layer", m.Path), steps),
			Context: map[string]any{"type": m.Type, "input": m.Input.Shape},
		})
	}
}

// leastFirst is how many updates have to show gradients of zero.
const leastFirst = 5

// stepsOf is how many steps a recurrent layer that is called once for a batch of
// sequences takes; 0 of other modules.
func stepsOf(m *rule.ModuleFacts) int64 {
	if m.Kind != record.RecurrentModule || m.Calls != 1 || m.Input == nil || len(m.Input.Shape) != 3 || !slices.Contains([]string{"RNN", "LSTM", "GRU"}, m.Type) {
		return 0
	}
	if m.Settings["batch_first"] == true {
		return m.Input.Shape[1]
	}
	return m.Input.Shape[0]
}

// layersIn is the num_layers of a recurrent module.
func layersIn(m *rule.ModuleFacts) int {
	switch n := m.Settings["num_layers"].(type) {
	case float64:
		return int(n)
	case int64:
		return int(n)
	case int:
		return n
	}
	return 0
}

// unmovedState reports whether the weights of a recurrent module's layer that take
// its state have gradients of zero, and those that take its input have others.
func unmovedState(ps []rule.ParameterFact, path, layer string) bool {
	zero, alive := false, false
	for i := range ps {
		p := &ps[i]
		if p.Module != path || !p.Trained || !p.Held {
			continue
		}
		switch {
		case strings.HasSuffix(p.Name, "weight_hh"+layer):
			zero = p.Gradient == record.GradientZero
		case strings.HasSuffix(p.Name, "weight_ih"+layer):
			alive = p.Gradient == record.GradientFinite
		}
	}
	return zero && alive
}
