package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// background starts a job that the test stops at its end; out is what it prints.
func background(t *testing.T, dir string, env []string, argv ...string) (out *lockedBuffer, job *exec.Cmd) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	cmd := command(ctx, dir, env, argv...)
	out = &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run(t, dir, []string{"VIGIL_GRACE=0s"}, binary, "stop", "r", "--wait", "30s")
		_ = cmd.Wait()
		cancel()
	})
	return out, cmd
}

// One rank hangs with the interpreter's lock held, the other waits for it: the
// stacks of both are shown, the odd one first, and those of their loader workers.
func TestStacksOfAJobThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, _ := background(t, dir, []string{"VIGIL_GRACE=0s"}, binary, "run", "--name", "r", "--", testenv.Python(t), "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", script("hangs"))
	waitFor(t, "the hang", func() bool { return strings.Contains(out.String(), "rank 1 hangs") })
	var answer struct {
		Summary   string
		Processes []stacks.Process
	}
	ranks := map[int]stacks.Process{}
	waitFor(t, "both ranks where they stay", func() bool {
		o := run(t, dir, nil, binary, "stacks", "r", "--json")
		if o.code != 0 {
			t.Fatalf("stacks: %+v", o)
		}
		decode(t, o.stdout, &answer)
		clear(ranks)
		for _, p := range answer.Processes {
			if p.Kind == stacks.Rank {
				ranks[p.Rank] = p
			}
		}
		return len(ranks) == 2 && strings.Contains(answer.Summary, "all_reduce()")
	})
	if ranks[1].Read != stacks.Signalled || ranks[0].Read != stacks.Asked {
		t.Errorf("rank 1 was read as %q, rank 0 as %q", ranks[1].Read, ranks[0].Read)
	}
	for _, want := range []string{"rank 1 in `hangs.py:22 read_batch()`", "rank 0 in `all_reduce()`, called at `hangs.py:28`"} {
		if !strings.Contains(answer.Summary, want) {
			t.Errorf("the summary lacks %q: %s", want, answer.Summary)
		}
	}
	workers, launchers := 0, 0
	for _, p := range answer.Processes {
		switch {
		case p.Kind == stacks.LoaderWorker && p.Rank >= 0:
			workers++
			if p.Read != stacks.Asked {
				t.Errorf("loader worker %d was read as %q", p.PID, p.Read)
			}
		case p.Kind == stacks.Other && strings.Contains(p.Name, "torch.distributed.run"):
			launchers++
		}
	}
	if workers != 2 || launchers != 1 {
		t.Errorf("%d loader workers, %d launchers: %+v", workers, launchers, answer.Processes)
	}
	o := run(t, dir, nil, binary, "stacks", "r")
	for _, want := range []string{"rank 1 (process ", "; read by a signal", "hangs.py:22", "read_batch", "loader worker"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("the page lacks %q:\n%s", want, o.stdout)
		}
	}
}

// A window that is asked for before, one that is asked for while the job runs, what
// is said before it trains, and what a job that dies in a window leaves.
func TestWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	door := filepath.Join(dir, "door")
	out, _ := background(t, dir, []string{"WAIT_FOR=" + door}, binary, "run", "--name", "r", "--rules", "none", "--profile", "stacks:steps=40-59", "--", testenv.Python(t), script("slow_loader"))
	fails := func(says string, args ...string) {
		t.Helper()
		o := run(t, dir, nil, append([]string{binary, "profile", "r"}, args...)...)
		if o.code != 1 || !strings.Contains(o.stderr, says) {
			t.Errorf("profile %v: exit code %d, %s, want %q", args, o.code, o.stderr, says)
		}
	}
	waitFor(t, "the script", func() bool { return strings.Contains(out.String(), "waiting") })
	fails("no process of the job trains at this moment", "--seconds", "1")
	for _, wrong := range []struct {
		args string
		says string
	}{
		{"--kinds ops", `there is no kind "ops" of detail; known: stacks`},
		{"--seconds 0", "longer than 0"},
		{"--seconds 1 --steps 2", "both say how long"},
		{"--steps 0", "--steps 0 is below 1"},
		{"--export svg -o x", `there is no format "svg"`},
		{"--export pprof", "--export needs a file"},
		{"-o x", "-o needs --export"},
		{"--window 3", "has no windows of detail"},
	} {
		fails(wrong.says, strings.Fields(wrong.args)...)
	}
	if err := os.WriteFile(door, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "vigil-runs", "r")
	waitFor(t, "the window that was asked for before", func() bool { return len(open(t, path).Windows()) == 1 })
	seen, err := open(t, path).Stacks(source.Window{Number: 1, Worker: "worker_0"})
	if err != nil || seen.FirstStep < 40 || seen.EndStep < 60 || seen.Why != "--profile stacks:steps=40-59" {
		t.Errorf("window 1: error %v, %+v", err, seen)
	}

	var shown struct {
		Windows []struct {
			Window    int
			Processes []struct {
				Kind    string
				Samples int64
				Lines   []struct {
					Function string
					Share    float64
				}
			}
		}
	}
	o := run(t, dir, nil, binary, "profile", "r", "--seconds", "9", "--json")
	if o.code != 0 {
		t.Fatalf("profile: %+v", o)
	}
	decode(t, o.stdout, &shown)
	kinds := map[string]int{}
	for _, p := range shown.Windows[0].Processes {
		kinds[p.Kind]++
		if p.Kind != stacks.Rank {
			continue
		}
		slow := 0.0
		for _, l := range p.Lines {
			if l.Function == "log_metrics" {
				slow += l.Share
			}
		}
		// How large it is depends on how busy the machine is.
		if named := p.Samples >= stacks.Enough; named != (slow > 0.02) {
			t.Errorf("%d samples, and %v of the time is in the slow line: %+v", p.Samples, slow, p.Lines)
		}
	}
	if shown.Windows[0].Window != 2 || kinds[stacks.Rank] != 1 || kinds[stacks.LoaderWorker] != 2 {
		t.Errorf("window %d has %v", shown.Windows[0].Window, kinds)
	}
	for format, says := range map[string]string{"speedscope": "speedscope.app/file-format-schema", "collapsed": ";log_metrics (slow_loader.py:", "pprof": "\x1f\x8b"} {
		file := filepath.Join(dir, format)
		if o := run(t, dir, nil, binary, "profile", "r", "--export", format, "-o", file); o.code != 0 {
			t.Fatalf("export: %+v", o)
		}
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), says) {
			t.Errorf("%s: %v, %.100q", format, err, b)
		}
	}

	// It dies in a window.
	var answer struct{ Processes []stacks.Process }
	decode(t, run(t, dir, nil, binary, "stacks", "r", "--json").stdout, &answer)
	pid := 0
	for _, p := range answer.Processes {
		if p.Kind == stacks.Rank {
			pid = p.PID
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	asking := command(ctx, dir, nil, binary, "profile", "r", "--seconds", "300")
	var said lockedBuffer
	asking.Stdout, asking.Stderr = &said, &said
	if err := asking.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the window", func() bool { return strings.Contains(said.String(), "recording window 3") })
	kill(t, pid, syscall.SIGKILL)
	_ = asking.Wait()
	if code := asking.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "ended in the window, before") {
		t.Errorf("exit code %d, %s", code, said.String())
	}
	waitFor(t, "the end of the run", func() bool { return open(t, path).Run().Ended != nil })
	fails("has already ended (failed", "--seconds", "1")
	if o := run(t, dir, nil, binary, "profile", "r"); o.code != 0 || !strings.Contains(o.stdout, "window 2 of worker_0") {
		t.Errorf("a run that has ended shows its last window: %+v", o)
	}
	if o := run(t, dir, nil, binary, "stacks", "r"); o.code != 1 || !strings.Contains(o.stderr, "has already ended (failed") {
		t.Errorf("stacks of a run that has ended: %+v", o)
	}
	if o := run(t, dir, nil, binary, "fsck", "r"); o.code != 0 {
		t.Errorf("fsck: %+v", o)
	}
	file := filepath.Join(path, "profiles", "worker_0", "window-000002.pb.gz")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := run(t, dir, nil, binary, "fsck", "r"); o.code != 2 || !strings.Contains(o.stdout, "profiles/worker_0/window-000002.pb.gz") {
		t.Errorf("fsck of a damaged window: %+v", o)
	}
}
