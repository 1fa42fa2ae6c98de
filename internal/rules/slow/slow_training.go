// Package slow judges where the time of a training goes. Each check is one cause
// of slowness in a file of its own; span.go adds up what happened, case.go says
// what mending could bring, slow_training.go decides what is reported when.
package slow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// Training is the rule.
var Training = rule.Definition{
	Name: "slow_training", Class: "SlowTraining", Family: rule.Metrics, Severity: rule.Warning,
	Summary: "The training takes longer than it has to.",
	Why:     "A training that waits costs the same as one that computes.",
	Parameters: []rule.Parameter{
		{Name: "min_gain", Type: rule.Float, Default: "1.25", Range: rule.AtLeast(1), Meaning: "the least estimate of what mending could bring, as a factor, for a warning"},
		{Name: "min_seconds", Type: rule.Float, Default: "30", Range: rule.AtLeast(0), Unit: "seconds", Meaning: "the least that it could save over the run for a warning"},
		{Name: "info_gain", Type: rule.Float, Default: "1.1", Range: rule.AtLeast(1), Meaning: "the least gain for a hint"},
		{Name: "max_slower", Type: rule.Float, Default: "10", Range: rule.AtLeast(0), Unit: "per cent", Meaning: "by how much a step may take longer than in the slowest of the last runs of the script"},
		{Name: "slower_fails", Type: rule.Bool, Default: "False", Meaning: "a training that was slower than `max_slower` allows gives a warning at its end, whatever mending could bring"},
		{Name: "trained", Type: rule.Float, Default: "10", Range: rule.AtLeast(0), Unit: "seconds", Meaning: "shorter trainings are not judged"},
	},
	CauseClass: "unknown",
	Causes:     []string{"one part of each step, or one line of the script, takes much of the time: the check of the finding says which"},
	Remedies:   []string{"mend that first, and run again"},
	Checks:     index(),
	Lacks:      "no step's time is known",
	Default:    &rule.Preset{Why: "a gain is an estimate, and small ones are not reported"},
	Needs:      func(rule.Params) []rule.Need { return nil },
	New:        func(p rule.Params) (rule.Rule, error) { return newSlow(p), nil },
}

const (
	firstSteps = 3 // updates that are not judged: what is made in them is made once
	recent     = 3 // windows that the recent span has
	confirmed  = 3 // windows in a row in which a cause must be there
)

const (
	// stretch is the time that the short windows at the beginning are added up to before
	// they are judged like a long one: a few seconds are too few to go by.
	stretch = record.WindowLength
	askEach = 6 * time.Second // from one request for samples of stacks to the next
	askFor  = 90 * time.Second
)

type slow struct {
	p     rule.Params
	state state
}

type state struct {
	All       *Span                    `json:"all"`
	Course    Course                   `json:"course"`
	Stalls    Stalls                   `json:"stalls"`
	RankTimes RankTimes                `json:"rank_times"`
	Windows   []*Span                  `json:"windows"` // the last ones, short ones together, without All's sums
	Since     time.Time                `json:"since"`   // when the last of them began; zero: it is over
	Chief     string                   `json:"chief"`
	Ranks     map[string]*Span         `json:"ranks"`
	First     int64                    `json:"first"`   // updates seen of the first ones
	Sampled   map[string]time.Time     `json:"sampled"` // by host: when the last sample was
	Cores     float64                  `json:"cores"`
	Loader    *Loader                  `json:"loader"`
	Compiler  *Compiler                `json:"compiler"`
	Before    *Before                  `json:"before"`
	StartUp   *StartUp                 `json:"start_up"`
	Last      time.Time                `json:"last"` // end of the last step of the chief
	Lines     *Detail                  `json:"lines"`
	Seen      map[string]int           `json:"seen"` // by check: windows in a row
	Told      map[string]rule.Severity `json:"told"`
	Took      map[rule.StepPart]string `json:"took"`   // by part of the step: the check that was told of it
	Wanted    time.Time                `json:"wanted"` // when samples of stacks were asked for first
	Asked     time.Time                `json:"asked"`  // and last
	facts     *rule.Facts
}

func newSlow(p rule.Params) *slow {
	return &slow{p, state{All: newSpan(), Ranks: map[string]*Span{}, Sampled: map[string]time.Time{}, Seen: map[string]int{}, Told: map[string]rule.Severity{}, Took: map[rule.StepPart]string{}}}
}

func (r *slow) Select() []rule.Selector             { return nil }
func (r *slow) Step(*rule.View, *rule.Report)       {}
func (r *slow) Save() ([]byte, error)               { return json.Marshal(&r.state) }
func (r *slow) Facts(f *rule.Facts, _ *rule.Report) { r.state.facts = f }

func (r *slow) Restore(b []byte) error {
	if err := json.Unmarshal(b, &r.state); err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	return nil
}

// Window implements rule.WindowReader.
func (r *slow) Window(w *rule.Window, rep *rule.Report) {
	s := r.take(w)
	if s.Seconds == 0 {
		return
	}
	rep.Inspect(1)
	r.state.All.add(s)
	if r.recent(w, s) {
		r.judge(rep, false)
		return
	}
	r.ask(r.asCase(rep, false), rep) // as soon as it can be known, so that short trainings have lines, too
}

// recent puts a window to the last ones, and reports whether they are to be judged.
func (r *slow) recent(w *rule.Window, s *Span) bool {
	if r.state.Since.IsZero() {
		r.state.Since = w.From
		r.state.Windows = append(r.state.Windows, newSpan())
		r.state.Windows = r.state.Windows[max(0, len(r.state.Windows)-recent):]
	}
	r.state.Windows[len(r.state.Windows)-1].add(s)
	if w.To.Sub(r.state.Since) < stretch {
		return false
	}
	r.state.Since = time.Time{}
	return true
}

// Finish implements rule.Rule.
func (r *slow) Finish(rep *rule.Report) {
	if r.state.All.Seconds > 0 {
		r.judge(rep, true)
	}
}

// take adds up a window.
func (r *slow) take(w *rule.Window) *Span {
	s := newSpan()
	r.state.Stalls.events(w.Events)
	r.state.RankTimes.window(w.Times)
	for i := range w.Times {
		t := &w.Times[i]
		if r.state.Chief == "" || t.Worker < r.state.Chief {
			r.state.Chief = t.Worker
		}
		if t.Worker != r.state.Chief {
			if r.state.Ranks[t.Worker] == nil {
				r.state.Ranks[t.Worker] = newSpan()
			}
			r.state.Ranks[t.Worker].step(t)
			continue
		}
		r.state.Last = t.End
		if r.state.First < firstSteps {
			if t.Mode == rule.Train || t.Mode == rule.Global {
				r.state.First += t.Steps
			}
			continue
		}
		s.step(t)
		r.state.Course.take(t)
		r.state.Stalls.take(t)
	}
	for i := range w.Samples {
		x := &w.Samples[i]
		before, ok := r.state.Sampled[x.Host]
		r.state.Sampled[x.Host] = x.Time
		r.state.Cores = max(r.state.Cores, available(x))
		if ok && s.Seconds > 0 {
			s.sample(x, min(x.Time.Sub(before), 2*time.Minute))
			r.state.Stalls.sample(x, before)
		}
	}
	for i := range w.Events {
		r.event(s, &w.Events[i])
		r.compiler(s, w, &w.Events[i])
	}
	return s
}

func (r *slow) event(s *Span, e *rule.Event) {
	of := s.Events[e.Kind]
	if of == nil {
		of = &EventSpan{}
		s.Events[e.Kind] = of
	}
	of.Count++
	of.Seconds += e.End.Sub(e.Start).Seconds()
	switch {
	case e.Kind == rule.LoaderEvent && r.state.Loader == nil:
		var l Loader
		if json.Unmarshal(e.Facts, &l) == nil {
			r.state.Loader = &l
		}
	case e.Kind == rule.EarlierRunsEvent && r.state.Before == nil:
		var b Before
		if json.Unmarshal(e.Facts, &b) == nil {
			r.state.Before = &b
		}
	case e.Kind == rule.PhaseEvent && e.Name == rule.StartUpPhase && e.Worker == r.state.Chief:
		r.state.StartUp = startUpOf(e)
	case e.Kind == rule.DetailEvent && e.Name == rule.StackSamples:
		var d rule.StackDetail
		if json.Unmarshal(e.Facts, &d) == nil {
			if r.state.Lines == nil {
				r.state.Lines = &Detail{}
			}
			r.state.Lines.take(&d)
		}
	}
}

// available is how many cores a job may use, as a sample says it: those of the
// machine, of the processes' affinity and of the job's limit.
func available(x *rule.Sample) float64 {
	n, of := cores(x), 0.0
	for _, v := range x.Values {
		switch {
		case v.Name == "cgroup/cpu_limit_cores":
			n = min(n, v.Value)
		case strings.HasPrefix(v.Name, "process/") && strings.HasSuffix(v.Name, "/cores"):
			of = max(of, v.Value)
		}
	}
	if of > 0 {
		n = min(n, of)
	}
	return n
}

// asCase is the training as checks see it.
func (r *slow) asCase(rep *rule.Report, ended bool) *Case {
	c := &Case{
		All: r.state.All, Recent: newSpan(), Ranks: r.state.Ranks, Cores: r.state.Cores, Loader: r.state.Loader, Before: r.state.Before,
		Facts: r.state.facts, Lines: r.state.Lines, Course: &r.state.Course, Stalls: &r.state.Stalls, RankTimes: &r.state.RankTimes,
		Compiler: r.state.Compiler, StartUp: r.state.StartUp, Last: r.state.Last, Ended: ended, Cut: rep.Cut, p: r.p,
	}
	for _, w := range r.state.Windows {
		c.Recent.add(w)
	}
	return c
}

func (r *slow) judge(rep *rule.Report, ended bool) {
	c := r.asCase(rep, ended)
	waiting := r.ask(c, rep)
	if r.state.All.Seconds < r.p.Float("trained") {
		return
	}
	taken := map[rule.StepPart]bool{}
	var tell []rule.Violation
	for _, k := range checks {
		v, part := r.violation(c, k)
		if v == nil {
			r.state.Seen[k.Name()] = 0
			continue
		}
		if by := r.state.Took[part]; part != takesNothing && (taken[part] || by != "" && by != k.Name()) {
			continue // the part has its cause
		}
		taken[part] = !k.IsExperimental()
		r.state.Seen[k.Name()]++
		if told := r.state.Told[k.Name()]; told == v.Severity || told == rule.Warning {
			continue
		}
		// A hint is in no hurry: it is made when all is known.
		if !ended && (r.state.Seen[k.Name()] < confirmed || v.Severity == rule.Info || waiting) {
			continue
		}
		r.state.Told[k.Name()] = v.Severity
		if !k.IsExperimental() {
			r.state.Took[part] = k.Name()
		}
		tell = append(tell, *v)
	}
	// What explains most comes first.
	slices.SortStableFunc(tell, func(a, b rule.Violation) int { return cmp.Compare(b.Observed, a.Observed) })
	for _, v := range tell {
		rep.Violate(v)
	}
}

// ask asks for samples of stacks where a check needs them, and reports whether they
// may still come. Half of the time that a training must last for a judgement is enough to
// see where its time goes.
func (r *slow) ask(c *Case, rep *rule.Report) bool {
	if c.Ended || c.Lines.Enough() || c.All.Seconds < r.p.Float("trained")/2 {
		return false
	}
	if !slices.ContainsFunc(checks, func(k *check) bool { return k.needs != nil && k.needs(c) }) {
		return false
	}
	now := r.state.Last
	if r.state.Wanted.IsZero() {
		r.state.Wanted = now
	}
	if now.Sub(r.state.Wanted) > askFor {
		return false
	}
	if now.Sub(r.state.Asked) >= askEach {
		rep.Detail(rule.StackSamples)
		r.state.Asked = now
	}
	return true
}

// violation is what a check objects to, and the part of the step that it is about;
// nil when it is nothing, or too little.
func (r *slow) violation(c *Case, k *check) (*rule.Violation, rule.StepPart) {
	all, now := k.claim(c, c.All), k.claim(c, c.Recent)
	if all == nil {
		return nil, 0
	}
	demanded := all.Demanded && c.Ended
	if now == nil && !demanded {
		return nil, 0
	}
	gain := c.Gain(c.All, all)
	if least := r.p.Float("info_gain"); !demanded && (gain < least || c.Gain(c.Recent, now) < least) {
		return nil, 0
	}
	share, severity := c.Share(c.All, all), rule.Info
	whole := all.whole(c.All)
	saved := (c.Projected() + whole - c.All.Seconds) * (1 - 1/gain)
	if demanded || !all.Hint && gain >= r.p.Float("min_gain") && saved >= r.p.Float("min_seconds") {
		severity = rule.Warning
	}
	threshold := 1 - 1/r.p.Float("info_gain")
	if demanded {
		threshold = 1 - 1/(1+r.p.Float("max_slower")/100)
	}
	message := fmt.Sprintf(all.Message, fmt.Sprintf("%.0f %%", 100*share))
	if all.Unbound {
		gain = 0
	} else {
		gain = c.Most(c.All, all)
		message += "; by estimate " + faster(c.All, all, gain)
	}
	ctx := map[string]any{"seconds": all.Seconds, "of_seconds": whole, "could_save_seconds": saved}
	for name, x := range all.Context {
		ctx[name] = x
	}
	return &rule.Violation{
		Check: k.Name(), Subject: all.Subject, Severity: severity, Observed: share, Threshold: threshold, Comparator: ">", Context: ctx,
		CauseClass: all.CauseClass, Cause: all.Cause, Remedy: all.Remedy,
		Message: message + ".", Where: all.Where, Share: share, Gain: gain, Steps: int(min(c.All.Steps, math.MaxInt32)),
	}, all.Takes
}

// faster says what would be how much faster, and for a training in seconds, too.
func faster(s *Span, claim *Claim, gain float64) string {
	if claim.Of > 0 {
		return fmt.Sprintf("the job would be %s as fast without that", factor(gain))
	}
	text := fmt.Sprintf("the training would be %s as fast without that", factor(gain))
	if s.Steps > 0 && gain < 100 {
		each := s.Seconds / float64(s.Steps)
		text += fmt.Sprintf(": from step to step %s instead of %s", record.Seconds(each/gain), record.Seconds(each))
	}
	return text
}

// factor is a gain in words.
func factor(g float64) string {
	if g >= 100 { // infinite, too
		return "many times"
	}
	if g >= 10 {
		return fmt.Sprintf("%.0f times", g)
	}
	return fmt.Sprintf("%.1f times", g)
}
