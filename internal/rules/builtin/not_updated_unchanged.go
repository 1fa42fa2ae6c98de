package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

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
	if moved > 0 { // what has a rate of 0 is zeroGroup's
		still = slices.DeleteFunc(still, func(p *rule.ParameterFact) bool { return p.LR != nil && *p.LR == 0 })
	}
	rates, known := rates(f)
	if pushed == 0 || len(still) == 0 || !known {
		return
	}
	most := slices.Max(rates)
	warms := slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return o.WarmUp != nil })
	bits, half := bitsOf(f)
	push := pushOf(f, most)
	rounded := half && push > 0 && push < bits.half
	v := rule.Violation{
		Check: "unchanged", Subject: still[0].Module, Severity: rule.Warning, Observed: 0, Threshold: 0, Comparator: "=", Steps: int(ps.Updates),
		Cause:   "the old values are written back after each update, or rounding swallows the update",
		Remedy:  "look for code that restores the values (load_state_dict, clamping, copying in the loop); keep the weights in float32",
		Context: map[string]any{"parameters": namesOf(still), "updates": ps.Updates, "learning_rate": most},
	}
	switch {
	case warms && moved == 0 && (most == 0 || tiny(f, most, half)):
		return // the rate is still to come
	case most == 0 && moved == 0:
		v.Check, v.CauseClass, v.Subject = "zero_rate", "learning-rate", "learning rate"
		v.Cause, v.Remedy = "the learning rate is 0: it was set to 0, or a schedule lowered it to 0", "set a learning rate above 0; check what the schedule does to it"
		v.Asks = []rule.Advice{rule.RaiseLearningRate}
		v.Message = fmt.Sprintf("The learning rate is 0: after %d updates no parameter has changed. Set a learning rate above 0 or correct the schedule.", ps.Updates)
	case slices.Contains(rates, 0) && still[0].LR == nil:
		return // nobody knows whose rate it is
	case moved == 0 && tiny(f, most, half):
		v.Check, v.CauseClass, v.Subject = "tiny_rate", "learning-rate", "learning rate"
		v.Cause, v.Remedy = "a learning rate so small that rounding swallows every update", "raise the learning rate"
		v.Asks = []rule.Advice{rule.RaiseLearningRate}
		v.Message = fmt.Sprintf("The learning rate %s is so small that rounding swallows every update: after %d updates no weight has changed. Raise it.", num(most), ps.Updates)
	case moved == 0 && rounded:
		v.Severity, v.Subject, v.Cause, v.Remedy = rule.Error, "parameters", roundedCause, keepWide
		v.Message = fmt.Sprintf("No weight has changed over %d updates, although gradients are there: the weights are %s, and an update (about %s of their size at learning rate %s) is below their precision and rounded away. Keep the weights in float32.", ps.Updates, bits.name, num(push), num(most))
	case moved == 0:
		v.Severity, v.Subject = rule.Error, "parameters"
		v.Message = fmt.Sprintf("No weight has changed over %d updates, although gradients are there and the learning rate is %s. Look for code that writes the old values back.", ps.Updates, rateOf(f, most))
	default:
		still = slices.DeleteFunc(still, func(p *rule.ParameterFact) bool { return p.First.Elements < 64 || p.First.Std == 0 })
		if len(still) == 0 || fading(f, still) {
			return
		}
		v.Subject = still[0].Module
		if rounded {
			v.Cause, v.Remedy = roundedCause, keepWide
			v.Message = fmt.Sprintf("%s not changed over %d updates, although gradients are there: the weights are %s, and an update (about %s of their size at learning rate %s) is below their precision and rounded away. Keep the weights in float32.",
				these(modulesOf(still), "has", "have"), ps.Updates, bits.name, num(push), num(most))
			break
		}
		v.Message = fmt.Sprintf("%s not changed over %d updates, although gradients are there and the learning rate is %s. Look for code that writes the old values back.",
			these(modulesOf(still), "has", "have"), ps.Updates, rateOf(f, most))
	}
	r.say(rep, v)
}

const roundedCause = "rounding swallows the updates: they are smaller than the precision of the 16-bit weights"

// fading reports whether what stands still are first layers under an optimiser
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

// rateOf writes a learning rate of the facts; one that is still being warmed up as such.
func rateOf(f *rule.Facts, lr float64) string {
	for i := range f.Optimisers {
		if o := &f.Optimisers[i]; o.WarmUp != nil && (o.LR != nil && *o.LR == lr || len(f.Optimisers) == 1) {
			return fmt.Sprintf("%s (%s)", num(lr), o.WarmUp.Says())
		}
	}
	return num(lr)
}

// tiny reports whether an update is lost in the rounding of the weights; of those of 16
// bits, whether it were, had they 32.
func tiny(f *rule.Facts, lr float64, half bool) bool {
	push := pushOf(f, lr)
	if push == 0 {
		return lr < 1e-9
	}
	if half {
		return push < 0x1p-24
	}
	const rounding = 1e-6
	return push < rounding
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
	v := rule.Violation{
		Check: "zero_gradients", Subject: "gradients", Observed: 0, Threshold: 0, Comparator: "=", Steps: int(f.Parameters.Updates),
		Cause:   "an operation with zero gradient before the loss (round, sign, a comparison, a clamp at its limit, saturation), or a constant loss",
		Remedy:  "check the operations between the last layer and the loss; print the gradient of the loss with respect to the predictions",
		Message: fmt.Sprintf("The gradients of all %d parameters are exactly zero at %d updates although the loss depends on them. Look for an operation with zero gradient (round, sign, clamp) before the loss.", n, f.Parameters.Updates),
		Context: map[string]any{"parameters": n, "head": f.Graph.Head},
	}
	if f.Graph.ZeroFactors > 0 {
		v.Cause, v.Remedy = "a factor of 0 in the loss: a weight or coefficient that is 0, or rewards and advantages that are all equal", "look for what the loss, or what it is computed from, is multiplied by"
		v.Message = fmt.Sprintf("The gradients of all %d parameters are exactly zero at %d updates although the loss depends on them: what it is computed from is multiplied by 0.", n, f.Parameters.Updates)
	}
	r.say(rep, v)
}

// oneAnswer reports whether a softmax runs over one class: its gradient is zero,
// which is a matter of the loss.
func oneAnswer(f *rule.Facts) bool {
	return f.Predictions != nil && f.Predictions.Classes == 1 && f.Loss != nil && (f.Loss.Function == "cross_entropy" || f.Loss.Function == "nll_loss")
}
