package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

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
