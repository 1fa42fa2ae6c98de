package builtin

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// ranksDiverge compares the digests of weights and gradients that the ranks of
// one job leave now and then, before an update: numbers that are equal where the
// weights, and the gradients, are.
var ranksDiverge = rule.Definition{
	Name: "ranks_diverge", Class: "RanksDiverge", Family: rule.Tensors, Severity: rule.Error,
	Checks:  ranksDivergeChecks,
	Summary: "The ranks of a data-parallel job have different weights.",
	Why:     "The model saved at the end is that of one rank, trained only on its share of the data.",
	Parameters: []rule.Parameter{
		{Name: "tolerance", Type: rule.Float, Default: "0.0001", Range: rule.Above(0), Unit: "ratio", Meaning: "relative difference of two digests that is none"},
		{Name: "confirm", Type: rule.Int, Default: "2", Range: rule.AtLeast(1), Unit: "digests", Meaning: "how many in a row have to differ"},
	},
	CauseClass: "ranks",
	Lacks:      "the training has one rank",
	Causes: []string{
		"a model that is not wrapped for data parallelism, or is called around its wrapper (model.module)", "gradients that are not all-reduced (no_sync left on, or an update inside it)",
		"parameters that were changed or added after wrapping", "a single rank that skips an update",
	},
	Remedies: []string{"call the wrapped model, and wrap it before creating the optimiser", "make sure that every rank makes the same updates", "set the same seed before creating the model"},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why:    "Ranks whose digests were equal at first (rounding keeps them within a millionth) and differ by a ten-thousandth at two digests in a row have come apart. Ranks that meet again average their weights from time to time. Ranks that never agreed may be separate models, or hold separate parts of one: that is information, unless they use the same gradients.",
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
	Equal  bool `json:"equal"`  // once
	Streak int  `json:"streak"` // digests in a row at which the weights differ
	Shared int  `json:"shared"` // of these, in a row, the gradients do not
	Back   bool `json:"back"`   // they differed, and were equal again
	Fired  bool `json:"fired"`
	// What is known of the last digests, for the end of a short job.
	Apart *rankPair `json:"apart,omitempty"`
}

// rankPair are the two ranks that are furthest apart.
type rankPair struct {
	Workers   []string `json:"workers"`
	Low, High string
	LowValue  float64
	HighValue float64
}

func (p *rankPair) apart() float64 {
	return (p.HighValue - p.LowValue) / max(math.Abs(p.HighValue), math.Abs(p.LowValue), 1e-300)
}

// settled is the step from which on ranks that came apart and average their
// weights now and then have met again, as a rule.
const settled = 32

func (r *digests) Select() []rule.Selector {
	return []rule.Selector{{Regex: []string{"^digest/weights"}}, {Regex: []string{"^digest/gradients"}}, {Regex: []string{"^digest/start"}}}
}
func (r *digests) Save() ([]byte, error)  { return save(r.state) }
func (r *digests) Restore(b []byte) error { return restore(b, &r.state) }

func (r *digests) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) {
		return
	}
	gradients, starts := map[string]*rankPair{}, map[string]*rankPair{}
	eachName(v.Scalars(1), func(name string, items []rule.Item) {
		gradients[strings.TrimPrefix(name, "digest/gradients")] = furthest(items)
	})
	eachName(v.Scalars(2), func(name string, items []rule.Item) {
		starts[strings.TrimPrefix(name, "digest/start")] = furthest(items)
	})
	eachName(v.Scalars(0), func(name string, items []rule.Item) {
		weights := furthest(items)
		if weights == nil {
			if len(items) > 1 {
				rep.Skip(rule.SkipNonFinite)
			}
			return
		}
		rep.Inspect(len(items))
		s := r.state[name]
		if s == nil {
			s = &digest{}
			r.state[name] = s
		}
		of := strings.TrimPrefix(name, "digest/weights")
		if start := starts[of]; start != nil && start.same() {
			s.Equal = true
		}
		s.take(weights, gradients[of], r.tolerance)
		if v.ModeStep >= settled {
			r.judge(s, rep)
		}
	})
}

// Finish judges a job that was over before.
func (r *digests) Finish(rep *rule.Report) {
	for _, name := range slices.Sorted(maps.Keys(r.state)) {
		r.judge(r.state[name], rep)
	}
}

// eachName hands over the items of one name after another; they come sorted.
func eachName(items []rule.Item, each func(string, []rule.Item)) {
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Info.Name == items[0].Info.Name {
			n++
		}
		each(items[0].Info.Name, items[:n])
		items = items[n:]
	}
}

// furthest gives the ranks that are furthest apart; nil when there are not two,
// or a value is not finite.
func furthest(items []rule.Item) *rankPair {
	if len(items) < 2 {
		return nil
	}
	low, high := &items[0], &items[0]
	p := &rankPair{}
	for i := range items {
		it := &items[i]
		if !finite(it.Value) {
			return nil
		}
		if it.Value < low.Value {
			low = it
		}
		if it.Value > high.Value {
			high = it
		}
		p.Workers = append(p.Workers, it.Worker)
	}
	slices.Sort(p.Workers)
	p.Low, p.LowValue, p.High, p.HighValue = low.Worker, low.Value, high.Worker, high.Value
	return p
}

// same reports whether ranks hold the same: rounding keeps them within a millionth
// then, while digests of others may come near each other by chance.
func (p *rankPair) same() bool { return p.apart() <= 1e-6 }

// take remembers the digests of a step.
func (s *digest) take(weights, gradients *rankPair, tolerance float64) {
	if weights.same() {
		s.Back = s.Back || s.Equal && s.Streak > 0
		s.Equal = true
	}
	if weights.apart() <= tolerance {
		s.Streak, s.Shared, s.Apart = 0, 0, nil
		return
	}
	s.Streak++
	s.Apart = weights
	if gradients != nil && gradients.HighValue > 0 && gradients.same() {
		s.Shared++
	} else {
		s.Shared = 0
	}
}

// judge reports ranks that are apart now and were before.
func (r *digests) judge(s *digest, rep *rule.Report) {
	p := s.Apart
	if p == nil || s.Fired || s.Streak < r.confirm || s.Equal && s.Back {
		return
	}
	s.Fired = true
	out := rule.Violation{
		Check: "weights_diverged", Subject: "weights", Workers: p.Workers, Observed: p.apart(), Threshold: r.tolerance, Comparator: ">", Steps: s.Streak,
		Message: fmt.Sprintf("The ranks have diverged: the weight norm is %s on %s and %s on %s; it was equal before.", digits(p.LowValue), p.Low, digits(p.HighValue), p.High),
		Context: map[string]any{"lowest": p.Low, "lowest_value": p.LowValue, "highest": p.High, "highest_value": p.HighValue},
	}
	switch {
	case s.Equal:
	case s.Shared >= r.confirm:
		out.Check, out.Cause, out.Remedy = "same_gradients", "the ranks started with different weights, while their gradients are averaged", "start all ranks with the same weights: set the same seed, broadcast the weights, or wrap the model (DistributedDataParallel)"
		out.Message = fmt.Sprintf("The ranks apply the same gradients to different weights: the weight norm is %s on %s and %s on %s, and was never equal. Start all ranks with the same weights.", digits(p.LowValue), p.Low, digits(p.HighValue), p.High)
	default:
		out.Severity, out.Check = rule.Info, "never_equal"
		out.Message = fmt.Sprintf("The ranks have different weights at every captured step: the norm is %s on %s and %s on %s. If they should train one model together, they do not.", digits(p.LowValue), p.Low, digits(p.HighValue), p.High)
	}
	rep.Violate(out)
}

// digits spells a number so that small differences show.
func digits(x float64) string { return fmt.Sprintf("%.6g", x) }
