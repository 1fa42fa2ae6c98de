package vfs

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// directFile writes past the system's cache as long as what it is given allows
// that, and through it from then on.
type directFile struct {
	osFile
	direct bool
}

// createOnce falls back to an ordinary file where the file system refuses.
func createOnce(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|unix.O_DIRECT, 0o644)
	if err != nil {
		return OS.Create(name)
	}
	return &directFile{osFile{f}, true}, nil
}

func (d *directFile) Write(p []byte) (int, error) {
	if d.direct && !whole(p) {
		if err := d.throughCache(); err != nil {
			return 0, err
		}
	}
	n, err := d.osFile.Write(p)
	if !d.direct || !errors.Is(err, unix.EINVAL) {
		return n, err
	}
	// The disk wants other multiples than ours, or the last call was cut short
	// between two of them.
	if err := d.throughCache(); err != nil {
		return n, err
	}
	m, err := d.osFile.Write(p[n:])
	return n + m, err
}

// throughCache has the system copy what is written from now on.
func (d *directFile) throughCache() error {
	c, err := d.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err == nil {
			_, err = unix.FcntlInt(fd, unix.F_SETFL, flags&^unix.O_DIRECT)
		}
		failed = err
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("write %q through the cache: %w", d.Name(), err)
	}
	d.direct = false
	return nil
}

func whole(p []byte) bool {
	return len(p)%Unit == 0 && uintptr(unsafe.Pointer(unsafe.SliceData(p)))%Unit == 0
}
