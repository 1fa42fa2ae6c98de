package builtin

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// padding looks at the sequences of tokens that an embedding gets.
var padding = rule.Definition{
	Name: "padding", Class: "Padding", Family: rule.Tensors, Severity: rule.Warning,
	Summary:    "The sequences that the model is fed are nearly all padding.",
	Why:        "Time and memory go into tokens that say nothing, and a model that does not mask them learns from them in the main.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "share", Type: rule.Float, Default: "0.9", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "least share of tokens that are 0"},
		{Name: "length", Type: rule.Int, Default: "16", Range: rule.AtLeast(1), Unit: "tokens", Meaning: "sequences at least as long"},
	},
	CauseClass: "data-loading",
	Causes:     []string{"sequences that are padded to a fixed length far above their own", "a tokenizer that does not know the words"},
	Remedies:   []string{"pad each batch to its longest sequence, put sequences of like length together, or pack them; mask what is padding"},
	Explains:   []string{"loss_flat", "learning_rate", "too_few_updates", "loss_not_decreasing", "underfit"},
	// What the first tokens give fades on the way through hundreds of zeros.
	ExplainsAlways: []string{"not_updated", "vanishing_gradient"},
	Default:        &rule.Preset{Why: "Half of a batch is often padding, and models mask it; nine tenths of it are a waste whatever the model does."},
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
	if f.Network == nil {
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
			Message: fmt.Sprintf("%s of the tokens that %s gets are 0, which is padding as a rule (sequences of %d): pad each batch to its longest sequence, and mask what is padding.",
				percent(zeros), m.Path, in.Shape[1]),
			Context: map[string]any{"shape": in.Shape, "tokens": in.Values.Elements},
		})
	}
}
