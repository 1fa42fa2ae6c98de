package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Resume goes on with a run whose writer died: half a record at a journal's
// end is cut off, leftovers of an unfinished sealing are removed. Only one
// writer may be at work on a run; that is for the caller to see to.
func Resume(fsys vfs.FS, path string) (*Writer, error) {
	w := newWriter(fsys, path)
	if err := w.resume(); err != nil {
		return nil, typed(fmt.Errorf("resume run %q: %w", path, err))
	}
	return w, nil
}

func (w *Writer) resume() error {
	b, err := readFile(w.fs, w.at(layout.RunFile))
	if err != nil {
		return err
	}
	doc, err := lines.OpenDocument(b)
	if err == nil {
		err = json.Unmarshal(doc, &w.run)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", layout.RunFile, err)
	}
	// The writer before may have died between making a name and syncing it.
	if err := w.fs.SyncDir(filepath.Dir(w.path)); err != nil {
		return err
	}
	if err := w.syncDirs(w.path); err != nil {
		return err
	}
	r := &resumption{w: w, sealed: map[string]*manifest.Sealed{}, dirs: map[string]string{}}
	if err := r.manifest(); err != nil {
		return err
	}
	if err := r.logs(); err != nil {
		return err
	}
	if err := r.allSeries(); err != nil {
		return err
	}
	if err := r.hosts(); err != nil {
		return err
	}
	if err := r.rawFiles(); err != nil {
		return err
	}
	if err := r.traceFiles(); err != nil {
		return err
	}
	if w.rewound != nil && !w.rewound.Done { // cut short
		return w.takeBack()
	}
	return nil
}

// syncDirs makes every name in a directory and below it survive a loss of
// power.
func (w *Writer) syncDirs(dir string) error {
	list, err := w.fs.List(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.IsDir() {
			if err := w.syncDirs(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return w.fs.SyncDir(dir)
}

// resumption is what Resume knows while it works.
type resumption struct {
	w      *Writer
	sealed map[string]*manifest.Sealed // journals that the manifest says are done
	dirs   map[string]string           // series directory to worker
	broken bool                        // the manifest has a damaged line
}

// openLines opens a file of lines and cuts an unfinished one off.
func (w *Writer) openLines(rel string, read func(b []byte) (torn int)) (*appender, error) {
	b, err := readFile(w.fs, w.at(rel))
	if err != nil && !missing(err) {
		return nil, err
	}
	a, err := openAppender(w.fs, w.at(rel))
	if err != nil {
		return nil, err
	}
	torn := read(b)
	if torn > 0 {
		a.size -= int64(torn)
		a.torn = true // append cuts it off
	}
	if rest := b[:len(b)-torn]; len(rest) > 0 && rest[len(rest)-1] != '\n' {
		if err := a.append([]byte("\n")); err != nil {
			a.f.Close()
			return nil, err
		}
	}
	if a.torn {
		if err := a.append(nil); err != nil {
			a.f.Close()
			return nil, err
		}
	}
	return a, nil
}

func (r *resumption) manifest() (err error) {
	r.w.manifest, err = r.w.openLines(layout.Manifest, func(b []byte) int {
		return manifest.Read(b, r.event, func(int64) { r.broken = true })
	})
	if err != nil {
		return err
	}
	// What is removed below is removed because of what the manifest says, so
	// its lines must be as safe as the removal.
	return r.w.manifest.sync()
}

func (r *resumption) event(e manifest.Event) {
	switch w := r.w; {
	case e.Worker != nil:
		r.dirs[e.Worker.Dir] = e.Worker.Name
	case e.Sealed != nil:
		if r.sealed[e.Sealed.Journal] != nil {
			return
		}
		r.sealed[e.Sealed.Journal] = e.Sealed
		w.rows += e.Sealed.Rows
		for session, seq := range e.Sealed.Sessions {
			w.sessions[session] = max(w.sessions[session], seq)
		}
		for session, seq := range e.Sealed.Times {
			w.reached[session] = max(w.reached[session], seq)
		}
	case e.Trace != nil:
		w.traces.files[e.Trace.Path] = e.Trace.Bytes
	case e.Raw != nil:
		w.raw[e.Raw.Path] = e.Raw.Bytes
	case e.Removed != "":
		delete(w.raw, e.Removed)
		delete(w.traces.files, e.Removed)
	case e.Rewound != nil:
		w.rewound = e.Rewound
	}
}

// logs repairs the ends of the files of findings and actions.
func (r *resumption) logs() error {
	for _, dir := range []string{layout.Findings, path.Dir(layout.Actions)} {
		list, err := r.w.fs.List(r.w.at(dir))
		if err != nil && !missing(err) {
			return err
		}
		for _, e := range list {
			rel := path.Join(dir, e.Name())
			if !strings.HasSuffix(rel, ".jsonl") {
				continue
			}
			a, err := r.w.openLines(rel, func(b []byte) int { return lines.Read(b, func(lines.Result) {}) })
			if err != nil {
				return err
			}
			r.w.logs[rel] = a
		}
	}
	return nil
}

func (r *resumption) allSeries() error {
	w := r.w
	if err := r.series(w.complete); err != nil {
		return err
	}
	list, err := w.fs.List(w.at(layout.SeriesDir))
	if err != nil && !missing(err) {
		return err
	}
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		s := &series{dir: path.Join(layout.SeriesDir, e.Name()), next: 1}
		name, known := r.dirs[s.dir]
		if !known {
			name, known = layout.Unescape(e.Name())
		}
		if err := r.series(s); err != nil {
			return err
		}
		s.infos, err = w.openLines(path.Join(s.dir, layout.Announced), func(b []byte) int { return lines.Read(b, func(lines.Result) {}) })
		if err != nil {
			return err
		}
		if known {
			w.series[name] = s
		}
	}
	return nil
}

// series takes stock of one series' directory.
func (r *resumption) series(s *series) error {
	w := r.w
	list, err := w.fs.List(w.at(s.dir))
	if err != nil && !missing(err) {
		return err
	}
	if err := r.copies(s); err != nil {
		return err
	}
	var journals []int
	for _, e := range list {
		rel := path.Join(s.dir, e.Name())
		if strings.HasSuffix(rel, layout.TempSuffix) {
			if err := w.fs.Remove(w.at(rel)); err != nil {
				return err
			}
			continue
		}
		if _, n, ok := layout.ChunkNumber(e.Name()); ok {
			s.next = max(s.next, n+1)
		}
		if n, ok := layout.JournalNumber(e.Name()); ok {
			s.next = max(s.next, n+1)
			if r.sealed[rel] == nil {
				journals = append(journals, n)
			} else if err := w.fs.Remove(w.at(rel)); err != nil {
				return err
			}
		}
	}
	for rel := range r.sealed {
		if n, ok := layout.JournalNumber(path.Base(rel)); ok && path.Dir(rel) == s.dir {
			s.next = max(s.next, n+1)
		}
	}
	first := 0 // journal that may be written to
	if w.rewound != nil {
		first = w.rewound.Journals[s.dir]
		s.next = max(s.next, first)
	}
	for i, n := range journals {
		if err := r.journal(s, n, i == len(journals)-1 && n >= first); err != nil {
			return err
		}
	}
	return nil
}

// copies brings the second copy of the manifest's lines on sealed tables up to
// date: a damaged manifest is completed from it, and it from the manifest.
func (r *resumption) copies(s *series) error {
	rel := path.Join(s.dir, layout.SealedCopy)
	if _, err := r.w.fs.Stat(r.w.at(rel)); missing(err) {
		none := true
		for journal := range r.sealed {
			none = none && path.Dir(journal) != s.dir
		}
		if none {
			return nil
		}
	}
	there := map[string]bool{}
	a, err := r.w.openLines(rel, func(b []byte) int {
		return manifest.Read(b, func(e manifest.Event) {
			if e.Sealed != nil && path.Dir(e.Sealed.Journal) == s.dir {
				there[e.Sealed.Journal] = true
				r.event(e)
			}
		}, func(int64) {})
	})
	if err != nil {
		return err
	}
	for _, journal := range slices.Sorted(maps.Keys(r.sealed)) {
		if path.Dir(journal) == s.dir && !there[journal] {
			err = errors.Join(err, a.line(&manifest.Event{Sealed: r.sealed[journal]}))
		}
	}
	return errors.Join(err, a.sync(), a.f.Close())
}

// journal opens a journal again. The last one goes on being written, the ones
// before it wait to be sealed.
func (r *resumption) journal(s *series, n int, last bool) error {
	w := r.w
	// Tables of this journal that the manifest does not name are of a sealing
	// that was cut short.
	for _, table := range []string{chunk.Stats, chunk.Scalars, chunk.Steps, chunk.Complete, chunk.Metrics, chunk.Times, chunk.Events} {
		for _, name := range []string{table, chunk.LevelsOf(table)} {
			rel := path.Join(s.dir, layout.Chunk(name, n))
			if err := w.fs.Remove(w.at(rel)); err != nil && !missing(err) {
				return err
			}
		}
	}
	rel := path.Join(s.dir, layout.Journal(n))
	b, err := readFile(w.fs, w.at(rel))
	if err != nil {
		return err
	}
	c := readJournal(b)
	if len(c.steps)+len(c.decisions)+len(c.machine.Times)+len(c.times)+len(c.events) == 0 && c.tail.Bytes == int64(len(b)) && !c.tail.Garbage {
		// Not even its header was finished.
		return w.fs.Remove(w.at(rel))
	}
	a, err := openAppender(w.fs, w.at(rel))
	if err != nil {
		return err
	}
	if c.tail.Bytes > 0 {
		if c.tail.Garbage {
			reason := c.damage[len(c.damage)-1] + "; they were cut off when the run was resumed"
			if err := w.event(manifest.Event{Damaged: &manifest.Damaged{File: rel, Reason: reason}}); err != nil {
				a.f.Close()
				return err
			}
		}
		if err := a.f.Truncate(c.end); err != nil {
			a.f.Close()
			return fmt.Errorf("cut the end of %q off: %w", rel, err)
		}
		a.size = c.end
	}
	if a.size == 0 {
		if err := a.append([]byte(journal.Header)); err != nil {
			a.f.Close()
			return err
		}
	}
	w.rows += c.rows
	for session, seq := range c.sessions {
		w.sessions[session] = max(w.sessions[session], seq)
	}
	for session, seq := range c.reached {
		w.reached[session] = max(w.reached[session], seq)
	}
	o := &open{appender: a, n: n, rows: c.rows + int64(len(c.decisions)) + c.timeRows(), born: time.Now()}
	o.names, o.free = c.machine.Numbers()
	if t := c.machine.Times; len(t) > 0 {
		s.host.last = max(s.host.last, t[len(t)-1])
	}
	if last {
		s.active = o
	} else {
		s.waiting = append(s.waiting, o)
	}
	return nil
}

// rawFiles removes what unfinished commits of raw tensors left, and lists files
// whose line in the manifest was lost with the power.
func (r *resumption) rawFiles() error {
	w := r.w
	found := map[string]int64{}
	err := walkRaw(w.fs, w.path, func(rel string, size int64, _ time.Time, temp bool) error {
		if temp {
			return w.fs.Remove(w.at(rel))
		}
		found[rel] = size
		return nil
	})
	if err != nil {
		return err
	}
	for rel, size := range found {
		if _, listed := w.raw[rel]; listed || r.broken {
			continue
		}
		f, err := w.fs.Open(w.at(rel))
		if err != nil {
			return err
		}
		entry, err := manifest.Describe(rel, f, size)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = w.event(manifest.Event{Raw: &entry})
		}
		if err != nil {
			return err
		}
		w.raw[rel] = size
	}
	return nil
}
