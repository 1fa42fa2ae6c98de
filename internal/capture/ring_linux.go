package capture

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

type ringFile = *os.File

const ringSeals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// NewRing makes a ring of size bytes (virtual: pages that nobody touches take
// no memory) with the given number of records.
func NewRing(size int64, slots uint64) (*Ring, error) {
	g, err := geometry(uint64(size), slots)
	if err != nil {
		return nil, err
	}
	total := g.Data + g.DataBytes
	fd, err := unix.MemfdCreate("vigil-ring", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make ring: memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "vigil-ring")
	if err := f.Truncate(int64(total)); err != nil {
		f.Close()
		return nil, fmt.Errorf("make ring of %d bytes: %w", total, err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, ringSeals); err != nil {
		f.Close()
		return nil, fmt.Errorf("seal ring: %w", err)
	}
	r, err := mapRing(f, total)
	if err != nil {
		return nil, err
	}
	g.encode(r.mem)
	r.Geometry = g
	return r, nil
}

// OpenRing maps a ring made elsewhere and takes the file over. A ring that
// could still shrink is refused, because its reader could be made to fault.
func OpenRing(f *os.File) (*Ring, error) {
	seals, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	if err != nil || seals&(unix.F_SEAL_SHRINK|unix.F_SEAL_GROW) != unix.F_SEAL_SHRINK|unix.F_SEAL_GROW {
		f.Close()
		return nil, fmt.Errorf("open ring: it is not sealed against resizing (seals %#x, %v)", seals, err) //nolint:errorlint // err may be nil
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open ring: %w", err)
	}
	if st.Size() < headerBytes {
		f.Close()
		return nil, fmt.Errorf("open ring: %d bytes are less than a header", st.Size())
	}
	r, err := mapRing(f, uint64(st.Size()))
	if err != nil {
		return nil, err
	}
	if r.Geometry, err = decodeGeometry(r.mem, uint64(st.Size())); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func mapRing(f *os.File, size uint64) (*Ring, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("map ring of %d bytes: %w", size, err)
	}
	return &Ring{mem: mem, file: f}, nil
}

// Close unmaps the ring. No data of it may be used afterwards.
func (r *Ring) Close() error {
	if r.mem == nil {
		return nil
	}
	err := unix.Munmap(r.mem)
	r.mem = nil
	return errors.Join(err, r.file.Close())
}

// Prefault makes pages for a part of the data area, so that the first copy into
// it does not pay for them: clearing a page is most of what it costs, and here
// another processor does it. It returns early when stop says so.
func (r *Ring) Prefault(e extent, stop func() bool) {
	const chunk = 4 << 20
	for end := min(e.to, r.DataBytes); e.from < end && !stop(); e.from += chunk {
		if unix.Fallocate(int(r.file.Fd()), 0, int64(r.Data+e.from), int64(min(chunk, end-e.from))) != nil {
			return
		}
	}
}
