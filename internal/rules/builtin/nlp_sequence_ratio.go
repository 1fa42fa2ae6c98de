package builtin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// sequenceRegex is SageMaker Debugger's pattern for sequences of token ids.
const sequenceRegex = ".*embedding0_input_0"

// nlpSequenceRatio judges the share of given tokens in sequences of token ids.
// Tokens are counted at capture.
var nlpSequenceRatio = rule.Definition{
	Name: "nlp_sequence_ratio", Class: "NLPSequenceRatio", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     nlpSequenceRatioChecks,
	Summary:    "Too many input tokens are padding or unknown words.",
	Why:        "Padding wastes computation, and unknown tokens mean that the vocabulary does not fit.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "tensor_regex", Type: rule.List, Default: sequenceRegex, Meaning: "tensors of token ids; unless changed, the inputs of embeddings count too"},
		{Name: "token_values", Type: rule.List, Default: "0", Unit: "token id", Meaning: "tokens to count"},
		{Name: "token_thresholds_percent", Type: rule.List, Default: "50", Unit: "percent", Meaning: "limit per token; a single one applies to all"},
		every("500"),
	},
	CauseClass: "data-loading",
	Causes:     []string{"padding to the longest sequence", "a vocabulary that is too small"},
	Remedies:   []string{"batch sequences of similar length together", "pad only to the longest sequence of the batch", "use a subword vocabulary"},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{
			Selector: unless(p.List("tensor_regex"), sequenceRegex, "input_sequence"), Schedule: layers(p.Int("every")), Want: rule.WantStats,
			Readings: []rule.Reading{sequenceTokens(p)},
		}}
	},
	New: newSequence,
}

func sequenceTokens(p rule.Params) rule.Tokens {
	return rule.Tokens{Values: strings.Join(p.List("token_values"), ",")}
}

func newSequence(p rule.Params) (rule.Rule, error) {
	tokens, err := listOf("nlp_sequence_ratio", p, "token_values", func(float64) bool { return true }, "allowed: numbers")
	if err != nil {
		return nil, err
	}
	percent := func(x float64) bool { return x >= 0 && x <= 100 }
	limits, err := listOf("nlp_sequence_ratio", p, "token_thresholds_percent", percent, "allowed: 0 <= x <= 100")
	if err != nil {
		return nil, err
	}
	switch {
	case len(tokens) == 0:
		return nil, &rule.ParamError{Rule: "nlp_sequence_ratio", What: "token_values", Message: `parameter "token_values" is empty`, Hint: "name the tokens to count"}
	case len(limits) == 1:
		for len(limits) < len(tokens) {
			limits = append(limits, limits[0])
		}
	case len(limits) != len(tokens):
		return nil, &rule.ParamError{
			Rule: "nlp_sequence_ratio", What: "token_thresholds_percent",
			Message: fmt.Sprintf("parameter %q has %d values for %d tokens", "token_thresholds_percent", len(limits), len(tokens)), Hint: "give one per token value, or one for all",
		}
	}
	r := &sequences{sel: unless(p.List("tensor_regex"), sequenceRegex, "input_sequence"), key: sequenceTokens(p).Key(), tokens: tokens, limits: limits}
	r.state = map[string][]rule.Number{}
	return r, nil
}

type sequences struct {
	sel            rule.Selector
	key            string
	tokens, limits []float64
	state          map[string][]rule.Number // by mode, tensor and token: the last 20 shares
}

func (r *sequences) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *sequences) Finish(*rule.Report)     {}
func (r *sequences) Save() ([]byte, error)   { return save(r.state) }
func (r *sequences) Restore(b []byte) error  { return restore(b, &r.state) }

// sequence is one tensor over all workers.
type sequence struct {
	name       string
	size, rows float64
	counts     []float64
}

func (r *sequences) Step(v *rule.View, rep *rule.Report) {
	var list []*sequence
	at := map[string]*sequence{}
	for _, it := range v.Tensors(0) {
		if it.Stats != nil && it.Stats.Count == 0 {
			rep.Skip(rule.SkipEmpty)
			continue
		}
		if _, _, ok := it.Find(r.key, rule.TokenNotIDs); ok {
			rep.Skip(rule.TokenNotIDs)
			continue
		}
		size, _, ok := it.Find(r.key, rule.TokenSize)
		if !ok {
			continue
		}
		s := at[it.Info.Name]
		if s == nil {
			s = &sequence{name: it.Info.Name, counts: make([]float64, len(r.tokens))}
			at[s.name] = s
			list = append(list, s)
		}
		rows, _, _ := it.Find(r.key, rule.TokenRows)
		s.size, s.rows = s.size+size, s.rows+rows
		for i := range s.counts {
			n, _, _ := it.Find(r.key, rule.TokenCount+strconv.Itoa(i)+"]")
			s.counts[i] += n
		}
	}
	for _, s := range list {
		rep.Inspect(1)
		for i := range s.counts {
			r.judge(s, i, v, rep)
		}
	}
}

func (r *sequences) judge(s *sequence, i int, v *rule.View, rep *rule.Report) {
	token, limit := num(r.tokens[i]), r.limits[i]
	share := 100 * s.counts[i] / s.size
	k := v.Mode.String() + " " + s.name + " " + token
	history := append(r.state[k], rule.Number(share))
	if len(history) > 20 {
		history = history[1:]
	}
	r.state[k] = history
	if share <= limit {
		return
	}
	rep.Violate(rule.Violation{
		Check: "token", Subject: fmt.Sprintf("%s token %s", s.name, token), Observed: share, Threshold: limit, Comparator: ">", Steps: len(history),
		Message: fmt.Sprintf("%s %% of the %s in %s are token %s.", short3(share), plural(int(s.size), "token"), s.name, token),
		Context: map[string]any{
			"token": r.tokens[i], "count": s.counts[i], "size": s.size, "tensor": s.name, "mode": v.Mode.String(),
			"mean_length_without": (s.size - s.counts[i]) / s.rows, "shares": append([]rule.Number(nil), history...),
		},
	})
}
