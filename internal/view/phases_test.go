package view

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// The phases of a job that has ended fill its time to the end: what the interpreter takes
// to exit is part of finishing.
func TestPhasesReachTheEnd(t *testing.T) {
	at := func(seconds int) time.Time { return time.Date(2026, 11, 29, 10, 0, seconds, 0, time.UTC) }
	phase := func(name string, from, to int) record.Event {
		return record.Event{Kind: record.PhaseEvent, Name: name, Start: at(from), End: at(to)}
	}
	told := []record.Event{phase(record.StartUpPhase, 0, 3), phase(record.TrainingPhase, 3, 9), phase(record.FinishingPhase, 9, 10)}
	ended := at(12)
	for _, c := range []struct {
		name  string
		run   record.Run
		ended time.Time
	}{
		{"it has ended", record.Run{Started: at(0), Ended: &ended}, at(12)},
		{"it goes on", record.Run{Started: at(0)}, at(10)},
	} {
		list := phasesOf(told, &c.run, "worker_0", at(3), at(9))
		if len(list) != 3 || list[2].Name != record.FinishingPhase || !list[2].End.Equal(c.ended) {
			t.Errorf("%s: %+v", c.name, list)
		}
	}
}
