package record

import (
	"testing"
	"time"
)

// TestCost has a line for each way in which a run may have gone. Its figures are those of
// the table: the run took whole seconds, of which once came once, and each of steps took
// step seconds and share of it for capture.
func TestCost(t *testing.T) {
	started := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name               string
		whole, once        float64
		steps              int64
		step, took, budget float64
		want               string
	}{
		{"steady", 19.7, 0.6, 1000, 0.0174, 0.0008, 2, "1.4 s of 19.7 s, 4.6 % in steady state, budget 2 %"},
		{"within the budget", 100, 0.6, 8000, 0.01, 0.00012, 2.5, "1.56 s of 1 min 40 s, 1.2 % in steady state, budget 2.5 %"},
		{"the start dominates", 92, 0.9, 800, 0.1, 0.0004, 2, "1.22 s of 1 min 32 s, most of it at the start and the end, 0.4 % in steady state, budget 2 %"},
		{"intervals that were given", 92, 0.9, 800, 0.1, 0.02, 0, "16.9 s of 1 min 32 s, 20.0 % in steady state"},
		{"hardly anything", 92, 0.2, 800, 0.1, 0.000004, 2, "203 ms of 1 min 32 s, most of it at the start and the end, 0.004 % in steady state, budget 2 %"},
		{"ended in the first steps", 2, 0.047, 0, 0, 0, 2, "47 ms of 2 s, most of it at the start and the end; too short for a share"},
		{"too short", 3, 0.25, 40, 0.001, 0.0005, 2, "270 ms of 3 s, most of it at the start and the end; too short for a share"},
		{"too few steps, long ones", 300, 0.25, 5, 12, 0.2, 2, "1.25 s of 5 min; too short for a share"},
		{"a loop that does nothing but log", 0.6, 0.2, 280, 213e-6 / 280, 770e-6 / 280, 2, "201 ms of 600 ms, most of it at the start and the end; too short for a share"},
		{"capture takes longer than the steps", 40, 0.2, 1e6, 4e-6, 16e-6, 2, "16.2 s of 40 s, 400 % in steady state, budget 2 %"},
		{"goes on", 0, 0.6, 1000, 0.0174, 0.0008, 2, "1.4 s so far, 4.6 % in steady state, budget 2 %"},
	} {
		o := Overhead{OnceSeconds: c.once, SinceSeconds: float64(c.steps) * c.step, SinceSteps: c.steps, BudgetPercent: c.budget, StepSeconds: 1}
		if c.step > 0 {
			o.SincePercent = 100 * c.took / c.step
		}
		r := Run{Started: started, Overhead: o}
		if c.whole > 0 {
			ended := started.Add(time.Duration(c.whole * float64(time.Second)))
			r.Ended = &ended
		}
		if got := r.Cost(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := (&Run{}).Cost(); got != "" {
		t.Errorf("of a run without steps: %q", got)
	}
	ended := started.Add(2 * time.Minute)
	older := Run{Started: started, Ended: &ended, Overhead: Overhead{CapturedSeconds: 1.125, StepSeconds: 91.125, Percent: 1.25}} // of a version that knew no more
	if got, want := older.Cost(), "1.12 s of 2 min, 1.2 % in steady state"; got != want {
		t.Errorf("of an older run: %q, want %q", got, want)
	}
}
