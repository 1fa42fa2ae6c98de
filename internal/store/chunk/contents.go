package chunk

import (
	"bytes"
	"fmt"
	"github.com/parquet-go/parquet-go"
	"math"

	"github.com/vigil-ml/vigil/internal/record"
)

// CountModes counts the rows of each entry of the directory by mode.
func (f *File) CountModes() ([][record.Global + 1]int64, error) {
	out := make([][record.Global + 1]int64, len(f.dir))
	const block = 1 << 20
	entry := 0
	for from := int64(0); from < f.Rows(); from += block {
		modes, err := f.modes(from, min(block, f.Rows()-from))
		if err != nil {
			return nil, err
		}
		for i, m := range modes {
			row := from + int64(i)
			for entry < len(f.dir) && row >= f.dir[entry].From+f.dir[entry].Rows {
				entry++
			}
			if entry < len(f.dir) {
				out[entry][m]++
			}
		}
	}
	return out, nil
}

// HasHistograms reports whether a row of an entry may have a histogram, by what the
// table's index says of its pages.
func (f *File) HasHistograms(e Entry) (has bool) {
	has = true // where there is no index
	defer func() { _ = recover() }()
	col, ok := f.col["hist"]
	if !ok {
		return false
	}
	first := int64(0)
	for _, g := range f.pq.RowGroups() {
		rows := g.NumRows()
		if e.From < first+rows && e.From+e.Rows > first && pagesHold(g.ColumnChunks()[col], max(e.From-first, 0), e.From+e.Rows-first, rows) {
			return true
		}
		first += rows
	}
	return false
}

// pagesHold reports whether a page with one of the rows from..to has a value.
func pagesHold(c parquet.ColumnChunk, from, to, rows int64) bool {
	index, err := c.ColumnIndex()
	if err != nil {
		return true
	}
	offsets, err := c.OffsetIndex()
	if err != nil {
		return true
	}
	for p := range index.NumPages() {
		begin, end := offsets.FirstRowIndex(p), rows
		if p+1 < offsets.NumPages() {
			end = offsets.FirstRowIndex(p + 1)
		}
		if begin < to && end > from && !index.NullPage(p) {
			return true
		}
	}
	return false
}

// Modes are those that rows are in. Where all of a row group are in one, its
// statistics say so.
func (f *File) Modes() (*[record.Global + 1]bool, error) {
	var out [record.Global + 1]bool
	col, ok := f.col["mode"]
	if !ok {
		return nil, fmt.Errorf("%w: column %q is missing", ErrFormat, "mode")
	}
	first := int64(0)
	for i, g := range f.pq.RowGroups() {
		s := f.pq.Metadata().RowGroups[i].Columns[col].MetaData.Statistics
		if m, err := record.ParseMode(string(s.MinValue)); err == nil && bytes.Equal(s.MinValue, s.MaxValue) {
			out[m] = true
		} else {
			modes, err := f.modes(first, g.NumRows())
			if err != nil {
				return nil, err
			}
			for _, m := range modes {
				out[m] = true
			}
		}
		first += g.NumRows()
	}
	return &out, nil
}

// LeastSteps are the smallest steps of each mode that rows are of; math.MaxInt64
// of none.
func (f *File) LeastSteps() (*[record.Global + 1]int64, error) {
	out := [record.Global + 1]int64{}
	for m := range out {
		out[m] = math.MaxInt64
	}
	modes, steps, err := f.ModeSteps(0, f.Rows())
	for i, m := range modes {
		if err == nil {
			out[m] = min(out[m], steps[i])
		}
	}
	return &out, err
}
