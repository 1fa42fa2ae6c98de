//go:build unix

package control

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Writable says why a run's directory cannot be written; "" when it can.
func Writable(path string) string {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Sprintf("its directory cannot be written: %v", err)
	}
	return ""
}

// foreign says whose a run is that belongs to another user; "" for one's own.
func foreign(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Getuid() == 0 || int(s.Uid) == os.Getuid() {
		return ""
	}
	name := strconv.Itoa(int(s.Uid))
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return fmt.Sprintf("it belongs to the user %s: only they can control it", name)
}
