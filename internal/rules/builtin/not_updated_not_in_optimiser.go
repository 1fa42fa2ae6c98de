package builtin

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// nobodys finds the only optimiser of a training without a model that it knows
// holding nothing but tensors that never had a gradient.
func (r *updating) nobodys(f *rule.Facts, rep *rule.Report) {
	if !onlyStrangers(f) || len(f.Models) > 0 || len(f.Optimisers) != 1 || f.Updates == nil || f.Updates.Steps < r.least || !noGradients(f.Updates) {
		return
	}
	var n, strange int64
	o := f.Optimisers[0]
	for _, g := range o.Groups {
		n, strange = n+g.Parameters, strange+g.Strangers
	}
	if n < 2 || strange < n {
		return
	}
	r.say(rep, rule.Violation{
		Check: "optimiser_of_another_model", Subject: o.Class, Severity: rule.Error, Observed: float64(strange), Threshold: 0, Comparator: ">", Steps: int(f.Updates.Steps),
		Cause:  "the optimiser was created from another instance of the model: the model was re-created, copied or loaded afterwards",
		Remedy: "create the optimiser after the final model, from the parameters of the instance that is trained",
		Message: fmt.Sprintf("Nothing is trained: none of the %d tensors of the optimiser %s had a gradient at any of %d updates. Create the optimiser from the parameters of the model that is called.",
			n, o.Class, f.Updates.Steps),
		Context: map[string]any{"held": n},
	})
}

// onlyStrangers reports whether no parameter is known but what an optimiser holds
// next to all modules, and the loss reaches none of it.
func onlyStrangers(f *rule.Facts) bool {
	return f.Parameters == nil || f.Parameters.More == 0 && !slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool {
		return p.Module != "" || p.Changed || p.Gradient != "missing"
	})
}

// noGradients reports whether backward was called, and the optimiser never found
// a gradient that is not zero.
func noGradients(u *record.UpdateFacts) bool {
	for _, n := range u.Norms {
		if n != 0 {
			return false
		}
	}
	return u.NoBackward == 0 && int64(len(u.Norms)) == u.Steps
}

// strangers finds an optimiser that was given another model's parameters: as
// many tensors as a model has that nobody holds.
func (r *updating) strangers(f *rule.Facts, rep *rule.Report) bool {
	type tensors struct{ all, trained, held, moved int64 }
	models := map[string]*tensors{}
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		m := models[modelOf(f, p)]
		if m == nil {
			m = &tensors{}
			models[modelOf(f, p)] = m
		}
		m.all++
		m.trained += ifTrue(p.Trained)
		m.held += ifTrue(p.Held)
		m.moved += ifTrue(p.Changed)
	}
	found := false
	for _, o := range f.Optimisers {
		var n, strange int64
		for _, g := range o.Groups {
			n, strange = n+g.Parameters, strange+g.Strangers
		}
		if n < 2 || strange < n {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(models)) {
			m := models[name]
			if name == "" || m.held > 0 || m.moved > 0 || m.trained < 2 || n != m.trained && n != m.all {
				continue
			}
			found = true
			r.say(rep, rule.Violation{
				Check: "optimiser_of_another_model", Subject: o.Class, Severity: rule.Error, Observed: float64(strange), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
				Cause:  "the optimiser was created from another instance of the model: the model was re-created, copied or loaded afterwards",
				Remedy: "create the optimiser after the final model, from the parameters of the instance that is trained",
				Message: fmt.Sprintf("None of the tensors of the optimiser %s (%d) belongs to the trained model %s, so the model's %d parameters never change. Create the optimiser from this model's parameters.",
					o.Class, n, name, m.trained),
				Context: map[string]any{"model": name, "held": n, "parameters": m.all},
			})
		}
	}
	return found
}

func ifTrue(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// unheld finds parameters with gradients that no optimiser holds, in models of
// which others are held.
func (r *updating) unheld(f *rule.Facts, rep *rule.Report) {
	held, left := map[string][]*rule.ParameterFact{}, map[string][]*rule.ParameterFact{}
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch m := modelOf(f, p); {
		case p.Held:
			held[m] = append(held[m], p)
		case p.Trained && !p.Changed && reachedBy(f, p):
			left[m] = append(left[m], p)
		}
	}
	for _, model := range slices.Sorted(maps.Keys(left)) {
		ps := left[model]
		if len(held[model]) == 0 {
			continue
		}
		share := shareOf(ps, held[model])
		v := rule.Violation{
			Check: "parameters_in_no_optimiser", Severity: rule.Error, Observed: float64(len(ps)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
			Context: map[string]any{"parameters": namesOf(ps), "model": model, "share": share},
		}
		what := someNames(modulesOf(ps))
		v.Subject = modulesOf(ps)[0]
		v.Message = fmt.Sprintf("%s gradients, but no optimiser has them (%s, %s of the elements of %s), so they keep their initial values. Add them to the optimiser.",
			these(modulesOf(ps), "gets", "get"), plural(len(ps), "parameter"), percent(share), modelName(model))
		frozen := slices.DeleteFunc(slices.Clone(held[model]), func(p *rule.ParameterFact) bool { return p.Trained || !mixing(p) })
		switch {
		case len(frozen) > 0 && share <= 0.5 && slices.ContainsFunc(ps, mixing):
			// Whoever chooses what is held does not choose what is frozen.
			v.Cause = "the optimiser was created before these layers, adapters or prompts were added to the model"
			v.Remedy = "create the optimiser after the model is complete, from the parameters with requires_grad"
			v.Message = fmt.Sprintf("%s gradients, but no optimiser has them (%s, %s of the elements of %s), while %s in the optimiser are frozen. The optimiser was created before these layers were added; create it afterwards.",
				these(modulesOf(ps), "gets", "get"), plural(len(ps), "parameter"), percent(share), modelName(model), plural(len(frozen), "weight"))
		case chosen(held[model], ps, share):
			v.Severity = rule.Info
			v.Message = fmt.Sprintf("The optimiser has only %s of %s (%s left out, %s of its elements). Turn requires_grad off for the others to save their gradients.",
				someNames(modulesOf(held[model])), modelName(model), plural(len(ps), "parameter"), percent(share))
		case before(f, ps, held[model]):
			v.Severity = rule.Info
			v.Message = fmt.Sprintf("The optimiser has only the last layers of %s: %s get gradients that are never used (%s of the elements). Turn requires_grad off for them.",
				modelName(model), what, percent(share))
			if age(ps) == fresh {
				v.Severity = rule.Warning
				v.Message = fmt.Sprintf("The optimiser has only the last layers of %s: %s (%s of the elements) keep their random initial values. Pass model.parameters() to the optimiser.",
					modelName(model), what, percent(share))
			}
		case !slices.ContainsFunc(ps, mixing):
			v.Severity = rule.Warning
		}
		r.say(rep, v)
	}
}

// outside finds modules that the loss depends on, that still are as they were
// initialised, and that neither a trained model nor an optimiser has. A network
// that was trained before, as for a perceptual loss or a teacher, is none.
func (r *updating) outside(f *rule.Facts, rep *rule.Report) {
	var ps []*rule.ParameterFact
	for i := range f.Parameters.Outside {
		if p := &f.Parameters.Outside[i]; p.Trained {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 || age(ps) != fresh && !newTables(ps) {
		return
	}
	modules := modulesOf(ps)
	if len(f.Optimisers) > 1 {
		if same := sameHeld(f); same > 0 {
			r.say(rep, rule.Violation{
				Check: "in_two_optimisers", Subject: modules[0], Severity: rule.Error, Observed: float64(same), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
				Cause:  "the second optimiser was created with the parameters of the first one's network",
				Remedy: "pass each optimiser its own network's parameters",
				Message: fmt.Sprintf("Two optimisers have the same %s, while no optimiser has %s of %s that the loss depends on, so they keep their initial values. Pass each optimiser its own network's parameters.",
					plural(same, "parameter"), plural(len(ps), "parameter"), someNames(modules)),
				Context: map[string]any{"parameters": namesOf(ps), "held_twice": same},
			})
		}
		return
	}
	r.say(rep, rule.Violation{
		Check: "module_in_no_optimiser", Subject: modules[0], Observed: float64(len(ps)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "the module is not registered in the model (kept in a plain list or dict), or was left out when the optimiser was created",
		Remedy: "keep modules in nn.ModuleList or nn.ModuleDict, or pass their parameters to the optimiser as well",
		Message: fmt.Sprintf("The loss depends on %s of %s that are in no optimiser and in no trained model: they keep their initial values.",
			plural(len(ps), "parameter"), someNames(modules)),
		Context: map[string]any{"parameters": namesOf(ps)},
	})
}

// sameHeld is how many parameters two optimisers hold that hold exactly the
// same; 0 without such a pair. What two of them share besides their own, such as
// an encoder, makes none.
func sameHeld(f *rule.Facts) int {
	if f.Parameters.More > 0 {
		return 0
	}
	var held, all int64
	for i := range f.Parameters.List {
		held += ifTrue(f.Parameters.List[i].Held)
	}
	known := map[int64]int{}
	for _, o := range f.Optimisers {
		var n int64
		for _, g := range o.Groups {
			n += g.Parameters - g.Strangers
		}
		all += n
		known[n]++
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(known))) {
		if n > 1 && known[n] > 1 && all-held >= n {
			return int(n)
		}
	}
	return 0
}

// newTables reports whether parameters are embeddings with the mean and the
// deviation that the framework draws them with. One that was trained has others.
func newTables(ps []*rule.ParameterFact) bool {
	for _, p := range ps {
		v := p.First
		if p.Kind != record.EmbeddingModule || v == nil || v.NonFinite > 0 || v.Elements < 2 {
			return false
		}
		n := float64(v.Elements)
		if math.Abs(float64(v.Mean)) > 3/math.Sqrt(n) || math.Abs(float64(v.Std)-1) > 3/math.Sqrt(2*n)+3/n {
			return false
		}
	}
	return len(ps) > 0
}

// reachedBy reports whether gradients come to a parameter, which are looked at
// only where an optimiser uses them: otherwise the graph has to show it.
func reachedBy(f *rule.Facts, p *rule.ParameterFact) bool {
	if p.Gradient != record.GradientMissing {
		return p.Gradient == record.GradientFinite
	}
	g := f.Graph
	return g != nil && g.Complete && len(g.Unreached) < unreachedListed && !slices.Contains(g.Unreached, p.Name)
}

// unreachedListed is the most names of parameters that a graph lists.
const unreachedListed = 50

// chosen reports whether what is held was picked by its nature: low-rank factors,
// adapters, prompts, or biases and scales besides the head. share is that of the
// elements that are left out.
func chosen(held, left []*rule.ParameterFact, share float64) bool {
	small, named := 0, 0
	for _, p := range held {
		name := strings.ToLower(p.Name)
		switch {
		case p.Bias || p.Kind == record.NormModule:
			small++
		case strings.Contains(name, "lora") || strings.Contains(name, "adapter") || strings.Contains(name, "prompt") || strings.Contains(name, "prefix"):
			named++
		}
	}
	if named > 0 {
		return true
	}
	// Biases and scales are trained, none of their kind is left out, and nearly all weights are.
	return share > 0.5 && small >= 3 && small*2 > len(held) && !slices.ContainsFunc(left, func(p *rule.ParameterFact) bool { return p.Bias })
}

// before reports whether all of a comes before all of b.
func before(f *rule.Facts, a, b []*rule.ParameterFact) bool {
	places := placesOf(f)
	_, last := reach(places, a)
	first, _ := reach(places, b)
	return last < first
}

// placesOf gives every parameter's place: of its module in the forward where
// all of them were called, otherwise among the registered ones.
func placesOf(f *rule.Facts) map[string]int {
	order, places, called := map[string]int{}, map[string]int{}, map[string]int{}
	if f.Network != nil && f.Network.More == 0 {
		for _, m := range f.Network.Modules {
			order[m.Path] = int(m.Order)
		}
	}
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		places[p.Name] = i
		if at, ok := order[p.Module]; ok {
			called[p.Name] = at
		}
	}
	if len(called) == len(places) {
		return called
	}
	return places
}

// reach gives the first and the last place of parameters.
func reach(places map[string]int, ps []*rule.ParameterFact) (first, last int) {
	first, last = math.MaxInt, math.MinInt
	for _, p := range ps {
		first, last = min(first, places[p.Name]), max(last, places[p.Name])
	}
	return first, last
}
