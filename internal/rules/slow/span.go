package slow

import (
	"strings"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

// Span is what happened in a stretch of a training: where the time of its chief's
// steps went, and what the job and the machine did meanwhile. All fields are sums,
// so that spans can be added.
type Span struct {
	Seconds float64                 `json:"seconds"` // from step to step, evaluation included
	Steps   int64                   `json:"steps"`   // updates
	Parts   [rule.StepParts]float64 `json:"parts"`   // seconds, of all modes
	Modes   map[rule.Mode]*ModeSpan `json:"modes"`
	CPU     float64                 `json:"cpu"`     // core seconds of all processes of the job
	Loaders float64                 `json:"loaders"` // of these, those of the loader's workers
	Machine float64                 `json:"machine"` // core seconds of everything that runs on the machine
	Idle    float64                 `json:"idle"`    // of the cores of the machine that did nothing
	Sampled float64                 `json:"sampled"` // seconds for which the machine's numbers are known
	Series  map[string]*Integral    `json:"series"`  // of every metric of the job's machine
	Events  map[string]*EventSpan   `json:"events"`  // by kind and name

	Compiled Compiled           `json:"compiled"` // after the first updates
	Clocks   map[string]*Clocks `json:"clocks"`   // of the GPUs that have memory of the job: "0 of host"
}

// ModeSpan are the steps of one mode.
type ModeSpan struct {
	Steps   int64                   `json:"steps"`
	Seconds float64                 `json:"seconds"`
	Parts   [rule.StepParts]float64 `json:"parts"`
	// Before are seconds between the step before and these, in which neither data was
	// waited for nor a checkpoint saved: they belong to neither.
	Before float64 `json:"before"`
}

// Integral is a metric over time.
type Integral struct {
	Sum     float64 `json:"sum"`     // value times seconds
	Seconds float64 `json:"seconds"` // for which it is known
}

// Mean is the mean over time.
func (i *Integral) Mean() float64 {
	if i == nil || i.Seconds == 0 {
		return 0
	}
	return i.Sum / i.Seconds
}

// EventSpan are events of one kind.
type EventSpan struct {
	Count   int64   `json:"count"`
	Seconds float64 `json:"seconds"`
}

func newSpan() *Span {
	return &Span{Modes: map[rule.Mode]*ModeSpan{}, Series: map[string]*Integral{}, Events: map[string]*EventSpan{}, Clocks: map[string]*Clocks{}}
}

// step adds a row of the chief.
func (s *Span) step(t *rule.StepTime) {
	m := s.Modes[t.Mode]
	if m == nil {
		m = &ModeSpan{}
		s.Modes[t.Mode] = m
	}
	m.Steps += t.Steps
	gap := float64(t.Gap-t.Parts[rule.WaitForData]-t.Parts[rule.CopyToDevice]-t.Parts[rule.SaveCheckpoint]) * 1e-9
	m.Before += min(max(gap, 0), float64(t.Parts[rule.OtherPart])*1e-9)
	for p, ns := range t.Parts {
		sec := float64(ns) * 1e-9
		s.Parts[p] += sec
		m.Parts[p] += sec
		m.Seconds += sec
		s.Seconds += sec
	}
	if t.Mode == rule.Train || t.Mode == rule.Global {
		s.Steps += t.Steps
	}
}

// sample adds what a sample says of the time since the one before it.
func (s *Span) sample(x *rule.Sample, since time.Duration) {
	sec := since.Seconds()
	var job, loaders float64
	for _, v := range x.Values {
		i := s.Series[v.Name]
		if i == nil {
			i = &Integral{}
			s.Series[v.Name] = i
		}
		i.Sum += v.Value * sec
		i.Seconds += sec
		switch {
		case v.Name == "job/cpu_percent":
			job = v.Value / 100
		case strings.HasPrefix(v.Name, "process/") && strings.HasSuffix(v.Name, "/children_cpu_percent"):
			loaders += v.Value / 100
		}
		if v.Name == "cpu/total" {
			s.Machine += v.Value / 100 * sec * cores(x)
			s.Idle += (1 - v.Value/100) * sec * cores(x)
		}
	}
	s.CPU += job * sec
	s.Loaders += loaders * sec
	s.clocks(x, sec)
	s.Sampled += sec
}

// cores is how many cores a sample has a number of.
func cores(x *rule.Sample) (n float64) {
	for _, v := range x.Values {
		if of, ok := strings.CutPrefix(v.Name, "cpu/"); ok && of != "total" && strings.Trim(of, "0123456789") == "" {
			n++
		}
	}
	return max(n, 1)
}

// add adds another span that follows.
func (s *Span) add(o *Span) {
	s.Seconds += o.Seconds
	s.Steps += o.Steps
	for p := range s.Parts {
		s.Parts[p] += o.Parts[p]
	}
	for mode, m := range o.Modes {
		to := s.Modes[mode]
		if to == nil {
			to = &ModeSpan{}
			s.Modes[mode] = to
		}
		to.Steps += m.Steps
		to.Seconds += m.Seconds
		to.Before += m.Before
		for p := range m.Parts {
			to.Parts[p] += m.Parts[p]
		}
	}
	s.Compiled.add(o.Compiled)
	s.CPU += o.CPU
	s.Loaders += o.Loaders
	s.Machine += o.Machine
	s.Idle += o.Idle
	s.Sampled += o.Sampled
	for name, i := range o.Series {
		to := s.Series[name]
		if to == nil {
			c := *i
			s.Series[name] = &c
			continue
		}
		to.Sum += i.Sum
		to.Seconds += i.Seconds
	}
	for name, e := range o.Events {
		to := s.Events[name]
		if to == nil {
			to = &EventSpan{}
			s.Events[name] = to
		}
		to.Count += e.Count
		to.Seconds += e.Seconds
	}
	for gpu, k := range o.Clocks {
		s.clock(gpu).add(k)
	}
}

// Training are the seconds of steps that end in an update.
func (s *Span) Training() float64 { return s.mode(rule.Train) + s.mode(rule.Global) }

// Evaluating are the seconds of evaluation and prediction, without what the script
// did before each step of them.
func (s *Span) Evaluating() (seconds float64) {
	for mode, m := range s.Modes {
		if mode != rule.Train && mode != rule.Global {
			seconds += m.Seconds - m.Before
		}
	}
	return seconds
}

func (s *Span) mode(m rule.Mode) float64 {
	if x := s.Modes[m]; x != nil {
		return x.Seconds
	}
	return 0
}

// CoresUsed is how many cores the job used in the mean; ok is false where nothing
// is known of that.
func (s *Span) CoresUsed() (n float64, ok bool) {
	if s.Sampled == 0 || s.CPU == 0 {
		return 0, false
	}
	return s.CPU / s.Sampled, true
}
