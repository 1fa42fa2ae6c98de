package slow_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// told feeds a training to the rule and gives the second by which it was told of something,
// or had samples of stacks asked for: that of the end of a window.
func told(t *testing.T, tr training, what func(*rule.Report) int) float64 {
	t.Helper()
	tr.cores = 2
	p, err := slow.Training.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := slow.Training.New(p)
	if err != nil {
		t.Fatal(err)
	}
	var rep rule.Report
	for _, w := range tr.windows() {
		r.(rule.WindowReader).Window(w, &rep)
		if what(&rep) > 0 {
			return w.To.Sub(start).Seconds()
		}
	}
	return 0
}

// A training of 20 seconds has its stacks sampled, and one that wastes five times its
// time is told of that while it runs.
func TestInTime(t *testing.T) {
	slowly := training{parts: stepsWith(rule.OtherPart, 0.29), used: 1, seconds: 20, early: true}
	if at := told(t, slowly, func(r *rule.Report) int { return len(r.Details) }); at == 0 || at > 8 {
		t.Errorf("samples of stacks were asked for after %v s, want by 8", at)
	}
	slowly.seconds = 95
	slowly.stacks = stacks(calls("torch.tensor", stack(rule.OtherPart, 3, 0, user+":sample")))
	warned := func(r *rule.Report) int {
		for _, v := range r.Violations {
			if v.Severity != rule.Warning {
				t.Errorf("%s %s", v.Severity, v.Message)
			}
		}
		return len(r.Violations)
	}
	if at := told(t, slowly, warned); at == 0 || at > 50 {
		t.Errorf("a training that takes six times its time was warned of after %v s, want by 50", at)
	}
}

// What the whole training would lose counts, also where somebody ended it before.
func TestWhatTheWholeTrainingLoses(t *testing.T) {
	tr := training{parts: stepsWith(rule.WaitForData, 0.05), used: 1, seconds: 25, loader: &slow.Loader{}, facts: &rule.Facts{Epochs: &record.EpochFacts{Total: 100000}}}
	for cut, want := range map[bool]string{true: "warning 0.48 1.9", false: "info 0.48 1.9"} {
		tr.cut = cut
		if got := checkReports(t, "data_wait", tr); got != want {
			t.Errorf("ended before: %v: %q, want %q", cut, got, want)
		}
	}
}
