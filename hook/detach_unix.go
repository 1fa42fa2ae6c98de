//go:build unix

package hook

import (
	"os/exec"
	"syscall"
)

// detach gives the agent a session of its own, so that a Ctrl-C for the
// training does not end it before it has stored everything.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
