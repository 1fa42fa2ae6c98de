package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// look brings the entries up to date, unless that was just done. What cannot be read
// at once is left to the builder.
func (x *Index) look(force bool) error {
	x.scanning.Lock()
	defer x.scanning.Unlock()
	if !force && !x.scanned.IsZero() && x.o.Now().Sub(x.scanned) < x.o.Fresh {
		return x.wrong
	}
	x.wrong = x.scan()
	x.scanned = x.o.Now()
	return x.wrong
}

func (x *Index) scan() error {
	began := time.Now()
	list, err := x.fs.List(x.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list runs: %w", err)
	}
	var names []string
	hidden := false
	for _, d := range list {
		if d.Name() == Dir {
			hidden = d.IsDir()
		}
		if proper(d.Name()) && (d.IsDir() || x.within(d.Name(), d.Type())) {
			names = append(names, d.Name())
		}
	}
	x.file.usable = hidden || err == nil && !slices.ContainsFunc(list, func(d fs.DirEntry) bool { return d.Name() == Dir })
	if x.file.usable && !x.loaded {
		x.loaded = true
		x.adopt(x.file.load(x.root))
	}
	stale := x.forget(names, x.stale(names))
	// The newest come first, as they are shown.
	slices.SortStableFunc(stale, func(a, b found) int { return b.newest.Compare(a.newest) })
	for len(stale) > 0 && time.Since(began) < x.o.Patience {
		e, err := x.read(stale[0].name)
		x.put(stale[0].name, e, err)
		stale = stale[1:]
	}
	if len(stale) > 0 {
		x.leave(stale)
	}
	x.mu.Lock()
	save := x.dirty && !x.builder
	x.mu.Unlock()
	if save {
		x.saveSoon()
	}
	return nil
}

// found is a run whose row is not what its files are now.
type found struct {
	name   string
	newest time.Time
	gone   bool
}

// stale names the runs that are to be read, or are gone.
func (x *Index) stale(names []string) []found {
	x.mu.Lock()
	entries := make([]*entry, len(names))
	for i, name := range names {
		entries[i] = x.entries[name]
	}
	x.mu.Unlock()
	workers := min(runtime.GOMAXPROCS(0), 8)
	parts := make([][]found, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w * len(names) / workers; i < (w+1)*len(names)/workers; i++ {
				if newest, gone, differs := x.differs(names[i], entries[i]); differs {
					parts[w] = append(parts[w], found{names[i], newest, gone})
				}
			}
		})
	}
	wait.Wait()
	return slices.Concat(parts...)
}

// differs reports whether a run is to be read.
func (x *Index) differs(name string, e *entry) (newest time.Time, gone, differs bool) {
	s, err := stampOf(x.fs, filepath.Join(x.root, name), e != nil && !e.over)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.newest, true, e != nil
	case e == nil, err != nil:
		return s.newest, false, true
	case s.of(e.over) != e.stamp:
		return s.newest, false, true
	case e.behind && !e.fresh(x, x.o.Now()):
		return s.newest, false, true
	case !e.behind && !e.settled && s.settled(x.o.Now()):
		return s.newest, false, true
	case !e.over && e.row.Status == record.Running:
		run := e.writers
		return s.newest, false, trial.Gone(&run)
	}
	return s.newest, false, false
}

// forget drops the runs that are gone, and gives the others of stale.
func (x *Index) forget(names []string, stale []found) []found {
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	for _, f := range stale {
		if f.gone {
			there[f.name] = false
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if !there[name] {
			x.drop(name)
		}
	}
	return slices.DeleteFunc(stale, func(f found) bool { return f.gone || x.waiting[f.name] })
}

// within reports whether an entry of the root that is a symbolic link leads to a
// directory below the root.
func (x *Index) within(name string, mode fs.FileMode) bool {
	if mode&fs.ModeSymlink == 0 {
		return false
	}
	if x.o.Links {
		return true
	}
	root, err := filepath.EvalSymlinks(x.root)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(x.root, name))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, target)
	return err == nil && rel != "." && filepath.IsLocal(rel) && !strings.HasPrefix(rel, Dir)
}
