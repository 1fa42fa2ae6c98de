package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// seesAhead finds a model that is to foretell the next place of its input, and
// sees it: attention without a causal mask, or a recurrent layer that reads
// backwards as well. In an encoder and a decoder the former attends to all
// places, so nothing is said as soon as any attention is causal, nor where a
// decoder may be recurrent or made of convolutions and attends to the other
// sequence that the model is given.
func (r *structure) seesAhead(f *rule.Facts, rep *rule.Report) {
	if f.Labels == nil || f.Labels.Ahead == nil || f.Labels.Ahead.Places > 1 || f.Graph == nil || len(f.Optimisers) != 1 {
		return
	}
	a := f.Labels.Ahead
	var open, causal int64
	for _, m := range f.Graph.Attention {
		if m.Length >= a.Length-1 && m.Length <= a.Length+1 {
			open += m.Maps - m.Causal
		}
		causal += m.Causal
	}
	how, remedy, subject := "", "", ""
	switch {
	case causal > 0 || open > 0 && !a.Alone && decodesOtherwise(f):
		return
	case open > 0:
		subject, how = "attention", "attention has no causal mask"
		remedy = "give attention a causal mask: is_causal=True, or a mask that hides the upper triangle"
	default:
		if subject = readsBackwards(f); subject == "" || !a.Alone {
			return
		}
		how, remedy = "the "+called("recurrent layer", subject)+" is bidirectional", "create it with bidirectional=False"
	}
	r.say(rep, rule.Violation{
		Check: "sees_ahead", Subject: subject, Severity: rule.Warning, Observed: float64(open), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause: "the token to predict leaks into the input of the model", Remedy: remedy,
		Message: fmt.Sprintf("The labels are the input shifted by one (sequences of %d), and %s: the token to predict leaks into the input, so a low loss does not mean that the model generalises. %s.",
			a.Length, how, capital(remedy)),
		Context: map[string]any{"length": a.Length, "attention_maps": open},
	})
}

// decodesOtherwise reports whether something else than attention reads sequences.
func decodesOtherwise(f *rule.Facts) bool {
	return f.Network != nil && slices.ContainsFunc(f.Network.Modules, func(m rule.ModuleFacts) bool {
		return m.Kind == record.RecurrentModule || m.Kind == record.ConvModule
	})
}

// readsBackwards names a recurrent layer that goes in both directions; "" where
// there is none, or one that goes forward only.
func readsBackwards(f *rule.Facts) string {
	if f.Network == nil || f.Network.More > 0 {
		return ""
	}
	path := ""
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if m.Kind != record.RecurrentModule {
			continue
		}
		if both, ok := m.Settings["bidirectional"].(bool); !ok || !both {
			return ""
		}
		if path = m.Path; path == "" {
			path = m.Type
		}
	}
	return path
}
