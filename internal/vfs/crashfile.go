package vfs

import (
	"bytes"
	"io"
	"io/fs"
	"syscall"
)

// crashFile is a handle on a file of a Crash.
type crashFile struct {
	c             *Crash
	n             *inode
	name          string
	pos           int64
	append, write bool
	closed        bool
}

func (f *crashFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *crashFile) ReadAt(p []byte, off int64) (int, error) {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if f.closed {
		return 0, pathError("read", f.name, fs.ErrClosed)
	}
	if off < 0 {
		return 0, pathError("read", f.name, fs.ErrInvalid)
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write writes what there is room for: like a real disk that fills up, it may
// leave the first part of p behind.
func (f *crashFile) Write(p []byte) (int, error) {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if f.closed || !f.write {
		return 0, pathError("write", f.name, fs.ErrClosed)
	}
	n := len(p)
	var err error
	if f.c.room >= 0 {
		if int64(n) > f.c.room {
			n = int(f.c.room)
			err = pathError("write", f.name, syscall.ENOSPC)
		}
		f.c.room -= int64(n)
	}
	if f.append {
		f.pos = int64(len(f.n.data))
	}
	if n > 0 {
		w := write{off: f.pos, data: bytes.Clone(p[:n])}
		f.n.data = w.apply(f.n.data)
		f.n.pending = append(f.n.pending, w)
		f.c.tick++
		f.n.tick = f.c.tick
		f.pos += int64(n)
	}
	return n, err
}

func (f *crashFile) Sync() error {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if f.closed {
		return pathError("sync", f.name, fs.ErrClosed)
	}
	for _, w := range f.n.pending {
		f.n.durable = w.apply(f.n.durable)
	}
	f.n.pending = nil
	return nil
}

func (f *crashFile) Truncate(size int64) error {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if f.closed || !f.write {
		return pathError("truncate", f.name, fs.ErrClosed)
	}
	f.c.truncate(f.n, size)
	return nil
}

func (f *crashFile) Size() (int64, error) {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	return int64(len(f.n.data)), nil
}

func (f *crashFile) Close() error {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if f.closed {
		return pathError("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	return nil
}

func (c *Crash) truncate(n *inode, size int64) {
	w := write{off: size, cut: true}
	n.data = w.apply(n.data)
	n.pending = append(n.pending, w)
}

// apply gives the bytes after a write. What lies between the end of the file
// and the write is zero.
func (w write) apply(data []byte) []byte {
	end := w.off + int64(len(w.data))
	if n := int64(len(data)); end > n {
		data = append(data, make([]byte, end-n)...)
	} else if w.cut {
		return data[:end:end]
	}
	copy(data[w.off:], w.data)
	return data
}
