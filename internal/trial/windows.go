package trial

import (
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// rowReader hands over the rows of one source in the order stored, a chunk or
// journal at a time.
type rowReader struct {
	next int64 // number of the first row of list, within the source
	list []record.Row
}

// window puts a window of time together: of each source the rows that come next.
// Those of steps that were taken back are in it: their time has passed all the same.
func (r *replayer) window(d *journal.Window) *record.Window {
	rows := map[record.RowSource][]record.Row{}
	for _, s := range d.Rows.Sources() {
		in := r.readers[s]
		if in == nil {
			in = &rowReader{}
			r.readers[s] = in
		}
		rows[s] = r.t.take(s, in, r.rows[s], d.Rows[s])
	}
	r.rows.Add(d.Rows)
	return record.NewWindow(d.Index, d.From, d.To, d.Late, rows)
}

// take reads n rows of a source from a number on; those that are damaged, or made
// room for others, are left out.
func (t *Trial) take(s record.RowSource, in *rowReader, from, n int64) (out []record.Row) {
	for end := from + n; from < end; {
		if k := from - in.next; k < 0 || k >= int64(len(in.list)) {
			in.next, in.list = t.rowsAt(s, from)
			if len(in.list) == 0 {
				return out
			}
			if in.next >= end {
				return out
			}
			from = in.next
			continue
		}
		k := from - in.next
		m := min(int64(len(in.list))-k, end-from)
		out = append(out, in.list[k:k+m]...)
		from += m
	}
	return out
}

// rowsAt reads rows of a source from a number on, as far as one chunk or journal
// goes: the first one that has any. They are the caller's.
func (t *Trial) rowsAt(src record.RowSource, from int64) (first int64, list []record.Row) {
	s := t.source(src)
	if s == nil {
		return 0, nil
	}
	start := int64(0)
	for _, n := range s.numbers() {
		count := t.countRows(s, n, src.Kind)
		if start+count > from {
			at := max(from, start)
			if list = t.readRows(s, n, src, start, at); len(list) > 0 {
				return at, list
			}
		}
		start += count
	}
	return 0, nil
}

// source is the series that rows of a source are in; nil when there is none.
func (t *Trial) source(src record.RowSource) *series {
	if src.Kind == record.SampleRows || src.Kind == record.HostEventRows {
		return t.hosts[layout.System(src.Name)]
	}
	return t.series[layout.Series(src.Name)]
}

// countRows is how many rows of a kind a chunk or journal holds, or held.
func (t *Trial) countRows(s *series, n int, kind record.RowKind) int64 {
	if kind == record.SampleRows {
		return t.samplesIn(s, n)
	}
	if j := s.tails[n]; j != nil {
		if kind == record.TimeRows {
			return int64(len(j.times))
		}
		return int64(len(j.events))
	}
	if f := t.table(s.chunks[n], rowTable(kind)); f != nil {
		return f.Rows()
	}
	return 0
}

func rowTable(kind record.RowKind) string {
	if kind == record.TimeRows {
		return chunk.Times
	}
	return chunk.Events
}

// readRows reads rows of a chunk or journal, whose first row has the number start,
// from the number at on.
func (t *Trial) readRows(s *series, n int, src record.RowSource, start, at int64) (list []record.Row) {
	if src.Kind == record.SampleRows {
		b := t.block(s, n, start, at, time.Time{}, time.Time{})
		if b == nil || b.first != at {
			return nil
		}
		_ = b.each(&record.Sample{Host: src.Name}, func(_ int64, x *record.Sample) error { // its error is that of the function
			c := *x
			c.Values = slices.Clone(x.Values)
			list = append(list, record.Row{Sample: &c})
			return nil
		})
		return list
	}
	if src.Kind == record.TimeRows {
		var times []record.StepTime
		if j := s.tails[n]; j != nil {
			times = slices.Clone(j.times[at-start:])
		} else {
			times = readTable(t, s.chunks[n], chunk.Times, at-start, (*chunk.File).ReadTimes)
		}
		for i := range times {
			list = append(list, record.Row{Time: &times[i]})
		}
		return list
	}
	var events []record.Event
	if j := s.tails[n]; j != nil {
		events = slices.Clone(j.events[at-start:])
	} else {
		events = readTable(t, s.chunks[n], chunk.Events, at-start, (*chunk.File).ReadEvents)
	}
	for i := range events {
		list = append(list, record.Row{Event: &events[i]})
	}
	return list
}

// readTable reads the rows of a table from one on.
func readTable[T any](t *Trial, c *sealed, name string, from int64, read func(f *chunk.File, from, n int64) ([]T, error)) []T {
	f := t.table(c, name)
	if f == nil {
		return nil
	}
	list, err := read(f, from, f.Rows()-from)
	if err != nil {
		t.spoil(c.tables[name], err)
		return nil
	}
	return list
}

// RowsAfter hands over the stored rows that windows are made of, source after
// source in the order stored, without as many of each as taken says. The trial is
// locked while fn runs.
func (t *Trial) RowsAfter(taken record.Rows, fn func(record.RowSource, record.Row) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return fmt.Errorf("read what is in no window of run %q: %w", t.path, err)
	}
	there := record.Rows{}
	for _, s := range t.allHosts() {
		there[record.RowSource{Kind: record.SampleRows, Name: s.worker}] = 0
		there[record.RowSource{Kind: record.HostEventRows, Name: s.worker}] = 0
	}
	for _, s := range t.all() {
		there[record.RowSource{Kind: record.TimeRows, Name: s.worker}] = 0
		there[record.RowSource{Kind: record.EventRows, Name: s.worker}] = 0
	}
	for _, src := range there.Sources() {
		for from := taken[src]; ; {
			first, list := t.rowsAt(src, from)
			if len(list) == 0 {
				break
			}
			for _, row := range list {
				if err := fn(src, row); err != nil {
					return err
				}
			}
			from = first + int64(len(list))
		}
	}
	return nil
}
