// Package logfile keeps text of any length in a file of bounded size: its
// beginning and its end. What began is often the reason, and what came last is
// what happened.
package logfile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Bounds of a file.
const (
	Head = 64 << 10 // bytes of the beginning that are kept
	Tail = 1 << 20  // bytes of the end
	// slack is how much longer a file may be while it is written, so that it is
	// not cut for each line.
	slack = 1 << 20
)

// LeftOut stands where something is missing, on a line of its own.
const LeftOut = "[… lines were left out here …]\n"

// File is a log that is written. Its methods may be called from several
// goroutines. A write never fails: a full disk must not disturb who has
// something to say.
type File struct {
	path string

	mu   sync.Mutex
	f    *os.File
	size int64
}

// Open opens a log for writing at its end and makes it, with its folder, when it
// is not there.
func Open(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &File{path: path, f: f}
	if st, err := f.Stat(); err == nil {
		l.size = st.Size()
	}
	return l, nil
}

// Write adds to the log. It takes everything and gives no error.
func (l *File) Write(p []byte) (int, error) {
	if l == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return len(p), nil
	}
	n, _ := l.f.Write(p)
	if l.size += int64(n); l.size > Head+Tail+slack {
		l.shorten()
	}
	return len(p), nil
}

// Close cuts the log to its bounds and closes it; what is written later is lost.
func (l *File) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	if st, err := l.f.Stat(); err == nil {
		l.size = st.Size() // others may have written to it
	}
	if l.size > Head+Tail+int64(len(LeftOut)) {
		l.shorten()
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// File is the open file, for a process that is to write to it, too.
func (l *File) File() *os.File { return l.f }

// shorten takes the middle out. The beginning is never touched, and the end is
// written before the file is cut, so that a death in between loses nothing.
func (l *File) shorten() {
	f, err := os.OpenFile(l.path, os.O_RDWR, 0) // a file for appending takes no other writes
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() <= Head+Tail {
		return
	}
	head, tail := make([]byte, Head), make([]byte, Tail)
	if _, err := f.ReadAt(head, 0); err != nil {
		return
	}
	if _, err := f.ReadAt(tail, st.Size()-Tail); err != nil && err != io.EOF {
		return
	}
	keep := bytes.LastIndexByte(head, '\n') + 1
	if i := bytes.Index(head, []byte(LeftOut)); i >= 0 {
		keep = i
	}
	if keep == 0 {
		keep = Head // one long line
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	middle := []byte(LeftOut)
	if keep == Head && head[Head-1] != '\n' {
		middle = append([]byte{'\n'}, middle...)
	}
	end := append(middle, tail...)
	if _, err := f.WriteAt(end, int64(keep)); err != nil {
		return
	}
	l.size = int64(keep) + int64(len(end))
	_ = f.Truncate(l.size)
}
