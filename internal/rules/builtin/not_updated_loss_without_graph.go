package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// lossWithoutGraph finds that backward is called on a tensor that depends on nothing: a
// comparison, argmax, detach or conversion to numbers cut it off, and
// requires_grad was turned on so that backward takes it. A loss of nothing is
// also made for a batch without anything to learn from; then others bring
// gradients.
func (r *updating) lossWithoutGraph(f *rule.Facts, rep *rule.Report) {
	g, u := f.Graph, f.Updates
	if g == nil || !g.Rootless || u == nil || u.Steps < r.least || !noGradients(u) {
		return
	}
	held := 0
	for i := range f.Parameters.List {
		switch p := &f.Parameters.List[i]; {
		case p.Gradient == record.GradientFinite || p.Gradient == record.GradientOdd:
			return
		case p.Held && p.Trained:
			held++
		}
	}
	if held == 0 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "no_graph", Subject: "loss", Severity: rule.Error, Observed: 0, Threshold: 0, Comparator: "=", Steps: int(u.Steps),
		Cause:  "a comparison, round, argmax, detach(), .data or .item() between the model and the loss, and requires_grad turned on afterwards so that backward runs",
		Remedy: "compute the loss from the model's outputs themselves (probabilities instead of thresholded masks), and remove requires_grad_(True) from the loss",
		Message: fmt.Sprintf("The loss does not depend on the model: backward is called on a tensor without a graph, so none of %d parameters had a gradient at %d updates.",
			held, u.Steps),
		Context: map[string]any{"parameters": held},
	})
}
