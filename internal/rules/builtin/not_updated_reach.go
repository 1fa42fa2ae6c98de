package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// unreached finds held parameters on which the loss does not depend.
func (r *updating) unreached(f *rule.Facts, rep *rule.Report) {
	g := f.Graph
	if g == nil || !g.Complete || len(g.Unreached) == 0 {
		return
	}
	full := len(g.Unreached) >= unreachedListed
	var missing, reached []*rule.ParameterFact
	standing := false // modules of theirs were in evaluation mode
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch {
		case !p.Trained || !p.Held:
		case p.Gradient == record.GradientMissing && !p.Changed && (full || slices.Contains(g.Unreached, p.Name)):
			missing = append(missing, p)
		case p.Gradient != record.GradientMissing:
			reached = append(reached, p)
		}
	}
	if len(missing) == 0 || len(reached) == 0 {
		return // without one that is reached there is another reason
	}
	if f.Network != nil {
		for _, m := range f.Network.Modules {
			// What a path holds is part of its parents, too.
			if !m.Training && slices.ContainsFunc(missing, func(p *rule.ParameterFact) bool {
				return p.Module == m.Path || strings.HasPrefix(p.Module, m.Path+".") && m.Path != ""
			}) {
				standing = true
			}
		}
	}
	used := slices.DeleteFunc(slices.Clone(missing), func(p *rule.ParameterFact) bool {
		return f.Network != nil && f.Network.More == 0 && !calledWith(f.Network.Modules, p.Module)
	})
	share := shareOf(missing, reached)
	v := rule.Violation{
		Check: "no_gradient", Severity: rule.Info, Observed: float64(len(missing)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "a detach, .data, a conversion to numbers or no_grad between the layer and the loss, or an output that the loss does not use",
		Remedy:  "remove the detach or no_grad on the way to the loss; if the layer is to stay as it is, do not give it to the optimiser",
		Context: map[string]any{"parameters": namesOf(missing), "share": share},
	}
	places := placesOf(f)
	start, _ := reach(places, used)
	next, _ := reach(places, reached)
	// What comes before all that is reached is cut off; what comes later may be
	// an output that is not used yet.
	cut, whole := start < next, wholeModel(f, missing, reached)
	switch {
	case len(used) == 0:
		v.Subject = modulesOf(missing)[0]
		v.Message = fmt.Sprintf("%s never called, and %s (%s of the elements) stay as they are; check forward if the layer is meant to take part.",
			these(modulesOf(missing), "is", "are"), plural(len(missing), "parameter"), percent(share))
		r.say(rep, v)
		return
	case standing || age(used) == worn:
	case whole:
		v.Severity = rule.Warning
	case len(f.Models) > 1 || len(f.Optimisers) > 1: // they take turns
	case cut && share > 0.5 && age(used) == fresh:
		v.Severity = rule.Error
	case cut, share > 0.5 && age(used) == fresh:
		v.Severity = rule.Warning
	}
	v.Subject = modulesOf(used)[0]
	v.Message = fmt.Sprintf("No gradient reaches %s (%s, %s of the elements), although the optimiser holds them: look for detach, .data or no_grad on the way from there to the loss.",
		someNames(modulesOf(used)), plural(len(used), "parameter"), percent(share))
	r.say(rep, v)
}

// wholeModel tells whether one of several models got no gradient at all.
func wholeModel(f *rule.Facts, missing, reached []*rule.ParameterFact) bool {
	if len(f.Models) < 2 {
		return false
	}
	m := modelOf(f, missing[0])
	return !slices.ContainsFunc(reached, func(p *rule.ParameterFact) bool { return modelOf(f, p) == m })
}

// calledWith tells whether a module ran: itself, or as a part of one that runs
// as a whole.
func calledWith(ms []rule.ModuleFacts, path string) bool {
	for i := range ms {
		m := &ms[i]
		if m.Path == path || (m.Kind == record.AttentionModule || m.Kind == record.RecurrentModule || m.Kind == "other") && strings.HasPrefix(path, m.Path+".") {
			return true
		}
	}
	return false
}
