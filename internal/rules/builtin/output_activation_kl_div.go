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
			text = fmt.Sprintf("kl_div gets the output of %s but expects log-probabilities as its input: the result is not a distance between distributions.", op)
		case "linear", "convolution":
			text = "kl_div gets raw outputs but expects log-probabilities as its input: the result is not a distance between distributions."
		default:
			return nil
		}
		return []rule.Violation{v.violation("no_logarithm", text, "pass log_softmax(outputs, dim=1) to kl_div first, and the target probabilities second", rule.Error)}
	}
	return nil
}
