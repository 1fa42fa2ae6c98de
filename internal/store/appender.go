package store

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// appender is an append-only file. A write that fails leaves nothing behind:
// what it wrote is cut off again, now or before the next write.
type appender struct {
	path string
	f    vfs.File
	size int64 // length up to the last whole write
	torn bool  // bytes of a failed write may lie behind size

	mu    sync.Mutex // guards dirty; syncing goes on next to writing
	dirty bool
}

// openAppender opens a file and makes it, with its name synced, when missing.
func openAppender(fsys vfs.FS, path string) (*appender, error) {
	_, err := fsys.Stat(path)
	isNew := err != nil
	if isNew {
		if err := fsys.MkdirAll(filepath.Dir(path)); err != nil {
			return nil, typed(fmt.Errorf("open for appending: %w", err))
		}
	}
	f, err := fsys.Append(path)
	if err != nil {
		return nil, typed(fmt.Errorf("open for appending: %w", err))
	}
	a := &appender{path: path, f: f, dirty: true}
	if a.size, err = f.Size(); err == nil && isNew {
		err = fsys.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		return nil, typed(fmt.Errorf("open for appending: %w", err))
	}
	return a, nil
}

// append writes b whole or not at all. The caller keeps writers apart.
func (a *appender) append(b []byte) error {
	if a.torn {
		if err := a.f.Truncate(a.size); err != nil {
			return typed(fmt.Errorf("append to %q: %w", a.path, err))
		}
		a.torn = false
	}
	a.mu.Lock()
	a.dirty = true
	a.mu.Unlock()
	if _, err := a.f.Write(b); err != nil {
		a.torn = a.f.Truncate(a.size) != nil
		return typed(fmt.Errorf("append to %q: %w", a.path, err))
	}
	a.size += int64(len(b))
	return nil
}

// line appends a JSON object with its checksum. Another process may have
// appended to the file too, so its length is asked for.
func (a *appender) line(v ...any) error {
	var b []byte
	for _, v := range v {
		l, err := lines.Line(v)
		if err != nil {
			return fmt.Errorf("append to %q: %w", a.path, err)
		}
		b = append(b, l...)
	}
	if !a.torn {
		size, err := a.f.Size()
		if err != nil {
			return fmt.Errorf("append to %q: %w", a.path, err)
		}
		a.size = size
	}
	return a.append(b)
}

// sync makes everything appended so far survive a loss of power.
func (a *appender) sync() error {
	a.mu.Lock()
	dirty := a.dirty
	a.dirty = false
	a.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := a.f.Sync(); err != nil {
		a.mu.Lock()
		a.dirty = true
		a.mu.Unlock()
		return typed(fmt.Errorf("sync %q: %w", a.path, err))
	}
	return nil
}

// replace writes a file as a whole: the old content or the new one is there at
// any time, and the new one is safe when it returns.
func replace(fsys vfs.FS, path string, write func(io.Writer) error) error {
	return replaceBy(fsys, fsys.Create, path, write)
}

// replaceBy is replace with another way to make the file.
func replaceBy(fsys vfs.FS, create func(string) (vfs.File, error), path string, write func(io.Writer) error) (err error) {
	if err := fsys.MkdirAll(filepath.Dir(path)); err != nil {
		return typed(fmt.Errorf("replace %q: %w", path, err))
	}
	temp := path + tempSuffix
	f, err := create(temp)
	if err != nil {
		return typed(fmt.Errorf("replace %q: %w", path, err))
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = fsys.Rename(temp, path)
	}
	if err != nil {
		// The name of the half-written file is of no use to anyone; when it
		// cannot go now, Resume removes it.
		_ = fsys.Remove(temp)
		return typed(fmt.Errorf("replace %q: %w", path, err))
	}
	if err := fsys.SyncDir(filepath.Dir(path)); err != nil {
		return typed(fmt.Errorf("replace %q: %w", path, err))
	}
	return nil
}

func replaceBytes(fsys vfs.FS, path string, b []byte) error {
	return replace(fsys, path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// readFile reads a whole file.
func readFile(fsys vfs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
