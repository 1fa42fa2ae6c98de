//go:build linux || darwin

package store

import (
	"os"
	"syscall"
)

// lockFile keeps others that ask for the same file's lock waiting until release is
// called, or this process ends. Where the lock cannot be had, nobody waits.
func lockFile(path string) (release func()) {
	f, err := os.Open(path)
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	return func() { f.Close() }
}
