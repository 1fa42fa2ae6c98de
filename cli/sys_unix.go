//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// closeOnExec keeps a descriptor from the processes we start.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

// isNotDir tells that a path went through something that is no directory.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
