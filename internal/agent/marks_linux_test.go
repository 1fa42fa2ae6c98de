package agent

import (
	"fmt"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// trainFor makes n steps of a millisecond, and every tenth one of evaluation.
func trainFor(h *hook.Hook, n int) {
	for i := range n {
		h.Part(hook.WaitForData)
		time.Sleep(200 * time.Microsecond)
		mode := hook.Train
		if i%10 == 9 {
			mode = hook.Eval
		}
		s := h.Begin(mode)
		h.Part(hook.Forward)
		time.Sleep(500 * time.Microsecond)
		h.Part(hook.Other)
		s.Loss(1)
		s.End()
	}
}

// timeRows are the rows of the run's worker; each follows the one before it, but
// for gaps, and no step is in two.
func timeRows(t *testing.T, tr *trial.Trial) (rows []record.StepTime, steps int64, gaps int) {
	t.Helper()
	next := map[record.Mode]int64{}
	err := tr.Times("", time.Time{}, time.Time{}, func(r *record.StepTime) error {
		if n := len(rows); n > 0 {
			switch d := r.Start.Sub(rows[n-1].End); {
			case d < 0:
				t.Errorf("step %d begins %v before the one before it ended", r.Step, -d)
			case d > 0:
				gaps++
			}
		}
		if r.ModeStep < next[r.Mode] {
			t.Errorf("%s step %d is stored twice", r.Mode, r.ModeStep)
		}
		next[r.Mode] = r.ModeStep + r.Steps
		if r.Total() != r.End.Sub(r.Start).Nanoseconds() {
			t.Errorf("step %d: parts of %d in %v", r.Step, r.Total(), r.End.Sub(r.Start))
		}
		rows = append(rows, *r)
		steps += r.Steps
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, steps, gaps
}

// TestStepTimes: where the time went is stored, for every step.
func TestStepTimes(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	h := hook.Start(hook.Options{Socket: set.Socket})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	const n = 1000
	trainFor(h, n)
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	rows, steps, gaps := timeRows(t, tr)
	if steps != n || gaps != 0 || len(rows) > n/2 {
		t.Errorf("%d steps in %d rows, %d gaps", steps, len(rows), gaps)
	}
	var sum [record.StepParts]int64
	for _, r := range rows {
		for p, ns := range r.Parts {
			sum[p] += ns
		}
	}
	if sum[record.WaitForData] < n*2e5 || sum[record.Forward] < n*5e5 || sum[record.Backward] != 0 {
		t.Errorf("parts %v", sum)
	}
	events, err := tr.Events(time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		if e.Kind == record.PhaseEvent { // on a busy machine an evaluation may last long enough for an event of its own
			told = append(told, e.Name)
		}
		if e.End.Before(e.Start) {
			t.Errorf("%+v ends before it begins", e)
		}
	}
	if got := fmt.Sprint(told); got != "[start-up training finishing]" {
		t.Errorf("events %s", got)
	}
	if len(tr.Traces("")) == 0 {
		t.Error("no single step is stored")
	}
}

// TestStepTimesOfAKilledAgent: the next agent goes on, and no step counts twice.
func TestStepTimesOfAKilledAgent(t *testing.T) {
	set := settings(t)
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := hook.Start(hook.Options{Socket: set.Socket})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	trainFor(h, 500)
	p.kill()
	trainFor(h, 200)
	set.Takeover = true
	p = startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	trainFor(h, 500)
	h.Close()
	p.end(t, Ended{Status: record.Completed})
	_, steps, gaps := timeRows(t, openTrial(t, set))
	if steps < 1000 || steps > 1200 || gaps > 1 {
		t.Errorf("%d of 1200 steps, %d gaps", steps, gaps)
	}
}
