package slow

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

const (
	around    = 41 // rows of updates among which the one in the middle is judged
	fewAround = 11 // of them, without which none is judged
	manyTimes = 5  // times the usual length from which on an update stalls
	// manyNetwork is the same for the network's parts of it: their time follows the
	// input, and some updates may compute more than others.
	manyNetwork = 10
	lastStalls  = 32 // that are kept of a part
	mostPasses  = 64 // that are remembered
	longStall   = 1  // seconds from which on samples of the machine lie within
)

// Stalls are the updates that took many times as long as those around them, by
// the part of the step in which they did. First steps, evaluation, checkpoints and
// the first batches of a pass are something else, and left out.
type Stalls struct {
	Around []update  `json:"around"` // the last ones
	Judged int       `json:"judged"` // of Around, from its beginning
	Sums   stallSums `json:"sums"`   // of those that were judged
	Passes []pass    `json:"passes"` // of loaders, whose first batches no step has had yet
	Skip   int64     `json:"skip"`   // updates to come that are left out
	Until  time.Time `json:"until"`
	During *Span     `json:"during"` // what the machine did in long stalls; nil: there was none
	long   []update  // those of the window at hand
}

// update are the updates of one row: one, or a few short ones.
type update struct {
	Start   time.Time               `json:"start"`
	End     time.Time               `json:"end"`
	Step    int64                   `json:"step"` // the longest one's
	Steps   int64                   `json:"steps"`
	Parts   [rule.StepParts]float64 `json:"parts"`
	Longest float64                 `json:"longest"` // without the gap before it
}

// pass is the first batch of a pass of a loader.
type pass struct {
	Worker  string    `json:"worker"`
	At      time.Time `json:"at"`
	Updates int64     `json:"updates"` // whose batches were made together with it
}

type stallSums struct {
	Steps int64                      `json:"steps"` // that were judged
	Parts [rule.StepParts]partStalls `json:"parts"`
}

// partStalls are the stalls in one part of the step.
type partStalls struct {
	Count   int64     `json:"count"`
	Seconds float64   `json:"seconds"` // beyond the usual length
	First   time.Time `json:"first"`
	Last    []stall   `json:"last"` // the last ones
}

type stall struct {
	Step    int64     `json:"step"`
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"` // beyond the usual length
	Times   float64   `json:"times"`   // as long as usual
}

func (u *update) total() (s float64) {
	for _, p := range u.Parts {
		s += p
	}
	return s
}

// events takes the first batches of passes.
func (x *Stalls) events(list []rule.Event) {
	for i := range list {
		e := &list[i]
		if e.Kind != rule.LoaderEvent {
			continue
		}
		var l Loader
		_ = json.Unmarshal(e.Facts, &l) // else it is a pass without workers
		x.Passes = append(x.Passes, pass{e.Worker, e.End, max(1, int64(l.Workers)*int64(max(1, l.Prefetch)))})
	}
	x.Passes = x.Passes[max(0, len(x.Passes)-mostPasses):]
	x.long = x.long[:0]
}

// take takes a row of the chief.
func (x *Stalls) take(t *rule.StepTime) {
	x.Until = t.End
	x.Skip = max(x.Skip, x.begins(t))
	if t.Mode != rule.Train && t.Mode != rule.Global {
		x.Skip = max(x.Skip, 1) // the update after it has what is left of an evaluation
		return
	}
	if x.Skip > 0 || t.Parts[rule.SaveCheckpoint] > 0 {
		x.Skip = max(0, x.Skip-t.Steps)
		return
	}
	u := update{Start: t.Start, End: t.End, Step: t.ModeStep, Steps: t.Steps, Longest: float64(t.Longest) * 1e-9}
	if t.Steps > 1 {
		u.Step = t.LongestStep
	}
	for p, ns := range t.Parts {
		u.Parts[p] = float64(ns) * 1e-9
	}
	x.Around = append(x.Around, u)
	n := len(x.Around)
	if n > around {
		x.Around = x.Around[1:]
		x.Judged--
		n--
	}
	for ; n == around && x.Judged <= around/2; x.Judged++ {
		x.Sums.judge(x.Around, x.Judged)
	}
	if total := u.total(); u.Steps == 1 && total >= longStall && n >= fewAround && total >= manyTimes*usual(x.Around, (*update).total) {
		x.long = append(x.long, u)
	}
}

// begins is how many updates, from a row on, have the first batches of a pass; 0
// where none begins in it.
func (x *Stalls) begins(t *rule.StepTime) (n int64) {
	kept := x.Passes[:0]
	for _, p := range x.Passes {
		switch {
		case p.Worker != t.Worker: // nobody asks for those of other ranks
		case p.At.After(t.End):
			kept = append(kept, p)
		case p.At.After(t.Start):
			n = max(n, p.Updates)
		}
	}
	x.Passes = kept
	return n
}

// sample takes what the machine did since another moment, where that lies within a
// long stall of the window at hand.
func (x *Stalls) sample(s *rule.Sample, since time.Time) {
	for i := range x.long {
		if u := &x.long[i]; since.Before(u.Start) || s.Time.After(u.End) {
			continue
		}
		if x.During == nil {
			x.During = newSpan()
		}
		x.During.sample(s, s.Time.Sub(since))
		return
	}
}

// all are the sums with the last updates, which have fewer around them.
func (x *Stalls) all() stallSums {
	s := x.Sums
	for p := range s.Parts {
		s.Parts[p].Last = slices.Clip(s.Parts[p].Last)
	}
	for i := x.Judged; i < len(x.Around) && len(x.Around) >= fewAround; i++ {
		s.judge(x.Around, i)
	}
	return s
}

// judge looks whether one of some updates that follow each other stalls.
func (s *stallSums) judge(list []update, i int) {
	u := &list[i]
	s.Steps += u.Steps
	step := usual(list, (*update).total)
	longest := u.total()
	if u.Steps > 1 {
		longest = u.Longest
	}
	if step <= 0 || longest < manyTimes*step {
		return
	}
	p, more := u.stalls(list, step)
	many := float64(manyTimes)
	if p == rule.Forward || p == rule.Backward || p == rule.Optimizer {
		many = manyNetwork
	}
	if more < (many-1)*step {
		return
	}
	of := &s.Parts[p]
	if of.Count == 0 {
		of.First = u.End
	}
	of.Count++
	of.Seconds += more
	of.Last = append(of.Last, stall{u.Step, u.End, more, 1 + more/step})
	of.Last = of.Last[max(0, len(of.Last)-lastStalls):]
}

// stalls is the part in which an update takes longer than those around it, and by
// how much. step is the usual length.
func (u *update) stalls(list []update, step float64) (part rule.StepPart, more float64) {
	for p := range rule.StepParts {
		d := u.Parts[p] - float64(u.Steps)*usual(list, func(o *update) float64 { return o.Parts[p] })
		if d > more {
			part, more = p, d
		}
	}
	if u.Steps > 1 {
		if part == rule.WaitForData { // it lies in the gap, which the longest has not
			return part, 0
		}
		more = min(more, u.Longest-step)
	}
	return part, more
}

// usual is the median of what each update has of something.
func usual(list []update, of func(*update) float64) float64 {
	type weighed struct {
		value float64
		steps int64
	}
	w := make([]weighed, len(list))
	var all, sum int64
	for i := range list {
		u := &list[i]
		w[i] = weighed{of(u) / float64(u.Steps), u.Steps}
		all += u.Steps
	}
	slices.SortFunc(w, func(a, b weighed) int { return cmp.Compare(a.value, b.value) })
	for _, x := range w {
		if sum += x.steps; 2*sum >= all {
			return x.value
		}
	}
	return math.NaN()
}

// interval is the mean time from one stall to the next, in seconds.
func (p *partStalls) interval() float64 {
	if p.Count < 2 {
		return math.Inf(1)
	}
	return p.Last[len(p.Last)-1].At.Sub(p.First).Seconds() / float64(p.Count-1)
}

// going reports whether stalls still come.
func (p *partStalls) going(now time.Time) bool {
	return now.Sub(p.Last[len(p.Last)-1].At).Seconds() <= 3*p.interval()
}

// regular is the distance of stalls that come at equal ones: in updates, or in
// seconds where it is these that are equal; 0 where they are not.
func (p *partStalls) regular() (steps int64, seconds float64) {
	n := len(p.Last)
	if n < fewStalls {
		return 0, 0
	}
	var inSteps, inSeconds []float64
	for i := 1; i < n; i++ {
		inSteps = append(inSteps, float64(p.Last[i].Step-p.Last[i-1].Step))
		inSeconds = append(inSeconds, p.Last[i].At.Sub(p.Last[i-1].At).Seconds())
	}
	if m := median(inSteps); alike(inSteps, m, max(1, 0.02*m)) {
		return int64(math.Round(m)), 0
	}
	if m := median(inSeconds); alike(inSeconds, m, 0.1*m) {
		return 0, m
	}
	return 0, 0
}

// alike reports whether nearly all values lie about one.
func alike(x []float64, m, by float64) bool {
	n := 0
	for _, v := range x {
		if math.Abs(v-m) <= by {
			n++
		}
	}
	return float64(n) >= 0.8*float64(len(x))
}

// each are the median length beyond the usual one, and how many times as long the
// updates are.
func (p *partStalls) each() (seconds, times float64) {
	var s, t []float64
	for _, x := range p.Last {
		s = append(s, x.Seconds)
		t = append(t, x.Times)
	}
	return median(s), median(t)
}
