package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/vfs"
)

// makeDir makes a folder in one that is there.
func makeDir(fsys vfs.FS, dir string) error {
	if err := fsys.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %q: %w", dir, err)
	}
	return nil
}

const tempSuffix = ".tmp"

var temps atomic.Int64

// replace writes a file as a whole, under a name of its own until it is whole: others
// may do the same at the same time, and the last one stays. Safe has it survive a
// loss of power.
func replace(fsys vfs.FS, path string, b []byte, safe bool) error {
	temp := fmt.Sprintf("%s.%d-%d%s", path, os.Getpid(), temps.Add(1), tempSuffix)
	f, err := fsys.Create(temp)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	_, err = f.Write(b)
	if err == nil && safe {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = fsys.Rename(temp, path)
	}
	if err != nil {
		_ = fsys.Remove(temp)
		return fmt.Errorf("write %q: %w", path, err)
	}
	if safe {
		err = fsys.SyncDir(filepath.Dir(path))
	}
	tidy(fsys, path)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}

// forgotten is the age of a half-written file whose writer is not coming back.
const forgotten = time.Hour

// tidy removes what writers of the file that were killed left.
func tidy(fsys vfs.FS, path string) {
	list, _ := fsys.List(filepath.Dir(path))
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), filepath.Base(path)+".") || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > forgotten {
			_ = fsys.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

func readFile(fsys vfs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}
