package agent

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// A process that writes its stacks too late does not give them to the one that is
// asked after it, also not in a later round.
func TestLateStacksAreNobodyElses(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := standing(t, socket, "first"), standing(t, socket, "second")
	pause := func(pid int, sig syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	until := time.Now().Add(time.Minute)
	in := func(threads []stacks.Thread) string {
		if len(threads) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%d in %s", len(threads), threads[0].Frames[0].Function)
	}
	var s signaller
	read := func(pid int) string {
		s.open(socket)
		defer s.close()
		return in(s.read(pid, until))
	}
	if got := read(first); got != "1 in first" {
		t.Fatalf("the first process: %s", got)
	}

	pause(first, syscall.SIGSTOP)
	pause(second, syscall.SIGSTOP)
	if got := read(first); got != "nothing" {
		t.Errorf("a process that stands still: %s", got)
	}
	answer := make(chan string)
	go func() { answer <- read(second) }()
	wait(t, "the signal of the second process", func() bool { return taskSignals(second)[second].pending&urgent != 0 })
	pause(first, syscall.SIGCONT)
	wait(t, "what the first process writes", func() bool { return (signalled{pid: first}).state() == idle })
	pause(second, syscall.SIGCONT)
	// On a machine that is too busy it gives nothing.
	if got := <-answer; got != "1 in second" && got != "nothing" {
		t.Errorf("the second process, while the first one wrote: %s", got)
	}

	pause(first, syscall.SIGSTOP)
	pause(second, syscall.SIGSTOP)
	if got := read(first); got != "nothing" {
		t.Errorf("a process that stands still: %s", got)
	}
	go func() { answer <- read(second) }()
	wait(t, "the signal of the second process", func() bool { return taskSignals(second)[second].pending&urgent != 0 })
	pause(first, syscall.SIGCONT)
	if got := <-answer; got != "nothing" {
		t.Errorf("the second process, which stood still while the first one wrote: %s", got)
	}
}

// standing starts Python in a function of that name, with the handler of the signal.
func standing(t *testing.T, socket, name string) (pid int) {
	t.Helper()
	cmd := exec.Command(testenv.Python(t), "-c", fmt.Sprintf(`import os, sys, time
sys.path.insert(0, os.environ["VIGIL_TEST_LIB"])
from vigil import _stacks
_stacks.register()
def %s():
    print("ready", flush=True)
    while True:
        pass
%[1]s()`, name))
	cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+socket, "VIGIL_TEST_LIB="+filepath.Join(testenv.Root(), "python"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
