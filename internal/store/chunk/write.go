package chunk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// Entry is one line of a file's directory: the rows of a tensor, or of a
// series and one statistic, lie together from row From on.
type Entry struct {
	Name string
	Stat string // tables of scalars only
	From int64
	Rows int64
}

// at is the place of one value: step number part of the chunk, and in it the
// value number i.
type at struct{ part, i int32 }

// batch is the number of rows that are handed to the Parquet writer at once.
const batch = 2048

// begin begins a table with rows like T.
func begin[T any](w io.Writer, dir []Entry, sorted []string) (*parquet.GenericWriter[T], error) {
	options := options()
	if dir != nil {
		text, err := encodeDirectory(dir)
		if err != nil {
			return nil, err
		}
		options = append(options, parquet.KeyValueMetadata(keyDirectory, text))
	}
	if len(sorted) > 0 {
		var by []parquet.SortingColumn
		for _, s := range sorted {
			by = append(by, parquet.Ascending(s))
		}
		options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(by...)))
	}
	return parquet.NewGenericWriter[T](w, options...), nil
}

// options are those of all tables.
func options() []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.Compression(theCodec),
		parquet.MaxRowsPerRowGroup(maxRowGroup),
		parquet.PageBufferSize(64 << 10),
		parquet.CreatedBy("vigil", "1", "0"),
		parquet.KeyValueMetadata(keyFormat, formatVersion),
	}
}

// write writes a table whose rows come from row(k) for 0 <= k < n.
func write[T any](w io.Writer, n int, dir []Entry, sorted []string, row func(k int) (T, error)) error {
	pw, err := begin[T](w, dir, sorted)
	if err != nil {
		return err
	}
	rows := make([]T, 0, min(n, batch))
	for k := range n {
		r, err := row(k)
		if err != nil {
			return err
		}
		rows = append(rows, r)
		if len(rows) == cap(rows) || k == n-1 {
			if _, err := pw.Write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return pw.Close()
}

// encodeDirectory spells a directory: [[name, rows], …] or [[name, stat,
// rows], …]; the first row follows from the sum of those before.
func encodeDirectory(dir []Entry) (string, error) {
	list := make([][]any, len(dir))
	for i, e := range dir {
		if e.Stat == "" {
			list[i] = []any{e.Name, e.Rows}
		} else {
			list[i] = []any{e.Name, e.Stat, e.Rows}
		}
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// WriteStats writes the table of statistics of steps.
func WriteStats(w io.Writer, steps []journal.Lazy) (rows int64, err error) {
	places := map[string][]at{}
	for p, s := range steps {
		for i := range s.Stats {
			name := s.Stats[i].Tensor
			places[name] = append(places[name], at{int32(p), int32(i)})
		}
	}
	var order []at
	var dir []Entry
	for _, name := range slices.Sorted(maps.Keys(places)) {
		dir = append(dir, Entry{Name: name, From: int64(len(order)), Rows: int64(len(places[name]))})
		order = append(order, places[name]...)
	}
	err = write(w, len(order), nonNil(dir), []string{"tensor", "part", "position"}, func(k int) (statsRow, error) {
		s := steps[order[k].part]
		v := &s.Stats[order[k].i]
		row := statsRow{Tensor: v.Tensor, Worker: s.Worker, Step: s.Step.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Time: millis(s.Time),
			Count: v.Count, NaN: v.NaN, PosInf: v.PosInf, NegInf: v.NegInf, Zeros: v.Zeros,
			Min: v.Min, Max: v.Max, Mean: v.Mean, M2: v.M2, L1: v.L1, Std: v.Std(), Part: order[k].part, Position: order[k].i}
		if h := s.Hists; h != nil {
			row.Hist = h[order[k].i]
		}
		return row, nil
	})
	return int64(len(order)), err
}

// series is what the rows of scalars are sorted by.
type series struct{ name, stat string }

// cell is one number on its way into the table of scalars.
type cell struct {
	at
	from  int64 // mode step compared with; -1: none
	value float64
}

// ScalarRows are the scalars and derived numbers of steps, by series.
type ScalarRows struct {
	steps []journal.Lazy
	lists map[series]*[]cell
}

// GatherScalars puts the numbers of each series together, in the order of the
// steps.
func GatherScalars(steps []journal.Lazy) *ScalarRows {
	rows := map[series]*[]cell{}
	// Most steps hold the same series in the same order: then the one of the
	// step before is right, and nothing has to be looked up.
	var before, now []*[]cell
	var keys, names []series
	add := func(k series, c cell) {
		i := len(now)
		var list *[]cell
		if i < len(before) && keys[i] == k {
			list = before[i]
		} else if list = rows[k]; list == nil {
			list = new([]cell)
			rows[k] = list
		}
		*list = append(*list, c)
		now, names = append(now, list), append(names, k)
	}
	for p, s := range steps {
		before, now = now, before[:0]
		keys, names = names, keys[:0]
		for i := range s.Scalars {
			add(series{s.Scalars[i].Name, ValueStat}, cell{at{int32(p), int32(i)}, -1, s.Scalars[i].Value})
		}
		for i := range s.Derived {
			d := &s.Derived[i]
			add(series{d.Tensor, d.Stat}, cell{at{int32(p), int32(i)}, d.From, d.Value})
		}
	}
	return &ScalarRows{steps, rows}
}

// Write writes the table of scalars and derived numbers. It goes column by
// column: this is the table that fast runs are made of.
func (s *ScalarRows) Write(w io.Writer) (rows int64, err error) {
	lists := s.lists
	keys := slices.SortedFunc(maps.Keys(lists), func(a, b series) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.stat, b.stat))
	})
	dir := make([]Entry, 0, len(keys))
	for _, k := range keys {
		n := int64(len(*lists[k]))
		dir = append(dir, Entry{Name: k.name, Stat: k.stat, From: rows, Rows: n})
		rows += n
	}
	pw, err := begin[scalarRow](w, dir, []string{"series", "stat", "part", "position"})
	if err != nil {
		return 0, err
	}
	c := scalarColumns{to: pw.ColumnWriters(), steps: s.steps}
	left := maxRowGroup
	for _, k := range keys {
		for list := *lists[k]; len(list) > 0; {
			n := min(len(list), batch, left)
			if err := c.write(k, list[:n]); err != nil {
				return 0, err
			}
			list = list[n:]
			if left -= n; left == 0 {
				if err := pw.Flush(); err != nil {
					return 0, err
				}
				left = maxRowGroup
			}
		}
	}
	return rows, pw.Close()
}

// scalarColumns writes rows of one series at a time.
type scalarColumns struct {
	to    []*parquet.ColumnWriter // in the order of scalarRow
	steps []journal.Lazy
	buf   [batch]parquet.Value
}

func (c *scalarColumns) write(k series, list []cell) error {
	step := func(i int) *record.Step { return c.steps[list[i].part].Step }
	name, stat := parquet.ByteArrayValue([]byte(k.name)), parquet.ByteArrayValue([]byte(k.stat))
	var worker, mode parquet.Value
	lastWorker, lastMode := "", record.Mode(255)
	for column, value := range []func(i int) parquet.Value{
		func(int) parquet.Value { return name },
		func(int) parquet.Value { return stat },
		func(i int) parquet.Value {
			if s := step(i); i == 0 || s.Worker != lastWorker {
				lastWorker, worker = s.Worker, parquet.ByteArrayValue([]byte(s.Worker))
			}
			return worker
		},
		func(i int) parquet.Value { return parquet.Int64Value(step(i).Step) },
		func(i int) parquet.Value {
			if s := step(i); s.Mode != lastMode {
				lastMode, mode = s.Mode, parquet.ByteArrayValue([]byte(s.Mode.String()))
			}
			return mode
		},
		func(i int) parquet.Value { return parquet.Int64Value(step(i).ModeStep) },
		func(i int) parquet.Value { return parquet.Int64Value(list[i].from) },
		func(i int) parquet.Value { return parquet.DoubleValue(list[i].value) },
		func(i int) parquet.Value { return parquet.Int32Value(list[i].part) },
		func(i int) parquet.Value { return parquet.Int32Value(list[i].i) },
	} {
		values := c.buf[:len(list)]
		for i := range values {
			values[i] = value(i)
		}
		if _, err := c.to[column].WriteRowValues(values); err != nil {
			return err
		}
	}
	return nil
}

// WriteSteps writes the table of steps.
func WriteSteps(w io.Writer, steps []journal.Lazy) error {
	return write(w, len(steps), nil, nil, func(k int) (stepRow, error) {
		s := steps[k]
		raw, err := list(s.Raw)
		return stepRow{Worker: s.Worker, Step: s.Step.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Time: millis(s.Time),
			Seconds: s.Seconds, Overhead: s.Overhead, Skipped: s.Skipped, Raw: raw}, err
	})
}

// WriteDecisions writes the table of decisions on complete steps and on windows.
func WriteDecisions(w io.Writer, decisions []*journal.Decision) error {
	return write(w, len(decisions), nil, nil, func(k int) (completeRow, error) {
		d := decisions[k]
		if d.Window != nil {
			return windowRow(d.Window)
		}
		workers, err := list(d.Workers)
		if err != nil {
			return completeRow{}, err
		}
		joined, err := list(d.Joined)
		return completeRow{Step: d.Step, Mode: d.Mode.String(), ModeStep: d.ModeStep, Time: millis(d.Time), Workers: workers, Joined: joined}, err
	})
}

func windowRow(w *journal.Window) (completeRow, error) {
	b, err := json.Marshal(windowDecision{Index: w.Index, From: journal.Nanos(w.From), To: journal.Nanos(w.To), Late: w.Late, Rows: w.Rows})
	if err != nil {
		return completeRow{}, fmt.Errorf("encode a window: %w", err)
	}
	return completeRow{Step: -1, Mode: record.Global.String(), ModeStep: -1, Time: millis(w.To), Workers: "[]", Joined: "[]", Window: string(b)}, nil
}

// millis is a time as the tables keep it; 0 is none.
func millis(t time.Time) int64 { return journal.Nanos(t) / 1e6 }

func list[T any](values []T) (string, error) {
	if values == nil {
		return "[]", nil
	}
	b, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("encode a list: %w", err)
	}
	return string(b), nil
}

func nonNil(dir []Entry) []Entry {
	if dir == nil {
		return []Entry{}
	}
	return dir
}
