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
		Check: "over_queries", Subject: "attention", Severity: rule.Warning, Observed: float64(n), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "the softmax of attention over another axis than that of the keys (dim=-2, or dim=1, in place of dim=-1)",
		Remedy: "take the softmax of attention over the keys: dim=-1, where values are weighted with weights @ values",
		Message: fmt.Sprintf("The softmax of %s goes over another axis than the keys, which are summed over when the values are weighted: the weights of a place do not add up to one, and they depend on the other places that ask, also on later ones. Take it over the keys: dim=-1.",
			plural(int(n), "attention map")),
		Context: map[string]any{"maps": n},
	})
}
