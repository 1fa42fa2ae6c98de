package vfs

import (
	"io/fs"
	"os"
	"path/filepath"
)

// OS is the host's file system.
var OS FS = osFS{}

type osFS struct{}

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Create(name string) (File, error) {
	return open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (osFS) CreateOnce(name string) (File, error) { return createOnce(name) }

func (osFS) Append(name string) (File, error) {
	return open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
}

func (osFS) Open(name string) (File, error) { return open(name, os.O_RDONLY) }

func (osFS) Mkdir(name string) error { return os.Mkdir(name, 0o755) }

func (o osFS) MkdirAll(name string) error { return mkdirAll(o, name) }

func (osFS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) List(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }

func (osFS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (osFS) Uncache(name string) error { return uncache(name) }

func (osFS) Usage(path string) (Usage, error) { return usage(path) }

// mkdirAll makes what is missing from the top down, so that a directory's own
// entry is synced before anything is put into it.
func mkdirAll(fsys FS, name string) error {
	info, err := fsys.Stat(name)
	if err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: name, Err: errNotDir}
		}
		return nil
	}
	parent := filepath.Dir(name)
	if parent != name {
		if err := mkdirAll(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(name); err != nil && !os.IsExist(err) {
		return err
	}
	return fsys.SyncDir(parent)
}
