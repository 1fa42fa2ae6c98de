package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// intoDivergence judges what kl_div gets: logarithms of probabilities. What
// comes straight from softmax, or from a layer, are none; a temperature may
// stand between.
func intoDivergence(v *lossView) []rule.Violation {
	if v.facts.Graph == nil {
		return nil
	}
	head := v.facts.Graph.Head
	at := slices.Index(head, "kl_div")
	if at < 0 || len(head) < at+2 {
		return nil
	}
	for _, op := range head[at+1:] {
		text := ""
		switch op {
		case "mul", "div", "select", "slice", "index", "gather":
			continue
		case "softmax", "sigmoid":
			text = fmt.Sprintf("kl_div gets what %s puts out where it wants the logarithms of probabilities: what it computes is no distance between two distributions.", op)
		case "linear", "convolution":
			text = "kl_div gets raw outputs of the last layer where it wants the logarithms of probabilities: what it computes is no distance between two distributions."
		default:
			return nil
		}
		return []rule.Violation{v.violation("no_logarithm", text, "give kl_div log_softmax(outputs, dim=1) first, and the probabilities of the target second", rule.Error)}
	}
	return nil
}
