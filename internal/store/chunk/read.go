package chunk

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/parquet-go/parquet-go"
)

// ErrFormat says that a file is not a table of ours, or not a sound one.
var ErrFormat = errors.New("not a sound Parquet table of a run")

// File is an open table. Opening reads the footer only.
type File struct {
	pq  *parquet.File
	dir []Entry
	col map[string]int
	// level is where the levels of a series are, in a table of levels.
	level map[levelKey]Entry
}

// guard turns a panic of the Parquet library on a damaged file into an error.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrFormat, p)
	}
}

// Open opens a table of size bytes. The Parquet library allocates what a file
// tells it to, so r must be known to hold what was written: read tables through
// manifest.Checked.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer guard(&err)
	if err := checkEnds(r, size); err != nil {
		return nil, err
	}
	pq, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.ReadBufferSize(16<<10))
	if err != nil {
		return nil, wrap(err)
	}
	if v, _ := pq.Lookup(keyFormat); v != formatVersion {
		return nil, fmt.Errorf("%w: version %.20q instead of %q", ErrFormat, v, formatVersion)
	}
	f = &File{pq: pq, col: map[string]int{}}
	for _, path := range pq.Schema().Columns() {
		if leaf, ok := pq.Schema().Lookup(path...); ok && len(path) == 1 {
			f.col[path[0]] = leaf.ColumnIndex
		}
	}
	if text, ok := pq.Lookup(keyDirectory); ok {
		if f.dir, err = decodeDirectory(text, pq.NumRows()); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// checkEnds looks at what the library believes without looking: the length of
// the footer, which it allocates, must fit into the file.
func checkEnds(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return fmt.Errorf("%w: %d bytes are too few", ErrFormat, size)
	}
	if n, err := r.ReadAt(end[:], size-8); n < len(end) {
		return wrap(err)
	}
	if n := binary.LittleEndian.Uint32(end[:]); string(end[4:]) != "PAR1" || int64(n) > size-12 {
		return fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrFormat, n, size)
	}
	return nil
}

func wrap(err error) error {
	if errors.Is(err, ErrFormat) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

func decodeDirectory(text string, total int64) ([]Entry, error) {
	var list [][]any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("%w: directory: %w", ErrFormat, err)
	}
	dir := make([]Entry, len(list))
	row := int64(0)
	for i, l := range list {
		e := Entry{From: row}
		ok := len(l) == 2 || len(l) == 3
		if ok {
			e.Name, ok = l[0].(string)
		}
		if ok && len(l) == 3 {
			e.Stat, ok = l[1].(string)
		}
		n, isNumber := 0.0, false
		if ok {
			n, isNumber = l[len(l)-1].(float64)
		}
		if !isNumber || n < 0 || n > float64(total) || n != float64(int64(n)) {
			return nil, fmt.Errorf("%w: directory entry %d", ErrFormat, i)
		}
		e.Rows = int64(n)
		row += e.Rows
		dir[i] = e
	}
	if row != total {
		return nil, fmt.Errorf("%w: the directory names %d rows of %d", ErrFormat, row, total)
	}
	return dir, nil
}

// Rows is the number of rows.
func (f *File) Rows() int64 { return f.pq.NumRows() }

// Directory lists the tensors or series of the file, sorted by name and
// statistic. The caller must not change it.
func (f *File) Directory() []Entry { return f.dir }

// Find gives the directory's entries for a name.
func (f *File) Find(name string) []Entry {
	i := sort.Search(len(f.dir), func(i int) bool { return f.dir[i].Name >= name })
	j := i
	for j < len(f.dir) && f.dir[j].Name == name {
		j++
	}
	return f.dir[i:j]
}

// pages hands over the pages of a column that hold n rows from a row on, cut
// to them: k is the place of a page's first value among the n. A page is valid
// during the call. Pages that hold none of the rows are not read.
func (f *File) pages(column string, from, n int64, each func(k int64, p parquet.Page) error) (err error) {
	defer guard(&err)
	col, ok := f.col[column]
	if !ok {
		return fmt.Errorf("%w: column %q is missing", ErrFormat, column)
	}
	if from < 0 || n < 0 || from+n > f.Rows() {
		return fmt.Errorf("read rows %d to %d of %d", from, from+n, f.Rows())
	}
	k, first := int64(0), int64(0)
	for _, g := range f.pq.RowGroups() {
		last := first + g.NumRows()
		if k < n && from+k < last {
			m := min(n-k, last-(from+k))
			base := k
			if err := read(g.ColumnChunks()[col], from+k-first, m, func(i int64, p parquet.Page) error { return each(base+i, p) }); err != nil {
				return fmt.Errorf("read column %q: %w", column, wrap(err))
			}
			k += m
		}
		first = last
	}
	return nil
}

// read reads n values of one column chunk.
func read(c parquet.ColumnChunk, from, n int64, each func(i int64, p parquet.Page) error) error {
	pages := c.Pages()
	defer pages.Close()
	if err := pages.SeekToRow(from); err != nil {
		return err
	}
	for i := int64(0); i < n; {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		cut := page
		if page.NumRows() > n-i {
			cut = page.Slice(0, n-i)
		}
		err = each(i, cut)
		i += cut.NumRows()
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
	return nil
}

// each hands over the values of a page one by one, which takes long: it is for
// columns whose pages do not hold them as a list.
func each(p parquet.Page, k int64, visit func(k int64, v parquet.Value)) error {
	var buf [256]parquet.Value
	values := p.Values()
	for {
		m, err := values.ReadValues(buf[:])
		for _, v := range buf[:m] {
			visit(k, v)
			k++
		}
		if errors.Is(err, io.EOF) || err == nil && m == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Int64s reads a column of integers.
func (f *File) Int64s(column string, from, n int64) ([]int64, error) {
	out := make([]int64, n)
	err := f.pages(column, from, n, func(k int64, p parquet.Page) error {
		switch {
		case p.Dictionary() != nil:
			return each(p, k, func(k int64, v parquet.Value) { out[k] = v.Int64() })
		case p.Type().Kind() == parquet.Int32:
			list := p.Data()
			data := list.Int32()
			for i, v := range data[:p.NumValues()] {
				out[k+int64(i)] = int64(v)
			}
		default:
			list := p.Data()
			data := list.Int64()
			copy(out[k:], data[:p.NumValues()])
		}
		return nil
	})
	return out, err
}

// Floats reads a column of numbers; integers are converted.
func (f *File) Floats(column string, from, n int64) ([]float64, error) {
	out := make([]float64, n)
	err := f.pages(column, from, n, func(k int64, p parquet.Page) error {
		switch {
		case p.Dictionary() != nil:
			return each(p, k, func(k int64, v parquet.Value) { out[k] = v.Double() })
		case p.Type().Kind() == parquet.Int64:
			list := p.Data()
			data := list.Int64()
			for i, v := range data[:p.NumValues()] {
				out[k+int64(i)] = float64(v)
			}
		default:
			list := p.Data()
			data := list.Double()
			copy(out[k:], data[:p.NumValues()])
		}
		return nil
	})
	return out, err
}

// Bools reads a column of truth values.
func (f *File) Bools(column string, from, n int64) ([]bool, error) {
	out := make([]bool, n)
	err := f.pages(column, from, n, func(k int64, p parquet.Page) error {
		return each(p, k, func(k int64, v parquet.Value) { out[k] = v.Boolean() })
	})
	return out, err
}

// Strings reads a column of text; equal ones share their memory.
func (f *File) Strings(column string, from, n int64) ([]string, error) {
	out := make([]string, n)
	err := words(f, column, from, n, func(b []byte) (string, error) { return string(b), nil }, out)
	return out, err
}

// words reads a column of text into out; parse is called once for each
// different word of a page.
func words[T any](f *File, column string, from, n int64, parse func([]byte) (T, error), out []T) error {
	return f.pages(column, from, n, func(k int64, p parquet.Page) error {
		d := p.Dictionary()
		if d == nil {
			var failed error
			err := each(p, k, func(k int64, v parquet.Value) {
				w, err := parse(v.ByteArray())
				if err != nil {
					failed = err
				}
				out[k] = w
			})
			return errors.Join(err, failed)
		}
		known := map[int32]T{}
		last := int32(-1)
		var word T
		list := p.Data()
		for i, x := range list.Int32()[:p.NumValues()] {
			if x != last {
				w, there := known[x]
				if !there {
					var err error
					if w, err = parse(d.Index(x).ByteArray()); err != nil {
						return err
					}
					known[x] = w
				}
				last, word = x, w
			}
			out[k+int64(i)] = word
		}
		return nil
	})
}

// Bytes reads a column of optional bytes; absent ones are nil.
func (f *File) Bytes(column string, from, n int64) ([][]byte, error) {
	out := make([][]byte, n)
	err := f.pages(column, from, n, func(k int64, p parquet.Page) error {
		return each(p, k, func(k int64, v parquet.Value) {
			if !v.IsNull() {
				out[k] = append([]byte{}, v.ByteArray()...)
			}
		})
	})
	return out, err
}

// RowGroups are the numbers of rows of the row groups.
func (f *File) RowGroups() []int64 {
	var out []int64
	for _, g := range f.pq.RowGroups() {
		out = append(out, g.NumRows())
	}
	return out
}
