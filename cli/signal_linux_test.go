package cli

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// signalled is a training that says what it gets.
const signalled = `
import signal, sys, time
def got(n, frame):
    print("got", n, flush=True)
    if n in (signal.SIGTERM, signal.SIGINT):
        sys.exit(40 + n)
for n in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(n, got)
print("ready", flush=True)
while True:
    time.sleep(0.05)
`

// TestSignalsPass sends signals to the launcher alone; the command gets them.
func TestSignalsPass(t *testing.T) {
	for _, last := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := exec.Command(vigil(t), "run", "--quiet", "--", testenv.Python(t), "-c", signalled)
		cmd.Dir, cmd.Env = t.TempDir(), cleanEnv(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		watchdog := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		lines := bufio.NewScanner(stdout)
		expect := func(want string) {
			t.Helper()
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("the command says %q, want %q; stderr: %s", lines.Text(), want, &stderr)
			}
		}
		expect("ready")
		for _, s := range []struct {
			signal syscall.Signal
			want   string
		}{{syscall.SIGHUP, "got 1"}, {syscall.SIGQUIT, "got 3"}, {syscall.SIGUSR1, "got 10"}, {syscall.SIGUSR2, "got 12"}} {
			if err := cmd.Process.Signal(s.signal); err != nil {
				t.Fatal(err)
			}
			expect(s.want)
		}
		if err := cmd.Process.Signal(last); err != nil {
			t.Fatal(err)
		}
		expect(map[syscall.Signal]string{syscall.SIGTERM: "got 15", syscall.SIGINT: "got 2"}[last])
		_ = cmd.Wait()
		watchdog.Stop()
		if code := cmd.ProcessState.ExitCode(); code != 40+int(last) {
			t.Errorf("exit code %d after %v, want %d; stderr: %s", code, last, 40+int(last), &stderr)
		}
	}
}

// TestIgnoredSignalsStayIgnored starts under nohup's condition: the command
// must not get SIGHUP's default action back.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	const script = `trap '' HUP; exec "$0" run --quiet -- "$1" -c 'import signal; print(repr(signal.getsignal(signal.SIGHUP)))'`
	cmd := exec.Command("sh", "-c", script, vigil(t), testenv.Python(t))
	cmd.Dir, cmd.Env = t.TempDir(), cleanEnv(t)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "SIG_IGN") {
		t.Errorf("SIGHUP is %q (%v), want SIG_IGN", out, err)
	}
}
