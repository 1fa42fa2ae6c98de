package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// driftQuantiles is the number of parts of equal mass that an input is recorded
// in.
const driftQuantiles = 50

// inputDrift compares the distribution of inputs with that of other runs, or
// that of evaluation with that of training.
//
// Each value of an input is recorded as quantiles, between which its elements
// count as evenly spread; so nothing raw is stored, and distributions of many
// steps and of other runs can be added up. They are compared over equally wide
// bins between the least and the largest element of the first value of the
// reference, with one bin more on each side.
var inputDrift = rule.Definition{
	Name: "input_drift", Class: "InputDrift", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  inputDriftChecks,
	Summary: "The distribution of the input differs from another run, or between evaluation and training.",
	Why:     "A model generalises only to data like its training data. Data that has drifted, or is preprocessed differently, silently degrades the results.",
	Parameters: []rule.Parameter{
		{
			Name: "other_trials", Type: rule.List, Optional: true, Aliases: []string{"other_trial"}, Numbered: "other_trial_",
			Meaning: "runs to compare with, captured with this rule as well: names below the root of this run, or paths; None: compare evaluation with training",
		},
		{Name: "collection_names", Type: rule.List, Optional: true, Meaning: "collections to inspect; with neither these nor tensor_regex, the inputs of the model"},
		tensorRegex,
		{Name: "threshold", Type: rule.Float, Default: "0.2", Range: rule.Between(0, 1), Unit: "Jensen-Shannon distance", Meaning: "allowed distance; 0 is the same distribution, 1 two that do not overlap"},
		{Name: "bins", Type: rule.Int, Default: "50", Range: rule.Between(2, 1000), Unit: "bins", Meaning: "number of bins"},
		{Name: "min_values", Type: rule.Int, Default: "5000", Range: rule.AtLeast(1), Unit: "elements", Meaning: "elements needed on both sides before the first decision"},
		every("500"),
	},
	CauseClass: "data-loading",
	Causes:     []string{"data that has changed over time", "different preprocessing (scaling, normalisation, tokenisation)", "augmentation on one side only"},
	Remedies:   []string{"compare how both sides load and prepare their data", "train on data like that in use", "leave the augmentation out of the comparison"},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: driftSelector(p), Schedule: layers(p.Int("every")), Want: rule.WantStats, Quantiles: quantileSteps()}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &drift{sel: driftSelector(p), others: p.List("other_trials"), threshold: p.Float("threshold"), bins: int(p.Int("bins")), least: float64(p.Int("min_values"))}
		for _, q := range quantileSteps() {
			r.keys = append(r.keys, rule.QuantileKey(q))
		}
		r.state = map[string]*driftState{}
		return r, nil
	},
}

func driftSelector(p rule.Params) rule.Selector {
	if s, everything := selector(p); !everything {
		return s
	}
	return rule.Selector{Collections: []string{"inputs"}}
}

func quantileSteps() []float64 {
	out := make([]float64, driftQuantiles+1)
	for i := range out {
		out[i] = float64(i) / driftQuantiles
	}
	return out
}

type drift struct {
	sel       rule.Selector
	others    []string
	threshold float64
	bins      int
	least     float64
	keys      []string               // of the quantiles
	state     map[string]*driftState // by tensor and what it is compared with
	runs      []*otherRun            // opened at the first step
}

// driftState is one input, its reference and the bins of both.
type driftState struct {
	Low       float64   `json:"low"` // the bins between the outer two
	High      float64   `json:"high"`
	Begun     bool      `json:"begun"`   // the bins are there
	Missing   bool      `json:"missing"` // the other run has ended without it
	Reference []float64 `json:"reference"`
	Current   []float64 `json:"current"`
	Steps     int       `json:"steps"` // of current
	Fired     bool      `json:"fired"` // until it is below the threshold again
}

func (r *drift) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *drift) Finish(*rule.Report)     {}
func (r *drift) Save() ([]byte, error)   { return save(r.state) }
func (r *drift) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *drift) Step(v *rule.View, rep *rule.Report) {
	if len(r.others) > 0 && r.runs == nil {
		runs, err := openOthers(r.others, v.Trial)
		if err != nil {
			rep.Fail(err)
			return
		}
		r.runs = runs
	}
	touched := map[string]bool{}
	var order []string
	for _, it := range v.Tensors(0) {
		q, ok := r.quantiles(&it, rep)
		if !ok {
			continue
		}
		n := float64(it.Stats.Count)
		touch := func(k string) {
			if !touched[k] {
				touched[k], order = true, append(order, k)
			}
		}
		if len(r.others) == 0 {
			s := r.of(it.Info.Name)
			switch {
			case training(v.Mode):
				s.add(&s.Reference, q, n, r.bins)
			case !s.Begun:
				rep.Skip("no_reference")
			default:
				s.add(&s.Current, q, n, r.bins)
				touch(it.Info.Name)
			}
			continue
		}
		for _, o := range r.runs {
			k := key(o.name, v.Mode.String()+" "+it.Info.Name)
			s := r.of(k)
			if !s.Begun && (s.Missing || !r.reference(s, o, it.Info.Name, v.Mode)) {
				s.Missing = !o.running
				rep.Skip(skipMissing)
				rep.Note(fmt.Sprintf("run %s has no quantiles of %s in %s: capture it with this rule, too", o.name, it.Info.Name, v.Mode))
				continue
			}
			s.add(&s.Current, q, n, r.bins)
			touch(k)
		}
	}
	for _, k := range order {
		r.judge(k, r.state[k], v, rep)
	}
}

func (r *drift) of(k string) *driftState {
	if r.state[k] == nil {
		r.state[k] = &driftState{}
	}
	return r.state[k]
}

// quantiles reads what was recorded of an input.
func (r *drift) quantiles(it *rule.Item, rep *rule.Report) ([]float64, bool) {
	if it.Stats == nil {
		return nil, false
	}
	out := make([]float64, len(r.keys))
	for i, k := range r.keys {
		x, ok := it.Number(k)
		switch {
		case it.Stats.Count == 0:
			rep.Skip(rule.SkipEmpty)
			return nil, false
		case it.Stats.NonFinite() || ok && !finite(x):
			rep.Skip(rule.SkipNonFinite)
			return nil, false
		case !ok:
			return nil, false // captured for somebody else
		}
		out[i] = x
	}
	return out, true
}

// reference adds up all that another run has of an input in a mode.
func (r *drift) reference(s *driftState, o *otherRun, name string, mode rule.Mode) bool {
	if len(o.workers) == 0 || o.running {
		o.look()
	}
	if len(o.workers) == 0 {
		return false
	}
	w := o.workers[0]
	steps, first, err := o.trial.Series(name, r.keys[0], mode, w, 0)
	if err != nil || len(steps) == 0 {
		return false
	}
	rows := make([][]float64, len(steps))
	for i := range rows {
		rows[i] = []float64{first[i]}
	}
	for _, k := range r.keys[1:] {
		for i, n := range steps {
			x, ok := o.at(name, k, mode, w, n)
			if !ok || !finite(x) {
				rows[i] = nil
			} else if rows[i] != nil {
				rows[i] = append(rows[i], x)
			}
		}
	}
	for i, n := range steps {
		if count, ok := o.at(name, "count", mode, w, n); ok && rows[i] != nil && finite(rows[i][0]) {
			s.add(&s.Reference, rows[i], count, r.bins)
		}
	}
	return s.Begun
}

// add takes n elements that are distributed as the quantiles say. The first
// ones set the bins.
func (s *driftState) add(to *[]float64, q []float64, n float64, bins int) {
	if !s.Begun {
		s.Low, s.High, s.Begun = q[0], q[len(q)-1], true
		if !(s.High > s.Low) || !finite(s.High-s.Low) {
			s.High = s.Low + max(1e-9, 1e-9*math.Abs(s.Low))
		}
	}
	if *to == nil {
		*to = make([]float64, bins+2)
	}
	mass := n / float64(len(q)-1)
	for i := range len(q) - 1 {
		s.spread(*to, q[i], q[i+1], mass)
	}
}

// spread puts a mass between two values into the bins.
func (s *driftState) spread(to []float64, a, b, mass float64) {
	from, last := s.bin(a, len(to)), s.bin(b, len(to))
	if from >= last || !finite(b-a) {
		to[from] += mass
		return
	}
	width := (s.High - s.Low) / float64(len(to)-2)
	at := a
	for k := from; k < last; k++ {
		edge := min(max(s.Low+float64(k)*width, at), b)
		to[k] += mass * (edge - at) / (b - a)
		at = edge
	}
	to[last] += mass * (b - at) / (b - a)
}

// bin is the bin of a value: 0 below the range, n-1 above it.
func (s *driftState) bin(x float64, n int) int {
	switch {
	case x < s.Low:
		return 0
	case x > s.High:
		return n - 1
	}
	return 1 + min(n-3, int(float64(n-2)*(x-s.Low)/(s.High-s.Low)))
}

func (r *drift) judge(k string, s *driftState, v *rule.View, rep *rule.Report) {
	s.Steps++
	here, there := math.Round(total(s.Current)), math.Round(total(s.Reference))
	if math.Min(here, there) < r.least {
		rep.Skip("too_few_values")
		return
	}
	rep.Inspect(1)
	d := distance(s.Current, s.Reference)
	if !(d > r.threshold) {
		s.Fired = false
		return
	}
	if s.Fired {
		return
	}
	s.Fired = true
	subject, side := k, "that of training"
	context := map[string]any{"low": s.Low, "high": s.High, "current": portions(s.Current), "reference": portions(s.Reference), "elements": here, "reference_elements": there}
	for _, o := range r.runs {
		if name := key(o.name, v.Mode.String()+" "); len(k) > len(name) && k[:len(name)] == name {
			subject, side = k[len(name):], "that of run "+o.name
			context["other_trial"] = o.name
		}
	}
	check := "drift"
	if len(r.runs) > 1 {
		check += "@" + context["other_trial"].(string)
	}
	rep.Violate(rule.Violation{
		Check: check, Subject: subject, Observed: d, Threshold: r.threshold, Comparator: ">", Steps: s.Steps, Context: context,
		Message: fmt.Sprintf("The distribution of %s in %s differs from %s: their Jensen-Shannon distance is %s, over %s elements.", subject, v.Mode, side, num(d), num(here)),
	})
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// portions are masses as shares of their sum.
func portions(x []float64) []float64 {
	out, sum := slices.Clone(x), total(x)
	for i := range out {
		out[i] /= sum
	}
	return out
}

// distance is the square root of the Jensen-Shannon divergence to the base 2:
// 0 for equal distributions, 1 for those that do not overlap.
func distance(a, b []float64) float64 {
	p, q := portions(a), portions(b)
	d := 0.0
	for i := range p {
		m := (p[i] + q[i]) / 2
		for _, x := range []float64{p[i], q[i]} {
			if x > 0 {
				d += x / 2 * math.Log2(x/m)
			}
		}
	}
	return math.Sqrt(math.Max(d, 0))
}
