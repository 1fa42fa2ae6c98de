package agent

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// TestDiskFaultsWhilePyTorchTrains lets the disk of a real training fail in its
// middle: the training ends with the weights of the bare script, bit for bit,
// and what is not stored is told.
func TestDiskFaultsWhilePyTorchTrains(t *testing.T) {
	var fault atomic.Pointer[func(vfs.Op) error]
	was := disk
	disk = vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if f := fault.Load(); f != nil {
			return (*f)(op)
		}
		return nil
	})
	defer func() { disk = was }()
	dir := t.TempDir()
	bare := pytorch(t, dir, "bare", nil, nil)
	for _, tt := range []struct {
		name  string
		long  bool // in the long mode only
		fault func(vfs.Op) error
		told  string // a part of the notice that is awaited before the disk is well again
	}{
		{
			name: "full",
			fault: func(op vfs.Op) error {
				if op.Kind == vfs.OpWrite || op.Kind == vfs.OpCreate {
					return syscall.ENOSPC
				}
				return nil
			},
			told: "disk is full",
		},
		{
			name: "read-only", long: true,
			fault: func(op vfs.Op) error {
				if op.Kind != vfs.OpOpen {
					return syscall.EROFS
				}
				return nil
			},
			told: "read-only file system",
		},
		{
			name: "slow", long: true,
			fault: func(op vfs.Op) error {
				if op.Kind == vfs.OpWrite {
					time.Sleep(100 * time.Millisecond)
				}
				return nil
			},
		},
	} {
		if tt.long && os.Getenv("VIGIL_TEST_LONG") == "" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			set := settings(t)
			set.Config.Every = 1
			a := startAgent(t, set)
			defer fault.Store(nil)
			weights := pytorch(t, t.TempDir(), "watched", []string{"VIGIL_SOCKET=" + set.Socket}, map[string]func(){
				"50": func() { fault.Store(&tt.fault) },
				"150": func() {
					if tt.told != "" {
						wait(t, "the notice", func() bool { return countNotices(a, tt.told) > 0 })
					}
					fault.Store(nil)
				},
			})
			a.completed()
			if weights != bare {
				t.Errorf("other weights than without Vigil")
			}
			tr := openTrial(t, set)
			if damage, err := tr.Verify(context.Background(), nil); err != nil || len(damage) > 0 {
				t.Errorf("damaged: %+v, %v", damage, err)
			}
			steps, _, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
			r := tr.Run()
			if err != nil || len(steps) < 50 || len(steps) < 200 && len(r.Dropped) == 0 && len(r.NotCaptured) == 0 {
				t.Errorf("%d of 200 losses are stored (%v), and nothing says what became of the others", len(steps), err)
			}
		})
	}
}

// pytorch runs the training that waits before step 50 and before step 150, and
// does what at says there. It gives the digest of the weights.
func pytorch(t *testing.T, dir, name string, env []string, at map[string]func()) string {
	t.Helper()
	python := filepath.Join(testenv.Root(), "python")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	out := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, testenv.Python(t), filepath.Join(testenv.Root(), "e2e", "scripts", "faults", "train.py"), out, dir)
	cmd.Env = append(append(testenv.Environ(nil, "RANK="), "OMP_NUM_THREADS=1", "PYTHONPATH="+filepath.Join(python, "boot")+":"+python), env...)
	var said strings.Builder
	cmd.Stderr = &said
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"50", "150"} {
		// It prints one line when it is there.
		var w [3]string
		if _, err := fmt.Fscanln(stdout, &w[0], &w[1], &w[2]); err != nil || w[2] != step {
			cmd.Wait()
			t.Fatalf("wait for step %s: %v %q\n%s", step, err, w, &said)
		}
		if f := at[step]; f != nil {
			f()
		}
		if err := os.WriteFile(filepath.Join(dir, step), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the training ended with %v\n%s", err, &said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	weights, _, _ := strings.Cut(string(b), " ")
	for _, step := range []string{"50", "150"} {
		os.Remove(filepath.Join(dir, step))
	}
	return weights
}
