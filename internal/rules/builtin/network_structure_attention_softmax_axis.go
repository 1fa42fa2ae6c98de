package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// overQueries finds attention whose weights add up to one over the queries, or
// the heads or samples, and not over the keys: a place gets no mean of the values,
// and with a causal mask each place changes with what comes later.
func (r *structure) overQueries(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.OverQueries == 0 {
		return
	}
	n := f.Graph.OverQueries
	r.say(rep, rule.Violation{
		Check: "softmax_over_queries", Subject: "attention", Severity: rule.Warning, Observed: float64(n), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "the attention softmax runs over another axis than the keys (dim=-2, or dim=1, instead of dim=-1)",
		Remedy: "apply the attention softmax over the keys: dim=-1 for weights @ values",
		Message: fmt.Sprintf("The softmax of %s runs over another axis than the keys: the weights of a query do not sum to 1 and depend on other queries, later ones included. Apply it over the keys: dim=-1.",
			plural(int(n), "attention map")),
		Context: map[string]any{"maps": n},
	})
}
