package agent

import (
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// trainingCurves is what the curves of a training are computed from besides the
// values of a step.
type trainingCurves struct {
	stale     bool                          // tensors were announced since these were looked at
	gen       int                           // of the plan that they were looked at with
	gradients map[string]bool               // true: it is due only when all of them are
	weights   map[string]*capture.TensorDef // that are trained
	parts     bool                          // this process holds parts of tensors, so that nothing is said of the whole
	known     map[string]bool               // series that were announced
	dropped   uint64                        // records that the hook had no room for, up to the last step
}

// updateSizeNeed asks for the change of the weights by single updates, later than
// the rules do: further and further apart, so that a long training costs no more.
func updateSizeNeed() plan.Need {
	var steps []int64
	for decade := int64(100); decade <= 1_000_000; decade *= 10 {
		for _, tenths := range []int64{10, 15, 20, 30, 50, 70} {
			if n := decade / 10 * tenths; n > 301 {
				steps = append(steps, n, n+1)
			}
		}
	}
	var s plan.Schedule
	for m := range s {
		s[m].Off = true
	}
	s[record.Train].Steps, s[record.Global].Steps = steps, steps
	return plan.Need{By: plan.Curves, Selector: plan.Selector{Collections: []string{plan.Weights}}, Schedule: s, Want: plan.Stats, Pairs: []plan.Pair{{Lag: 1}}}
}

// addTrainingCurves adds the numbers of the training as a whole to a step that has
// closed, where the values that it holds are all of their kind.
func (w *worker) addTrainingCurves(o *openStep) {
	c, st := &w.curves, o.step
	dropped := w.s.Dropped()
	whole := dropped == c.dropped && !o.drops && o.lost == 0
	c.dropped = dropped
	if !whole || len(st.Stats) == 0 || st.Mode.Evaluates() {
		return
	}
	if c.look(w); c.parts {
		return
	}
	if v, ok := c.gradientNorm(st); ok {
		w.addCurve(st, record.GradientNorm, v)
	}
	if v, ok := c.updateSize(st); ok {
		w.addCurve(st, record.UpdateSize, v)
	}
}

// addCurve adds one number, and announces its series before the first.
func (w *worker) addCurve(st *record.Step, name string, v float64) {
	if !w.curves.known[name] {
		w.curves.known[name] = true
		infos := []record.TensorInfo{{Name: name, Kind: record.Training, DType: "F64", Shape: []int64{}}}
		w.unsaved = append(w.unsaved, infos...)
		w.announce()
		w.job.eval.announce(w.name, infos)
	}
	st.Scalars = append(st.Scalars, record.Scalar{Name: name, Value: v})
}

// look finds what the tensors that are known by now have in common.
func (c *trainingCurves) look(w *worker) {
	_, gen := w.job.currentPlan()
	if !c.stale && gen == c.gen {
		return
	}
	c.stale, c.gen, c.parts = false, gen, false
	c.gradients, c.weights = map[string]bool{}, map[string]*capture.TensorDef{}
	if c.known == nil {
		c.known = map[string]bool{}
	}
	var asked map[string]int // by request, how many gradients have it
	for _, d := range w.defs {
		switch {
		case d == nil || d.AliasOf != "":
		case d.Kind == record.Gradient:
			c.parts = c.parts || d.Part != nil
			c.gradients[d.Name] = false
			asked = count(asked, requestsOf(w.decide(d)))
		case d.Kind == record.Weight && !d.Frozen:
			c.parts = c.parts || d.Part != nil
			c.weights[d.Name] = d
		}
	}
	for _, d := range w.defs {
		if d != nil && d.Kind == record.Gradient && d.AliasOf == "" {
			c.gradients[d.Name] = !slices.ContainsFunc(requestsOf(w.decide(d)), func(r string) bool { return asked[r] < len(c.gradients) })
		}
	}
}

func requestsOf(d plan.Decision) []string {
	out := make([]string, len(d.Requests))
	for i, r := range d.Requests {
		out[i] = plan.Pair{}.Key(r.Schedule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func count(by map[string]int, keys []string) map[string]int {
	if by == nil {
		by = map[string]int{}
	}
	for _, k := range keys {
		by[k]++
	}
	return by
}

// gradientNorm is the norm of all gradients of a step. A gradient that is due only
// when all are shows that all were: what is missing then had no gradient.
func (c *trainingCurves) gradientNorm(st *record.Step) (float64, bool) {
	sum, n, all := 0.0, 0, false
	for i := range st.Stats {
		s := &st.Stats[i]
		proves, is := c.gradients[s.Tensor]
		if !is {
			continue
		}
		n++
		all = all || proves
		norm := s.L2()
		sum += norm * norm
	}
	return math.Sqrt(sum), n > 0 && (all || n == len(c.gradients))
}

// updateSize is how much the update before changed the trained weights, as a share
// of their size.
func (c *trainingCurves) updateSize(st *record.Step) (float64, bool) {
	changed, size, seen := 0.0, 0.0, map[string]bool{}
	older := map[string]float64{}
	for i := range st.Derived {
		if d := &st.Derived[i]; d.From == st.ModeStep-1 && strings.HasSuffix(d.Stat, "."+plan.PairMeanAbsFrom) {
			older[d.Tensor] = d.Value
		}
	}
	if len(older) == 0 {
		return 0, false
	}
	counts := map[string]float64{}
	for i := range st.Stats {
		if s := &st.Stats[i]; c.weights[s.Tensor] != nil {
			counts[s.Tensor] = float64(s.Count)
		}
	}
	for i := range st.Derived {
		d := &st.Derived[i]
		n, is := counts[d.Tensor]
		if !is || seen[d.Tensor] || d.From != st.ModeStep-1 || !strings.HasSuffix(d.Stat, "."+plan.PairMeanAbsDiff) {
			continue
		}
		seen[d.Tensor] = true
		changed, size = changed+n*d.Value, size+n*older[d.Tensor]
	}
	return changed / size, size > 0 && len(seen) == len(c.weights)
}
