package builtin

import (
	"fmt"
	"math"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// otherPatience is how long a step of another run is waited for, while
	// that run goes on.
	otherPatience = 10 * time.Minute
	// lookEvery is how often a run that goes on is asked for more.
	lookEvery = time.Second
	// mostWaiting bounds the comparisons that wait.
	mostWaiting = 2000
	// boundSlack is the rounding that statistics of the same values may differ
	// by, as a share.
	boundSlack = 1e-9
)

// similarAcrossRuns compares scalars and stored values with those of other
// runs at the same step of the same mode. Where only statistics are there,
// they can prove that values differ but not that they agree.
var similarAcrossRuns = rule.Definition{
	Name: "similar_across_runs", Class: "SimilarAcrossRuns", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  similarAcrossRunsChecks,
	Summary: "A tensor differs from that of another run.",
	Why:     "Runs that should be equal are not: they are not reproducible, or a change of the code or the framework changed the result.",
	Parameters: []rule.Parameter{
		otherTrials, collectionNames, tensorRegex,
		{Name: "rtol", Type: rule.Float, Default: "1e-5", Range: rule.AtLeast(0), Meaning: "relative tolerance"},
		{Name: "atol", Type: rule.Float, Default: "1e-8", Range: rule.AtLeast(0), Meaning: "absolute tolerance"},
		{Name: "equal_nan", Type: rule.Bool, Default: "False", Meaning: "whether NaN equals NaN"},
		every("500"),
	},
	CauseClass: "unknown",
	Causes:     []string{"another seed", "a different order of the data", "non-deterministic kernels", "changed code or framework version"},
	Remedies:   []string{"fix the seeds", "use deterministic algorithms", "start with the tensor that differed first"},
	Example:    map[string]string{"other_trials": "baseline"},
	Needs: func(p rule.Params) []rule.Need {
		sel, everything := selector(p)
		if everything {
			return nil
		}
		return []rule.Need{{Selector: sel, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats | rule.WantRaw}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &similar{others: p.List("other_trials"), options: rule.PairOptions{Close: true, RTol: p.Float("rtol"), ATol: p.Float("atol"), EqualNaN: p.Bool("equal_nan")}}
		if len(r.others) == 0 {
			return nil, &rule.ParamError{
				Rule: "similar_across_runs", What: "other_trials", Message: "other_trials is not given: there is nothing to compare with",
				Hint: "give the name or the path of another run",
			}
		}
		r.sel, r.everything = selector(p)
		r.state.First = map[string]int64{}
		return r, nil
	},
}

type similar struct {
	others     []string
	options    rule.PairOptions
	sel        rule.Selector
	everything bool
	state      struct {
		First   map[string]int64 `json:"first"` // global step at which a tensor first differed, by run, worker and tensor
		Waiting []comparison     `json:"waiting"`
	}

	runs   []*otherRun // opened at the first step
	looked time.Time   // when they were asked for more
	rawAt  func(worker, tensor string, mode rule.Mode, modeStep int64) (rule.Values, error)
}

// comparison is one value of this run that is compared with one other run.
type comparison struct {
	At     rule.Point  `json:"at"`
	Run    int         `json:"run"` // index into the other runs
	Worker string      `json:"worker"`
	Chief  bool        `json:"chief"`
	Name   string      `json:"name"`
	Scalar bool        `json:"scalar"`
	Stored bool        `json:"stored"`
	Value  rule.Number `json:"value"` // of a scalar
	Stats  statNumbers `json:"stats"` // of a tensor
}

// statNumbers are the statistics that a comparison uses, in the order of
// statNames.
type statNumbers [7]rule.Number

var statNames = [7]string{"count", "nan", "posinf", "neginf", "min", "max", "mean"}

// absMean is compared, too, and gives the scale of the tolerance.
const absMean = "abs_mean"

func (r *similar) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *similar) Save() ([]byte, error)   { return save(&r.state) }
func (r *similar) Restore(b []byte) error  { return restore(b, &r.state) }

// Finish gives up what still waits, after a last look.
func (r *similar) Finish(rep *rule.Report) {
	r.wait(time.Time{}, rep)
	for range r.state.Waiting {
		rep.Skip(skipMissing)
	}
	r.state.Waiting = nil
}

// Tick implements rule.Ticker: it looks again for what another run was late
// with.
func (r *similar) Tick(now time.Time, rep *rule.Report) { r.wait(now, rep) }

// skipMissing is the reason for what the other run does not have.
const skipMissing = "missing_in_other"

func (r *similar) Step(v *rule.View, rep *rule.Report) {
	if r.runs == nil {
		runs, err := openOthers(r.others, v.Trial)
		if err != nil {
			rep.Fail(err)
			return
		}
		r.runs = runs
	}
	r.rawAt = v.Data.RawAt
	if r.everything {
		rep.Note(noSelector)
	}
	r.wait(v.Time, rep)
	at := rule.Point{Step: v.Step, Mode: v.Mode, ModeStep: v.ModeStep, Time: v.Time}
	scalars, tensors := v.Scalars(0), v.Tensors(0)
	chief := ""
	for _, items := range [][]rule.Item{scalars, tensors} {
		for i := range items {
			if chief == "" || items[i].Worker < chief {
				chief = items[i].Worker
			}
		}
	}
	for n := range r.runs {
		for i := range scalars {
			it := &scalars[i]
			r.take(comparison{At: at, Run: n, Worker: it.Worker, Chief: it.Worker == chief, Name: it.Info.Name, Scalar: true, Value: rule.Number(it.Value)}, rep)
		}
		for i := range tensors {
			it := &tensors[i]
			if s := it.Stats; s != nil {
				c := comparison{At: at, Run: n, Worker: it.Worker, Chief: it.Worker == chief, Name: it.Info.Name, Stored: it.Stored, Value: rule.Number(s.AbsMean())}
				for k, x := range []float64{float64(s.Count), float64(s.NaN), float64(s.PosInf), float64(s.NegInf), s.Min, s.Max, s.MeanValue()} {
					c.Stats[k] = rule.Number(x)
				}
				r.take(c, rep)
			}
		}
	}
}

// take compares now, or later when the other run is not there yet.
func (r *similar) take(c comparison, rep *rule.Report) {
	switch {
	case r.compare(&c, rep):
	case r.runs[c.Run].running && len(r.state.Waiting) < mostWaiting:
		r.state.Waiting = append(r.state.Waiting, c)
	default:
		rep.Skip(skipMissing)
	}
}

// wait tries again what waits, and gives up what has waited too long, or for a
// run that has ended.
func (r *similar) wait(now time.Time, rep *rule.Report) {
	if !now.IsZero() && now.Sub(r.looked) < lookEvery {
		return
	}
	r.looked = now
	for _, o := range r.runs {
		if o.running {
			o.look()
		}
	}
	if len(r.runs) == 0 || len(r.state.Waiting) == 0 {
		return
	}
	still := r.state.Waiting[:0]
	for _, c := range r.state.Waiting {
		switch {
		case r.compare(&c, rep):
		case now.Sub(c.At.Time) > otherPatience || !r.runs[c.Run].running:
			rep.Skip(skipMissing)
		default:
			still = append(still, c)
		}
	}
	r.state.Waiting = still
}

// difference is what a comparison found.
type difference struct {
	check     string
	observed  float64
	message   string
	context   map[string]any
	threshold float64
}

// compare reports whether the other run has the value, and what differs.
func (r *similar) compare(c *comparison, rep *rule.Report) bool {
	o := r.runs[c.Run]
	worker, ok := o.worker(c.Worker, c.Chief)
	if !ok {
		return false
	}
	var d *difference
	switch {
	case c.Scalar:
		if d, ok = r.scalar(c, o, worker); !ok {
			return false
		}
	default:
		var known bool
		if d, known = r.values(c, o, worker); !known {
			if d, ok = r.statistics(c, o, worker, rep); !ok {
				return false
			}
		}
	}
	if d == undecided {
		return true
	}
	rep.Inspect(1)
	if d != nil {
		r.report(c, o, d, rep)
	}
	return true
}

// undecided stands for a comparison that statistics cannot decide.
var undecided = &difference{}

func (r *similar) scalar(c *comparison, o *otherRun, worker string) (*difference, bool) {
	other, ok := o.at(c.Name, "value", c.At.Mode, worker, c.At.ModeStep)
	if !ok {
		return nil, false
	}
	x := float64(c.Value)
	if isClose(x, other, r.options.RTol, r.options.ATol, r.options.EqualNaN) {
		return nil, true
	}
	return &difference{
		check: "value", observed: math.Abs(x - other), threshold: r.options.ATol + r.options.RTol*math.Abs(other),
		message: fmt.Sprintf("it is %s here and %s there", num(x), num(other)),
		context: map[string]any{"value": x, "other_value": other, "max_abs_diff": math.Abs(x - other)},
	}, true
}

// values compares stored values; known is false unless both runs have them.
func (r *similar) values(c *comparison, o *otherRun, worker string) (d *difference, known bool) {
	if !c.Stored || r.rawAt == nil {
		return nil, false
	}
	b, err := o.trial.Raw(c.Name, c.At.Mode, c.At.ModeStep, worker)
	if err != nil {
		return nil, false
	}
	a, err := r.rawAt(c.Worker, c.Name, c.At.Mode, c.At.ModeStep)
	if err != nil {
		return nil, false
	}
	s := rule.Compare(a, b, r.options)
	switch {
	case s.ShapeChanged:
		return &difference{
			check: "shape", observed: math.NaN(), threshold: math.NaN(), message: fmt.Sprintf("its shape is %v here and %v there", a.Shape, b.Shape),
			context: map[string]any{"shape": a.Shape, "other_shape": b.Shape},
		}, true
	case s.NotClose == 0:
		return nil, true
	}
	share := float64(s.NotClose) / float64(s.Count)
	return &difference{
		check: "value", observed: s.MaxAbsDiff, threshold: r.options.ATol,
		message: fmt.Sprintf("%s %% of its values differ, by up to %s", num(math.Round(1000*share)/10), num(s.MaxAbsDiff)),
		context: map[string]any{"max_abs_diff": s.MaxAbsDiff, "mean_abs_diff": s.MeanAbsDiff, "differing_share": share, "size": s.Count},
	}, true
}

// statistics looks for a proof that the values differ: close values have close
// extremes and means.
func (r *similar) statistics(c *comparison, o *otherRun, worker string, rep *rule.Report) (d *difference, ok bool) {
	var other [7]float64
	for k, name := range statNames {
		if other[k], ok = o.at(c.Name, name, c.At.Mode, worker, c.At.ModeStep); !ok {
			return nil, false
		}
	}
	scale, ok := o.at(c.Name, absMean, c.At.Mode, worker, c.At.ModeStep)
	if !ok {
		return nil, false
	}
	differs := func(check, what string, x, y, limit float64) (*difference, bool) {
		return &difference{
			check: check, observed: math.Abs(x - y), threshold: limit, message: fmt.Sprintf("its %s is %s here and %s there", what, num(x), num(y)),
			context: map[string]any{"from_statistics": true, "statistic": what, "value": x, "other_value": y, "limit": limit},
		}, true
	}
	odd := false
	for k := range 4 {
		if x := float64(c.Stats[k]); x != other[k] {
			check := "value"
			if k == 0 {
				check = "shape"
			}
			return differs(check, []string{"size", "number of NaN", "number of +infinity", "number of -infinity"}[k], x, other[k], 0)
		}
		odd = odd || k > 0 && other[k] > 0
	}
	if other[1] > 0 && !r.options.EqualNaN {
		return differs("value", "number of NaN (which equals nothing)", float64(c.Stats[1]), other[1], 0)
	}
	if !odd && other[0] > 0 {
		top := math.Max(math.Abs(other[4]), math.Abs(other[5]))
		for k := 4; k < 7; k++ {
			bound := top
			if k == 6 {
				bound = scale
			}
			limit := r.options.ATol + r.options.RTol*bound + boundSlack*bound
			if x := float64(c.Stats[k]); math.Abs(x-other[k]) > limit {
				return differs("value", statNames[k], x, other[k], limit)
			}
		}
		limit := r.options.ATol + (r.options.RTol+boundSlack)*scale
		if x := float64(c.Value); math.Abs(x-scale) > limit {
			return differs("value", "mean magnitude", x, scale, limit)
		}
	}
	rep.Skip("statistics_only")
	rep.Note("values that are not stored in both runs were compared by their statistics, which can show a difference but not prove equality")
	return undecided, true
}

func (r *similar) report(c *comparison, o *otherRun, d *difference, rep *rule.Report) {
	k := key(o.name, key(c.Worker, c.Name))
	first, known := r.state.First[k]
	if !known {
		first = c.At.Step
		r.state.First[k] = first
	}
	d.context["other_trial"], d.context["first_step"] = o.name, first
	at, check := c.At, d.check
	if len(r.runs) > 1 {
		check += "@" + o.name
	}
	rep.Violate(rule.Violation{
		Check: check, Subject: c.Name, Worker: c.Worker, Observed: d.observed, Threshold: d.threshold, Comparator: ">", Context: d.context, At: &at,
		Message: fmt.Sprintf("%s differs from run %s at %s step %d: %s.", c.Name, o.name, at.Mode, at.ModeStep, d.message),
	})
}
