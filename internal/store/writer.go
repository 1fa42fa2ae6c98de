// Package store writes one run to disk in open formats, so that what was
// acknowledged survives the death of any process and a loss of power costs at
// most what came after the last Sync. docs/lab/durability.md says how.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

const tempSuffix = layout.TempSuffix

// Writer writes one run. Its methods may be called from several goroutines.
type Writer struct {
	fs   vfs.FS
	path string

	// What raw tensors leave free of the disk.
	leaveShare float64
	leaveBytes int64

	runMu sync.Mutex // guards run and the writing of run.json
	run   record.Run

	sealMu  sync.Mutex // one sealing at a time
	sealing sync.WaitGroup

	// mu guards what follows. It is held for a write to a file's cache, never
	// for a sync.
	mu       sync.Mutex
	closed   bool
	manifest *appender
	logs     map[string]*appender // findings and actions, by path in the run
	series   map[string]*series   // by worker
	hosts    map[string]*series   // machine metrics
	complete *series
	sessions map[string]uint64
	reached  map[string]uint64 // of sessions, by step times
	traces   traces
	rows     int64
	sealRows int64
	raw      map[string]int64 // raw files of this run and their lengths
	keep     keepState
	cached   cache
	rewound  *manifest.Rewound // the last one; changed only while nothing else is written
	buf      []byte            // scratch for encoding
	frame    []byte
}

// Create makes the directory root/name with a run.json in it. A name that is
// taken is refused with ErrExists. The name is one directory's name: a
// separator in it, "." and ".." are refused.
func Create(fsys vfs.FS, root, name string, run record.Run) (*Writer, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return nil, fmt.Errorf("create run: %q is not the name of a directory", name)
	}
	if err := makeRoot(fsys, root); err != nil {
		return nil, typed(fmt.Errorf("create run: make the root: %w", err))
	}
	path := filepath.Join(root, name)
	if err := fsys.Mkdir(path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create run %q: %w", path, ErrExists)
		}
		return nil, typed(fmt.Errorf("create run: %w", err))
	}
	if err := fsys.SyncDir(root); err != nil {
		return nil, typed(fmt.Errorf("create run: %w", err))
	}
	w := newWriter(fsys, path)
	w.run = run
	w.run.Format, w.run.Name = record.RunFormat, name
	var err error
	if w.manifest, err = openAppender(fsys, w.at(layout.Manifest)); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	if err := w.UpdateRun(func(*record.Run) {}); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	return w, nil
}

func newWriter(fsys vfs.FS, path string) *Writer {
	w := &Writer{fs: fsys, path: path, logs: map[string]*appender{}, series: map[string]*series{},
		hosts: map[string]*series{}, sessions: map[string]uint64{}, reached: map[string]uint64{}, raw: map[string]int64{}, sealRows: sealRows,
		traces: traces{files: map[string]int64{}, next: map[string]int{}}}
	w.complete = &series{dir: layout.Complete, next: 1}
	return w
}

// at is the path of a file of the run, given with slashes.
func (w *Writer) at(rel string) string { return filepath.Join(w.path, filepath.FromSlash(rel)) }

// Path is the run's directory.
func (w *Writer) Path() string { return w.path }

// Run is the run as UpdateRun last left it.
func (w *Writer) Run() record.Run {
	w.runMu.Lock()
	defer w.runMu.Unlock()
	return w.run
}

// UpdateRun changes run.json; the file is replaced atomically. When it cannot
// be written the change is kept and goes into the next attempt.
func (w *Writer) UpdateRun(change func(*record.Run)) error {
	w.runMu.Lock()
	defer w.runMu.Unlock()
	change(&w.run)
	w.run.Tags, w.run.Note = nil, "" // they have a file of their own
	b, err := lines.Document(&w.run)
	if err != nil {
		return fmt.Errorf("update run: %w", err)
	}
	if err := replaceBytes(w.fs, w.at(layout.RunFile), b); err != nil {
		return fmt.Errorf("update run: %w", err)
	}
	return nil
}

// LastSeq is the highest seq stored for a session, 0 when there is none.
func (w *Writer) LastSeq(session string) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[session]
}

// Rows counts the scalars, statistics and derived values stored.
func (w *Writer) Rows() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rows
}

// SealAt lets a journal be sealed when it has n rows instead of 262,144. Larger
// chunks compress better and are fewer, smaller ones are Parquet sooner.
func (w *Writer) SealAt(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealRows = max(n, 1)
}

// Complete stores the decision that a step is complete: which workers' parts
// were in, in which order. The parts themselves must have been appended.
func (w *Writer) Complete(c *record.Complete) error {
	d := journal.Decision{Step: c.Step, Mode: c.Mode, ModeStep: c.ModeStep, Time: c.Time}
	for i, p := range c.Parts {
		d.Workers = append(d.Workers, clean(p.Worker))
		if p.Joined > 0 && d.Joined == nil {
			d.Joined = make([]int, len(c.Parts))
		}
		if d.Joined != nil {
			d.Joined[i] = p.Joined
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store a complete step: %w", ErrClosed)
	}
	w.buf = journal.AppendDecision(w.buf[:0], &d)
	if err := w.write(w.complete, w.buf); err != nil {
		return fmt.Errorf("store a complete step: %w", err)
	}
	w.grow(w.complete, 1)
	return nil
}

// event appends to the manifest. w.mu is held.
func (w *Writer) event(events ...manifest.Event) error {
	list := make([]any, len(events))
	for i := range events {
		list[i] = &events[i]
	}
	return w.manifest.line(list...)
}

// Sync makes all that was written so far survive a loss of power.
func (w *Writer) Sync() error {
	w.mu.Lock()
	list := []*appender{w.manifest}
	for _, a := range w.logs {
		list = append(list, a)
	}
	for _, s := range w.all() {
		list = append(list, s.files()...)
	}
	w.mu.Unlock()
	var errs []error
	for _, a := range list {
		if err := a.sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Gone is ErrGone when somebody removed the run while it is written.
func (w *Writer) Gone() error {
	if _, err := w.fs.Stat(w.at(layout.Manifest)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write run %q: %w", w.path, ErrGone)
	}
	return nil
}

// Close seals, syncs and ends the writing; only UpdateRun works after it. It
// does not touch the run's status. When sealing fails the journals stay, and
// with them every value.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	w.retire()
	w.mu.Unlock()
	w.sealing.Wait()
	errs := []error{w.sealWaiting(), w.Sync()}
	w.mu.Lock()
	defer w.mu.Unlock()
	list := []*appender{w.manifest}
	for _, a := range w.logs {
		list = append(list, a)
	}
	for _, s := range w.all() {
		list = append(list, s.files()...)
	}
	for _, a := range list {
		if err := a.f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			errs = append(errs, fmt.Errorf("close %q: %w", a.path, err))
		}
	}
	return errors.Join(errs...)
}

// FS is the file system that the run is on.
func (w *Writer) FS() vfs.FS { return w.fs }
