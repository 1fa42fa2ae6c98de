package cli

import "syscall"

// closeOnExec keeps a descriptor from the processes we start.
func closeOnExec(fd int) { syscall.CloseOnExec(syscall.Handle(fd)) }

// isNotDir tells that a path went through something that is no directory.
// Windows says that it does not exist.
func isNotDir(error) bool { return false }
