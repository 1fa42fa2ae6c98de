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

	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// keepState saves walking through all runs after each raw step.
type keepState struct {
	walked  bool
	total   int64     // of all runs at the last walk
	written int64     // by this writer since
	oldest  time.Time // of what was left by the last walk; zero: nothing was
}

// Limit is what raw files may take and how old they may become; 0 does not
// bound.
type Limit struct {
	Bytes int64
	Age   time.Duration
}

// due reports whether looking at the disk may find something to remove. What
// came since the last walk is younger than what that left.
func (k keepState) due(l Limit, now time.Time) bool {
	return !k.walked ||
		l.Bytes > 0 && (k.total+k.written > l.Bytes || k.written > l.Bytes/100) ||
		l.Age > 0 && !k.oldest.IsZero() && now.Sub(k.oldest) > l.Age ||
		l.Age > 0 && k.oldest.IsZero() && k.written > 0
}

// Keep removes raw files of all runs below this run's root, the oldest first:
// those that are older than the limit's age, by the time of their last change,
// and then as many as it takes to stay within its bytes. When no raw file is left
// that may go, sealed machine metrics do, likewise. It says how many bytes went.
// Nothing else of a run is touched. It looks at the disk only when
// that may matter: what other writers add in the meantime is seen when another
// hundredth of the limit was written.
func (w *Writer) Keep(l Limit, now time.Time) (removed int64, err error) {
	w.mu.Lock()
	k := w.keep
	w.mu.Unlock()
	if l == (Limit{}) || !k.due(l, now) {
		return 0, nil
	}
	next, removed, err := w.prune(l, now)
	w.mu.Lock()
	next.written = w.keep.written - k.written
	w.keep = next
	w.mu.Unlock()
	if err != nil {
		return removed, fmt.Errorf("keep raw tensors within %d bytes and %s: %w", l.Bytes, l.Age, err)
	}
	return removed, nil
}

// rawFile is a raw file of any run, or a table of machine metrics.
type rawFile struct {
	run, rel string
	size     int64
	time     time.Time
	metrics  bool
}

func (w *Writer) prune(l Limit, now time.Time) (left keepState, removed int64, err error) {
	root := filepath.Dir(w.path)
	list, err := w.fs.List(root)
	if err != nil {
		return left, 0, err
	}
	var files []rawFile
	for _, e := range list {
		run := filepath.Join(root, e.Name())
		if _, err := w.fs.Stat(filepath.Join(run, layout.RunFile)); err != nil {
			continue // not a run: nothing of ours
		}
		err := walkRaw(w.fs, run, func(rel string, size int64, at time.Time, temp bool) error {
			if !temp {
				files = append(files, rawFile{run, rel, size, at, false})
				left.total += size
			}
			return nil
		})
		if err == nil {
			err = walkMetrics(w.fs, run, func(rel string, size int64, at time.Time) {
				files = append(files, rawFile{run, rel, size, at, true})
				left.total += size
			})
		}
		if err != nil {
			return left, 0, err
		}
	}
	sort.Slice(files, func(i, j int) bool {
		a, b := files[i], files[j]
		if a.metrics != b.metrics {
			return b.metrics
		}
		if !a.time.Equal(b.time) {
			return a.time.Before(b.time)
		}
		return a.run+"/"+a.rel < b.run+"/"+b.rel
	})
	for _, f := range files {
		old := l.Age > 0 && now.Sub(f.time) > l.Age
		if !old && (l.Bytes <= 0 || left.total <= l.Bytes) {
			if left.oldest.IsZero() || f.time.Before(left.oldest) {
				left.oldest = f.time
			}
			continue // metrics behind it may be too old
		}
		if err := w.drop(f); err != nil {
			return left, removed, err
		}
		removed += f.size
		left.total -= f.size
	}
	left.walked = true
	return left, removed, nil
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

// keeps reports whether a table may make room for others.
func keeps(table string) bool {
	return table == chunk.Metrics || table == chunk.LevelsOf(chunk.Metrics)
}

// walkMetrics visits the sealed machine metrics of a run, and their levels.
func walkMetrics(fsys vfs.FS, run string, visit func(rel string, size int64, at time.Time)) error {
	hosts, err := fsys.List(filepath.Join(run, layout.SystemDir))
	if err != nil && !missing(err) {
		return err
	}
	for _, host := range hosts {
		if !host.IsDir() {
			continue
		}
		dir := path.Join(layout.SystemDir, host.Name())
		list, err := fsys.List(filepath.Join(run, filepath.FromSlash(dir)))
		if err != nil && !missing(err) {
			return err
		}
		for _, e := range list {
			table, _, ok := layout.ChunkNumber(e.Name())
			if !ok || !keeps(table) {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			visit(path.Join(dir, e.Name()), info.Size(), info.ModTime())
		}
	}
	return nil
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
