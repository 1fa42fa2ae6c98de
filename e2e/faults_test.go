package e2e

import (
	"context"
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

// faulted is a training under vigil run to which something happens.
type faulted struct {
	path  string // of the run
	gates string // directory of what the training waits for
	agent int
	said  string // standard error, when it has ended
}

// faults are what happens between step 50 and step 150 of a training.
var faults = []struct {
	name   string
	long   bool // in the long mode only
	begin  func(t *testing.T, f *faulted)
	finish func(t *testing.T, f *faulted) // before step 150; nil: nothing
	check  func(t *testing.T, f *faulted)
}{
	{
		// Nobody reads the ring meanwhile: it fills, and the hook drops.
		name:   "agent stopped and continued",
		begin:  func(t *testing.T, f *faulted) { kill(t, f.agent, syscall.SIGSTOP) },
		finish: func(t *testing.T, f *faulted) { kill(t, f.agent, syscall.SIGCONT) },
		check: func(t *testing.T, f *faulted) {
			r, losses := wholeRun(t, f)
			if losses < 200 && len(r.Dropped) == 0 {
				t.Errorf("%d of 200 losses are stored, and nothing says what was dropped while nobody read: %+v", losses, r.NotCaptured)
			}
			t.Logf("dropped: %v", r.Dropped)
		},
	},
	{
		name:  "agent killed",
		long:  true,
		begin: func(t *testing.T, f *faulted) { kill(t, f.agent, syscall.SIGKILL) },
		finish: func(t *testing.T, f *faulted) {
			waitFor(t, "the next agent", func() bool {
				tr, err := trial.Open(f.path)
				if err != nil {
					return false
				}
				defer tr.Close()
				return tr.Run().Agent != nil && tr.Run().Agent.PID != f.agent
			})
		},
		check: func(t *testing.T, f *faulted) { wholeRun(t, f) },
	},
	{
		// And put forward again; the agent's own clock stays.
		name:  "clock set back by a day",
		long:  true,
		begin: func(t *testing.T, f *faulted) { pass(t, f.gates, "clock") },
		check: func(t *testing.T, f *faulted) {
			r, losses := wholeRun(t, f)
			if losses != 200 || len(r.Dropped) > 0 {
				t.Errorf("%d of 200 losses are stored, %v dropped", losses, r.Dropped)
			}
			if strings.Contains(f.said, "error") {
				t.Errorf("a clock is no fault of the training: %s", f.said)
			}
		},
	},
	{
		name: "store removed",
		long: true,
		begin: func(t *testing.T, f *faulted) {
			// Moved away at once: removing races with the agent, which writes.
			if err := os.Rename(f.path, filepath.Join(t.TempDir(), "gone")); err != nil {
				t.Fatal(err)
			}
		},
		check: func(t *testing.T, f *faulted) {
			if !strings.Contains(f.said, "directory was removed") {
				t.Errorf("nobody said that the run is gone: %s", f.said)
			}
		},
	},
}

// TestFaultsWhileTraining lets a real training meet each fault in its middle:
// it ends with exit code 0 and the weights of the bare script, and what was
// lost is told. The 99th percentiles of the time of a step are printed.
func TestFaultsWhileTraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pass(t, dir, "50")
	pass(t, dir, "150")
	bare := filepath.Join(dir, "bare")
	train := filepath.Join(testenv.Root(), "e2e", "scripts", "faults", "train.py")
	if o := runBare(t, dir, nil, train, bare, dir); o.code != 0 {
		t.Fatalf("the bare script ended with %d: %s", o.code, o.stderr)
	}
	weights, p99, _ := strings.Cut(read(t, bare), " ")
	for _, tt := range faults {
		if tt.long && os.Getenv("VIGIL_TEST_LONG") == "" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			cmd := command(ctx, dir, nil, binary, "run", "--dir", "runs", "--name", "r", "--every", "1", "--",
				testenv.Python(t), train, filepath.Join(dir, "out"), dir)
			var out, errOut lockedBuffer
			cmd.Stdout, cmd.Stderr = &out, &errOut
			cmd.WaitDelay = 10 * time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			f := &faulted{path: filepath.Join(dir, "runs", "r"), gates: dir}
			waitFor(t, "step 50", func() bool { return strings.Contains(out.String(), "before step 50") })
			f.agent = agentPID(t, f.path)
			tt.begin(t, f)
			pass(t, dir, "50")
			waitFor(t, "step 150", func() bool { return strings.Contains(out.String(), "before step 150") })
			if tt.finish != nil {
				tt.finish(t, f)
			}
			pass(t, dir, "150")
			err := cmd.Wait()
			f.said = errOut.String()
			if err != nil {
				t.Fatalf("vigil run: %v\n%s", err, f.said)
			}
			got, slow, _ := strings.Cut(read(t, filepath.Join(dir, "out")), " ")
			if got != weights {
				t.Errorf("other weights than without Vigil")
			}
			t.Logf("99th percentile of a step: %s s bare, %s s with the fault", p99, slow)
			tt.check(t, f)
		})
	}
}

// pass lets the training go on to the step given.
func pass(t *testing.T, dir, step string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, step), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// wholeRun wants a run that has ended well, in which no byte is damaged and the
// steps before the fault are there. It gives the number of losses too.
func wholeRun(t *testing.T, f *faulted) (record.Run, int) {
	t.Helper()
	tr := open(t, f.path)
	damage, err := tr.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range damage {
		t.Errorf("damaged: %+v", d)
	}
	r := tr.Run()
	if r.Status != record.Completed {
		t.Errorf("status %q", r.Status)
	}
	steps, _, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	if err != nil || len(steps) < 20 {
		t.Errorf("%d losses are stored, %v", len(steps), err)
	}
	return r, len(steps)
}
