package agent

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// trainer is a training process: two records a step, and a line with the
// number of acknowledged records after each.
func trainer(socket string) {
	c, err := capture.Dial(capture.ClientOptions{Socket: socket, Hello: capture.Hello{
		Session: "ffeeddccbbaa99887766554433221100", PID: os.Getpid(), World: 1, Framework: record.Framework{Name: "go"},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c.Say(capture.TypeTensors, capture.Tensors{Tensors: []capture.TensorInfo{
		{ID: 0, TensorInfo: record.TensorInfo{Name: "loss", Kind: record.Loss, DType: "F64", Shape: []int64{}}},
	}})
	for i := range int64(100_000) {
		c.Publish(capture.Record{Kind: capture.Scalar, Step: i, ModeStep: i, Value: lossAt(int(i))})
		c.Publish(capture.Record{Kind: capture.Step, Step: i, ModeStep: i, Value: 0.001})
		fmt.Println(c.Acked(), c.Head())
		time.Sleep(200 * time.Microsecond)
	}
}

// TestKill kills the trainer, the agent, or both at once, without warning.
// Whatever was acknowledged before is there; when the agent lives, so is all
// that was published.
func TestKill(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name           string
		trainer, agent bool
	}{{"trainer", true, false}, {"agent", false, true}, {"both", true, true}}
	rounds := len(cases)
	if os.Getenv("VIGIL_TEST_LONG") != "" {
		rounds *= 30
	}
	for i := range rounds {
		tt := cases[i%len(cases)]
		t.Run(fmt.Sprintf("%s %d", tt.name, i), func(t *testing.T) {
			set := settings(t)
			p := startProcess(t, set)
			wait(t, "the agent's socket", func() bool { return listens(set) })
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "VIGIL_TEST_TRAINER="+set.Socket)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var acked, head uint64
			sc := bufio.NewScanner(out)
			for n := 0; sc.Scan(); n++ {
				fmt.Sscan(sc.Text(), &acked, &head)
				if acked > uint64(100+97*i) {
					break
				}
			}
			if tt.agent {
				p.kill()
			}
			if tt.trainer {
				cmd.Process.Kill()
			} else {
				time.AfterFunc(300*time.Millisecond, func() { cmd.Process.Kill() })
			}
			for sc.Scan() { // what it said before it died
				fmt.Sscan(sc.Text(), &acked, &head)
			}
			cmd.Wait()
			if tt.agent {
				set.Takeover = true
				p = startProcess(t, set)
			}
			p.end(t, Ended{Status: record.Failed, ExitCode: 137})
			tr := openTrial(t, set)
			steps, losses, err := tr.Series(trial.Query{Tensor: "loss"})
			if err != nil {
				t.Fatal(err)
			}
			want := acked / 2
			if !tt.agent {
				want = head / 2
			}
			if uint64(len(steps)) < want {
				t.Errorf("%d steps are stored; %d were acknowledged, %d published", len(steps), acked/2, head/2)
			}
			for i, v := range losses {
				if steps[i] != int64(i) || v != lossAt(i) {
					t.Fatalf("place %d holds step %s with %g", i, strconv.FormatInt(steps[i], 10), v)
				}
			}
			if d := tr.Damage(); len(d) > 0 {
				t.Errorf("damage: %+v", d)
			}
		})
	}
}
