package launch

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The shell may continue the group before the launcher has stopped itself, which does not stop then:
// nobody would continue it. The launcher is another process here, in a group of its own, so that a shell seems to watch it.
func TestContinuedBeforeItStopped(t *testing.T) {
	if came := os.Getenv("VIGIL_TEST_CAME"); came != "" {
		l := &launcher{where: shared, signals: make(chan os.Signal, 8)}
		for name := range strings.SplitSeq(came, ",") {
			if s := map[string]syscall.Signal{"CONT": syscall.SIGCONT, "TSTP": syscall.SIGTSTP}[name]; s != 0 {
				l.signals <- s
			}
		}
		l.stopSelf()
		return
	}
	for came, stops := range map[string]bool{"nothing": true, "CONT": false, "TSTP": true, "TSTP,CONT": false} {
		t.Run(came, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestContinuedBeforeItStopped$")
			cmd.Env = append(os.Environ(), "VIGIL_TEST_CAME="+came)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := cmd.Process.Pid
			kill := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			defer kill.Stop()
			stopped := false
			for {
				var status syscall.WaitStatus
				if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err == syscall.EINTR {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				if !status.Stopped() {
					if status.ExitStatus() != 0 || stopped != stops {
						t.Errorf("it ended with %d; it stopped: %t, want %t", status.ExitStatus(), stopped, stops)
					}
					return
				}
				stopped = true
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		})
	}
}
