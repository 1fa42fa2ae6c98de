package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// regularisation judges dropout and weight decay that leave nothing to learn.
var regularisation = rule.Definition{
	Name: "regularisation", Class: "Regularisation", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     regularisationChecks,
	Summary:    "Dropout or weight decay is so strong that hardly anything can be learnt.",
	Why:        "Regularisation that outweighs the loss keeps the model from fitting even the training data.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "dropout", Type: rule.Float, Default: "0.8", Range: rule.Between(0, 1).OpenMin(), Unit: "fraction", Meaning: "dropout from which on a layer counts"},
		{Name: "shrink", Type: rule.Float, Default: "0.0125", Range: rule.Above(0), Unit: "fraction", Meaning: "share of a weight that one update may take away by decay"},
		{Name: "weight_decay", Type: rule.Float, Default: "0.3", Range: rule.Above(0), Unit: "weight decay", Meaning: "decay that is added to gradients (not decoupled) from which on it counts"},
	},
	CauseClass: "regularisation",
	Causes:     []string{"a dropout probability that is too high, or was meant as the keep probability", "a weight decay that is too strong"},
	Remedies:   []string{"lower the dropout to 0.5 or less", "lower the weight decay (1e-4 to 1e-2 is usual)"},
	Asks:       []rule.Advice{rule.RegulariseLess},
	Explains:   []string{"underfit", "overtraining", "loss_not_decreasing", "vanishing_gradient", "all_zero", "dead_relu", "loss_flat", "too_few_updates", "learning_rate"},
	Default: &rule.Preset{
		Why: "Dropout of up to 0.75 is used with success, but not of 0.65 and more at four places one after the other. Decay counts when one update takes an eightieth of a weight away (a hundredth is used with success where a network is to generalise from few examples), or when it is added to gradients with a factor that makes it larger than they are; and so does a penalty on the weights in the loss itself that makes nearly all of the gradient. Dropout, and decay that takes weights away, count only where the loss has not halved in 200 updates, or by the end.",
	},
	Needs: func(rule.Params) []rule.Need {
		return []rule.Need{{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		return &regular{told: newTold(), dropout: p.Float("dropout"), shrink: p.Float("shrink"), decay: p.Float("weight_decay")}, nil
	},
}

type regular struct {
	told
	dropout, shrink, decay float64
	doubts                 strongDoubts
}

// Facts implements rule.FactReader.
func (r *regular) Facts(f *rule.Facts, rep *rule.Report) {
	r.doubts.List = nil
	if f.Network != nil {
		rep.Inspect(len(f.Network.Modules))
		r.drops(f, rep)
	}
	if f.Graph != nil && f.Graph.Dropout >= r.dropout && len(r.said)+len(r.doubts.List) == 0 {
		r.dropsByFunction(f)
	}
	if f.Parameters != nil && (len(layersOf(f)) > 1 || tablesOf(f) > 1) {
		rep.Inspect(len(f.Optimisers))
		for _, o := range f.Optimisers {
			r.decays(f, o, rep)
		}
		r.penalises(f, rep)
	}
}

// tablesOf is the number of embeddings: a model may be made of them alone.
func tablesOf(f *rule.Facts) int {
	n := 0
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Kind == record.EmbeddingModule && len(p.Shape) == 2 && p.Shape[1] > 1 {
			n++
		}
	}
	return n
}

// drops finds dropout that lets hardly anything through. Dropping attention,
// embeddings and whole paths is a matter of its own.
func (r *regular) drops(f *rule.Facts, rep *rule.Report) {
	var names []string
	most := 0.0
	modules := slices.DeleteFunc(slices.Clone(f.Network.Modules), func(m rule.ModuleFacts) bool { return m.Kind == "container" })
	slices.SortStableFunc(modules, func(a, b rule.ModuleFacts) int { return int(a.Order - b.Order) })
	for i := range modules {
		m := &modules[i]
		name := strings.ToLower(m.Path + " " + m.Type)
		p, ok := setting(m, "p")
		if !ok || p < r.dropout || m.Kind != record.DropoutModule || !m.Training ||
			strings.Contains(name, "att") || strings.Contains(name, "emb") || strings.Contains(name, "path") || strings.Contains(name, "stochastic") ||
			i > 0 && modules[i-1].Kind == record.EmbeddingModule {
			continue
		}
		names, most = append(names, m.Path), math.Max(most, p)
	}
	if len(names) == 0 {
		r.dropsMany(modules, f)
		return
	}
	v := rule.Violation{
		Check: "dropout", Subject: names[0], Observed: most, Threshold: r.dropout, Comparator: ">=", Steps: int(updates(f)),
		Cause: "a dropout probability that is too high, or was meant as the keep probability", Remedy: "lower it to 0.5 or less", Asks: []rule.Advice{rule.RegulariseLess},
		Message: fmt.Sprintf("Dropout is too strong: it sets %s of the values to 0 in %s. Lower p to 0.5 or less (p is the share that is dropped).", percent(most), someNames(names)),
		Context: map[string]any{"modules": names},
	}
	if most == 1 {
		v.Severity = rule.Error
		v.Message = fmt.Sprintf("Dropout with p = 1 in %s removes all values. Lower p to 0.5 or less (p is the share that is dropped).", someNames(names))
		r.say(rep, v)
		return
	}
	r.doubts.add(v)
}

const (
	manyDrops = 4    // dropouts, one after the other
	manyShare = 0.65 // that each of them drops
)

// dropsMany finds dropout all along a network that each layer could bear alone.
func (r *regular) dropsMany(modules []rule.ModuleFacts, f *rule.Facts) {
	var names []string
	least := 1.0
	for i := range modules {
		m := &modules[i]
		name := strings.ToLower(m.Path + " " + m.Type)
		p, ok := setting(m, "p")
		if ok && p >= manyShare && m.Kind == record.DropoutModule && m.Training && m.Calls > 0 && !strings.Contains(name, "path") && !strings.Contains(name, "stochastic") {
			names, least = append(names, m.Path), math.Min(least, p)
		}
	}
	if len(names) < manyDrops {
		return
	}
	r.doubts.add(rule.Violation{
		Check: "dropout", Subject: names[0], Observed: float64(len(names)), Threshold: manyDrops, Comparator: ">=", Steps: int(updates(f)),
		Cause: "a dropout probability that is too high, or was meant as the keep probability", Remedy: "lower it: 0.1 is usual where every layer has its own dropout, as in a transformer, and 0.5 for a single one", Asks: []rule.Advice{rule.RegulariseLess},
		Message: fmt.Sprintf("Dropout is too strong: it sets %s of the values to 0, or more, at %d places in a row (%s). Lower p (p is the share that is dropped).", percent(least), len(names), someNames(names)),
		Context: map[string]any{"modules": names, "places": len(names), "least": least},
	})
}

// dropsByFunction judges dropout that is called as a function, in a model that
// has none as modules.
func (r *regular) dropsByFunction(f *rule.Facts) {
	if f.Network == nil || f.Network.More > 0 || slices.ContainsFunc(f.Network.Modules, func(m rule.ModuleFacts) bool {
		return m.Kind == record.DropoutModule || m.Kind == record.AttentionModule || m.Kind == record.EmbeddingModule
	}) {
		return
	}
	most := f.Graph.Dropout
	r.doubts.add(rule.Violation{
		Check: "dropout", Subject: "dropout", Observed: most, Threshold: r.dropout, Comparator: ">=", Steps: int(updates(f)),
		Cause: "a dropout probability that is too high, or was meant as the keep probability", Remedy: "lower it to 0.5 or less", Asks: []rule.Advice{rule.RegulariseLess},
		Message: fmt.Sprintf("Dropout is too strong: F.dropout sets %s of the values to 0. Lower p to 0.5 or less (p is the share that is dropped).", percent(most)),
	})
}

const (
	penaltyShare  = 0.7  // of all gradients that a strong penalty makes
	penaltyNearly = 0.95 // the same of a weaker one
	penaltyL1     = 0.02 // factor of magnitudes
	penaltyNorm   = 0.1  // factor of lengths, whose pull does not grow weaker as weights shrink
)

// penalises judges squares, magnitudes or norms of the weights that the script adds to
// its loss: squares are a weight decay of twice their factor.
func (r *regular) penalises(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.Penalty == nil || f.Graph.Parts > 1 || f.Updates == nil || len(f.Optimisers) != 1 {
		return
	}
	p := f.Graph.Penalty
	factor, share := float64(p.Factor), float64(p.Pull)/medianOf(f.Updates.Norms)
	if p.Tensors < 2 || !finite(share) {
		return
	}
	what, limit := "squares", r.decay/2
	switch p.Kind {
	case "l2":
		if factor < limit || share < penaltyShare {
			limit /= 6
		}
		if factor < limit || share < penaltyShare || limit < r.decay/2 && share < penaltyNearly {
			return
		}
	case "l1":
		if what, limit = "magnitudes", penaltyL1; factor < limit || share < penaltyNearly {
			return
		}
	case "norm":
		what, limit = "lengths (norms)", penaltyNorm
		if factor < limit || share < penaltyShare {
			limit /= 5
		}
		if factor < limit || share < penaltyShare || limit < penaltyNorm && share < penaltyNearly {
			return
		}
	default:
		return
	}
	r.say(rep, rule.Violation{
		Check: "penalty", Subject: "loss", Observed: factor, Threshold: limit, Comparator: ">=", Steps: int(updates(f)),
		Cause: "a weight penalty that outweighs the loss it is added to", Remedy: "lower its factor to 1e-4 to 1e-2",
		Message: fmt.Sprintf("The loss contains the sum of the %s of the weights times %s, which makes up %s of the gradient: the weights are pulled to 0 whatever the data. Lower the factor to 0.001 or less.",
			what, num(factor), percent(math.Min(share, 1))),
		Context: map[string]any{"kind": p.Kind, "factor": factor, "pull": float64(p.Pull), "tensors": p.Tensors, "share": share},
	})
}

// decays judges the weight decay of one optimiser.
func (r *regular) decays(f *rule.Facts, o rule.OptimiserFacts, rep *rule.Report) {
	decoupled := o.Class == "AdamW"
	adaptive := scaleFree(o.Class)
	if !slices.Contains([]string{"SGD", "Adam", "AdamW", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adamax"}, o.Class) {
		return // others scale it in their own ways
	}
	var all int64
	for _, g := range o.Groups {
		all += g.Parameters
	}
	for _, g := range o.Groups {
		if g.WeightDecay == nil || g.LR == nil || !(*g.WeightDecay > 0) || 4*g.Parameters < all {
			continue // the weights of a transformer are a third of its parameters, biases and norms the others
		}
		decay, lr := *g.WeightDecay, *g.LR
		v := rule.Violation{
			Check: "weight_decay", Subject: o.Class, Comparator: ">=", Steps: int(updates(f)),
			Cause: "a weight decay that is too strong", Remedy: "lower the weight decay (1e-4 to 1e-2 is usual)", Asks: []rule.Advice{rule.RegulariseLess},
			Context: map[string]any{"weight_decay": decay, "learning_rate": lr},
		}
		if (decoupled || !adaptive) && lr*decay >= r.shrink {
			v.Observed, v.Threshold = lr*decay, r.shrink
			v.Context["removed"] = lr * decay
			v.Message = fmt.Sprintf("The weight decay %s of %s is too strong: each update removes %s of every weight (learning rate %s). Lower it to 0.01 or less.", num(decay), o.Class, percent(lr*decay), rateOf(f, lr))
			r.doubts.add(v)
			continue
		}
		if decoupled {
			continue
		}
		// Decay that is added to gradients competes with them.
		against := math.NaN()
		if f.Updates != nil && len(f.Optimisers) == 1 {
			against = decay * weightNorm(f) / medianOf(f.Updates.Norms)
		}
		if decay >= r.decay && !(against <= 1) || decay >= r.decay/6 && against > 5 {
			v.Observed, v.Threshold = decay, r.decay
			v.Message = fmt.Sprintf("The weight decay %s of %s is so strong that it outweighs the loss. Lower it to 0.01 or less.", num(decay), o.Class)
			if finite(against) {
				v.Context["against_gradients"] = against
				v.Message = fmt.Sprintf("The weight decay %s of %s is too strong: its gradient is %s times that of the loss. Lower it to 0.01 or less.", num(decay), o.Class, times(against))
			}
			r.say(rep, v)
		}
	}
}
