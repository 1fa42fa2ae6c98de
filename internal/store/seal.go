package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// Seal turns every journal into Parquet now. Journals that grew large are
// sealed in the background without being asked.
func (w *Writer) Seal() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return fmt.Errorf("seal: %w", ErrClosed)
	}
	w.retire()
	w.mu.Unlock()
	return w.sealWaiting()
}

// retire ends every journal that is written; w.mu is held.
func (w *Writer) retire() {
	for _, s := range w.all() {
		if s.active != nil {
			s.waiting = append(s.waiting, s.active)
			s.active = nil
		}
	}
}

// all lists the series, the decisions last, so that none is durable before the
// parts it names; w.mu is held.
func (w *Writer) all() []*series {
	var list []*series
	for _, name := range slices.Sorted(maps.Keys(w.series)) {
		list = append(list, w.series[name])
	}
	for _, host := range slices.Sorted(maps.Keys(w.hosts)) {
		list = append(list, w.hosts[host])
	}
	return append(list, w.complete)
}

// sealWaiting seals the journals that are no longer written, one at a time.
// The first error of each series ends the work on it.
func (w *Writer) sealWaiting() error {
	w.sealMu.Lock()
	defer w.sealMu.Unlock()
	w.mu.Lock()
	list := w.all()
	w.mu.Unlock()
	var errs []error
	for _, s := range list {
		for {
			w.mu.Lock()
			var o *open
			if len(s.waiting) > 0 {
				o = s.waiting[0]
			}
			w.mu.Unlock()
			if o == nil {
				break
			}
			if err := w.seal(s, o); err != nil {
				errs = append(errs, fmt.Errorf("seal %q: %w", path.Join(s.dir, layout.Journal(o.n)), typed(err)))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// seal makes one journal into Parquet. The order is what makes it safe: the
// tables are whole and synced under their names before the manifest names
// them, and the manifest is synced before the journal goes. A crash in between
// leaves tables that nothing names, or a journal that the manifest says is
// done; neither is ever counted.
func (w *Writer) seal(s *series, o *open) error {
	rel := path.Join(s.dir, layout.Journal(o.n))
	b, err := readFile(w.fs, w.at(rel))
	if err != nil {
		return err
	}
	content := readJournal(b)
	sealed := &manifest.Sealed{Journal: rel, Steps: int64(len(content.steps) + len(content.decisions) + len(content.machine.Times)), Rows: content.rows,
		Sessions: content.sessions, Times: content.reached, Span: content.span()}
	if sealed.Files, err = w.tables(s.dir, o.n, content.tables()); err != nil {
		return err
	}
	events := make([]manifest.Event, 0, 2)
	for _, reason := range content.damage {
		events = append(events, manifest.Event{Damaged: &manifest.Damaged{File: rel, Reason: reason}})
	}
	events = append(events, manifest.Event{Sealed: sealed})
	w.mu.Lock()
	err = w.event(events...)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	if err := w.manifest.sync(); err != nil {
		return err
	}
	if err := w.copyLine(s, sealed); err != nil {
		return err
	}
	w.mu.Lock()
	s.waiting = s.waiting[1:]
	w.mu.Unlock()
	// From here on the journal does not count any more; whether its file goes
	// now or at the next Resume is the same.
	_ = o.f.Close()
	_ = w.fs.Remove(w.at(rel))
	return nil
}

// copyLine appends the manifest's line to a second file, next to the tables, so
// that no single damage hides them. It comes after the manifest is synced, so
// the copy never says what the manifest does not.
func (w *Writer) copyLine(s *series, sealed *manifest.Sealed) error {
	a, err := w.openLines(path.Join(s.dir, layout.SealedCopy), func(b []byte) int { return lines.Read(b, func(lines.Result) {}) })
	if err != nil {
		return err
	}
	return errors.Join(a.line(&manifest.Event{Sealed: sealed}), a.sync(), a.f.Close())
}

// table writes one Parquet file and describes it.
func (w *Writer) table(rel string, write func(io.Writer) error) (manifest.File, error) {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return manifest.File{}, fmt.Errorf("encode %q: %w", rel, err)
	}
	if err := replaceBytes(w.fs, w.at(rel), buf.Bytes()); err != nil {
		return manifest.File{}, err
	}
	return manifest.Describe(rel, bytes.NewReader(buf.Bytes()), int64(buf.Len()))
}

// levelShare bounds the levels of a chunk: they take at most one byte for so many
// of its tables. To that end they may become coarser, some times; those for which
// that is not enough are left out.
const (
	levelShare    = 33
	levelCoarsens = 3
)

// tables writes the tables of a chunk, then their levels.
func (w *Writer) tables(dir string, n int, list []table) (files []manifest.File, err error) {
	room := int64(0)
	for _, table := range list {
		f, err := w.table(path.Join(dir, layout.Chunk(table.name, n)), table.write)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		room += f.Bytes / levelShare
	}
	for _, table := range slices.Backward(list) { // what is by step before what is by time
		if table.levels == nil {
			continue
		}
		rel := path.Join(dir, layout.Chunk(chunk.LevelsOf(table.name), n))
		b, err := encodeLevels(table.levels(), room)
		if err != nil {
			return nil, fmt.Errorf("encode %q: %w", rel, err)
		}
		if b == nil {
			continue
		}
		room -= int64(len(b))
		f, err := w.table(rel, func(to io.Writer) error { _, err := to.Write(b); return err })
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if path.Dir(dir) == layout.SystemDir {
		w.mu.Lock()
		for _, f := range files {
			if name, _, _ := layout.ChunkNumber(path.Base(f.Path)); keeps(name) {
				w.keep.written += f.Bytes
			}
		}
		w.mu.Unlock()
	}
	return files, nil
}

// encodeLevels makes a table of levels that fits into so many bytes; nil when
// there is none.
func encodeLevels(l *chunk.Levels, room int64) ([]byte, error) {
	for range 1 + levelCoarsens {
		if l.Empty() {
			return nil, nil
		}
		var buf bytes.Buffer
		if err := l.Write(&buf); err != nil {
			return nil, err
		}
		if int64(buf.Len()) <= room {
			return buf.Bytes(), nil
		}
		l.Coarsen()
	}
	return nil, nil
}

// content is what is in a journal.
type content struct {
	steps     []journal.Lazy
	decisions []*journal.Decision
	sessions  map[string]uint64
	machine   journal.Machine
	times     []record.StepTime
	events    []record.Event
	reached   map[string]uint64 // of sessions, by step times
	rows      int64
	damage    []string
	end       int64 // offset behind the last whole record
	tail      journal.Tail
}

// readJournal reads a journal as far as it is whole.
func readJournal(b []byte) *content {
	c := &content{sessions: map[string]uint64{}, reached: map[string]uint64{}}
	var d journal.Decoder
	c.end, c.tail = journal.Scan(b, 0, func(off int64, payload []byte) {
		steps, decision, err := d.Decode(payload)
		switch {
		case err != nil:
			c.damage = append(c.damage, fmt.Sprintf("the record at byte %d: %v", off, err))
		case decision != nil:
			c.decisions = append(c.decisions, decision)
		case steps.Samples != nil:
			if err := c.machine.Add(steps.Samples); err != nil {
				c.damage = append(c.damage, fmt.Sprintf("the record at byte %d: %v", off, err))
			}
		case steps.Times != nil:
			t := steps.Times
			c.times, c.events = append(c.times, t.Times...), append(c.events, t.Events...)
			if t.Session != "" {
				c.reached[t.Session] = max(c.reached[t.Session], t.Seq)
			}
		default:
			c.steps = append(c.steps, steps.Steps...)
			if steps.Session != "" {
				c.sessions[steps.Session] = max(c.sessions[steps.Session], steps.Seq)
			}
			for _, s := range steps.Steps {
				c.rows += int64(len(s.Scalars) + len(s.Stats) + len(s.Derived))
			}
		}
	}, func(off, n int64) {
		c.damage = append(c.damage, fmt.Sprintf("%d bytes at byte %d do not match their checksum", n, off))
	})
	if c.tail.Garbage {
		c.damage = append(c.damage, fmt.Sprintf("%d bytes at byte %d, the end, are no record", c.tail.Bytes, c.end))
	}
	return c
}

type table struct {
	name   string
	write  func(io.Writer) error
	levels func() *chunk.Levels // nil: none
}

// tables says which tables a journal becomes. Those without rows are left out.
func (c *content) tables() []table {
	if len(c.decisions) > 0 {
		return []table{{name: chunk.Complete, write: func(w io.Writer) error { return chunk.WriteDecisions(w, c.decisions) }}}
	}
	list := c.byTime()
	if len(c.steps) == 0 {
		return list
	}
	list = append(list, table{name: chunk.Steps, write: func(w io.Writer) error { return chunk.WriteSteps(w, c.steps) }})
	stats, scalars := false, false
	for _, s := range c.steps {
		stats = stats || len(s.Stats) > 0
		scalars = scalars || len(s.Scalars)+len(s.Derived) > 0
	}
	if stats {
		list = append(list, table{chunk.Stats, func(w io.Writer) error { _, err := chunk.WriteStats(w, c.steps); return err },
			func() *chunk.Levels { return chunk.StatLevels(c.steps) }})
	}
	if scalars {
		var rows *chunk.ScalarRows
		list = append(list, table{chunk.Scalars, func(w io.Writer) error {
			rows = chunk.GatherScalars(c.steps)
			_, err := rows.Write(w)
			return err
		}, func() *chunk.Levels { return rows.Levels() }})
	}
	return list
}

// missing reports whether an error says that a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
