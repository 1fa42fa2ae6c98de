package server

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
)

// mostOpen is how many runs stay open. An open run costs memory, no file.
const mostOpen = 24

// openRuns are the runs below a root that were asked for lately.
type openRuns struct {
	root string

	mu   sync.Mutex
	open map[string]*openRun
}

type openRun struct {
	run  source.Run
	dir  os.FileInfo // tells whether the directory is still the one that was opened
	used time.Time
}

func newOpenRuns(root string) *openRuns { return &openRuns{root: root, open: map[string]*openRun{}} }

// path is the directory of a run. The name is one directory right below the root:
// it is never a path, and a symbolic link may not lead out of the root.
func (o *openRuns) path(name string) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") || !filepath.IsLocal(name) {
		return "", fmt.Errorf("there is no run %.200q: %w", name, fs.ErrNotExist)
	}
	path := filepath.Join(o.root, name)
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("there is no run %.200q: %w", name, fs.ErrNotExist)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	root, err := filepath.EvalSymlinks(o.root)
	if err != nil {
		return "", err
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("there is no run %.200q: %w", name, fs.ErrNotExist)
	}
	if rel, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("run %.200q is a link that leads out of the root: %w", name, fs.ErrPermission)
	}
	return path, nil
}

// get is the run of a name; fs.ErrNotExist when there is none, also when it was
// removed since.
func (o *openRuns) get(name string) (source.Run, error) {
	path, err := o.path(name)
	if err != nil {
		o.forget(name)
		return nil, err
	}
	dir, err := os.Stat(path)
	if err != nil {
		o.forget(name)
		return nil, fmt.Errorf("there is no run %.200q: %w", name, fs.ErrNotExist)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.open[name]; r != nil && os.SameFile(r.dir, dir) {
		r.used = time.Now()
		return r.run, nil
	}
	t, err := trial.Open(path)
	if err != nil {
		return nil, err
	}
	o.makeRoom()
	o.open[name] = &openRun{t, dir, time.Now()}
	return t, nil
}

func (o *openRuns) forget(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, name)
}

// makeRoom forgets the run that was not asked for the longest. It is not closed:
// a request may still read it.
func (o *openRuns) makeRoom() {
	for len(o.open) >= mostOpen {
		oldest := ""
		for name, r := range o.open {
			if oldest == "" || r.used.Before(o.open[oldest].used) {
				oldest = name
			}
		}
		delete(o.open, oldest)
	}
}
