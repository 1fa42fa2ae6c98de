package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// leastPulls is how many updates have to say the same, and none the contrary.
const leastPulls = 4

// critics finds a generator whose loss asks of the critic's scores what the
// critic's own loss asks for, and a critic that is taught to score data and what
// was made alike: a sign, or a label, is the wrong way round. A sigmoid before a loss
// that is linear in the scores is told too.
func critics(f *rule.Facts) []rule.Violation {
	if f.Graph == nil || f.Graph.Adversary == nil {
		return nil
	}
	if slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool {
		return slices.ContainsFunc(o.Groups, func(g rule.GroupFacts) bool { return g.Maximize })
	}) {
		return nil
	}
	a := f.Graph.Adversary
	v := rule.Violation{
		Subject: "loss", Severity: rule.Error, Threshold: 0, Comparator: ">", Steps: int(updates(f)), CauseClass: "loss",
		Context: map[string]any{"critic": a.Critic, "maker": a.Maker, "apart": a.Apart, "alike": a.Alike, "opposes": a.Opposes, "helps": a.Helps},
	}
	switch {
	case a.Alike >= leastPulls && a.Apart == 0:
		v.Check, v.Observed = "critic_alike", float64(a.Alike)
		v.Cause, v.Remedy = "the same label, or the same sign, for data and for what the generator makes", "give what is made the other label: 1 for data and 0 for fakes; for a Wasserstein loss critic(fake).mean() - critic(real).mean()"
		v.Message = fmt.Sprintf("The critic %s is taught to score data and what %s makes alike: at %d of its first updates its loss asked for the same score of both, so that it cannot tell them apart. Give them different labels, or signs.", a.Critic, a.Maker, a.Alike)
	case a.Helps >= leastPulls && a.Opposes == 0:
		v.Check, v.Observed = "critic_helped", float64(a.Helps)
		v.Cause, v.Remedy = "a wrong sign, or swapped labels, in the loss of the generator or of the critic", "let the generator ask for the scores that the critic gives to data: label 1 for its fakes, or -critic(fake).mean() where the critic minimises critic(fake).mean() - critic(real).mean()"
		v.Message = fmt.Sprintf("The generator %s and its critic %s do not work against each other: at %d updates the loss of %s asked for the scores that %s's own loss asks of fakes, so that it learns to be found out. Change the sign, or the label, of one of the two losses.", a.Maker, a.Critic, a.Helps, a.Maker, a.Critic)
	case a.Squashed >= leastPulls && a.Squashed == a.Apart && a.Alike == 0:
		v.Check, v.Severity, v.CauseClass, v.Observed = "critic_squashed", rule.Warning, "output-activation", float64(a.Squashed)
		v.Cause, v.Remedy = "a sigmoid at the end of a critic whose loss takes scores as they are", "remove the sigmoid from the critic, or keep it and use binary_cross_entropy"
		v.Message = fmt.Sprintf("The critic %s ends in a sigmoid, and its loss is the difference of mean scores, as Wasserstein's: scores cannot get further apart than 0 and 1, and the more certain the critic is, the less gradient %s gets. Remove the sigmoid.", a.Critic, a.Maker)
	default:
		return nil
	}
	return []rule.Violation{v}
}
