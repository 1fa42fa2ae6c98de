//go:build unix

package launch

import "golang.org/x/sys/unix"

// mayExecute asks the kernel whether this user may execute a file.
func mayExecute(path string) bool { return unix.Access(path, unix.X_OK) == nil }
