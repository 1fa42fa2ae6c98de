package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
)

// A run whose job was killed goes on where its user says, or after its last
// step: steps are there once, what was found beyond is taken back and found
// again where it comes again, and judged again the run gives the same.
func TestResume(t *testing.T) {
	for _, c := range []struct {
		name        string
		step        int64 // --resume-step; -1: not given
		train, eval int64 // where it goes on
		cut         string
		killed      bool // the agent, too
	}{
		{"at a step", 6, 6, 3, "map[EVAL:1 TRAIN:3]", true},
		{"the evaluation before the step stays", 4, 4, 2, "map[EVAL:2 TRAIN:5]", false},
		{"after the last step", -1, 9, 4, "map[]", true},
		{"from the beginning", 0, 0, 0, "map[EVAL:4 TRAIN:9]", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := settings(t)
			set.Config.Rules = "none"
			set.Config.Rule = []config.RuleConfig{{Rule: "not_finite", Configuration: "not_finite"}}
			// Each second update an evaluation follows; update 7 is not finite.
			steps := func(h *hook.Hook, attempt float64, train, eval, to int64) {
				for ; train < to; train++ {
					s := h.Begin(hook.Train)
					if s.Number() != train {
						t.Fatalf("TRAIN step %d, want %d", s.Number(), train)
					}
					loss := attempt + float64(train)
					if train == 7 {
						loss = math.NaN()
					}
					s.Loss(loss)
					s.End()
					if train%2 == 1 {
						s := h.Begin(hook.Eval)
						if s.Number() != eval {
							t.Fatalf("EVAL step %d, want %d", s.Number(), eval)
						}
						s.Loss(attempt + float64(eval))
						s.End()
						eval++
					}
				}
			}
			p := startProcess(t, set)
			wait(t, "the agent's socket", func() bool { return listens(set) })
			h := started(t, set, hook.Options{Model: "Net"})
			steps(h, 100, 0, 0, 9)
			wait(t, "the steps", func() bool {
				tr := openTrial(t, set)
				return len(tr.Steps(record.Train)) == 9 && len(tr.Steps(record.Eval)) == 4 && len(tr.Findings()) == 1
			})
			if c.killed {
				p.kill()
				h.Close()
			} else {
				h.Close()
				p.end(t, Ended{Status: record.Failed, ExitCode: 137})
			}

			set.Resume = &Resume{}
			if c.step >= 0 {
				set.Resume.Step = &c.step
			}
			a := startAgent(t, set)
			if _, err := start(t.Context(), set, nil, nil); err == nil || !strings.Contains(err.Error(), "another agent writes it") {
				t.Errorf("a second agent: %v", err)
			}
			t.Setenv("VIGIL_RESUME", set.Name)
			h = started(t, set, hook.Options{Model: "Net"})
			steps(h, 200, c.train, c.eval, 12)
			h.Close()
			a.completed()

			tr := openTrial(t, set)
			check := func(mode record.Mode, from, to int64) {
				var want []float64
				var all []int64
				for n := range to {
					v := 100 + float64(n)
					if n >= from {
						v += 100
					}
					if mode == record.Train && n == 7 {
						v = math.NaN()
					}
					all, want = append(all, n), append(want, v)
				}
				got, values, err := tr.Series(trial.Query{Tensor: "loss", Mode: mode})
				if err != nil || !slices.Equal(got, all) || fmt.Sprint(values) != fmt.Sprint(want) {
					t.Errorf("%s: %v %v, want %v; %v", mode, got, values, want, err)
				}
			}
			check(record.Train, c.train, 12)
			check(record.Eval, c.eval, 6)
			run := tr.Run()
			if run.Status != record.Completed || len(run.Workers) != 1 || run.Workers[0].Name != "worker_0" || fmt.Sprint(run.Steps) != "map[EVAL:6 TRAIN:12]" {
				t.Errorf("run %+v", run)
			}
			if len(run.Resumptions) != 1 || fmt.Sprint(run.Resumptions[0].Cut) != c.cut || run.Resumptions[0].Stopped == nil {
				t.Errorf("resumptions %+v", run.Resumptions)
			}
			live := tr.Findings()
			if len(live) != 1 || live[0].ModeStep != 7 {
				t.Errorf("findings %+v", live)
			}
			e, err := rules.NewEngine(rules.Options{Configs: []rules.Config{{Rule: "not_finite", Configuration: "not_finite"}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := tr.Replay(func(c *record.Complete) error { e.Observe(c); return nil }); err != nil {
				t.Fatal(err)
			}
			e.Finish(record.Completed)
			if again := e.Findings(); len(again) != len(live) || rules.Key(again[0]) != rules.Key(live[0]) {
				t.Errorf("judged again: %+v", again)
			}
			if list, err := tr.Verify(t.Context(), nil); err != nil || len(list) > 0 {
				t.Errorf("damage %+v, %v", list, err)
			}
		})
	}
}
