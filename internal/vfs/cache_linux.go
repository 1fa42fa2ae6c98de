package vfs

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func uncache(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("let go of the cached %q: %w", name, err)
	}
	return nil
}
