package slow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// untrainedBackward: backward goes on into parts of the network that nobody trains.
// What it costs there is about known, and so no bound.
var untrainedBackward = check{
	Check: rule.Check{
		ID: "slow_training/untrained_backward", Status: rule.Experimental, Files: []string{"slow/untrained_backward.go"}, Severity: rule.Warning, CauseClass: "wasted-backward", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "Backward takes a large share of the time, and much of it computes gradients of parameters at the input side that no optimiser changes.",
		Evidence:        "gradients that no optimiser uses: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the parameters of these parts ask for gradients, but no optimiser has them, or only with learning rate 0",
		Remedy:          "turn requires_grad off for them, or call them under torch.no_grad(); if they are to be trained, pass them to the optimiser",
	},
	claim: func(c *Case, s *Span) *Claim {
		share := wastedShare(c.Facts)
		if share == 0 {
			return nil
		}
		backward, parts := inUpdates(s, rule.Backward), wastedParts(c.Facts)
		return &Claim{
			Seconds: share * backward, Device: true, Takes: rule.Backward, Subject: parts[0], Unbound: true,
			Message: fmt.Sprintf("Backward computes gradients for parts that no optimiser changes (%s): about %%s of the training's time", strings.ReplaceAll(firstNames(parts), "%", "%%")),
			Context: map[string]any{"of_backward": share, "backward_seconds": backward, "parts": parts[:min(len(parts), 20)]},
		}
	},
}

// wastedShare is about what share of the backward pass computes gradients that nobody
// uses: by the number of operations or by the arithmetic of layers, whichever says less.
// It is 0 where neither is known.
func wastedShare(f *rule.Facts) float64 {
	if f == nil || f.Graph == nil || !f.Graph.Complete || f.Graph.Wasted == nil || f.Graph.Wasted.Of <= 0 || f.Parameters == nil || f.Parameters.More > 0 {
		return 0
	}
	all := parametersOf(f)
	if slices.ContainsFunc(all, func(p *rule.ParameterFact) bool { return p.Wasted && p.Changed }) {
		return 0 // something trains them that was not seen
	}
	w := f.Graph.Wasted
	return min(float64(w.Operations)/float64(w.Of), wastedArithmetic(f, all))
}

func parametersOf(f *rule.Facts) (out []*rule.ParameterFact) {
	for _, list := range [][]rule.ParameterFact{f.Parameters.List, f.Parameters.Outside} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}

// wastedArithmetic is the share of the multiplications of all layers that are made for
// wasted gradients. Of a wasted layer whose uses are not known there is one for each
// sample; where those of another one are not known, each layer counts as used once.
func wastedArithmetic(f *rule.Facts, all []*rule.ParameterFact) float64 {
	uses, least := usesOfLayers(f), samplesOf(f)
	counts := func(p *rule.ParameterFact) bool { return len(p.Shape) > 1 && p.Kind != record.EmbeddingModule }
	if slices.ContainsFunc(all, func(p *rule.ParameterFact) bool { return counts(p) && !p.Wasted && uses[p.Module] == 0 }) {
		uses, least = nil, 1
	}
	var wasted, sum float64
	for _, p := range all {
		if !counts(p) {
			continue
		}
		n := uses[p.Module]
		if n == 0 {
			n = least
		}
		work := elementsOf(p.Shape) * n
		sum += work
		if p.Wasted {
			wasted += work
		}
	}
	if sum == 0 {
		return 0
	}
	return wasted / sum
}

// usesOfLayers is how often each layer uses its weights in a forward pass, by its path:
// once for each sample and each place of what it gives.
func usesOfLayers(f *rule.Facts) map[string]float64 {
	uses := map[string]float64{}
	if f.Network == nil {
		return uses
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if m.Output == nil || len(m.Output.Shape) < 2 {
			continue
		}
		channels := m.Output.Shape[len(m.Output.Shape)-1]
		if m.Kind == record.ConvModule {
			channels = m.Output.Shape[1]
		}
		if channels > 0 {
			uses[m.Path] = elementsOf(m.Output.Shape) / float64(channels) * float64(max(m.Calls, 1))
		}
	}
	return uses
}

// samplesOf is how many samples a batch has; 1 where that is not known.
func samplesOf(f *rule.Facts) float64 {
	if f.Inputs == nil || len(f.Inputs.Tensors) == 0 || len(f.Inputs.Tensors[0].Shape) == 0 {
		return 1
	}
	return float64(f.Inputs.Tensors[0].Shape[0])
}

// wastedParts names the parts of the network whose gradients are wasted, as their
// outermost modules are called.
func wastedParts(f *rule.Facts) (parts []string) {
	for _, p := range parametersOf(f) {
		name, _, _ := strings.Cut(p.Module, ".")
		if name == "" {
			name = p.Name
		}
		if p.Wasted && !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	return parts
}

// firstNames are the first three of a list, and how many more there are.
func firstNames(names []string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n <= most:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
}
