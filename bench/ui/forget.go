//go:build linux

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// forget has the kernel keep nothing of some files, and says how: all that it has read
// of files, or of these alone where that is not allowed.
func forget(root string) (how string, err error) {
	syscall.Sync()
	if os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0o200) == nil {
		return "", nil
	}
	return "without root: the kernel was asked to forget the files of the run alone.", filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
}
