package agent

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// process is an agent that can be killed.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func startProcess(t testing.TB, set Settings) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "VIGIL_TEST_AGENT=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd, in}
	t.Cleanup(func() { p.kill() })
	if err := json.NewEncoder(in).Encode(set); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

func (p *process) end(t testing.TB, e Ended) {
	t.Helper()
	if err := json.NewEncoder(p.in).Encode(input{Ended: &e}); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("agent: %v", err)
	}
}

// TestTakeover kills the agent three times while a training runs. The training
// does not notice, and every step is stored exactly once.
func TestTakeover(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := hook.Start(hook.Options{Socket: set.Socket, Model: "Net"})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	w, _ := h.Parameter("fc", "Linear", "weight", 64)
	values := make([]float32, 64)
	const n = 900
	for i := range n {
		if i > 0 && i%225 == 0 {
			p.kill()
			set.Takeover = true
			p = startProcess(t, set)
		}
		s := h.Begin(hook.Train)
		s.Loss(lossAt(i))
		for k := range values {
			values[k] = float32(i)
		}
		s.Float32(w, values)
		s.End()
		time.Sleep(time.Millisecond)
	}
	// The last agent may still be on its way to the ring; a training that ends
	// now would wait for it a second at most.
	wait(t, "the training to be stored", func() bool {
		tr, err := trial.Open(set.Dir + "/" + set.Name)
		if err != nil {
			return false
		}
		defer tr.Close()
		return len(tr.Steps(record.Train)) == n
	})
	h.Close()
	p.end(t, Ended{Status: record.Completed})

	tr := openTrial(t, set)
	infos := tr.StepInfos(record.Train, "worker_0")
	if len(infos) != n {
		t.Errorf("%d steps stored, want %d", len(infos), n)
	}
	for i, s := range infos {
		if s.ModeStep != int64(i) {
			t.Fatalf("step %d is stored at place %d", s.ModeStep, i)
		}
	}
	_, losses, err := tr.Series(trial.Query{Tensor: "loss"})
	if err != nil || len(losses) != n {
		t.Fatalf("%d losses, %v", len(losses), err)
	}
	for i, v := range losses {
		if v != lossAt(i) {
			t.Errorf("loss at %d: %g", i, v)
		}
	}
	steps, max, err := tr.Series(trial.Query{Tensor: "fc.weight", Stat: "max"})
	if err != nil || len(max) != n {
		t.Errorf("%d statistics, %v; not captured: %+v", len(max), err, tr.Run().NotCaptured)
	}
	for i, v := range max {
		if v != float64(steps[i]) {
			t.Errorf("max of fc.weight at %d: %g", steps[i], v)
		}
	}
	next := int64(0)
	if err := tr.Replay(func(c *record.Complete) error {
		if c.Step != next {
			t.Errorf("complete step %d where %d was due", c.Step, next)
		}
		next = c.Step + 1
		return nil
	}); err != nil || next != n {
		t.Errorf("%d complete steps, %v", next, err)
	}
	run := tr.Run()
	if len(run.Workers) != 1 || len(run.Dropped) > 0 {
		t.Errorf("workers %+v, dropped %+v, not captured %+v", run.Workers, run.Dropped, run.NotCaptured)
	}
}
