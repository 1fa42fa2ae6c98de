package agent

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// storeSamples stores what the machine's metrics were, counts it and gives it to the
// rules, if there are rules yet: what is stored before, they read from the store.
func (j *job) storeSamples(list []record.Sample) error {
	if len(list) == 0 {
		return nil
	}
	stored, err := j.judgeSamples(list)
	if err != nil {
		return err
	}
	j.countSamples(stored...)
	return nil
}

// judgeSamples stores samples, gives them to the rules as they are stored, and returns
// them like that.
func (j *job) judgeSamples(list []record.Sample) ([]record.Sample, error) {
	j.rows.Lock()
	defer j.rows.Unlock()
	if err := j.store.Samples(list...); err != nil {
		return nil, err
	}
	stored := j.asStored(list)
	if j.judging != nil {
		j.judging.samples(stored...)
	}
	return stored, nil
}

// asStored are samples of one host as the store keeps them: rounded, and behind
// those before even when the clock was set back in between.
func (j *job) asStored(list []record.Sample) []record.Sample {
	out := make([]record.Sample, len(list))
	for i := range list {
		out[i] = list[i].Rounded()
	}
	last := &out[len(out)-1]
	if shift := j.store.LastSample(last.Host).Sub(last.Time); shift != 0 {
		for i := range out {
			out[i].Time = out[i].Time.Add(shift)
		}
	}
	return out
}

// samplesEnd says that a host samples no more, so that nobody waits for it.
func (j *job) samplesEnd(host string) {
	j.rows.Lock()
	defer j.rows.Unlock()
	if j.judging != nil {
		j.judging.hostGone(host)
	}
}

// takeRows lets the rules begin to judge what goes by time (samples, step times,
// events): first what was stored and is in no window, then what is stored from now on.
func (e *evaluator) takeRows(t *trial.Trial) (err error) {
	if t == nil {
		if t, err = trial.OpenFS(e.job.store.FS(), e.job.store.Path()); err == nil {
			defer t.Close()
		}
	}
	e.job.rows.Lock()
	if err == nil {
		err = t.RowsAfter(e.judge.Cursor().Rows, func(s record.RowSource, r record.Row) error {
			e.judge.Put(s, r)
			return nil
		})
	}
	e.job.judging = e
	e.job.rows.Unlock()
	e.judge.Late(time.Time{}) // by what is there
	e.findings()
	return err
}

// leaveRows ends what takeRows began.
func (e *evaluator) leaveRows() {
	e.job.rows.Lock()
	defer e.job.rows.Unlock()
	if e.job.judging == e {
		e.job.judging = nil
	}
}

// hostGone says that a host samples no more. It does not wait.
func (e *evaluator) hostGone(name string) {
	e.in.put(func() {
		if e.ended != "" {
			return
		}
		e.judge.HostGone(name)
		e.judged()
	})
}

// samples takes samples as they are stored, in that order. It does not wait.
func (e *evaluator) samples(list ...record.Sample) {
	e.in.put(func() {
		if e.ended != "" {
			return // too late for the last window
		}
		e.judge.Samples(list...)
		e.judged()
	})
}

// times takes step times and events as they are stored with a worker, in that order;
// they belong to it from then on. It does not wait.
func (e *evaluator) times(worker string, times []record.StepTime, events []record.Event) {
	e.in.put(func() {
		if e.ended != "" {
			return
		}
		e.judge.Times(worker, times, events)
		e.judged()
	})
}

// closed stores the decision on a window, which is judged next, as decided does.
func (e *evaluator) closed(w *record.Window) {
	e.dirty = true
	if err := e.job.store.Window(w); err != nil {
		e.job.storeFailed(err)
	}
}
