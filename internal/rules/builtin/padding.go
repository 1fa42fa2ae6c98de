package builtin

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// padding looks at the sequences of tokens that an embedding gets, and at states
// of recurrent layers that are taken after what fills sequences up.
var padding = rule.Definition{
	Name: "padding", Class: "Padding", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     paddingChecks,
	Summary:    "The input sequences, or the labels that the loss counts, are nearly all padding, or a recurrent layer's state is read after the padding, where the sequence is forgotten.",
	Why:        "Padding wastes time and memory, and a model that does not mask it mostly learns padding. A recurrent layer forgets more with every step over padding.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "share", Type: rule.Float, Default: "0.9", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "minimum share of tokens that are 0"},
		{Name: "length", Type: rule.Int, Default: "16", Range: rule.AtLeast(1), Unit: "tokens", Meaning: "sequences at least as long"},
	},
	CauseClass: "data-loading",
	Lacks:      "no padded sequences were seen",
	Causes:     []string{"sequences padded to a fixed length far above their own", "the loss counts padding like any other label", "a recurrent layer whose last state is used although the sequences end earlier", "a tokenizer that does not know the words"},
	Remedies:   []string{"pad each batch only to its longest sequence, batch sequences of similar length together, or pack them; mask the padding"},
	Explains:   []string{"loss_flat", "learning_rate", "too_few_updates", "loss_not_decreasing", "underfit"},
	// What the first tokens give fades on the way through hundreds of zeros.
	ExplainsAlways: append([]string{"vanishing_gradient"}, withoutGradient...),
	Default:        &rule.Preset{Why: "Half of a batch is often padding, and models mask it; nine tenths of it are a waste whatever the model does. Of labels that a loss counts three quarters of it are too much. A state after padding counts where the loss takes nothing else of the layer, and the samples of a batch lie a million times nearer to each other there than at their own ends, which is what rounding leaves, and padding is half of the sequence: after some ten or twenty steps most layers still learn."},
	Needs:          noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		return &padded{told: newTold(), share: p.Float("share"), length: p.Int("length")}, nil
	},
}

type padded struct {
	told
	share  float64
	length int64
}

// leastTokens is the smallest number of tokens that is judged.
const leastTokens = 256

// Facts implements rule.FactReader.
func (r *padded) Facts(f *rule.Facts, rep *rule.Report) {
	if r.inLabels(f, rep) {
		return
	}
	if f.Network == nil {
		return
	}
	if r.stateAfter(f, rep) || r.filled(f, rep) {
		return
	}
	for _, m := range f.Network.Modules {
		in := m.Input
		if m.Kind != record.EmbeddingModule || in == nil || in.Values == nil || !strings.HasPrefix(in.DType, "I") || len(in.Shape) != 2 || in.Shape[1] < r.length || in.Values.Elements < leastTokens {
			continue
		}
		rep.Inspect(1)
		zeros := float64(in.Values.Zeros)
		if zeros < r.share || zeros == 1 { // nothing but one token is no padding
			continue
		}
		r.say(rep, rule.Violation{
			Check: "share", Subject: m.Path, Observed: zeros, Threshold: r.share, Comparator: ">=", Steps: 1,
			Message: fmt.Sprintf("%s of the tokens that %s gets are 0, which is usually padding (sequence length %d). Pad each batch only to its longest sequence, and mask the padding.",
				percent(zeros), m.Path, in.Shape[1]),
			Context: map[string]any{"shape": in.Shape, "tokens": in.Values.Elements},
		})
	}
}

// filled finds sequences that a token fills up, whichever it is.
func (r *padded) filled(f *rule.Facts, rep *rule.Report) bool {
	if f.Inputs == nil || f.Inputs.Filler == nil {
		return false
	}
	in := f.Inputs.Filler
	if rep.Inspect(1); in.Length < r.length || in.Elements < leastTokens || float64(in.Share) < r.share {
		return false
	}
	r.say(rep, rule.Violation{
		Check: "share", Subject: "inputs", Observed: float64(in.Share), Threshold: r.share, Comparator: ">=", Steps: 1,
		Message: fmt.Sprintf("%s of the tokens that the model gets are padding, up to length %d (token %d). Pad each batch only to its longest sequence, and mask the padding.",
			percent(float64(in.Share)), in.Length, in.Token),
		Context: map[string]any{"token": in.Token, "length": in.Length, "tokens": in.Elements},
	})
	return true
}

// leastOfLabels is the share of labels that only fill sequences up from which on a
// loss is more about them than about anything else. A half is often borne, because
// they are soon learnt.
const leastOfLabels = 0.75

// inLabels finds a loss that counts the padding, when that is most of what it counts.
func (r *padded) inLabels(f *rule.Facts, rep *rule.Report) bool {
	if f.Labels == nil || f.Labels.Filler == nil || len(f.Labels.Others) > 0 {
		return false
	}
	l := f.Labels.Filler
	if rep.Inspect(1); l.Length < r.length || l.Elements < leastTokens || float64(l.Share) < leastOfLabels {
		return false
	}
	r.say(rep, rule.Violation{
		Check: "labels", Subject: f.Labels.Loss, Observed: float64(l.Share), Threshold: leastOfLabels, Comparator: ">=", Steps: 1,
		Cause:  "the loss counts padding like any other label",
		Remedy: fmt.Sprintf("pass ignore_index=%d to the loss, or set the labels of padding to -100; pad each batch only to its longest sequence", l.Token),
		Message: fmt.Sprintf("%s of the labels that %s counts are padding, up to length %d (token %d): the model mostly learns to predict padding, and the loss looks low because of it.",
			percent(float64(l.Share)), f.Labels.Loss, l.Length, l.Token),
		Context: map[string]any{"token": l.Token, "length": l.Length, "labels": l.Elements},
	})
	return true
}

// leastLeft is how far the states of samples lie apart after the padding, as a
// share of how far they did before it: what is less is lost in rounding.
const leastLeft = 1e-6

// stateAfter finds a recurrent layer of which the loss takes the state after the
// padding only, when nothing is left in it of the sequences.
func (r *padded) stateAfter(f *rule.Facts, rep *rule.Report) bool {
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		a := m.AfterPadding
		if a == nil || !(float64(a.Left) <= leastLeft) || 2*a.Padding < a.Length {
			continue // images that are read pixel by pixel end in a dark border
		}
		filler := ""
		if a.Token != nil {
			filler = fmt.Sprintf(" (token %d)", *a.Token)
		}
		r.say(rep, rule.Violation{
			Check: "state", Subject: m.Path, Observed: float64(a.Left), Threshold: leastLeft, Comparator: "<=", Steps: 1,
			Cause:  "the last state of a recurrent layer is used although the sequences end earlier: it has forgotten them over the padding",
			Remedy: "use the state at each sequence's end: pack_padded_sequence with the lengths, or out[torch.arange(len(out)), lengths - 1]; or pad at the front",
			Message: fmt.Sprintf("The loss uses the state of the %s after all %d positions, but most sequences end with %d or more positions of padding%s. By then differences between samples have shrunk to %s of their size: the sequence is forgotten.",
				called(m.Type+" layer", m.Path), a.Length, a.Padding, filler, times(float64(a.Left))),
			Context: map[string]any{"length": a.Length, "padding": a.Padding, "token": a.Token, "left": a.Left},
		})
		return true
	}
	return false
}
