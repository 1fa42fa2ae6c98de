package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// keepState saves walking through all runs after each raw step.
type keepState struct {
	walked  bool
	total   int64 // of all runs at the last walk
	written int64 // by this writer since
}

// Keep removes the oldest raw files of all runs below this run's root until
// raw files take at most limit bytes, and says how many bytes went. It looks
// at the disk only when what this writer added may matter: what other writers
// add in the meantime is seen when another hundredth of the limit was written.
func (w *Writer) Keep(limit int64) (removed int64, err error) {
	w.mu.Lock()
	k := w.keep
	w.mu.Unlock()
	if k.walked && k.total+k.written <= limit && k.written <= limit/100 {
		return 0, nil
	}
	removed, total, err := w.prune(limit)
	w.mu.Lock()
	w.keep = keepState{walked: err == nil, total: total, written: w.keep.written - k.written}
	w.mu.Unlock()
	if err != nil {
		return removed, fmt.Errorf("keep raw tensors within %d bytes: %w", limit, err)
	}
	return removed, nil
}

// rawFile is a raw file of any run.
type rawFile struct {
	run, rel string
	size     int64
	time     time.Time
}

func (w *Writer) prune(limit int64) (removed, total int64, err error) {
	root := filepath.Dir(w.path)
	list, err := w.fs.List(root)
	if err != nil {
		return 0, 0, err
	}
	var files []rawFile
	for _, e := range list {
		run := filepath.Join(root, e.Name())
		if _, err := w.fs.Stat(filepath.Join(run, layout.RunFile)); err != nil {
			continue // not a run: nothing of ours
		}
		err := walkRaw(w.fs, run, func(rel string, size int64, at time.Time, temp bool) error {
			if !temp {
				files = append(files, rawFile{run, rel, size, at})
				total += size
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	sort.Slice(files, func(i, j int) bool {
		a, b := files[i], files[j]
		if !a.time.Equal(b.time) {
			return a.time.Before(b.time)
		}
		return a.run+"/"+a.rel < b.run+"/"+b.rel
	})
	for _, f := range files {
		if total <= limit {
			break
		}
		if err := w.drop(f); err != nil {
			return removed, total, err
		}
		removed += f.size
		total -= f.size
	}
	return removed, total, nil
}

// drop removes a raw file. The manifest is told first, so that no reader takes
// the missing file for a damage.
func (w *Writer) drop(f rawFile) error {
	e := manifest.Event{Removed: f.rel}
	if f.run == w.path {
		w.mu.Lock()
		err := w.event(e)
		delete(w.raw, f.rel)
		w.mu.Unlock()
		if err != nil {
			return err
		}
	} else if err := appendForeign(w.fs, filepath.Join(f.run, layout.Manifest), e); err != nil {
		return err
	}
	if err := w.fs.Remove(filepath.Join(f.run, filepath.FromSlash(f.rel))); err != nil && !missing(err) {
		return err
	}
	return nil
}

// appendForeign appends a line to the manifest of a run that another process
// may be writing: one write, on a new line whatever the file ends with.
func appendForeign(fsys vfs.FS, name string, e manifest.Event) error {
	l, err := lines.Line(&e)
	if err != nil {
		return err
	}
	f, err := fsys.Append(name)
	if err != nil {
		return typed(err)
	}
	_, err = f.Write(append([]byte("\n"), l...))
	return typed(errors.Join(err, f.Close()))
}

// walkRaw visits the raw files of a run, unfinished ones included.
func walkRaw(fsys vfs.FS, run string, visit func(rel string, size int64, at time.Time, temp bool) error) error {
	var walk func(rel string, depth int) error
	walk = func(rel string, depth int) error {
		list, err := fsys.List(filepath.Join(run, filepath.FromSlash(rel)))
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range list {
			sub := path.Join(rel, e.Name())
			if e.IsDir() {
				if depth < 2 {
					if err := walk(sub, depth+1); err != nil {
						return err
					}
				}
				continue
			}
			_, isRaw := layout.RawStep(e.Name())
			temp := strings.HasSuffix(sub, layout.TempSuffix)
			if depth != 2 || !isRaw && !temp {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if err := visit(sub, info.Size(), info.ModTime(), temp); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(layout.TensorsDir, 0)
}

// WalkRaw visits the finished raw files of a run.
func WalkRaw(fsys vfs.FS, run string, visit func(rel string) error) error {
	return walkRaw(fsys, run, func(rel string, _ int64, _ time.Time, temp bool) error {
		if temp {
			return nil
		}
		return visit(rel)
	})
}
