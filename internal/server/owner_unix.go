//go:build unix

package server

import (
	"os"
	"syscall"
)

// ours reports whether a directory belongs to the user whom this process runs as.
func ours(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
