package agent

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// scratch is a file without a name that holds one tensor. It lies next to the
// run, so it takes disk and page cache, not the agent's memory.
type scratch struct {
	f   *os.File
	mem []byte
	n   uint64
}

func newScratch(dir string, n uint64) (scratch, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	var f *os.File
	if err == nil {
		f = os.NewFile(uintptr(fd), "scratch")
	} else if f, err = os.CreateTemp(dir, "scratch"); err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		return scratch{}, fmt.Errorf("make scratch file: %w", err)
	}
	return scratch{f: f, n: n}, nil
}

func (s *scratch) write(at uint64, b []byte) error {
	_, err := s.f.WriteAt(b, int64(at))
	return err
}

// bytes maps what was written. The bytes are valid until close.
func (s *scratch) bytes() ([]byte, error) {
	if s.n == 0 {
		return nil, nil
	}
	mem, err := unix.Mmap(int(s.f.Fd()), 0, int(s.n), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map scratch file: %w", err)
	}
	s.mem = mem
	return mem, nil
}

func (s *scratch) close() {
	if s.mem != nil {
		unix.Munmap(s.mem)
		s.mem = nil
	}
	if s.f != nil {
		s.f.Close()
		s.f = nil
	}
}
