package agent

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What the first steps cost is told apart from what each step costs since, and
// an agent that takes over goes on with both.
func TestOverheadOnceAndSince(t *testing.T) {
	j := &job{}
	j.counts.init()
	j.counts.budget = 0.02
	w := &worker{job: j, name: "worker_0", chief: true}
	for n := range int64(40) {
		st := &record.Step{Step: n, ModeStep: n, Seconds: 0.102, Overhead: 0.002}
		if n < firstSteps {
			st.Seconds, st.Overhead = 0.15, 0.05
		}
		j.counts.said = "understood"
		j.stepStored(w, st)
	}
	j.once(0.3)
	j.once(0.1) // another worker, at the same time
	check := func(who string, o record.Overhead) {
		t.Helper()
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"once", o.OnceSeconds, 20*0.05 + 0.3}, {"since", o.SinceSeconds, 20 * 0.1}, {"share since", o.SincePercent, 2},
			{"captured", o.CapturedSeconds, 20*0.05 + 20*0.002}, {"steps", o.StepSeconds, 20*0.15 + 20*0.102},
		} {
			if math.Abs(v.got-v.want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", who, v.name, v.got, v.want)
			}
		}
		if o.SinceSteps != 20 || o.BudgetPercent != 2 {
			t.Errorf("%s: %d steps since, budget %v", who, o.SinceSteps, o.BudgetPercent)
		}
	}
	check("agent", j.counts.overhead())
	next := &job{}
	next.counts.init()
	next.counts.budget = 0.02
	next.counts.restore(record.Run{Overhead: j.counts.overhead()})
	check("the next agent", next.counts.overhead())
}

// A hook that takes longer to find out what there is, and has not said it yet.
func TestFirstStepsLastUntilTheHookHasUnderstood(t *testing.T) {
	j := &job{}
	j.counts.init()
	w := &worker{job: j, name: "worker_0"}
	for n := range int64(50) {
		if n == 35 {
			j.counts.said = "understood"
		}
		j.stepStored(w, &record.Step{Step: n, ModeStep: n, Seconds: 0.1, Overhead: 0.01})
	}
	if o := j.counts.overhead(); math.Abs(o.OnceSeconds-0.35) > 1e-9 {
		t.Errorf("once %v, want 0.35", o.OnceSeconds)
	}
}

// A script that only logs has no first steps: each counts like the others.
func TestScriptThatLogsHasNoFirstSteps(t *testing.T) {
	j := &job{}
	j.counts.init()
	w := &worker{job: j, name: "worker_0", plain: true}
	for n := range int64(10) {
		j.stepStored(w, &record.Step{Step: n, ModeStep: n, Seconds: 0.11, Overhead: 0.01})
	}
	j.once(0.3)
	if o := j.counts.overhead(); math.Abs(o.OnceSeconds-0.3) > 1e-9 || math.Abs(o.SinceSeconds-1) > 1e-9 || math.Abs(o.SincePercent-10) > 1e-9 {
		t.Errorf("%+v, want 0.3 s once, 1 s since and 10 %% of it", o)
	}
}
