package agent

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
)

// grace is the time between SIGTERM and SIGKILL.
const grace = 10 * time.Second

// stopProcesses ends the workers without a launcher's help: SIGTERM to each,
// and SIGKILL to those that are still there after the grace period.
func (j *job) stopProcesses(rule, configuration, message string) {
	j.sendStop(rule, configuration, message)
	j.mu.Lock()
	if j.stopped != nil {
		j.mu.Unlock()
		return
	}
	j.stopped = &stopCause{rule: rule}
	var peers []capture.Peer
	for _, w := range j.workers {
		if !w.isClosed() {
			peers = append(peers, w.s.Peer)
		}
	}
	j.mu.Unlock()
	for _, p := range peers {
		if p.Alive() {
			syscall.Kill(p.PID, syscall.SIGTERM)
		}
	}
	time.AfterFunc(grace, func() {
		for _, p := range peers {
			if p.Alive() {
				syscall.Kill(p.PID, syscall.SIGKILL)
			}
		}
	})
}

// processCommand reads the command line and the working directory of a
// process; what cannot be read is empty.
func processCommand(pid int) (command []string, directory string) {
	proc := fmt.Sprintf("/proc/%d/", pid)
	if b, err := os.ReadFile(proc + "cmdline"); err == nil {
		command = strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
	}
	directory, _ = os.Readlink(proc + "cwd")
	return command, directory
}
