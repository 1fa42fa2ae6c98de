package agent

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
)

// judgeAgain feeds a stored run through the rules that judged it live.
func judgeAgain(t testing.TB, tr *trial.Trial) ([]record.Finding, []record.RuleStatus) {
	t.Helper()
	var configs []rules.Config
	for _, s := range tr.Statuses() {
		configs = append(configs, rules.Config{Rule: s.Rule, Configuration: s.Configuration, Params: s.Parameters, Checks: s.Checks})
	}
	var found []record.Finding
	e, err := rules.NewEngine(rules.Options{Configs: configs, OnFinding: func(f record.Finding) { found = append(found, f) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tr.Workers() {
		e.Announce(w, tr.Tensors())
	}
	if err := tr.Replay(func(c *record.Complete) error { e.Observe(c); return nil }); err != nil {
		t.Fatal(err)
	}
	e.Tick(*tr.Run().Ended)
	e.Finish(tr.Run().Status)
	return found, e.Statuses()
}

// TestRankThatEvaluates has two ranks of which one evaluates between its
// updates, so that they number their global steps differently. The loss of an
// update is judged as the mean of both at every step, nothing waits for the end
// of the job, and what is stored is judged as it was live.
func TestRankThatEvaluates(t *testing.T) {
	t.Parallel()
	for _, evaluates := range []int{0, 1} {
		t.Run(fmt.Sprint("rank ", evaluates), func(t *testing.T) {
			set := settings(t)
			set.Config.Every = 1
			set.Config.Rules = "none"
			set.Config.Rule = []config.RuleConfig{
				{Rule: "loss_not_decreasing", Configuration: "update", Params: map[string]string{"mode": "TRAIN", "every": "1", "num_steps": "1"}},
				{Rule: "loss_not_decreasing", Configuration: "evaluation", Params: map[string]string{"mode": "EVAL", "every": "1", "num_steps": "1"}},
			}
			a := startAgent(t, set)
			ranks := []*hook.Hook{started(t, set, hook.Options{Rank: 0, World: 2}), started(t, set, hook.Options{Rank: 1, World: 2})}
			step := func(rank int, mode hook.Mode, loss float64) {
				s := ranks[rank].Begin(mode)
				s.Loss(loss)
				s.End()
			}
			const n, evals = 40, 3
			for i := range n {
				step(0, hook.Train, 3+float64(i))
				step(1, hook.Train, 3-float64(i)) // the mean stays 3
				if i%4 == 1 {
					for range evals {
						step(evaluates, hook.Eval, 7)
					}
				}
			}
			decided := func() int {
				tr := openTrial(t, set)
				n := 0
				if err := tr.Replay(func(*record.Complete) error { n++; return nil }); err != nil {
					t.Fatal(err)
				}
				return n
			}
			wait(t, "all steps to be judged while the job goes on", func() bool { time.Sleep(10 * time.Millisecond); return decided() == n+n/4*evals })
			for _, h := range ranks {
				h.Close()
			}
			a.completed()
			tr := openTrial(t, set)
			last := int64(-1)
			var modeSteps [4]int64
			if err := tr.Replay(func(c *record.Complete) error {
				if c.Step <= last || c.ModeStep != modeSteps[c.Mode] {
					t.Errorf("%s step %d is step %d after %d", c.Mode, c.ModeStep, c.Step, last)
				}
				last = c.Step
				modeSteps[c.Mode]++
				if want := map[record.Mode]int{record.Train: 2, record.Eval: 1}[c.Mode]; len(c.Parts) != want {
					t.Errorf("%s step %d was judged with %d parts", c.Mode, c.ModeStep, len(c.Parts))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if modeSteps != [4]int64{n, n / 4 * evals} {
				t.Errorf("steps judged: %v", modeSteps)
			}
			if err := tr.Undecided(func(s *record.Step) error {
				t.Errorf("%s step %d of %s was not judged", s.Mode, s.ModeStep, s.Worker)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			live := tr.Findings()
			found := map[string]int{}
			for _, f := range live {
				found[f.Configuration]++
				if v, want := f.Context["value"].(float64), map[string]float64{"update": 3, "evaluation": 7}[f.Configuration]; math.Abs(v-want) > 1e-12 {
					t.Errorf("%s at %s step %d is judged by %g, not %g", f.Configuration, f.Mode, f.ModeStep, v, want)
				}
			}
			if found["update"] != n-1 || found["evaluation"] != n/4*evals-1 {
				t.Errorf("findings: %v", found)
			}
			again, statuses := judgeAgain(t, tr)
			if d := cmp.Diff(tr.Statuses(), statuses); d != "" {
				t.Errorf("judged again, statuses differ: %s", d)
			}
			byKey := map[string]record.Finding{}
			for _, f := range again {
				byKey[rules.Key(f)] = f
			}
			for _, f := range live {
				if g := byKey[rules.Key(f)]; g.Message != f.Message || !g.Time.Equal(f.Time) {
					t.Errorf("live %+v, again %+v", f, g)
				}
			}
			if len(again) != len(live) {
				t.Errorf("%d findings live, %d again", len(live), len(again))
			}
		})
	}
}
