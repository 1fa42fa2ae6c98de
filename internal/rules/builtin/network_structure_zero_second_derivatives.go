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
		Cause:  "an activation that is made of straight pieces, in a network of which second derivatives are taken",
		Remedy: "use a smooth activation: tanh, SiLU, softplus or sine",
		Message: fmt.Sprintf("The second derivative of the network by its input, which the loss asks for, is exactly zero everywhere: %s is straight piece by piece. That term of the loss teaches nothing; use tanh, SiLU or another smooth activation.",
			strings.Join(s.Units, " and ")),
		Context: map[string]any{"units": s.Units, "taken": s.Taken},
	})
}
