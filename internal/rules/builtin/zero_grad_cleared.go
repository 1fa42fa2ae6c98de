package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

var gradientsCleared = rule.Judged[*clearing]{
	Check: rule.Check{
		ID: "zero_grad/cleared", Files: []string{"zero_grad_cleared.go"}, Severity: rule.Error, CauseClass: "zero-grad", Scope: rule.ScopeGeneral,
		When:     "At most of the first updates gradients were cleared since backward(); with several optimisers, at all of them, and no parameter has changed.",
		Evidence: "updates without gradients: {cleared} of the first {updates}",
		Cause:    "zero_grad() is called between backward() and step()",
		Remedy:   "call optimizer.zero_grad() before loss.backward(), not after it; with several optimisers, for each of them",
	},
	Judge: func(c *clearing, _ rule.Params) []rule.Evidence {
		u := c.updates
		switch {
		case c.single() && u.Cleared >= 2 && 2*u.Cleared > u.Steps && c.facts.Graph != nil && c.facts.Graph.Reached > 0:
			return c.found(u.Cleared, fmt.Sprintf("Gradients are cleared between backward() and step(): at %d of the first %d updates the optimiser found none.", u.Cleared, u.Steps))
		case c.optimisers > 1 && u.Cleared >= 3*c.optimisers && u.Cleared >= u.Steps-c.optimisers && nothingMoves(c.facts):
			return c.found(u.Cleared, fmt.Sprintf("Gradients are cleared between backward() and step(): at %d of the first %d updates the optimisers found none, and no parameter has changed.", u.Cleared, u.Steps))
		}
		return nil
	},
}

// nothingMoves: of the parameters that optimisers hold none ever had a gradient,
// and none has changed.
func nothingMoves(f *rule.Facts) bool {
	if f.Parameters == nil || f.Graph == nil || f.Graph.Reached == 0 {
		return false
	}
	held := 0
	for _, p := range f.Parameters.List {
		if !p.Trained || !p.Held {
			continue
		}
		if held++; p.Gradient != record.GradientMissing || p.Changed {
			return false
		}
	}
	return held > 0
}
