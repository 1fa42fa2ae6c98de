//go:build unix

package action

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command into a process group of its own, so that what it
// starts is killed with it and the job's signals pass it by.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
