package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// ranksDiverge compares the digests of the weights that the ranks of one job
// leave now and then: one number that is equal where the weights are.
var ranksDiverge = rule.Definition{
	Name: "ranks_diverge", Class: "RanksDiverge", Family: rule.Tensors, Severity: rule.Error,
	Summary: "The ranks of a data-parallel job hold different weights.",
	Why:     "What is saved at the end is one rank's model, trained on its share of the data only.",
	Parameters: []rule.Parameter{
		{Name: "tolerance", Type: rule.Float, Default: "0.0001", Range: rule.Above(0), Unit: "ratio", Meaning: "relative difference of two digests that is none"},
		{Name: "confirm", Type: rule.Int, Default: "2", Range: rule.AtLeast(1), Unit: "digests", Meaning: "how many in a row have to differ"},
	},
	CauseClass: "ranks",
	Causes: []string{
		"a model that is not wrapped for data parallelism, or is called around its wrapper (model.module)", "gradients that are not reduced (no_sync left on, an update within it)",
		"parameters that were changed or added after wrapping", "ranks that skip an update alone",
	},
	Remedies: []string{"call the wrapped model, and wrap it before the optimiser is made", "see that every rank makes the same updates", "set the same seed before the model is made"},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why:    "Ranks whose digests were equal at first and differ by a ten-thousandth at two digests in a row have come apart; rounding keeps them within a millionth. Ranks that never agreed may be separate models, or hold separate parts of one: that is information.",
	},
	// Ranks of a job send digests without being asked.
	Needs: func(rule.Params) []rule.Need { return nil },
	New: func(p rule.Params) (rule.Rule, error) {
		r := &digests{tolerance: p.Float("tolerance"), confirm: int(p.Int("confirm"))}
		r.state = map[string]*digest{}
		return r, nil
	},
}

type digests struct {
	tolerance float64
	confirm   int
	state     map[string]*digest
}

type digest struct {
	Equal  bool `json:"equal"` // once
	Streak int  `json:"streak"`
	Fired  bool `json:"fired"`
}

func (r *digests) Select() []rule.Selector {
	return []rule.Selector{{Regex: []string{"^digest/weights"}}}
}
func (r *digests) Finish(*rule.Report)    {}
func (r *digests) Save() ([]byte, error)  { return save(r.state) }
func (r *digests) Restore(b []byte) error { return restore(b, &r.state) }

func (r *digests) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	items := v.Scalars(0)
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Info.Name == items[0].Info.Name {
			n++
		}
		r.judge(items[:n], rep)
		items = items[n:]
	}
}

// judge compares one digest of all ranks.
func (r *digests) judge(items []rule.Item, rep *rule.Report) {
	if len(items) < 2 {
		return
	}
	low, high := &items[0], &items[0]
	workers := []string{}
	for i := range items {
		it := &items[i]
		if !finite(it.Value) {
			rep.Skip(rule.SkipNonFinite)
			return
		}
		if it.Value < low.Value {
			low = it
		}
		if it.Value > high.Value {
			high = it
		}
		workers = append(workers, it.Worker)
	}
	rep.Inspect(len(items))
	s := r.state[items[0].Info.Name]
	if s == nil {
		s = &digest{}
		r.state[items[0].Info.Name] = s
	}
	apart := (high.Value - low.Value) / max(math.Abs(high.Value), math.Abs(low.Value), 1e-300)
	if apart <= r.tolerance {
		s.Equal, s.Streak = true, 0
		return
	}
	if s.Streak++; s.Fired || s.Streak < r.confirm {
		return
	}
	s.Fired = true
	slices.Sort(workers)
	out := rule.Violation{
		Check: "digest", Subject: "weights", Workers: workers, Observed: apart, Threshold: r.tolerance, Comparator: ">", Steps: s.Streak,
		Message: fmt.Sprintf("The ranks have come apart: the norm of the weights is %s on %s and %s on %s, and it was equal before.", digits(low.Value), low.Worker, digits(high.Value), high.Worker),
		Context: map[string]any{"lowest": low.Worker, "lowest_value": low.Value, "highest": high.Worker, "highest_value": high.Value},
	}
	if !s.Equal {
		out.Severity, out.Check = rule.Info, "never_equal"
		out.Message = fmt.Sprintf("The ranks hold different weights from the start: the norm is %s on %s and %s on %s. If they are to train one model together, they do not.", digits(low.Value), low.Worker, digits(high.Value), high.Worker)
	}
	rep.Violate(out)
}

// digits spells a number so that small differences show.
func digits(x float64) string { return fmt.Sprintf("%.6g", x) }
