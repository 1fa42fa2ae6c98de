package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// staleParameters finds a training that goes on with another instance of its model than
// the one that the optimiser was made for.
func (r *updating) staleParameters(f *rule.Facts, rep *rule.Report) {
	a := f.Astray
	if a == nil {
		return
	}
	if a.Never {
		r.neverCame(f, a, rep)
		return
	}
	since := fmt.Sprintf("Since step %d", a.Since)
	if a.Latest {
		since += " at the latest"
	}
	r.say(rep, rule.Violation{
		Check: "astray", Subject: a.Optimiser, Severity: rule.Error, Observed: float64(a.Parameters), Threshold: 0, Comparator: ">",
		Cause:  "the model was made anew, copied or loaded in the middle of the training, and the optimiser still holds the one before",
		Remedy: "make the optimiser (and its scheduler) anew after the model, or load the weights into the model that is there: model.load_state_dict(…)",
		Message: fmt.Sprintf("%s no gradient comes to what the optimiser %s holds; another %s gets them, whose %s no optimiser holds, so that they stay as they are: make the optimiser anew after the model.",
			since, a.Optimiser, a.Model, plural(int(a.Parameters), "parameter")),
		Context: map[string]any{"since": a.Since, "model": a.Model, "parameters": a.Parameters},
	})
}

// neverCame tells of an optimiser that was made for the instance that gives
// targets, or is a copy, from the beginning on. One that is never called, and one
// that is no model that is known, are told of by others.
func (r *updating) neverCame(f *rule.Facts, a *record.AstrayFacts, rep *rule.Report) {
	if f.Parameters == nil || len(f.Models) == 0 || len(f.Models) == 1 && !f.Models[0].Called {
		return
	}
	if !slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool { return p.Held && p.Gradient == record.GradientMissing }) {
		return
	}
	r.say(rep, rule.Violation{
		Check: "astray", Subject: a.Optimiser, Severity: rule.Error, Observed: float64(a.Parameters), Threshold: 0, Comparator: ">",
		Cause:  "the optimiser was given the parameters of the copy that gives targets, or of another instance, and not of the one that is trained",
		Remedy: "make the optimiser from the parameters of the instance that the loss is computed with",
		Message: fmt.Sprintf("No gradient came to what the optimiser %s holds; another %s gets them, whose %s no optimiser holds, so that they stay as they are: make the optimiser from the parameters of the instance that is trained, not from those of its copy.",
			a.Optimiser, a.Model, plural(int(a.Parameters), "parameter")),
		Context: map[string]any{"model": a.Model, "parameters": a.Parameters},
	})
}

// untouchedModel finds a model all of whose parameters an optimiser holds, and to
// which nothing ever came although backward was called: what computes the loss is
// a copy of it, or another instance.
func (r *updating) untouchedModel(f *rule.Facts, rep *rule.Report) bool {
	u := f.Updates
	if f.Graph != nil && f.Graph.Rootless || u == nil || u.Steps < r.least || !noGradients(u) || f.Parameters.More > 0 || len(f.Models) != 1 || f.Models[0].Called {
		return false
	}
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Gradient != record.GradientMissing || p.Changed && !p.Bias && p.Kind != record.NormModule {
			return false
		}
	}
	m := f.Models[0]
	r.say(rep, rule.Violation{
		Check: "strangers", Subject: m.Name, Severity: rule.Error, Observed: float64(len(f.Parameters.List)), Threshold: 0, Comparator: ">", Steps: int(u.Steps),
		Cause:  "the optimiser was made from another instance of the model: the one that is trained is a copy, or was made or loaded afterwards",
		Remedy: "make the optimiser after the model has its final form, from the parameters of the instance that is trained",
		Message: fmt.Sprintf("No gradient came to any of the %d parameters of the %s that the optimiser holds at %d updates, and that instance is never called: what computes the loss is another one; make the optimiser from its parameters.",
			len(f.Parameters.List), m.Class, u.Steps),
		Context: map[string]any{"held": len(f.Parameters.List)},
	})
	return true
}
