package builtin

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// notUpdated looks for parameters that are meant to learn and cannot: no
// optimiser holds them, no gradient reaches them, or updates leave them as they
// are. Layers that are frozen the way people freeze them are none of these.
var notUpdated = rule.Definition{
	Name: "not_updated", Class: "NotUpdated", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     slices.Concat(notUpdatedChecks, rule.Index([]rule.Judged[*rule.Facts]{nothingTrainable, unfrozenNotHeld, averageNeverUpdated})),
	Summary:    "Trainable parameters are not trained: no optimiser has them, no gradient reaches them, or updates do not change them.",
	Why:        "The rest of the model learns around layers that stay at their initial values. Training runs and the loss may even fall, but the result is silently worse than it should be.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "least_updates", Type: rule.Int, Default: "5", Range: rule.AtLeast(1), Unit: "updates", Meaning: "updates after which unchanged values, or zero gradients, are reported"},
		{Name: "most_frozen", Type: rule.Float, Default: "0.34", Range: rule.Between(0, 1), Unit: "fraction", Meaning: "a larger share of frozen layers between trained ones counts as intended"},
	},
	CauseClass: "not-updated",
	Causes: []string{
		"the optimiser was created before the layer was added, replaced or moved, or got only part of the parameters",
		"detach(), .data, .item() or no_grad() between the layer and the loss, or on the state inside a recurrent loop",
		"requires_grad was turned off and never on again",
		"an operation with zero gradient (round, sign, floor) between the layers and the loss",
		"torch.autograd.grad without create_graph=True for a term of the loss",
		"a layer constructed in forward, or a parameter group with learning rate 0",
	},
	Remedies:       []string{"create the optimiser after the model is complete, from model.parameters()", "remove detach() or no_grad() on the way to the loss", "call requires_grad_(True) on what should be trained"},
	Explains:       []string{"underfit", "overtraining", "overfit", "learning_rate", "loss_flat", "loss_spike", "too_few_updates"},
	ExplainsAlways: []string{"loss_not_decreasing", "unchanged_tensor", "weight_update_ratio", "vanishing_gradient", "all_zero", "dead_relu"},
	// What is random and frozen takes the signal away, however large it is.
	ExplainsBy: map[string][]string{"frozen_stack": {"initial_weights"}},
	ExplainsAlwaysBy: map[string][]string{
		"parameters_in_no_optimiser": followsFromNoOptimiser, "in_two_optimisers": followsFromNoOptimiser, "optimiser_of_another_model": followsFromNoOptimiser, "module_in_no_optimiser": followsFromNoOptimiser, "another_instance_trained": {"initial_weights/small_weights"},
	},
	Default: &rule.Preset{
		Why: "A parameter that no optimiser holds counts only where the optimiser holds others of the same model, and backbones that are left out as a whole, low-rank factors and heads that are not used yet are at most information. " +
			"A network that no optimiser holds counts beside several optimisers where two of these hold the same parameters. " +
			"Layers that are frozen count only between trained ones, and only where others of their class or build are trained or they hold what an initialiser left; and new ones that are frozen together with a body before them that was trained, be it before or in the same process. " +
			"Whole blocks that are frozen as they were initialised count before a trained one that is built alike: after a trained layer at once, from the first layer on when they are frozen to the end; " +
			"and where all blocks of that build are frozen to the end, between a first layer or an embedding and a head that are trained. " +
			"Weights that are all frozen while biases are trained count where they hold what an initialiser left, and the last layer's weight is among them. " +
			"An optimiser whose parameters stop getting gradients in the middle, or never get any, counts where another instance, built alike, gets them instead. " +
			"An optimiser trains nothing where all that it holds belongs to models, asks for no gradient, has none and has not changed, and nothing else is known of these parameters. " +
			"Unchanged values count after five updates under a learning rate that is not zero; a group whose rate is zero where others move and it holds what an initialiser left. " +
			"A module without gradients between others counts where what it gives goes on into one that has them, not where it could be an output that nobody uses yet. " +
			"A parameter beside the model, which no module has, counts where one optimiser trains the model and the script does not update it by hand. A recurrent state that is detached counts where that happens at every step, " +
			"not where a long sequence is cut now and then.",
	},
	Needs: func(rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: rule.TrainOnly(rule.Auto), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &updating{told: newTold(), params: p, least: p.Int("least_updates"), frozen: p.Float("most_frozen")}, nil
	},
}

type updating struct {
	told
	params rule.Params
	least  int64
	frozen float64
	stack  *frozenStack // that may be thawed yet
}

// Facts implements rule.FactReader.
func (r *updating) Facts(f *rule.Facts, rep *rule.Report) {
	r.staleParameters(f, rep)
	r.nobodys(f, rep)
	for _, v := range slices.Concat(unfrozenNotHeld.Violations(f, r.params), averageNeverUpdated.Violations(f, r.params)) {
		r.say(rep, v)
	}
	ps := f.Parameters
	if ps == nil || ps.Updates < 2 {
		return
	}
	if len(ps.List) == 0 {
		r.outsideModel(f, rep)
		return
	}
	rep.Inspect(len(ps.List))
	if r.strangers(f, rep) || r.untouchedModel(f, rep) {
		return
	}
	r.lossWithoutGraph(f, rep)
	r.lostTerm(f, rep)
	r.lostCode(f, rep)
	r.unheld(f, rep)
	r.outside(f, rep)
	r.madeInForward(f, rep)
	r.outsideModel(f, rep)
	r.cutStates(f, rep)
	r.unreached(f, rep)
	r.frozenBetween(f, rep)
	r.biasesOnly(f, rep)
	r.zeroGroup(f, rep)
	r.unchanged(f, rep)
	if !r.behindFlat(f, rep) {
		r.zeroGradients(f, rep)
	}
	if len(r.said) == 0 { // what is known of single parameters says more
		for _, v := range nothingTrainable.Violations(f, r.params) {
			r.say(rep, v)
		}
	}
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

// followsFromNoOptimiser is what comes of parameters that no optimiser updates, whenever it is noticed.
var followsFromNoOptimiser = []string{"loss_flat/chance_level", "learning_rate/too_low", "initial_weights/small_weights", "vanishing_gradient"}

// withoutGradient is what a gradient that does not come through makes of parameters. Which
// of them an optimiser holds is another matter.
var withoutGradient = []string{"not_updated/no_gradient", "not_updated/zero_gradients", "not_updated/unchanged", "not_updated/zero_gradient_operation"}
