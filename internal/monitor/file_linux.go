package monitor

import (
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// file is a file of the kernel's that is kept open and read again and again from
// its beginning, without allocating.
type file struct {
	path string
	fd   int  // -1: not open
	once bool // one read gives all of it, so that it need not be read to its end
	buf  []byte
}

func newFile(path string, once bool) *file { return &file{path: path, fd: -1, once: once} }

// mostBytes bounds what is read of a file.
const mostBytes = 4 << 20

// read is the whole file as it is now, until the next read.
func (f *file) read() ([]byte, error) {
	if f.fd < 0 {
		fd, err := retried(func() (int, error) { return unix.Open(f.path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
		if err != nil {
			return nil, err
		}
		f.fd = fd
	}
	if f.buf == nil {
		f.buf = make([]byte, 4096)
	}
	n := 0
	for {
		if n == len(f.buf) {
			if n >= mostBytes {
				return f.buf[:n], nil
			}
			f.buf = append(f.buf, make([]byte, len(f.buf))...)
		}
		got, err := retried(func() (int, error) { return unix.Pread(f.fd, f.buf[n:], int64(n)) })
		if err != nil {
			f.close()
			return nil, err
		}
		if n += got; got == 0 || f.once && n < len(f.buf) {
			break
		}
	}
	if n == 0 {
		return nil, errEmpty
	}
	return f.buf[:n], nil
}

var errEmpty = errors.New("it is empty")

func (f *file) close() {
	if f != nil && f.fd >= 0 {
		unix.Close(f.fd)
		f.fd = -1
	}
}

// retried does again what a signal interrupted.
func retried(f func() (int, error)) (n int, err error) {
	for {
		if n, err = f(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// denied tells that a file is not for us, which will not change.
func denied(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }

// directory is one that is kept open, to see who is in it.
type directory struct {
	path string
	fd   int
	buf  []byte
}

func newDirectory(path string) *directory { return &directory{path: path, fd: -1} }

func (d *directory) open() error {
	if d.fd >= 0 {
		return nil
	}
	fd, err := retried(func() (int, error) {
		return unix.Open(d.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err == nil {
		d.fd = fd
	}
	return err
}

// numbers hands over the entries whose name is a number.
func (d *directory) numbers(fn func(n uint64)) error {
	if err := d.open(); err != nil {
		return err
	}
	if _, err := unix.Seek(d.fd, 0, io.SeekStart); err != nil {
		d.close()
		return err
	}
	if d.buf == nil {
		d.buf = make([]byte, 32<<10)
	}
	for {
		n, err := retried(func() (int, error) { return unix.Getdents(d.fd, d.buf) })
		if err != nil {
			d.close()
			return err
		}
		if n <= 0 {
			return nil
		}
		entries(d.buf[:n], fn)
	}
}

// entries reads what getdents64 gives: inode and offset of 8 bytes, length of 2,
// kind of 1, and the name with a zero at its end.
func entries(b []byte, fn func(n uint64)) {
	const head = 19
	for len(b) > head {
		length := int(binary.NativeEndian.Uint16(b[16:]))
		if length <= head || length > len(b) {
			return
		}
		name := b[head:length]
		for i, c := range name {
			if c == 0 {
				name = name[:i]
				break
			}
		}
		if v, ok := number(name); ok {
			fn(v)
		}
		b = b[length:]
	}
}

// count is how many files a process has open: /proc/PID/fd tells by its size from
// Linux 6.2 on; exact is false where it does not.
func (d *directory) count() (n uint64, exact bool, err error) {
	if err := d.open(); err != nil {
		return 0, false, err
	}
	var st unix.Stat_t
	if _, err := retried(func() (int, error) { return 0, unix.Fstat(d.fd, &st) }); err != nil {
		d.close()
		return 0, false, err
	}
	return uint64(st.Size), st.Size > 0, nil
}

func (d *directory) close() {
	if d != nil && d.fd >= 0 {
		unix.Close(d.fd)
		d.fd = -1
	}
}
