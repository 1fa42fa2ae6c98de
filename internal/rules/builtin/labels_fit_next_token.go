package builtin

import (
	"cmp"
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// movedTwice finds tokens that are to be foretold two places on: the data set moved
// the labels by one, and the model does so itself.
func movedTwice(v *lossView, l *record.LabelFacts) []rule.Violation {
	if l.Ahead == nil || l.Ahead.Places != 2 || len(v.facts.Optimisers) != 1 {
		return nil
	}
	text := fmt.Sprintf("The labels are the input shifted by two (sequences of %d): each position predicts the token after the next one. They were shifted twice, once in the data and once in the model or its loss.", l.Ahead.Length)
	return []rule.Violation{v.labels("shifted_twice", text, "shift them once: Hugging Face models with a language-modelling head shift the labels themselves and expect labels equal to input_ids", rule.Warning)}
}

// notMoved finds tokens that each place is to give back while it sees them, and sees
// none that comes later: behind a causal mask, or in one recurrent layer that reads
// forwards. Who restores a sequence on purpose lets each place see all, or has an
// encoder and a decoder.
func notMoved(v *lossView) []rule.Violation {
	g := v.facts.Graph
	if g == nil || !g.Copies || g.Parts > 1 || len(v.facts.Optimisers) != 1 {
		return nil
	}
	how := "its attention has a causal mask"
	for _, m := range g.Attention {
		if m.Causal < m.Maps {
			return nil
		}
	}
	if len(g.Attention) == 0 {
		if how = readsForwards(v.facts); how == "" {
			return nil
		}
	}
	text := fmt.Sprintf("The labels are not shifted: they equal the input tokens, although %s. The model only copies its input, so the loss falls to zero and next-token prediction is not learnt.", how)
	return []rule.Violation{v.labels("not_shifted", text, "shift the labels by one: logits[:, :-1] against ids[:, 1:]", rule.Warning)}
}

// readsForwards says that the only layer which reads sequences does so in their
// order; "" where there is another, or none.
func readsForwards(f *rule.Facts) string {
	if f.Network == nil || f.Network.More > 0 {
		return ""
	}
	path := ""
	for i := range f.Network.Modules {
		switch m := &f.Network.Modules[i]; m.Kind {
		case record.ConvModule:
			return ""
		case record.RecurrentModule:
			if both, ok := m.Settings["bidirectional"].(bool); path != "" || !ok || both {
				return ""
			}
			path = cmp.Or(m.Path, m.Type)
		}
	}
	if path == "" {
		return ""
	}
	return "the " + called("recurrent layer", path) + " is unidirectional"
}
