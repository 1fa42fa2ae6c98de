package rules_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// alone is the default set over a job that logs a loss and nothing else.
func alone(t *testing.T, mode record.Mode, steps int64, change func(*rules.Options), loss func(i int64, noise float64) float64) *job {
	t.Helper()
	set, err := rules.Set("default", "python")
	if err != nil {
		t.Fatal(err)
	}
	j := newJobWith(t, change, set...)
	r := rand.New(rand.NewPCG(3, 5))
	for i := range steps {
		j.feed(input{step: i, mode: mode, scalars: map[string]float64{"loss": loss(i, r.NormFloat64())}})
	}
	return j
}

// A loss that a script logs, of which nothing else is known, is judged by its own
// course: what does not learn is found, what learns is not.
func TestLossAlone(t *testing.T) {
	for n, c := range []struct {
		name  string
		steps int64
		loss  func(i int64, noise float64) float64
		want  string // alarms, and what the rule has to say where there are none
	}{
		{"constant", 300, func(int64, float64) float64 { return 0.6931 }, "loss_not_decreasing/constant"},
		{"zero", 300, func(int64, float64) float64 { return 0 }, "loss_not_decreasing/constant"},
		{"rises on a straight line", 300, func(i int64, _ float64) float64 { return 1 + 0.01*float64(i) }, "loss_not_decreasing/rises"},
		{"rises in noise", 300, func(i int64, n float64) float64 { return 1 + 0.002*float64(i) + 0.05*n }, "loss_not_decreasing/rises"},
		{"explodes", 300, func(i int64, _ float64) float64 { return 2 * math.Pow(1.2, float64(i)) }, "loss_not_decreasing/rises"},
		{"explodes to the end of numbers", 300, func(i int64, _ float64) float64 { return 2 * math.Pow(9, float64(i)) }, "loss_not_decreasing/rises"},
		{"explodes beyond numbers", 300, func(i int64, _ float64) float64 { return 2 * math.Pow(20, float64(i)) }, "loss_not_decreasing/rises not_finite/first_non_finite"},
		{"falls, then runs away", 400, func(i int64, n float64) float64 {
			return 2*math.Exp(-float64(min(i, 200))/60) + 0.05*math.Abs(n) + 0.05*float64(max(0, i-200))
		}, "loss_not_decreasing/rises"},
		{"flat", 300, func(_ int64, n float64) float64 { return 2.303 + 0.05*n }, "loss_not_decreasing/never_fell"},
		{"flat in much noise", 300, func(_ int64, n float64) float64 { return 2.303 + 0.3*n }, "loss_not_decreasing/never_fell"},
		{"flat for long", 1500, func(_ int64, n float64) float64 { return 2.303 + 0.3*n }, "loss_not_decreasing/never_fell"},
		{"not a number", 300, func(i int64, _ float64) float64 {
			if i >= 150 {
				return math.NaN()
			}
			return 2 - 0.005*float64(i)
		}, "not_finite/first_non_finite"},
		{"falls", 300, func(i int64, n float64) float64 { return 2.3*math.Exp(-float64(i)/80) + 0.1 + 0.02*math.Abs(n) }, ""},
		{"falls slowly", 300, func(i int64, n float64) float64 { return 2.3 - 0.0002*float64(i) + 0.01*n }, ""},
		{"falls by less than its noise", 1200, func(i int64, n float64) float64 { return 2.3 - 0.0003*float64(i) + 0.3*n }, ""},
		{"falls at once and is at its floor", 300, func(i int64, n float64) float64 { return 2.3*math.Exp(-float64(i)/2) + 0.1 + 0.01*n }, ""},
		{"is learnt in one step", 300, func(i int64, n float64) float64 {
			if i == 0 {
				return 2.3
			}
			return 0.1 + 0.01*n
		}, ""},
		{"begins late", 400, func(i int64, n float64) float64 { return 2.3/(1+math.Exp(float64(i-300)/20)) + 0.02*math.Abs(n) }, ""},
		{"begins very late", 1200, func(i int64, n float64) float64 { return 2.3/(1+math.Exp(float64(i-900)/40)) + 0.02*math.Abs(n) }, ""},
		{"warm restarts", 400, func(i int64, n float64) float64 {
			return 0.3 + 1.5*math.Exp(-float64(i%100)/30)*math.Exp(-float64(i)/400) + 0.02*math.Abs(n)
		}, ""},
		{"rises within its noise", 300, func(i int64, n float64) float64 { return 1 + 1.5*math.Exp(-float64(i)/5) + 0.3*math.Abs(n) }, ""},
		{"below zero", 300, func(_ int64, n float64) float64 { return n }, "the loss is below zero at times, so its level says nothing"},
		{"noise that hides all", 120, func(_ int64, n float64) float64 { return math.Exp(2 * n) }, "the noise of the loss would hide a fall by 15 %"},
		{"short", 60, func(int64, float64) float64 { return 1 }, "60 losses were captured; it takes 100"},
	} {
		mode := []record.Mode{record.Global, record.Train}[n%2] // of a script, of a program with the Go hook
		j := alone(t, mode, c.steps, func(*rules.Options) {}, c.loss)
		j.engine.Finish(record.Completed)
		var alarms []string
		for _, f := range j.found {
			if f.Severity != record.Info {
				alarms = append(alarms, f.Rule+"/"+f.Check)
			}
		}
		i := slices.IndexFunc(j.engine.Statuses(), func(s record.RuleStatus) bool { return s.Rule == "loss_not_decreasing" })
		s := j.engine.Statuses()[i]
		got := strings.Join(alarms, " ")
		if got == "" {
			got = s.NotJudged
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if found := strings.HasPrefix(c.want, s.Rule); found != (s.Findings > 0) || (c.want == "" || found) && s.Datapoints == 0 {
			t.Errorf("%s: %d findings of %d values, not judged because %q", c.name, s.Findings, s.Datapoints, s.NotJudged)
		}
		if n := record.Count(j.engine.Groups()).Roots; len(alarms) > 0 && n[record.Warning]+n[record.Error] != 1 {
			t.Errorf("%s: root causes %v", c.name, n)
		}
	}
}
