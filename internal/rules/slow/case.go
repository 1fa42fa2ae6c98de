package slow

import (
	"math"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// Case is a training as a check of slowness sees it.
type Case struct {
	// All is the whole training without its first steps, Recent the last windows
	// of it. A cause that went away (a cold cache, a compilation) is in All only.
	All, Recent *Span
	// Ranks are the spans of the other processes of the training, by worker.
	Ranks map[string]*Span
	// Cores are those that the job may use at a time, by affinity and quota; 0
	// where that is not known.
	Cores float64
	// Loader are the settings of the loader that trains; nil where it is not known.
	Loader *Loader
	// Compiler is how the framework's compiler stood last; nil where it compiled nothing.
	Compiler *Compiler
	// Before is how earlier runs of the script were; nil where there are none.
	Before *Before
	// Facts of the training; nil where there are none.
	Facts *rule.Facts
	// Lines say which lines the time of a part goes to; see Detail.
	Lines *Detail
	// Course is how the time of a step went.
	Course *Course
	// Stalls are the updates that took many times as long as those around them.
	Stalls *Stalls
	// RankTimes are the updates of all ranks.
	RankTimes *RankTimes
	// StartUp is the time before the first update; nil where that is not known.
	StartUp *StartUp
	// Last is when the last step ended.
	Last time.Time
	// Ended: the job is over, and nothing more will come. Cut: before its own end.
	Ended, Cut bool

	p      rule.Params
	stalls *stallSums
}

// Loader are a data loader's settings, as the event of its first pass tells them.
type Loader struct {
	Workers    int  `json:"workers"`
	Prefetch   int  `json:"prefetch"`
	Persistent bool `json:"persistent_workers"`
	Batch      int  `json:"batch_size"`
}

// What lies next to the parts of a step, for Claim.Takes.
const (
	takesNothing = rule.StepParts + 1 + iota // what is next to all other causes
	takesMachine                             // what the machine takes, of all parts
	takesStartUp
)

// Claim is what a check says a training loses to one cause. Seconds and CPU are of
// the span that was asked about.
type Claim struct {
	// Seconds are those on the critical path that would go if the cause cost
	// nothing: what overlaps with work that must go on counts for nothing.
	Seconds float64
	// AtMost are the seconds that could go where that is not certain: what lies next to
	// the cause may go with it. The gain that is reported is of these; 0: Seconds.
	AtMost float64
	// CPU are the core seconds of the job that would go with them.
	CPU float64
	// Cores are those that the job could use without the cause, where it has fewer now.
	Cores float64
	// Of are the seconds that Seconds are a part of, where those are not the span's.
	Of float64
	// Device says that what the GPU computes meanwhile would go with them, too.
	Device bool
	// Takes is the part of the step that they are in. Of several claims to one
	// part the first in the list of checks counts.
	Takes rule.StepPart

	Where   *rule.Where
	Subject string
	// Message is a sentence without its end: what takes the time, and where. The
	// share and the gain are added to it.
	Message string
	Context map[string]any
	// CauseClass, Cause and Remedy are given where they differ from the check's.
	CauseClass, Cause, Remedy string
	// Reached says that the training did without it before: what other resources need
	// is no bound then.
	Reached bool
	// Demanded says that somebody asked for this limit: what is beyond it in the whole
	// training is a warning, whatever mending could bring.
	Demanded bool
	// Hint says that it is not certain that anything can be mended: no warning is made of it.
	Hint bool
	// Unbound says that the gain cannot be estimated: none is given then.
	Unbound bool
}

// Gain is an estimate of what mending brings if what the claim is sure of goes, as a factor:
// the time of a span over what it would take at least. That is the time that is left,
// or the time that another resource needs for what must be done all the same, whichever
// is longer.
func (c *Case) Gain(s *Span, claim *Claim) float64 { return c.without(s, claim, claim.Seconds) }

// Most is the same if all that could go goes. It is an estimate, too: mending may make
// more faster than the cause itself.
func (c *Case) Most(s *Span, claim *Claim) float64 {
	return c.without(s, claim, max(claim.Seconds, min(claim.AtMost, s.Seconds)))
}

func (c *Case) without(s *Span, claim *Claim, seconds float64) float64 {
	whole := claim.whole(s)
	if whole <= 0 || claim.Seconds <= 0 || math.IsNaN(claim.Seconds) {
		return 1
	}
	left := max(whole-seconds, c.demand(s, claim))
	if left <= 0 {
		return math.Inf(1)
	}
	return max(1, whole/left)
}

// whole is what a claim is about a part of, in seconds.
func (claim *Claim) whole(s *Span) float64 {
	if claim.Of > 0 {
		return claim.Of
	}
	return s.Seconds
}

// demand is the least time that other resources need for what is left when the cause
// is gone.
func (c *Case) demand(s *Span, claim *Claim) float64 {
	if claim.Reached {
		return 0
	}
	return max(c.coresDemand(s, claim), s.deviceDemand(claim))
}

// deviceDemand is the time in which the busiest GPU computed: a training that keeps its
// GPU busy cannot become faster by what it waits for elsewhere.
func (s *Span) deviceDemand(claim *Claim) float64 {
	left := s.Seconds
	if claim.Device {
		left = max(0, left-claim.Seconds)
	}
	return left * s.Busiest()
}

// Busiest is the share of the time in which the busiest GPU computed; 0 without one.
func (s *Span) Busiest() (share float64) {
	for name, i := range s.Series {
		if of, ok := strings.CutPrefix(name, "gpu/"); ok && strings.HasSuffix(of, "/utilization") {
			share = max(share, i.Mean()/100)
		}
	}
	return min(share, 1)
}

// coresDemand is the least time that the cores, shared by all that the job has to
// compute, need for what is left. Of a process that trains no more counts than one core
// all the time: further threads of it may only spin, waiting for work, and would do so
// no longer.
func (c *Case) coresDemand(s *Span, claim *Claim) float64 {
	if c.Cores <= 0 || s.Sampled <= 0 || claim.Unbound {
		return 0
	}
	known := s.Seconds / s.Sampled // the samples may cover a part of the span only
	loaders := s.Loaders * known
	training := min(s.CPU*known-loaders, s.Seconds*float64(1+len(c.Ranks)))
	return max(0, training+loaders-claim.CPU) / max(c.Cores, claim.Cores)
}

// Share is the part of a span's time that a claim is about.
func (c *Case) Share(s *Span, claim *Claim) float64 {
	whole := claim.whole(s)
	if whole <= 0 {
		return 0
	}
	return min(1, claim.Seconds/whole)
}

// IdleCores is how many of the job's cores had nothing to do in the mean, neither for
// the job nor for others; 0 where that is not known.
func (c *Case) IdleCores(s *Span) float64 {
	used, ok := s.CoresUsed()
	if !ok || c.Cores == 0 {
		return 0
	}
	return max(0, min(c.Cores-used, s.Idle/s.Sampled))
}

// Others is how many cores were used by what does not belong to the job.
func (s *Span) Others() float64 {
	if s.Sampled == 0 {
		return 0
	}
	return max(0, s.Machine-s.CPU) / s.Sampled
}

// Projected is how long the whole training takes, as far as the number of its
// updates is known, also of one that was ended before; else what it has taken so far.
func (c *Case) Projected() float64 {
	if c.Facts == nil || c.Facts.Epochs == nil || c.All.Steps == 0 || c.Ended && !c.Cut {
		return c.All.Seconds
	}
	return c.All.Seconds * max(1, float64(c.Facts.Epochs.Total)/float64(c.All.Steps))
}
