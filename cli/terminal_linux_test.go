package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/screen"
)

// pty is a pseudo-terminal of 80 columns and 24 rows with a program on it.
type pty struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{}
	read   chan struct{} // closed when nothing more can come from the terminal
	screen *screen.Screen

	mu  sync.Mutex
	out bytes.Buffer
}

// onTerminal starts a program as the leader of a session on a new terminal.
func onTerminal(t *testing.T, argv ...string) *pty {
	t.Helper()
	return onTerminalWith(t, nil, argv...)
}

// onTerminalWith is onTerminal with variables besides the usual ones.
func onTerminalWith(t *testing.T, environ []string, argv ...string) *pty {
	t.Helper()
	// Not blocking, so that Close ends a Read that waits.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	master := os.NewFile(uintptr(fd), "/dev/ptmx")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = t.TempDir(), append(cleanEnv(t), "TERM=xterm", "LC_ALL=C.UTF-8", "CI=", "NO_COLOR=")
	cmd.Env = append(cmd.Env, environ...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &pty{t: t, master: master, cmd: cmd, ended: make(chan struct{}), read: make(chan struct{}), screen: screen.New(80, 24)}
	go func() {
		defer close(p.read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			p.mu.Lock()
			p.out.Write(b[:n])
			p.mu.Unlock()
			_, _ = p.screen.Write(b[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() { _ = cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Process.Kill()
		<-p.ended
		master.Close()
		<-p.read
	})
	return p
}

// shown is all that the terminal was told so far.
func (p *pty) shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// expect waits until the terminal shows text, and forgets what came before its
// end.
func (p *pty) expect(text string) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		i := strings.Index(p.out.String(), text)
		if i >= 0 {
			p.out.Next(i + len(text))
		}
		p.mu.Unlock()
		if i >= 0 {
			return
		}
	}
	p.t.Fatalf("the terminal does not show %q; it shows %q", text, p.shown())
}

// until waits until the screen is as it should be.
func (p *pty) until(what string, is func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited for %s; the screen shows\n%s", what, strings.Join(p.screen.All(), "\n"))
		}
	}
}

// press types keys.
func (p *pty) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// code waits for the program's end, and for all that it wrote: what was on its way
// through the terminal when it ended comes after that.
func (p *pty) code() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		p.t.Fatalf("the program did not end; the terminal shows %q", p.shown())
	}
	select {
	case <-p.read:
	case <-time.After(time.Minute):
		p.t.Fatalf("something still has the terminal, which shows %q", p.shown())
	}
	return p.cmd.ProcessState.ExitCode()
}

func TestTerminalPasses(t *testing.T) {
	const script = `
import os, sys
assert sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
assert os.tcgetpgrp(0) == os.getpgrp(), "not in the foreground"
assert os.get_terminal_size().columns == 80
print("hello", input("name: "))
sys.exit(4)
`
	p := onTerminal(t, vigil(t), "run", "--", testenv.Python(t), "-c", script)
	p.expect("name: ")
	p.press("Ada\n")
	p.expect("hello Ada")
	p.expect("failed with exit code 4")
	if code := p.code(); code != 4 {
		t.Errorf("exit code %d, want 4", code)
	}
}

func TestCtrlCReachesTheCommandOnce(t *testing.T) {
	const script = `
import time
for n in (1, 2):
    try:
        print("waiting", n, flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted", n, flush=True)
time.sleep(60)
`
	for name, argv := range map[string][]string{
		"alone":       {vigil(t), "run", "--quiet", "--", testenv.Python(t), "-c", script},
		"in a script": {"sh", "-c", `"$0" run --quiet -- "$1" -c "$2"; exit $?`, vigil(t), testenv.Python(t), script},
	} {
		t.Run(name, func(t *testing.T) {
			p := onTerminal(t, argv...)
			p.expect("waiting 1")
			p.press("\x03")
			p.expect("interrupted 1")
			p.expect("waiting 2")
			p.press("\x03")
			p.expect("interrupted 2")
			p.press("\x03")
			p.expect("KeyboardInterrupt")
			// A shell that got the signal too dies of it.
			if code := p.code(); code != 130 && code != -1 {
				t.Errorf("exit code %d, want 130", code)
			}
		})
	}
}

func TestJobControl(t *testing.T) {
	const script = `
print("one", input())
print("two", input())
`
	shell := `"$0" run --quiet -- "$1" -c "$2"; echo suspended; fg; echo ended $?`
	p := onTerminal(t, "bash", "--norc", "-m", "-c", shell, vigil(t), testenv.Python(t), script)
	p.press("a\n")
	p.expect("one a")
	p.press("\x1a") // Ctrl-Z
	p.expect("suspended")
	p.press("b\n")
	p.expect("two b")
	p.expect("ended 0")
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// TestHangUp closes the terminal: the command gets SIGHUP, and the run is
// finished all the same.
func TestHangUp(t *testing.T) {
	p := onTerminal(t, vigil(t), "run", "--name", "h", "--", testenv.Python(t), "-c", "print('up', flush=True); input(); import time; time.sleep(60)")
	p.expect("up")
	run := p.cmd.Dir + "/vigil-runs/h/run.json"
	p.master.Close()
	if code := p.code(); code == 0 {
		t.Errorf("exit code 0 after the terminal went away")
	}
	b, err := os.ReadFile(run)
	if err != nil || !strings.Contains(string(b), `"status": "failed"`) {
		t.Errorf("run.json after the terminal went away: %v\n%s", err, b)
	}
}
