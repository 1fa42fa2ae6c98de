package builtin

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// secondZero finds an equation that asks for second derivatives of a network whose
// units are all straight: they are zero everywhere, so that the term teaches nothing.
func (r *structure) secondZero(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.SecondZero == nil {
		return
	}
	s := f.Graph.SecondZero
	r.say(rep, rule.Violation{
		Check: "second_derivative", Subject: "loss", CauseClass: "activation", Observed: 0, Threshold: 0, Comparator: "=", Steps: int(s.Taken),
		Cause:  "a piecewise linear activation in a network whose second derivatives are used",
		Remedy: "use a smooth activation: tanh, SiLU, softplus or sine",
		Message: fmt.Sprintf("The loss uses the network's second derivative with respect to its input, which is exactly zero everywhere: %s is piecewise linear. That loss term has no effect. Use tanh, SiLU or another smooth activation.",
			strings.Join(s.Units, " and ")),
		Context: map[string]any{"units": s.Units, "taken": s.Taken},
	})
}
