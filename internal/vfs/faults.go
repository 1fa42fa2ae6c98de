package vfs

import (
	"io/fs"
	"sync"
)

// OpKind names an operation that can be made to fail.
type OpKind string

// The operations that change a file system, and reading.
const (
	OpCreate   OpKind = "create"
	OpAppend   OpKind = "append"
	OpOpen     OpKind = "open"
	OpMkdir    OpKind = "mkdir"
	OpRename   OpKind = "rename"
	OpRemove   OpKind = "remove"
	OpSyncDir  OpKind = "syncdir"
	OpWrite    OpKind = "write"
	OpSync     OpKind = "sync"
	OpTruncate OpKind = "truncate"
)

// Op is one operation about to happen.
type Op struct {
	Kind OpKind
	Path string
	N    int // number of the operation since the start, from 1
}

// WithFaults gives a file system in which an operation fails with the error
// that fault returns for it, without happening. Of a failing write the first
// half is written, as a disk that fills up may do. fault is called for one
// operation at a time.
func WithFaults(fsys FS, fault func(Op) error) FS {
	return &faulty{FS: fsys, fault: fault}
}

// FailAt is a fault that lets operation n, and no other, fail.
func FailAt(n int, err error) func(Op) error {
	return func(op Op) error {
		if op.N == n {
			return err
		}
		return nil
	}
}

type faulty struct {
	FS
	mu    sync.Mutex
	n     int
	fault func(Op) error
}

func (f *faulty) check(kind OpKind, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if err := f.fault(Op{kind, path, f.n}); err != nil {
		return &fs.PathError{Op: string(kind), Path: path, Err: err}
	}
	return nil
}

func (f *faulty) file(kind OpKind, name string, open func(string) (File, error)) (File, error) {
	if err := f.check(kind, name); err != nil {
		return nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f, name}, nil
}

func (f *faulty) Create(name string) (File, error) { return f.file(OpCreate, name, f.FS.Create) }
func (f *faulty) CreateOnce(name string) (File, error) {
	return f.file(OpCreate, name, f.FS.CreateOnce)
}
func (f *faulty) Append(name string) (File, error) { return f.file(OpAppend, name, f.FS.Append) }
func (f *faulty) Open(name string) (File, error)   { return f.file(OpOpen, name, f.FS.Open) }
func (f *faulty) MkdirAll(name string) error       { return mkdirAll(f, name) }

func (f *faulty) do(kind OpKind, path string, run func() error) error {
	if err := f.check(kind, path); err != nil {
		return err
	}
	return run()
}

func (f *faulty) Mkdir(name string) error {
	return f.do(OpMkdir, name, func() error { return f.FS.Mkdir(name) })
}

func (f *faulty) Rename(oldName, newName string) error {
	return f.do(OpRename, newName, func() error { return f.FS.Rename(oldName, newName) })
}

func (f *faulty) Remove(name string) error {
	return f.do(OpRemove, name, func() error { return f.FS.Remove(name) })
}

func (f *faulty) SyncDir(dir string) error {
	return f.do(OpSyncDir, dir, func() error { return f.FS.SyncDir(dir) })
}

type faultyFile struct {
	File
	f    *faulty
	name string
}

func (w *faultyFile) Write(p []byte) (int, error) {
	if err := w.f.check(OpWrite, w.name); err != nil {
		n, _ := w.File.Write(p[:len(p)/2])
		return n, err
	}
	return w.File.Write(p)
}

func (w *faultyFile) Sync() error {
	return w.f.do(OpSync, w.name, w.File.Sync)
}

func (w *faultyFile) Truncate(size int64) error {
	return w.f.do(OpTruncate, w.name, func() error { return w.File.Truncate(size) })
}
