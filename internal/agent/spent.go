package agent

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
)

// spent sums up where the time of the run goes, for run.json. What is counted is
// stored already; a later agent goes on from run.json and counts what was stored
// since that was written.
type spent struct {
	sum     record.RunTime
	known   bool      // there is something in it
	phases  time.Time // end of the last phase that is counted
	loaders []batches // of which it is not known yet what they are for
}

// batches are those of a loader that gave its first one at a time.
type batches struct {
	size int64
	at   time.Time
}

// loaderFacts are what is read of a loader's settings.
type loaderFacts struct {
	BatchSize int64 `json:"batch_size"`
}

// restore goes on with the sums of an earlier agent.
func (s *spent) restore(t *record.RunTime) {
	if t != nil {
		s.sum, s.known = *t.Clone(), true
		s.phases = t.PhasesUntil
	}
}

// times takes in rows and events of the chief, in the order in which they were
// stored.
func (s *spent) times(worker string, rows []record.StepTime, events []record.Event) {
	for i := range events {
		s.event(&events[i])
	}
	for i := range rows {
		row := &rows[i]
		if !row.End.After(s.sum.Until) {
			continue
		}
		s.mode(row)
		s.sum.Worker, s.known = worker, true
		s.sum.Count(row)
	}
}

// event takes in phases of the job and loaders.
func (s *spent) event(e *record.Event) {
	switch e.Kind {
	case record.PhaseEvent:
		if !e.End.After(s.phases) {
			return
		}
		if s.sum.Phases == nil {
			s.sum.Phases = map[string]record.Span{}
		}
		s.sum.Phases[e.Name] += record.Span(e.End.Sub(e.Start))
		s.phases, s.sum.PhasesUntil, s.known = e.End, e.End, true
	case record.LoaderEvent:
		var f loaderFacts
		if json.Unmarshal(e.Facts, &f) != nil || f.BatchSize <= 0 || s.sum.BatchSize > 0 || len(s.loaders) > 64 {
			return
		}
		s.loaders = append(s.loaders, batches{f.BatchSize, e.End})
	}
}

// mode finds the loader that trains: the one that gave a batch before a step of
// training, after the step before that.
func (s *spent) mode(row *record.StepTime) {
	s.loaders = slices.DeleteFunc(s.loaders, func(l batches) bool {
		before := row.End.After(l.at)
		if before && row.Mode == record.Train && s.sum.BatchSize == 0 {
			s.sum.BatchSize = l.size
		}
		return before
	})
}

// sample takes in what the run's host measured.
func (s *spent) sample(sample *record.Sample) {
	if s.sum.Machine == nil {
		s.sum.Machine = &record.MachineUse{}
	}
	s.sum.Machine.Count(sample)
	s.known = true
}

// samples is how many samples of a worker an update takes; 0 where that is not
// known.
func (s *spent) samples(epochs *record.EpochFacts) int64 {
	n := s.sum.BatchSize
	if n == 0 || epochs == nil || epochs.Batches == 0 {
		return n
	}
	for _, e := range epochs.Stretches {
		if e.Updates > 0 && e.Updates < epochs.Batches { // gradients are accumulated
			return n * ((epochs.Batches + e.Updates/2) / e.Updates)
		}
	}
	return n
}

// total is for run.json; nil where nothing is known.
func (s *spent) total(epochs *record.EpochFacts, cores int) *record.RunTime {
	if !s.known {
		return nil
	}
	t := s.sum.Clone()
	if m := t.Modes[record.Train.String()]; m.Seconds > 0 {
		t.SamplesPerSecond = float64(s.samples(epochs)*m.Steps) / m.Seconds.Seconds()
	}
	if t.Machine != nil && t.Machine.JobCores == 0 {
		t.Machine.JobCores = float64(cores)
	}
	return t
}

// countTimes takes in step times and events that are stored now. Those of other
// workers than the chief are in the series only.
func (j *job) countTimes(w *worker, rows []record.StepTime, events []record.Event) {
	if !w.chief {
		return
	}
	j.cmu.Lock()
	defer j.cmu.Unlock()
	j.changed = true
	j.spent.times(w.name, rows, events)
}

// countSamples takes in samples of the machine that are stored now.
func (j *job) countSamples(samples ...record.Sample) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	for i := range samples {
		if samples[i].Host == j.set.Host {
			j.changed = true
			j.spent.sample(&samples[i])
		}
	}
}

// recount goes on with the sums where an earlier agent died.
func (j *job) recount() {
	t, err := trial.OpenFS(j.store.FS(), j.store.Path())
	if err == nil {
		defer t.Close()
		if m, ok := any(t).(source.Metrics); ok {
			err = j.spent.countStored(m, j.set.Host, j.store.Run().ChiefName())
		}
	}
	if err != nil {
		j.events.notice("warning", "where the time went is not known in full: "+err.Error(), "")
	}
}

// usable is how many cores the job may use: it starts with what we may.
func usable() int { return runtime.NumCPU() }

// countStored takes in what an earlier agent stored after it had written run.json
// for the last time.
func (s *spent) countStored(m source.Metrics, host, chief string) error {
	if s.sum.Worker != "" {
		chief = s.sum.Worker
	}
	events, err := m.Events(s.phases, time.Time{})
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	for i := range events {
		if e := &events[i]; e.Worker == chief || e.Worker == "" {
			s.event(e)
		}
	}
	err = m.Times(chief, s.sum.Until, time.Time{}, func(row *record.StepTime) error {
		s.times(chief, []record.StepTime{*row}, nil)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read step times: %w", err)
	}
	var from time.Time
	if s.sum.Machine != nil {
		from = s.sum.Machine.Until
	}
	err = m.Samples(host, from, time.Time{}, func(sample *record.Sample) error {
		s.sample(sample)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read machine metrics: %w", err)
	}
	return nil
}
