package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// With --keep-output a program on a terminal has a terminal still: input, size,
// colours, progress bars, Ctrl-C. What it writes is shown as it comes, and kept.
func TestKeepOutputOnATerminal(t *testing.T) {
	const script = `
import os, sys
assert sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
assert os.tcgetpgrp(0) == os.getpgrp(), "not in the foreground"
assert os.get_terminal_size().columns == 80
print("hello", input("name: "))
sys.stderr.write("\r10%\r100%\n")
while os.get_terminal_size().columns == 80:
    pass
print("\x1b[31mwide\x1b[0m", flush=True)
try:
    import time
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
sys.exit(4)
`
	p := onTerminal(t, vigil(t), "run", "--quiet", "--keep-output", "--name", "kept", "--", testenv.Python(t), "-c", script)
	p.expect("name: ")
	p.press("Ada\n")
	p.expect("hello Ada\r\n")
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}); err != nil {
		t.Fatal(err)
	}
	p.expect("\x1b[31mwide\x1b[0m\r\n")
	p.press("\x03")
	p.expect("interrupted\r\n")
	if code := p.code(); code != 4 {
		t.Errorf("exit code %d, want 4", code)
	}
	b, err := os.ReadFile(filepath.Join(p.cmd.Dir, "vigil-runs", "kept", "logs", "output.log"))
	if want := "name: hello Ada\n\r10%\r100%\n\x1b[31mwide\x1b[0m\ninterrupted\n"; err != nil || string(b) != want {
		t.Errorf("the log has %q, %v; want %q", b, err, want)
	}
}

// A process that outlives the command and holds its output does not keep vigil
// run from ending.
func TestKeepOutputOfWhatStays(t *testing.T) {
	p := onTerminal(t, vigil(t), "run", "--quiet", "--keep-output", "--name", "kept", "--", "sh", "-c", "sleep 120 & echo $! > pid; echo gone")
	p.expect("gone")
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Error("it waits for a process that stays")
	}
	if b, err := os.ReadFile(filepath.Join(p.cmd.Dir, "pid")); err == nil {
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	if b, err := os.ReadFile(filepath.Join(p.cmd.Dir, "vigil-runs", "kept", "logs", "output.log")); err != nil || string(b) != "gone\n" {
		t.Errorf("the log has %q, %v", b, err)
	}
}

// A job whose output goes to a file writes to that file itself: before what is there, behind it, and when
// vigil run was killed.
func TestKeepOutputOfAFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		append bool
		kill   bool
	}{{"a new file", false, false}, {"behind what is there", true, false}, {"vigil run is killed", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "job.log")
			flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
			if tt.append {
				if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				flags = os.O_WRONLY | os.O_APPEND
			}
			out, err := os.OpenFile(path, flags, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd := exec.Command(vigil(t), "run", "--quiet", "--name", "kept", "--", "sh", "-c",
				`readlink /proc/self/fd/1; echo error >&2; touch ready; until [ -e go ]; do sleep 0.02; done; echo last; touch gone`)
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, cleanEnv(t), out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			there := func(name string) {
				t.Helper()
				for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
					if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
						return
					}
					if time.Now().After(deadline) {
						t.Fatalf("waited a minute for %s", name)
					}
				}
			}
			there("ready")
			var agent proc.ID
			if tt.kill {
				waitRun(t, filepath.Join(dir, "vigil-runs", "kept"), "its agent", func(tr *trial.Trial) bool {
					if known := tr.Run().Agent; known != nil {
						agent = proc.ID{PID: known.PID, Start: known.Start}
					}
					return agent.PID != 0
				})
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			}
			if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			there("gone")
			if tt.kill { // the agent still writes into the folder that goes with the test
				waitRun(t, filepath.Join(dir, "vigil-runs", "kept"), "its agent to end", func(*trial.Trial) bool { return !proc.Alive(agent) })
			}
			job := path + "\nerror\nlast\n"
			if !tt.kill {
				if err := cmd.Wait(); err != nil {
					t.Fatal(err)
				}
				if b, err := os.ReadFile(filepath.Join(dir, "vigil-runs", "kept", "logs", "output.log")); err != nil || string(b) != job {
					t.Errorf("the log has %q, %v, want %q", b, err, job)
				}
			}
			if tt.append {
				job = "before\n" + job
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != job {
				t.Errorf("the file has %q, %v, want %q", b, err, job)
			}
		})
	}
}
