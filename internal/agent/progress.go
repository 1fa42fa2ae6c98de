package agent

import (
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// progress is what the live view shows, gathered from the steps of the worker
// that is captured in full.
type progress struct {
	fresh   bool
	last    *record.Step
	came    time.Time                    // when last came
	losses  []float64                    // TRAIN, newest last
	seconds [record.Global + 1][]float64 // lengths of recent steps, by mode
	loss    *float64
	pass    record.PassMean // losses of the evaluation under way
	update  *record.Step    // the last one of TRAIN
	since   *record.Step    // the first one of TRAIN that this agent saw
	clock   record.Clock    // its epochs and trainings
	rate    rate
}

const (
	progressEvery = 200 * time.Millisecond
	maxLosses     = 60
	maxSeconds    = 101
)

func (p *progress) step(st *record.Step) {
	p.fresh, p.last, p.came = true, st, time.Now()
	if !st.Mode.Evaluates() {
		p.pass = record.PassMean{}
	}
	if st.Mode == record.Train {
		p.update = st
		if p.since == nil {
			p.since = st
		}
	}
	if st.Mode == record.Train || st.Mode == record.Global && p.update == nil {
		p.rate.step(st)
	}
	samples, sums := st.Samples()
	for _, s := range st.Scalars {
		if s.Name != "loss" {
			continue
		}
		v := s.Value
		if st.Mode.Evaluates() {
			p.pass.Add(v, samples, sums)
			v = p.pass.Value()
		}
		p.loss = &v
		if st.Mode == record.Train || st.Mode == record.Global {
			p.losses = append(p.losses, v)
			if len(p.losses) > maxLosses {
				p.losses = slices.Delete(p.losses, 0, len(p.losses)-maxLosses)
			}
		}
	}
	if st.Seconds > 0 && st.Mode <= record.Global {
		kept := append(p.seconds[st.Mode], st.Seconds)
		p.seconds[st.Mode] = kept[max(len(kept)-maxSeconds, 0):]
	}
}

// typical is the median length of recent steps of a mode in seconds, 0 where
// none is known.
func (p *progress) typical(m record.Mode) float64 {
	kept := p.seconds[m]
	if len(kept) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(kept))[len(kept)/2]
}

// training is that of the steps that train: a framework without modes has
// Global ones alone.
func (p *progress) training() float64 {
	if length := p.typical(record.Train); length > 0 {
		return length
	}
	return p.typical(record.Global)
}

// take makes the event, nil when nothing has happened since the last one.
// Losses that JSON cannot hold are left out of it.
func (j *job) takeProgress() *live.Progress {
	live0, _, _ := j.live()
	j.cmu.Lock()
	defer j.cmu.Unlock()
	p := &j.progress
	if !p.fresh {
		return nil
	}
	p.fresh = false
	out := &live.Progress{
		Step: p.last.Step, Mode: p.last.Mode.String(), ModeStep: p.last.ModeStep,
		Workers: live0,
	}
	share, steady := j.counts.overhead().Steady()
	out.Overhead, out.Early = share, !steady
	p.place(out)
	if p.loss != nil && finite(*p.loss) {
		out.Loss = p.loss
	}
	for _, l := range p.losses {
		if finite(l) {
			out.Losses = append(out.Losses, l)
		}
	}
	out.StepSeconds = p.training()
	out.StepsPerSecond = p.rate.perSecond()
	out.SamplesPerSecond = out.StepsPerSecond * float64(j.spent.samples(p.clock.Epochs))
	for _, n := range j.counts.allDropped() {
		out.Dropped += n
	}
	out.Unjudged = j.eval != nil && j.eval.judging.Load() == 0
	return out
}

// place reports where the training is, and how long it will go on where its
// length is known: as fast as it was until now, evaluation included.
func (p *progress) place(out *live.Progress) {
	if p.update == nil {
		return
	}
	now := p.update.ModeStep
	out.Update = &now
	if e, ok := p.clock.Epoch(now); ok {
		out.Epoch, out.EpochStep, out.EpochSteps = e.Number, now-e.Begins+1, e.Updates
	}
	took, made, each := p.update.Time.Sub(p.since.Time), now-p.since.ModeStep, 0.0
	if took >= leastPast && made > 0 {
		each = took.Seconds() / float64(made)
	}
	out.EpochLeft = each * float64(out.EpochSteps-out.EpochStep)
	if out.EpochSteps == 0 {
		out.EpochLeft = 0
	}
	if p.clock.Epochs != nil && p.clock.Epochs.Total > now {
		out.Total, out.Left = p.clock.Epochs.Total, each*float64(p.clock.Epochs.Total-now-1)
	}
}

// leastPast is the time from which on it reports how long the rest will take.
const leastPast = 5 * time.Second

// clock reports where in the training steps are.
func (j *job) clock() *record.Clock {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	run := record.Run{Steps: j.counts.byMode()}
	c := run.Clock()
	c.Epochs, c.Trainings = j.progress.clock.Epochs, j.progress.clock.Trainings
	return c
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// lastStep is the global step that was stored last.
func (j *job) lastStep() int64 {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	if j.progress.last == nil {
		return 0
	}
	return j.progress.last.Step
}
