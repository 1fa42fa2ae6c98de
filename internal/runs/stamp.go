package runs

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// stamp reports whether the files of a run are those that its row was made of: a hash
// over their names, sizes and times.
type stamp struct {
	closed uint64    // over the files that may change after a run has ended
	open   uint64    // over those, and over what is appended to while it runs
	newest time.Time // of their times
}

// settling is the time after a change in which another one may leave size and time of
// a file as they are: clocks of file systems are coarse.
const settling = 2 * time.Second

// settled tells that no change can have been missed at a time.
func (s stamp) settled(at time.Time) bool { return s.newest.Before(at.Add(-settling)) }

// of is the hash that counts.
func (s stamp) of(over bool) uint64 {
	if over {
		return s.closed
	}
	return s.open
}

// stampOf looks at a run's files; fs.ErrNotExist when there is no run. Deep looks at
// what only changes while it runs, too.
func stampOf(fsys vfs.FS, dir string, deep bool) (stamp, error) {
	var s stamp
	h := fnv.New64a()
	add := func(name string, info fs.FileInfo) {
		b := strconv.AppendInt(append(make([]byte, 0, 160), name...), info.Size(), 16)
		b = strconv.AppendInt(append(b, ' '), info.ModTime().UnixNano(), 16)
		_, _ = h.Write(append(b, '\n'))
		if info.ModTime().After(s.newest) {
			s.newest = info.ModTime()
		}
	}
	there := map[string]bool{}
	look := func(name string) error {
		info, err := fsys.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		there[name] = true
		add(name, info)
		return nil
	}
	for _, name := range []string{layout.RunFile, layout.Manifest, layout.Labels, layout.Findings} {
		if err := look(name); err != nil {
			return s, fmt.Errorf("look at run %q: %w", dir, err)
		}
	}
	if !there[layout.RunFile] && !there[layout.Manifest] {
		return s, fmt.Errorf("look at run %q: %w", dir, fs.ErrNotExist)
	}
	if there[layout.Findings] {
		for _, name := range []string{layout.Summary, layout.Statuses} {
			if err := look(name); err != nil {
				return s, fmt.Errorf("look at run %q: %w", dir, err)
			}
		}
	}
	s.closed = h.Sum64()
	if !deep {
		return s, nil
	}
	each := func(name string) {
		list, _ := fsys.List(filepath.Join(dir, filepath.FromSlash(name)))
		for _, e := range list {
			if info, err := e.Info(); err == nil && !e.IsDir() {
				add(path.Join(name, e.Name()), info)
			}
		}
	}
	each(layout.Findings)
	workers, _ := fsys.List(filepath.Join(dir, layout.SeriesDir))
	for _, w := range workers {
		each(path.Join(layout.SeriesDir, w.Name()))
	}
	s.open = h.Sum64()
	return s, nil
}
