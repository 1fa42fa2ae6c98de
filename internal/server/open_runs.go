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
	"github.com/vigil-ml/vigil/internal/store/layout"
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

// openRun is a run that is open, or about to be: ready is closed then.
type openRun struct {
	dir   os.FileInfo // reports whether the directory is still the one that was opened
	file  os.FileInfo // run.json before it was read
	used  time.Time
	ready chan struct{}
	run   source.Run
	err   error
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
// removed since. Several that ask for one run wait for the same opening, and nobody
// else for that.
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
	file, _ := os.Stat(filepath.Join(path, layout.RunFile))
	for {
		r, mine := o.entry(name, dir, file)
		if mine {
			o.read(name, path, r)
		}
		<-r.ready
		// What has ended is not read again. When its run.json is another one, the job
		// may have been resumed.
		if r.err == nil && !mine && !same(r.file, file) && r.run.Run().Over() {
			o.drop(name, r)
			continue
		}
		return r.run, r.err
	}
}

// read opens a run for all who wait for it.
func (o *openRuns) read(name, path string, r *openRun) {
	defer close(r.ready)
	r.err = fmt.Errorf("run %.200q could not be read", name) // if it panics
	t, err := trial.Open(path)
	if r.err = err; err != nil {
		o.drop(name, r)
		return
	}
	r.run = t
}

// entry is the open run of a name, or a new one that is for the caller to open.
func (o *openRuns) entry(name string, dir, file os.FileInfo) (r *openRun, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r = o.open[name]; r != nil && os.SameFile(r.dir, dir) {
		r.used = time.Now()
		return r, false
	}
	o.makeRoom()
	r = &openRun{dir: dir, file: file, used: time.Now(), ready: make(chan struct{})}
	o.open[name] = r
	return r, true
}

// same reports whether a file is as it was.
func same(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// drop forgets a run unless another one has its name meanwhile.
func (o *openRuns) drop(name string, r *openRun) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[name] == r {
		delete(o.open, name)
	}
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
