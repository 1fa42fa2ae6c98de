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
		Check: "another_instance_trained", Subject: a.Optimiser, Severity: rule.Error, Observed: float64(a.Parameters), Threshold: 0, Comparator: ">",
		Cause:  "the model was re-created, copied or loaded during training, and the optimiser still has the old one's parameters",
		Remedy: "re-create the optimiser (and its scheduler) after the model, or load the weights into the existing model: model.load_state_dict(…)",
		Message: fmt.Sprintf("%s the parameters of the optimiser %s get no gradients; another %s gets them, whose %s are in no optimiser and so never change. Re-create the optimiser after the model.",
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
		Check: "another_instance_trained", Subject: a.Optimiser, Severity: rule.Error, Observed: float64(a.Parameters), Threshold: 0, Comparator: ">",
		Cause:  "the optimiser got the parameters of the target network, or of another instance, instead of the one that is trained",
		Remedy: "create the optimiser from the parameters of the instance that computes the loss",
		Message: fmt.Sprintf("The parameters of the optimiser %s get no gradients; another %s gets them, whose %s are in no optimiser and so never change. Create the optimiser from the trained instance, not from its copy.",
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
		Check: "optimiser_of_another_model", Subject: m.Name, Severity: rule.Error, Observed: float64(len(f.Parameters.List)), Threshold: 0, Comparator: ">", Steps: int(u.Steps),
		Cause:  "the optimiser was created from another instance of the model: the trained one is a copy, or was created or loaded afterwards",
		Remedy: "create the optimiser after the final model, from the parameters of the instance that is trained",
		Message: fmt.Sprintf("None of the %d parameters of the %s in the optimiser had a gradient at %d updates, and that instance is never called: another one computes the loss. Create the optimiser from that one's parameters.",
			len(f.Parameters.List), m.Class, u.Steps),
		Context: map[string]any{"held": len(f.Parameters.List)},
	})
	return true
}
