package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// leastNeck is how many elements have to lie within the limits of the usual
// initialiser before nobody can have trained them: an update moves some of
// them across.
const leastNeck = 1000

// frozenNeck finds layers that were put between a trained body that is frozen
// and a head, and were frozen with the body although they hold what the
// initialiser left.
func (r *updating) frozenNeck(f *rule.Facts, units []unit, rep *rule.Report) {
	head := slices.IndexFunc(units, func(u unit) bool { return u.trained })
	neck := head
	var names []string
	n := int64(0)
	if head < 0 {
		return
	}
	for neck > 0 && untouched(units[neck-1].weight) {
		neck--
		u := units[neck]
		if u.weight.Changed || meantToStay(u.path) || hasTrainedCompany(f, u.layer) {
			return
		}
		names = append([]string{u.name()}, names...)
		n += u.weight.First.Elements
	}
	if neck == head || n < leastNeck && !earlier(f, units[neck]) {
		return
	}
	var body []*rule.ParameterFact
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; !p.Trained && modelOf(f, p) == modelOf(f, units[0].weight) && !slices.ContainsFunc(units[neck:], func(u unit) bool { return u.path == p.Module }) {
			body = append(body, p)
		}
	}
	if age(body) != worn && !earlier(f, units[neck]) {
		return // all of it is random on purpose
	}
	r.say(rep, rule.Violation{
		Check: "frozen_neck", Subject: names[0], Observed: float64(len(names)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:   "requires_grad was turned off for new layers together with the pretrained ones before them",
		Remedy:  "call requires_grad_(True) on the new layers and pass them to the optimiser",
		Message: fmt.Sprintf("%s frozen (requires_grad=False) together with pretrained layers before, but still random: the head gets random features. Train the new layers.", these(names, "is", "are")),
		Context: map[string]any{"layers": names, "elements": n},
	})
}

// earlier reports whether layers before this one were trained by an earlier
// training of the process: they ran, and are no parameters of the present one.
func earlier(f *rule.Facts, u unit) bool {
	if f.Network == nil || f.Network.More > 0 || f.Parameters.More > 0 || u.module == nil {
		return false
	}
	return slices.ContainsFunc(f.Network.Modules, func(m rule.ModuleFacts) bool {
		return slices.Contains(weightedKinds, m.Kind) && m.Order < u.module.Order && !slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool {
			return p.Module == m.Path || within(p.Module, m.Path)
		})
	})
}

// untouched reports whether a weight that nobody loaded still lies within the limits
// of the usual initialiser, and reaches them.
func untouched(p *rule.ParameterFact) bool {
	v := p.First
	if v == nil || loaded(p) || v.NonFinite > 0 || v.Elements < 100 || p.FanIn < 1 || p.Kind != record.LinearModule && p.Kind != record.ConvModule {
		return false
	}
	limit := 1 / math.Sqrt(float64(p.FanIn))
	most := max(float64(v.Max), -float64(v.Min))
	return evenly(v) && most <= limit*(1+1e-5) && most >= limit*(1-20/float64(v.Elements))
}
