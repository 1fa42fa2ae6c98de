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

// notUpdated looks for parameters that are meant to learn and cannot: no
// optimiser holds them, no gradient reaches them, or updates leave them as they
// are. Layers that are frozen the way people freeze them are none of these.
var notUpdated = rule.Definition{
	Name: "not_updated", Class: "NotUpdated", Family: rule.Tensors, Severity: rule.Warning,
	Summary:    "Parameters that ask to be trained are not: no optimiser holds them, no gradient reaches them, or updates do not change them.",
	Why:        "The rest of the model learns around layers that stay as they were initialised, so the training runs, the loss may even fall, and the result is worse than it should be.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "least_updates", Type: rule.Int, Default: "5", Range: rule.AtLeast(1), Unit: "updates", Meaning: "updates after which unchanged values, or gradients of zero, mean something"},
		{Name: "most_frozen", Type: rule.Float, Default: "0.34", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "a larger share of layers that are frozen between trained ones counts as meant"},
	},
	CauseClass: "not-updated",
	Causes: []string{
		"the optimiser was made before the layer was added, replaced or moved, or was given the parameters of a part only",
		"a detach, .data, .item() or no_grad between the layer and the loss",
		"requires_grad that was turned off and never on again",
	},
	Remedies:       []string{"make the optimiser after the model is complete, from model.parameters()", "remove the detach or no_grad on the way to the loss", "set requires_grad_(True) on what is to be trained"},
	Explains:       []string{"underfit", "overtraining", "overfit", "learning_rate", "loss_flat", "loss_spike", "too_few_updates"},
	ExplainsAlways: []string{"loss_not_decreasing", "unchanged_tensor", "weight_update_ratio", "vanishing_gradient", "all_zero"},
	Default: &rule.Preset{
		Why: "A parameter that no optimiser holds counts only where the optimiser holds others of the same model, and backbones that are left out as a whole, low-rank factors and heads that are not used yet are at most worth knowing. " +
			"Unchanged values count after five updates under a learning rate that is not zero.",
	},
	Needs: noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		return &updating{told: newTold(), least: p.Int("least_updates"), frozen: p.Float("most_frozen")}, nil
	},
}

type updating struct {
	told
	least  int64
	frozen float64
}

// Facts implements rule.FactReader.
func (r *updating) Facts(f *rule.Facts, rep *rule.Report) {
	r.nobodys(f, rep)
	ps := f.Parameters
	if ps == nil || len(ps.List) == 0 || ps.Updates < 2 {
		return
	}
	rep.Inspect(len(ps.List))
	if r.strangers(f, rep) {
		return
	}
	r.unheld(f, rep)
	r.outside(f, rep)
	r.unreached(f, rep)
	r.frozenBetween(f, rep)
	r.unchanged(f, rep)
	r.zeroGradients(f, rep)
}

// nobodys finds the only optimiser of a training without a model that it knows
// holding nothing but tensors that never had a gradient.
func (r *updating) nobodys(f *rule.Facts, rep *rule.Report) {
	if f.Parameters != nil || len(f.Models) > 0 || len(f.Optimisers) != 1 || f.Updates == nil || f.Updates.Steps < r.least || !noGradients(f.Updates) {
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
		Check: "strangers", Subject: o.Class, Severity: rule.Error, Observed: float64(strange), Threshold: 0, Comparator: ">", Steps: int(f.Updates.Steps),
		Cause:  "the optimiser was made from another instance of the model: the model was made anew, copied or loaded afterwards",
		Remedy: "make the optimiser after the model has its final form, from the parameters of the instance that is trained",
		Message: fmt.Sprintf("None of the %d tensors that the optimiser %s holds had a gradient at any of %d updates, so that nothing is trained: make the optimiser from the parameters of the model that is called.",
			n, o.Class, f.Updates.Steps),
		Context: map[string]any{"held": n},
	})
}

// noGradients tells whether backward was called, and the optimiser never found
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
			if m.held > 0 || m.moved > 0 || m.trained < 2 || n != m.trained && n != m.all {
				continue
			}
			found = true
			r.say(rep, rule.Violation{
				Check: "strangers", Subject: o.Class, Severity: rule.Error, Observed: float64(strange), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
				Cause:  "the optimiser was made from another instance of the model: the model was made anew, copied or loaded afterwards",
				Remedy: "make the optimiser after the model has its final form, from the parameters of the instance that is trained",
				Message: fmt.Sprintf("The optimiser %s holds %d tensors, none of which belongs to the model %s that is trained, so that its %d parameters never change: make the optimiser from this model's parameters.",
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
			Check: "not_held", Severity: rule.Error, Observed: float64(len(ps)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
			Context: map[string]any{"parameters": namesOf(ps), "model": model, "share": share},
		}
		what := someNames(modulesOf(ps))
		v.Subject = modulesOf(ps)[0]
		v.Message = fmt.Sprintf("%s gradients, but no optimiser holds them (%s, %s of the elements of %s): they stay as they are; add them to the optimiser.",
			these(modulesOf(ps), "gets", "get"), plural(len(ps), "parameter"), percent(share), modelName(model))
		switch {
		case chosen(held[model], ps):
			v.Severity = rule.Info
			v.Message = fmt.Sprintf("The optimiser holds %s of %s only (%s left out, %s of its elements): turn requires_grad off for the others to save their gradients.",
				someNames(modulesOf(held[model])), modelName(model), plural(len(ps), "parameter"), percent(share))
		case before(f, ps, held[model]):
			v.Severity = rule.Info
			v.Message = fmt.Sprintf("The optimiser holds only the last layers of %s: %s get gradients that nobody uses (%s of the elements); turn requires_grad off for them.",
				modelName(model), what, percent(share))
			if age(ps) == fresh {
				v.Severity = rule.Warning
				v.Message = fmt.Sprintf("The optimiser holds only the last layers of %s: %s, %s of the elements, keep the random values that they were initialised with; give the optimiser model.parameters().",
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
	if len(ps) == 0 || age(ps) != fresh || len(f.Optimisers) > 1 {
		return
	}
	modules := modulesOf(ps)
	r.say(rep, rule.Violation{
		Check: "outside", Subject: modules[0], Observed: float64(len(ps)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "the module is not registered in the model (kept in a plain list or dictionary), or was left out when the optimiser was made",
		Remedy: "keep modules in nn.ModuleList or nn.ModuleDict, or give their parameters to the optimiser as well",
		Message: fmt.Sprintf("The loss depends on %s of %s that no optimiser holds and no trained model has: they keep the values that they were initialised with.",
			plural(len(ps), "parameter"), someNames(modules)),
		Context: map[string]any{"parameters": namesOf(ps)},
	})
}

// reachedBy tells whether gradients come to a parameter, which are looked at
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

// chosen tells whether what is held was picked by its nature: low-rank factors,
// adapters, prompts, or biases and scales besides the head.
func chosen(held, left []*rule.ParameterFact) bool {
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
	// Biases and scales are trained and none of their kind is left out.
	return small >= 3 && small*2 > len(held) && !slices.ContainsFunc(left, func(p *rule.ParameterFact) bool { return p.Bias })
}

// before tells whether all of a comes before all of b.
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

// frozenBetween finds single layers that do not ask for gradients although the
// layers before and after them do.
func (r *updating) frozenBetween(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.More > 0 || len(f.Models) > 1 {
		return
	}
	layers := layersOf(f)
	var ones []layer
	trained := map[string]int{}
	for _, l := range layers {
		if l.weight.Trained {
			trained[l.typ]++
		}
	}
	for i, l := range layers {
		if i > 0 && layers[i-1].path == l.path { // one more weight of the same layer
			continue
		}
		if i == 0 || i == len(layers)-1 || l.weight.Trained || l.bias != nil && l.bias.Trained || l.depthwise() {
			continue
		}
		ones = append(ones, l)
		switch {
		case !layers[0].weight.Trained || !layers[len(layers)-1].weight.Trained: // a body, or a head, that is frozen
			return
		case trained[l.typ] == 0, wholeChild(layers, l), hasTrainedCompany(f, l), !layers[i-1].weight.Trained:
			return
		case l.weight.Changed, meantToStay(l.path): // it follows another layer
			return
		}
	}
	if len(ones) == 0 || float64(len(ones)) > r.frozen*float64(len(layers)) {
		return
	}
	var names []string
	for _, l := range ones {
		names = append(names, l.name())
	}
	r.say(rep, rule.Violation{
		Check: "frozen_between", Subject: names[0], Observed: float64(len(ones)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "requires_grad was turned off for a layer between layers that are trained",
		Remedy:  "set requires_grad_(True) on the layer, or freeze the layers before it as well if it is meant",
		Message: fmt.Sprintf("%s frozen (requires_grad is False) although the layers before and after are trained: set requires_grad_(True) unless that is meant.", these(names, "is", "are")),
		Context: map[string]any{"layers": names, "of": len(layers)},
	})
}

// meantToStay tells whether a layer's name says that it is frozen for a reason.
func meantToStay(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc([]string{"target", "teacher", "ema", "momentum", "fixed", "frozen", "random"}, func(s string) bool { return strings.Contains(path, s) })
}

// wholeChild tells whether a frozen layer is part of a child of the model that
// is frozen as a whole and holds more layers: somebody's encoder.
func wholeChild(layers []layer, l layer) bool {
	child, _, deeper := strings.Cut(l.path, ".")
	if !deeper {
		return false
	}
	n := 0
	for _, o := range layers {
		if c, _, _ := strings.Cut(o.path, "."); c == child {
			if o.weight.Trained {
				return false
			}
			n++
		}
	}
	return n > 1
}

// hasTrainedCompany tells whether the module that wraps a frozen layer has
// trained parameters beside it, as low-rank factors are.
func hasTrainedCompany(f *rule.Facts, l layer) bool {
	at := strings.LastIndex(l.path, ".")
	parent := l.path[:max(at, 0)]
	return slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool {
		name := strings.ToLower(p.Name)
		return p.Trained && (at > 0 && p.Module == parent || strings.HasPrefix(p.Module, l.path+".") || strings.Contains(name, "lora") || strings.Contains(name, "adapter"))
	})
}

// unchanged finds parameters that updates left exactly as they were.
func (r *updating) unchanged(f *rule.Facts, rep *rule.Report) {
	ps := f.Parameters
	if ps.Updates < r.least {
		return
	}
	var still []*rule.ParameterFact
	moved, pushed := 0, 0
	for i := range ps.List {
		p := &ps.List[i]
		if p.Changed {
			moved++
		}
		if !p.Held || !p.Trained || p.Gradient != record.GradientFinite {
			continue
		}
		pushed++
		// Without values, as of complex ones, nobody has looked whether they change.
		if !p.Changed && mixing(p) && p.Kind != record.EmbeddingModule && p.First != nil {
			still = append(still, p)
		}
	}
	rates, known := rates(f)
	if pushed == 0 || len(still) == 0 || !known {
		return
	}
	most := slices.Max(rates)
	v := rule.Violation{
		Check: "unchanged", Subject: still[0].Module, Severity: rule.Warning, Observed: 0, Threshold: 0, Comparator: "=", Steps: int(ps.Updates),
		Cause:   "values that are written back after each update, or an update that rounding takes away",
		Remedy:  "look for what restores the values (load_state_dict, clamping, copying in the loop); keep the weights in float32",
		Context: map[string]any{"parameters": namesOf(still), "updates": ps.Updates, "learning_rate": most},
	}
	switch {
	case most == 0 && moved == 0:
		v.Check, v.CauseClass, v.Subject = "zero_rate", "learning-rate", "learning rate"
		v.Cause, v.Remedy = "a learning rate of 0: set so, or made so by a schedule", "set a learning rate above 0; look at what the schedule makes of it"
		v.Message = fmt.Sprintf("The learning rate is 0: after %d updates no parameter has changed; set a learning rate above 0 or correct the schedule.", ps.Updates)
	case slices.Contains(rates, 0):
		return // nobody knows whose rate it is
	case moved == 0 && tiny(f, most):
		v.Check, v.CauseClass, v.Subject = "tiny_rate", "learning-rate", "learning rate"
		v.Cause, v.Remedy = "a learning rate so small that rounding takes every update away", "raise the learning rate"
		v.Message = fmt.Sprintf("The learning rate %s is so small that rounding takes it away: after %d updates no weight has changed; raise it.", num(most), ps.Updates)
	case moved == 0:
		v.Severity, v.Subject = rule.Error, "parameters"
		v.Message = fmt.Sprintf("No weight has changed over %d updates, although gradients come and the learning rate is %s: look for what writes the old values back.", ps.Updates, num(most))
	default:
		still = slices.DeleteFunc(still, func(p *rule.ParameterFact) bool { return p.First.Elements < 64 || p.First.Std == 0 })
		if len(still) == 0 || fading(f, still) {
			return
		}
		v.Subject = still[0].Module
		v.Message = fmt.Sprintf("%s not changed over %d updates, although gradients come and the learning rate is %s: look for what writes the old values back.",
			these(modulesOf(still), "has", "have"), ps.Updates, num(most))
	}
	r.say(rep, v)
}

// fading tells whether what stands still are first layers under an optimiser
// that goes by the gradient's size: a gradient that vanishes does that.
func fading(f *rule.Facts, still []*rule.ParameterFact) bool {
	if !slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return !scaleFree(o.Class) }) {
		return false
	}
	var moving []*rule.ParameterFact
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Changed && mixing(p) {
			moving = append(moving, p)
		}
	}
	return before(f, still, moving)
}

// rates gives the learning rates of all groups, if all are known.
func rates(f *rule.Facts) (out []float64, known bool) {
	for _, o := range f.Optimisers {
		groups := o.Groups
		if len(groups) == 0 {
			groups = []rule.GroupFacts{{LR: o.LR, Parameters: 1}}
		}
		for _, g := range groups {
			if g.Parameters == 0 {
				continue
			}
			if g.LR == nil {
				return nil, false
			}
			out = append(out, *g.LR)
		}
	}
	return out, len(out) > 0
}

// tiny tells whether an update is lost in the rounding of the weights.
func tiny(f *rule.Facts, lr float64) bool {
	norm := weightNorm(f)
	if !(norm > 0) {
		return lr < 1e-9
	}
	push := math.Sqrt(float64(trainedElements(f))) // of an optimiser that does not go by the gradient's size
	if len(f.Optimisers) > 0 && !scaleFree(f.Optimisers[0].Class) {
		push = math.NaN()
		if f.Updates != nil {
			push = medianOf(f.Updates.Norms)
		}
		if !(push > 0) {
			return lr < 1e-9
		}
	}
	const rounding = 1e-6
	return lr*push < rounding*norm
}

func trainedElements(f *rule.Facts) (n int64) {
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Trained && p.Held {
			n += elementsOf(p.Shape)
		}
	}
	return n
}

// zeroGradients finds that every gradient is zero although the loss depends on
// the parameters. Gradients that were cleared before the update are another
// matter.
func (r *updating) zeroGradients(f *rule.Facts, rep *rule.Report) {
	if f.Parameters.Updates < r.least || f.Updates != nil && (f.Updates.Cleared > 0 || f.Updates.NoBackward > 0) {
		return
	}
	if f.Graph == nil || f.Graph.Reached == 0 || oneAnswer(f) {
		return
	}
	n := 0
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		switch {
		case p.Changed, p.Gradient == record.GradientFinite, p.Gradient == record.GradientOdd:
			return
		case p.Held && p.Trained && p.Gradient == record.GradientZero:
			n++
		}
	}
	if n < 2 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "zero_gradients", Subject: "gradients", Observed: 0, Threshold: 0, Comparator: "=", Steps: int(f.Parameters.Updates),
		Cause:   "an operation before the loss that has no slope (round, sign, a comparison, a clamp at its end, saturation), or a loss that is constant",
		Remedy:  "look at the operations between the last layer and the loss; print the loss's gradient with respect to the predictions",
		Message: fmt.Sprintf("The gradients of all %d parameters are exactly zero at %d updates although the loss depends on them: look for an operation without slope (round, sign, clamp) before the loss.", n, f.Parameters.Updates),
		Context: map[string]any{"parameters": n, "head": f.Graph.Head},
	})
}

// oneAnswer tells whether a softmax runs over one class: its gradient is zero,
// which is a matter of the loss.
func oneAnswer(f *rule.Facts) bool {
	return f.Predictions != nil && f.Predictions.Classes == 1 && f.Loss != nil && (f.Loss.Function == "cross_entropy" || f.Loss.Function == "nll_loss")
}

func mixing(p *rule.ParameterFact) bool { return len(p.Shape) > 1 }

// shareOf is the share of a's elements among those of both.
func shareOf(a, b []*rule.ParameterFact) float64 {
	var n, all int64
	for _, p := range a {
		n += elementsOf(p.Shape)
	}
	all = n
	for _, p := range b {
		all += elementsOf(p.Shape)
	}
	return float64(n) / float64(max(all, 1))
}

func namesOf(ps []*rule.ParameterFact) []string {
	const most = 20
	var out []string
	for _, p := range ps[:min(len(ps), most)] {
		out = append(out, p.Name)
	}
	return out
}

// modulesOf names the modules of parameters, each once, in order.
func modulesOf(ps []*rule.ParameterFact) []string {
	var out []string
	for _, p := range ps {
		name := p.Module
		if name == "" {
			name = p.Name
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// these puts names and a verb together.
func these(names []string, singular, plural string) string {
	if len(names) == 1 {
		return someNames(names) + " " + singular
	}
	return someNames(names) + " " + plural
}

func modelName(name string) string {
	if name == "" {
		return "the model"
	}
	return name
}

func percent(share float64) string {
	x := 100 * share
	if x >= 10 {
		x = math.Round(x)
	}
	return num(x) + " %"
}
