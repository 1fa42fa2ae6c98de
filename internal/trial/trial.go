// Package trial reads a run, live or finished, without loading what is not
// asked for. A damaged piece is named and left out; the rest stays readable.
package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// What a trial is asked and answers in is the same for every source.
type (
	Query    = source.Query
	StatsRow = source.StatsRow
	StepInfo = source.StepInfo
	Damage   = source.Damage
)

var (
	_ source.Run     = (*Trial)(nil)
	_ source.Metrics = (*Trial)(nil)
	_ source.Charts  = (*Trial)(nil)
)

// Trial is one run, open for reading. Its methods may be called from several
// goroutines, and while the run is written. Each answers from what is stored
// when it is called.
type Trial struct {
	fs   vfs.FS
	path string

	mu       sync.Mutex
	run      record.Run
	labels   labels
	manifest manifestState
	series   map[string]*series // by directory in the run
	hosts    map[string]*series // machine metrics, likewise
	removed  map[string]bool    // tables that made room for others
	traces   map[string]manifest.File
	complete *series
	raw      map[string][]manifest.File // entries by path; the last one is the newest
	replaced map[string][]manifest.File
	profiles map[string]manifest.File // entries of windows of detail by path
	rewound  []*manifest.Rewound
	damage   []Damage
	known    map[Damage]bool
	tails    map[string]string // ends of files that no writer finished, by path
	charts   map[drawingKey]drawing
	zoomed   map[drawingKey]zoomed
	clocks   map[drawingKey]*knots
	places   map[drawingKey]byMode
	once     map[drawingKey]any
	charted  int  // points in them
	final    bool // the run has ended and was read after that
}

// manifestState is how far the manifest was read.
type manifestState struct {
	off     int64
	damaged bool
	workers map[string]string // directory to name
}

// Open opens the run in a directory. A directory that holds no run is an
// error (fs.ErrNotExist); a damaged run is not.
func Open(path string) (*Trial, error) { return OpenFS(vfs.OS, path) }

// OpenFS is Open on another file system.
func OpenFS(fsys vfs.FS, path string) (*Trial, error) {
	if _, err := fsys.Stat(filepath.Join(path, layout.RunFile)); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open run %q: %w", path, err)
		}
		// Without run.json a manifest still makes it a run, a damaged one.
		if _, err := fsys.Stat(filepath.Join(path, layout.Manifest)); err != nil {
			return nil, fmt.Errorf("open run %q: no %s in it: %w", path, layout.RunFile, fs.ErrNotExist)
		}
	}
	t := &Trial{fs: fsys, path: path, series: map[string]*series{}, hosts: map[string]*series{},
		removed: map[string]bool{}, traces: map[string]manifest.File{}, complete: &series{dir: layout.Complete},
		raw: map[string][]manifest.File{}, replaced: map[string][]manifest.File{}, profiles: map[string]manifest.File{}, known: map[Damage]bool{}, tails: map[string]string{}}
	t.manifest.workers = map[string]string{}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, fmt.Errorf("open run %q: %w", path, err)
	}
	return t, nil
}

// at is the path of a file of the run, given with slashes.
func (t *Trial) at(rel string) string { return filepath.Join(t.path, filepath.FromSlash(rel)) }

// Path is the run's directory.
func (t *Trial) Path() string { return t.path }

// Close releases what the trial holds. No file stays open between calls, so
// forgetting it costs memory only.
func (t *Trial) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.everything() {
		s.chunks, s.tails = nil, nil
	}
	t.charts, t.zoomed, t.clocks, t.places, t.once = nil, nil, nil, nil, nil
	t.final = true
	return nil
}

// Damage is what was found damaged so far: each read checks what it touches.
// Of a run that has ended, an unfinished end of a file counts too.
func (t *Trial) Damage() []Damage {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.allDamage()
}

func (t *Trial) allDamage() []Damage {
	list := append([]Damage(nil), t.damage...)
	if t.run.Status != record.Running {
		for _, file := range sortedKeys(t.tails) {
			list = append(list, Damage{File: file, Reason: t.tails[file]})
		}
	}
	return list
}

// hurt notes a damage, once.
func (t *Trial) hurt(file, format string, args ...any) {
	d := Damage{File: file, Reason: fmt.Sprintf(format, args...)}
	if !t.known[d] {
		t.known[d] = true
		t.damage = append(t.damage, d)
	}
}

// hurtBy notes the damage that an error tells of.
func (t *Trial) hurtBy(file string, err error) {
	var d *manifest.DamageError
	if errors.As(err, &d) {
		t.hurt(d.File, "%s", d.Reason)
		return
	}
	t.hurt(file, "%v", err)
}

// tail notes, or forgets, the unfinished end of a file.
func (t *Trial) tail(file string, n int64) {
	if n == 0 {
		delete(t.tails, file)
		return
	}
	t.tails[file] = fmt.Sprintf("the last %d bytes are not whole: writing was cut off", n)
}
