//go:build unix

package vfs

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var errNotDir error = syscall.ENOTDIR

// SyncDir syncs the directory's entries. A file system that cannot sync a
// directory (some network and user-space ones say EINVAL) is taken at its word.
func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !isErr(err, syscall.EINVAL, syscall.ENOTSUP) {
		return err
	}
	return nil
}

func usage(path string) (Usage, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return Usage{}, fmt.Errorf("ask for the free room of %q: %w", path, err)
	}
	unit := int64(s.Bsize) //nolint:unconvert // 32 bits wide on other systems
	return Usage{Free: int64(s.Bavail) * unit, Total: int64(s.Blocks) * unit}, nil
}
