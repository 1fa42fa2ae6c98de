package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// told is what two judgements of a run must agree in.
type told struct {
	Rule, Check, Subject, Message string
	Step                          int64
	Time                          time.Time
}

// An agent is killed twice while it samples the machine and takes the times of
// steps: no row is stored twice, none is lost but those that the run says there was no
// room for until another agent was there, and a replay of the windows finds what was
// found live.
func TestKilledAgentAndWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sidePath, path := filepath.Join(dir, "side"), filepath.Join(dir, "vigil-runs", "r")
	const steps = 4000
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	const rule = "hardware_utilization:metric=cpu_memory,threshold=100,patience=20,window=10" // no machine has more
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--quiet", "--monitor", "100", "--rule", rule, "--", testenv.Python(t), script("kill/train"), sidePath, fmt.Sprint(steps))
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done, ended := make(chan error, 1), make(chan struct{})
	go func() { done <- cmd.Wait(); close(ended) }()
	killed := 0
	for _, at := range []int{steps / 4, steps * 5 / 8} {
		waitFor(t, "the training to go on", func() bool {
			select {
			case <-ended:
				t.Fatalf("vigil run has ended: %v\n%s", <-done, &output)
			default:
			}
			return len(readSide(sidePath).losses) >= at
		})
		pid := agentPID(t, path)
		if pid == killed {
			t.Fatalf("the agent %d was killed, and no other took over", pid)
		}
		kill(t, pid, syscall.SIGKILL)
		killed = pid
	}
	if err := <-done; err != nil || ctx.Err() != nil {
		t.Fatalf("vigil run: %v\n%s", err, &output)
	}
	tr := open(t, path)
	if d := tr.Damage(); len(d) > 0 {
		t.Errorf("damaged: %v", d)
	}
	checkTime(t, tr)
	checkRows(t, tr, steps)

	var live, again []told
	for _, f := range tr.Findings() {
		if f.Rule == "hardware_utilization" {
			live = append(live, told{f.Rule, f.Check, f.Subject, f.Message, f.Step, f.Time})
		}
	}
	if len(live) == 0 {
		t.Fatalf("the rule found nothing:\n%s", &output)
	}
	o := run(t, dir, nil, binary, "check", "r", "--json")
	var doc struct {
		Findings []record.Finding `json:"findings"`
	}
	decode(t, o.stdout, &doc)
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Rule == "hardware_utilization" {
			again = append(again, told{f.Rule, f.Check, f.Subject, f.Message, f.Step, f.Time})
		}
	}
	if fmt.Sprint(live) != fmt.Sprint(again) {
		t.Errorf("live:\n%+v\nby check:\n%+v", live, again)
	}
}

// checkRows proves that the times of all steps of training are there, once, and that
// samples of the machine ascend. On a busy machine the next agent may come late: rows
// for which the run says that there was no room are left out.
func checkRows(t *testing.T, tr *trial.Trial, steps int64) {
	t.Helper()
	full := slices.ContainsFunc(tr.Run().NotCaptured, func(n record.NotCaptured) bool {
		return n.Name == "time/step" && n.Reason == "dropped: ring full"
	})
	var next int64
	var end time.Time
	err := tr.Times(tr.Run().ChiefName(), time.Time{}, time.Time{}, func(row *record.StepTime) error {
		if row.Mode != record.Train {
			return nil
		}
		if row.ModeStep < next || row.ModeStep > next && !full || row.Start.Before(end) {
			t.Errorf("a row of step %d from %v on follows the one that ended before step %d, at %v", row.ModeStep, row.Start, next, end)
		}
		next, end = row.ModeStep+row.Steps, row.End
		return nil
	})
	if err != nil || next > steps || next < steps && !full {
		t.Errorf("there are the times of %d of %d steps, %v", next, steps, err)
	}
	var last time.Time
	samples := 0
	err = tr.Samples(tr.Run().Host, time.Time{}, time.Time{}, func(s *record.Sample) error {
		if !s.Time.After(last) {
			t.Errorf("a sample of %v follows one of %v", s.Time, last)
		}
		last = s.Time
		samples++
		return nil
	})
	if err != nil || samples < 20 {
		t.Errorf("%d samples, %v", samples, err)
	}
}
