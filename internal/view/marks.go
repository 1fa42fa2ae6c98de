package view

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Named is a finding with a name of its own: "rule/check/2" is the second one of
// the check in the run. Findings are only ever added, so a name stays.
type Named struct {
	ID string
	*record.Finding
	Clock string // at which step it is, in words
}

// NamedFindings gives findings their names, in their order.
func NamedFindings(list []record.Finding, clock *record.Clock) []Named {
	count := map[string]int{}
	out := make([]Named, len(list))
	for i := range list {
		f := &list[i]
		key := f.Rule + "/" + f.Check
		count[key]++
		out[i] = Named{fmt.Sprintf("%s/%d", key, count[key]), f, clock.At(f)}
	}
	return out
}

// FindingMark is a finding as curves show it.
type FindingMark struct {
	Named
	Update int64 // that was about to be made, or was made last
}

// FindingMarks are the findings that count, at the updates that curves show.
func FindingMarks(t source.Run, findings []Named) []FindingMark {
	out := []FindingMark{}
	run := t.Run()
	told := run.Clock()
	var counted *clock
	for _, n := range findings {
		if n.Muted {
			continue
		}
		m := FindingMark{n, max(n.ModeStep, 0)}
		if n.ModeStep >= 0 && n.Mode != record.Train {
			if u, known := told.Update(n.Step, n.Mode, n.ModeStep); known {
				m.Update = max(u, 0)
			} else {
				if counted == nil {
					counted = newClock(t)
				}
				m.Update = counted.at(n.Step)
			}
		}
		out = append(out, m)
	}
	return out
}

// Checkpoint is when a checkpoint was written.
type Checkpoint struct {
	Step int64 // the update before it
	Time time.Time
}

// mostMarks bounds the checkpoints and the epochs that are marked.
const mostMarks = 2000

// Checkpoints are when the run wrote checkpoints, the first ones.
func Checkpoints(t source.Run) ([]Checkpoint, error) {
	out := []Checkpoint{}
	m, ok := t.(source.Metrics)
	if !ok {
		return out, nil
	}
	events, err := m.Events(time.Time{}, time.Time{})
	if err != nil {
		return out, fmt.Errorf("read events: %w", err)
	}
	var counted *clock
	for i := range events {
		e := &events[i]
		if e.Kind != record.CheckpointEvent || len(out) == mostMarks {
			continue
		}
		if counted == nil {
			counted = newClock(t)
		}
		step := e.Step
		if len(counted.trains) > 0 {
			step = counted.at(e.Step)
		}
		out = append(out, Checkpoint{step, e.Start})
	}
	return out, nil
}

// EpochMark is where an epoch begins.
type EpochMark struct{ Epoch, Step int64 }

// EpochMarks are where the epochs of a run begin; of very many every so many.
func EpochMarks(run record.Run) []EpochMark {
	out := marksOf(run)
	clock := run.Clock()
	for i := range out {
		if e, ok := clock.Epoch(out[i].Step); ok {
			out[i].Epoch = e.Number // of its training
		}
	}
	return out
}

func marksOf(run record.Run) []EpochMark {
	out := []EpochMark{}
	f, err := run.KnownFacts()
	if err != nil || f == nil || f.Epochs == nil {
		return out
	}
	last := run.Steps[record.Train.String()] - 1
	for i, s := range f.Epochs.Stretches {
		end := last + 1
		if i+1 < len(f.Epochs.Stretches) {
			end = min(end, f.Epochs.Stretches[i+1].At)
		}
		if f.Epochs.Until > 0 {
			end = min(end, f.Epochs.Until)
		}
		if s.Updates <= 0 {
			if s.At < end {
				out = append(out, EpochMark{s.Number, s.At})
			}
			continue
		}
		for n := int64(0); s.At+n*s.Updates < end; n++ {
			out = append(out, EpochMark{s.Number + n, s.At + n*s.Updates})
			if len(out) > 2*mostMarks {
				for k := range len(out) / 2 {
					out[k] = out[2*k]
				}
				out = out[:len(out)/2]
			}
		}
	}
	return out
}
