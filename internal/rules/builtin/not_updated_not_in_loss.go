package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// leastOwn is how many updates of a parameter's own optimiser have to find no
// gradient, where there are several optimisers and some come seldom.
const leastOwn = 2

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
		case p.Updates != nil && *p.Updates < leastOwn: // its optimiser waits
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
		return !ran(f, p)
	})
	share := shareOf(missing, reached)
	v := rule.Violation{
		Check: "no_gradient", Severity: rule.Info, Observed: float64(len(missing)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "detach(), .data, a conversion to numbers or no_grad() between the layer and the loss, or an output that the loss does not use",
		Remedy:  "remove detach() or no_grad() on the way to the loss; if the layer should stay frozen, do not pass it to the optimiser",
		Context: map[string]any{"parameters": namesOf(missing), "share": share},
	}
	places := placesOf(f)
	start, _ := reach(places, used)
	next, _ := reach(places, placed(reached, used))
	// What comes before all that is reached is cut off; what comes later may be
	// an output that is not used yet.
	cut, whole := start < next, wholeModel(f, missing, reached)
	switch {
	case len(used) == 0:
		v.Subject = modulesOf(missing)[0]
		v.Message = fmt.Sprintf("%s not called in the first %s, so %s (%s of the elements) keep their initial values. Check forward if the layer should be used.",
			these(modulesOf(missing), "was", "were"), plural(int(f.Parameters.Updates), "update"), plural(len(missing), "parameter"), percent(share))
		r.say(rep, v)
		return
	case standing || age(used) == worn:
	case whole:
		v.Severity = rule.Warning
	case models(f) > 1 || len(f.Optimisers) > 1 && missing[0].Updates == nil: // they take turns
	case cut && share > 0.5 && age(used) == fresh:
		v.Severity = rule.Error
	case cut, share > 0.5 && age(used) == fresh && !ownOutput(f, used), age(used) == fresh && flowsOn(f, used, reached):
		v.Severity = rule.Warning
	}
	v.Subject = modulesOf(used)[0]
	v.Message = fmt.Sprintf("No gradient reaches %s (%s, %s of the elements), although the optimiser has them. Look for detach(), .data or no_grad() between there and the loss.",
		someNames(modulesOf(used)), plural(len(used), "parameter"), percent(share))
	r.say(rep, v)
}

// placed leaves out parameters of modules that contain the others, such as a bias
// of the model itself: their place in the forward is not that of their container.
func placed(ps, others []*rule.ParameterFact) []*rule.ParameterFact {
	in := slices.DeleteFunc(slices.Clone(ps), func(p *rule.ParameterFact) bool {
		return slices.ContainsFunc(others, func(o *rule.ParameterFact) bool {
			return p.Kind == "container" && o.Module != p.Module && (p.Module == "" || strings.HasPrefix(o.Module, p.Module+"."))
		})
	})
	if len(in) == 0 {
		return ps
	}
	return in
}

// models counts the models that have parameters of their own: a part that is
// also called by itself, as an actor that plays, is none.
func models(f *rule.Facts) int {
	if f.Parameters.More > 0 {
		return len(f.Models)
	}
	var own []string
	for i := range f.Parameters.List {
		if name := modelOf(f, &f.Parameters.List[i]); !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	return len(own)
}

// wholeModel reports whether one of several models got no gradient at all.
func wholeModel(f *rule.Facts, missing, reached []*rule.ParameterFact) bool {
	if len(f.Models) < 2 {
		return false
	}
	m := modelOf(f, missing[0])
	return !slices.ContainsFunc(reached, func(p *rule.ParameterFact) bool { return modelOf(f, p) == m })
}

// ran reports whether a parameter's module was called, as far as is known: of a
// model whose inside was not looked at, whether the model was.
func ran(f *rule.Facts, p *rule.ParameterFact) bool {
	if f.Network == nil || f.Network.More > 0 || calledWith(f.Network.Modules, p.Module) {
		return true
	}
	name := modelOf(f, p)
	if len(f.Network.Modules) == 0 || len(f.Models) == 0 || name == "" || name == lookedInto(f) {
		return false
	}
	return slices.ContainsFunc(f.Models, func(m record.ModelFacts) bool { return m.Name == name && m.Called })
}

// lookedInto is the name of the model whose modules the network lists: the first
// one's stand under their own paths, another's under its name.
func lookedInto(f *rule.Facts) string {
	for i := range f.Network.Modules {
		if m := &f.Network.Modules[i]; m.Order == 0 && m.Path != "" {
			return m.Path
		}
	}
	return f.Models[0].Name
}

// flowsOn reports whether what a module without gradients gives goes into one with
// gradients: it is what that one takes, or at least has its shape and comes from
// several layers. An output of its own, which nobody uses yet, has another.
func flowsOn(f *rule.Facts, missing, reached []*rule.ParameterFact) bool {
	if f.Network == nil || f.Network.More > 0 {
		return false
	}
	without, with := modulesOf(missing), modulesOf(reached)
	layers := 0
	for _, p := range missing {
		layers += int(ifTrue(mixing(p)))
	}
	ms := slices.Clone(f.Network.Modules)
	slices.SortStableFunc(ms, func(a, b rule.ModuleFacts) int { return int(a.Order - b.Order) })
	var last *rule.ModuleFacts
	for i := range ms {
		m := &ms[i]
		switch {
		case slices.Contains(without, m.Path):
			last = m
		case slices.Contains(with, m.Path):
			if last != nil && last.Output != nil && m.Input != nil && slices.Equal(last.Output.Shape, m.Input.Shape) && (layers > 1 || sameNumbers(last.Output.Values, m.Input.Values)) {
				return true
			}
			last = nil
		}
	}
	return false
}

// ownOutput reports whether the last of some modules gives what could be a
// further output of the model: it has the shape of what the loss or the model
// itself is given.
func ownOutput(f *rule.Facts, ps []*rule.ParameterFact) bool {
	if f.Network == nil || f.Predictions == nil {
		return false
	}
	var last *rule.ModuleFacts
	for i, paths := 0, modulesOf(ps); i < len(f.Network.Modules); i++ {
		if m := &f.Network.Modules[i]; slices.Contains(paths, m.Path) && (last == nil || m.Order > last.Order) {
			last = m
		}
	}
	if last == nil || last.Output == nil {
		return false
	}
	return slices.Equal(last.Output.Shape, f.Predictions.Shape) ||
		f.Inputs != nil && len(f.Inputs.Tensors) > 0 && slices.Equal(last.Output.Shape, f.Inputs.Tensors[0].Shape)
}

// sameNumbers reports whether two looks at values saw the same.
func sameNumbers(a, b *rule.ValueFacts) bool {
	return a != nil && b != nil && a.Min != a.Max && a.Min == b.Min && a.Max == b.Max && a.Mean == b.Mean
}

// calledWith reports whether a module ran: itself, or as a part of one that runs
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
