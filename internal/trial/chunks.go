package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/manifest"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// sealed is a journal that became Parquet.
type sealed struct {
	n      int
	dir    string
	count  int       // steps or decisions in it; 0 when the manifest does not say
	span   *[2]int64 // of machine metrics or step times, microseconds since 1970; nil: none, or not known
	tables map[string]*table
	steps  []journal.Lazy // without values; read when first needed
	full   []journal.Lazy // with values; kept by the replayer for a while
	at     []int64        // times of machine metrics, when they were needed
	// modes are those of its steps, least the first step of each; when they were needed.
	modes *[record.Global + 1]bool
	least *[record.Global + 1]int64
	holds map[string]*held // by name, when it was needed
}

// table is one Parquet file. It is opened when first needed; then its footer
// is kept, not the file.
type table struct {
	entry  manifest.File
	file   *chunk.File
	broken bool
}

// lazyFile opens a file for each read. Reads come in blocks, so this costs
// little, and a trial with a thousand chunks holds no descriptor.
type lazyFile struct {
	fs   vfs.FS
	name string
}

func (l lazyFile) ReadAt(p []byte, off int64) (int, error) {
	f, err := l.fs.Open(l.name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

// table opens a chunk's table; nil when it has none or it cannot be read,
// which is then noted.
func (t *Trial) table(c *sealed, name string) *chunk.File {
	tb := c.tables[name]
	if tb == nil || tb.broken {
		return nil
	}
	if tb.file != nil {
		return tb.file
	}
	var src io.ReaderAt = lazyFile{t.fs, t.at(tb.entry.Path)}
	size := tb.entry.Bytes
	info, err := t.fs.Stat(t.at(tb.entry.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &manifest.DamageError{File: tb.entry.Path, Reason: "is missing"}
	case err != nil:
	case info.Size() != size:
		err = &manifest.DamageError{File: tb.entry.Path, Reason: fmt.Sprintf("has %d bytes instead of %d", info.Size(), size)}
	default:
		src = manifest.NewChecked(tb.entry, src)
	}
	if err == nil {
		tb.file, err = chunk.Open(src, size)
	}
	if err != nil {
		t.spoil(tb, err)
		return nil
	}
	return tb.file
}

// spoil notes that a table cannot be read.
func (t *Trial) spoil(tb *table, err error) {
	tb.broken = true
	t.hurtBy(tb.entry.Path, err)
}

// stepsOf are the steps of a chunk or journal, without values where that saves
// reading. They must not be changed.
func (t *Trial) stepsOf(s *series, n int) []journal.Lazy {
	if j := s.tails[n]; j != nil {
		return j.steps
	}
	c := s.chunks[n]
	if c == nil {
		return nil
	}
	if c.steps == nil {
		if f := t.table(c, chunk.Steps); f != nil {
			var err error
			if c.steps, err = f.ReadSteps(); err != nil {
				t.spoil(c.tables[chunk.Steps], err)
			}
		}
	}
	return c.steps
}

// fullSteps reads the steps of a chunk with their values. Tables that cannot
// be read leave their values out.
func (t *Trial) fullSteps(c *sealed) []journal.Lazy {
	f := t.table(c, chunk.Steps)
	if f == nil {
		return nil
	}
	steps, err := f.ReadSteps()
	if err != nil {
		t.spoil(c.tables[chunk.Steps], err)
		return nil
	}
	if f := t.table(c, chunk.Stats); f != nil {
		if err := f.FillStats(steps); err != nil {
			t.spoil(c.tables[chunk.Stats], err)
			for i := range steps {
				steps[i].Stats, steps[i].Hists = nil, nil
			}
		}
	}
	if f := t.table(c, chunk.Scalars); f != nil {
		if err := f.FillScalars(steps); err != nil {
			t.spoil(c.tables[chunk.Scalars], err)
			for _, s := range steps {
				s.Scalars, s.Derived = nil, nil
			}
		}
	}
	return steps
}

// decisionsOf are the decisions of a chunk or journal.
func (t *Trial) decisionsOf(n int) []*journal.Decision {
	if j := t.complete.tails[n]; j != nil {
		return j.decisions
	}
	c := t.complete.chunks[n]
	if c == nil {
		return nil
	}
	f := t.table(c, chunk.Complete)
	if f == nil {
		return nil
	}
	list, err := f.ReadDecisions()
	if err != nil {
		t.spoil(c.tables[chunk.Complete], err)
	}
	return list
}
