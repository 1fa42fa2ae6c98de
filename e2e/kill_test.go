package e2e

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// side is what the killed training wrote about itself.
type side struct {
	pid          int
	losses       []float64 // by step
	acknowledged int64     // last step known to be acknowledged; -1: none
	ended        bool
}

func readSide(path string) side {
	s := side{acknowledged: -1}
	f, err := os.Open(path)
	if err != nil {
		return s
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var step, acked int64
		var loss float64
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "pid "):
			fmt.Sscanf(line, "pid %d", &s.pid)
		case line == "end":
			s.ended = true
		default:
			if n, _ := fmt.Sscanf(line, "step %d %g %d", &step, &loss, &acked); n == 3 {
				s.losses, s.acknowledged = append(s.losses, loss), acked
			}
		}
	}
	return s
}

// TestKillLoop kills the trainer, the agent, or both with SIGKILL at random
// points of a training, again and again, and compares what had been
// acknowledged with what a reader finds. To start Python takes most of a round:
// outside the long mode the first rounds start it, and the later ones fork.
func TestKillLoop(t *testing.T) {
	t.Parallel()
	rounds, started := 20, 3
	if os.Getenv("VIGIL_TEST_LONG") != "" {
		rounds, started = 300, 300
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range rounds {
		victim := []string{"trainer", "agent", "both"}[round%3]
		delay := time.Duration(rng.IntN(600)) * time.Millisecond
		t.Run(fmt.Sprintf("%d_%s_%s", round, victim, delay), func(t *testing.T) {
			t.Parallel()
			training := []string{testenv.Python(t), script("kill/train")}
			if round >= started {
				training = forked(t, "kill/train")
			}
			killOnce(t, training, victim, delay)
		})
	}
}

func killOnce(t *testing.T, training []string, victim string, delay time.Duration) {
	dir := t.TempDir()
	sidePath := filepath.Join(dir, "side")
	const steps = 400
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	argv := append([]string{binary, "run", "--dir", "runs", "--name", "killed", "--every", "1", "--quiet", "--"}, training...)
	cmd := command(ctx, dir, nil, append(argv, sidePath, fmt.Sprint(steps))...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	waitFor(t, "the first acknowledged step", func() bool { return readSide(sidePath).acknowledged >= 0 })
	time.Sleep(delay)
	path := filepath.Join(dir, "runs", "killed")
	pids := map[string]int{"trainer": readSide(sidePath).pid, "agent": agentPID(t, path)}
	for who, pid := range pids {
		if victim == who || victim == "both" {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				t.Fatalf("kill %s %d: %v", who, pid, err)
			}
		}
	}
	<-done
	if ctx.Err() != nil {
		t.Fatalf("vigil run did not end: %s", &output)
	}

	s := readSide(sidePath)
	if victim == "agent" && !s.ended {
		t.Errorf("the training did not go on without its agent: %d steps; %s", len(s.losses), &output)
	}
	tr, err := trial.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if r := tr.Run(); r.Status == record.Running || r.Status == record.Lost {
		t.Errorf("status is %q", r.Status)
	}
	if d := tr.Damage(); len(d) > 0 {
		t.Errorf("damaged: %v", d)
	}
	checkLosses(t, tr, s)
	checkWholeSteps(t, tr)
	checkTime(t, tr)
}

// checkLosses proves that every acknowledged loss is there, and that no loss
// is there that the training did not have.
func checkLosses(t *testing.T, tr *trial.Trial, s side) {
	t.Helper()
	at, values, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil {
		t.Fatal(err)
	}
	stored := map[int64]float64{}
	for i, step := range at {
		if _, twice := stored[step]; twice {
			t.Errorf("step %d is stored twice", step)
		}
		stored[step] = values[i]
	}
	for step := int64(0); step <= s.acknowledged; step++ {
		v, there := stored[step]
		if !there {
			t.Errorf("step %d was acknowledged and is lost (acknowledged up to %d, %d stored)", step, s.acknowledged, len(stored))
		} else if float32(v) != float32(s.losses[step]) {
			t.Errorf("step %d has loss %g, the training said %g", step, v, s.losses[step])
		}
	}
	for step, v := range stored {
		if step < int64(len(s.losses)) && float32(v) != float32(s.losses[step]) {
			t.Errorf("step %d has loss %g, the training said %g", step, v, s.losses[step])
		}
	}
}

// checkWholeSteps proves that a step has the statistics of all its tensors or
// of none.
func checkWholeSteps(t *testing.T, tr *trial.Trial) {
	t.Helper()
	count := map[int64]int{}
	tensors := 0
	for _, info := range tr.Tensors() {
		if info.Kind != record.Weight && info.Kind != record.Bias && info.Kind != record.Gradient {
			continue
		}
		rows, err := tr.Stats(trial.Query{Tensor: info.Name, Mode: record.Train})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) > 0 {
			tensors++
		}
		seen := map[int64]bool{}
		for i := range rows {
			if seen[rows[i].ModeStep] {
				t.Errorf("%s has step %d twice", info.Name, rows[i].ModeStep)
			}
			seen[rows[i].ModeStep] = true
			count[rows[i].ModeStep]++
		}
	}
	if tensors != 12 {
		t.Errorf("%d of 12 tensors have statistics", tensors)
	}
	for step, n := range count {
		if n != tensors {
			t.Errorf("step %d has the statistics of %d of %d tensors", step, n, tensors)
		}
	}
}

// agentPID is the agent's process as run.json names it.
func agentPID(t *testing.T, path string) int {
	t.Helper()
	pid := 0
	waitFor(t, "run.json to name the agent", func() bool {
		tr, err := trial.Open(path)
		if err != nil {
			return false
		}
		defer tr.Close()
		if p := tr.Run().Agent; p != nil {
			pid = p.PID
		}
		return pid != 0
	})
	return pid
}

// waitFor polls until ok, at most three minutes.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	const limit = 3 * time.Minute
	for end := time.Now().Add(limit); time.Now().Before(end); {
		began := time.Now()
		if ok() {
			return
		}
		// Looking must not keep what is looked at from going on.
		time.Sleep(10*time.Millisecond + 4*time.Since(began))
	}
	t.Fatalf("waited %s for %s", limit, what)
}

// waitEnded waits until the only run below root has ended and its agent is gone,
// which nobody waits for when a script has started it.
func waitEnded(t *testing.T, root string) {
	t.Helper()
	waitFor(t, "the agent to finish the run", func() bool {
		l, err := trial.List(root)
		if err != nil || len(l) != 1 {
			return false
		}
		r := l[0].Run
		return r.Status != record.Running && (r.Agent == nil || !alive(r.Agent.PID))
	})
}
