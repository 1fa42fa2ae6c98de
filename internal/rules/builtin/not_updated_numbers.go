package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// asNumbers tells whether parameters get no gradient because their loss was added
// as a number: it was computed of what they gave, backward does not reach it, and
// the sum is larger than what backward reaches. Who computes a loss to look at it
// adds nothing to the sum. The finding gets that cause.
func asNumbers(f *rule.Facts, missing []*rule.ParameterFact, v *rule.Violation) bool {
	n := f.Graph.AsNumbers
	if n == nil {
		return false
	}
	if len(missing) == 0 || slices.ContainsFunc(missing, func(p *rule.ParameterFact) bool { return !slices.Contains(n.Parameters, p.Name) }) {
		return false
	}
	v.Severity, v.Subject = rule.Warning, modulesOf(missing)[0]
	v.Cause = "a loss that is added as a number: .item(), float() or .detach() takes its gradient away"
	v.Remedy = "add the loss itself to the sum, and call .item() only on what is printed or stored"
	v.Message = fmt.Sprintf("No gradient reaches %s (%s): a loss of them (%s) is computed and goes into the sum that backward is called on as a number, which is a constant (%s of the sum). Add the tensor, without .item(), float() or .detach().",
		someNames(modulesOf(missing)), plural(len(missing), "parameter"), strings.Join(n.Functions, ", "), num(float64(n.Constant)))
	v.Context["constant"], v.Context["functions"] = float64(n.Constant), n.Functions
	return true
}
