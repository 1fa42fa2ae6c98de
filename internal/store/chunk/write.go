package chunk

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

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

// codec is shared so that its encoders, some megabytes each, are too.
var codec = &zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}

// batch is the number of rows that are handed to the Parquet writer at once.
const batch = 2048

// write writes a table whose rows come from row(k) for 0 <= k < n.
func write[T any](w io.Writer, n int, dir []Entry, sorted []string, row func(k int) (T, error)) error {
	options := []parquet.WriterOption{
		parquet.Compression(codec),
		parquet.MaxRowsPerRowGroup(maxRowGroup),
		parquet.PageBufferSize(64 << 10),
		parquet.CreatedBy("vigil", "1", "0"),
		parquet.KeyValueMetadata(keyFormat, formatVersion),
	}
	if dir != nil {
		text, err := encodeDirectory(dir)
		if err != nil {
			return err
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
	pw := parquet.NewGenericWriter[T](w, options...)
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
		row := statsRow{Tensor: v.Tensor, Worker: s.Worker, Step: s.Step.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Time: journal.Nanos(s.Time),
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

// WriteScalars writes the table of scalars and derived numbers of steps.
func WriteScalars(w io.Writer, steps []journal.Lazy) (rows int64, err error) {
	places := map[series][]at{}
	for p, s := range steps {
		for i := range s.Scalars {
			k := series{s.Scalars[i].Name, ValueStat}
			places[k] = append(places[k], at{int32(p), int32(i)})
		}
		for i := range s.Derived {
			k := series{s.Derived[i].Tensor, s.Derived[i].Stat}
			places[k] = append(places[k], at{int32(p), int32(i)})
		}
	}
	keys := slices.SortedFunc(maps.Keys(places), func(a, b series) int {
		if a.name != b.name {
			return compare(a.name, b.name)
		}
		return compare(a.stat, b.stat)
	})
	type place struct {
		at
		derived bool
	}
	var order []place
	var dir []Entry
	for _, k := range keys {
		dir = append(dir, Entry{Name: k.name, Stat: k.stat, From: int64(len(order)), Rows: int64(len(places[k]))})
		for _, p := range places[k] {
			order = append(order, place{p, k.stat != ValueStat})
		}
	}
	err = write(w, len(order), nonNil(dir), []string{"series", "stat", "part", "position"}, func(k int) (scalarRow, error) {
		p := order[k]
		s := steps[p.part]
		row := scalarRow{Worker: s.Worker, Step: s.Step.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Part: p.part, Position: p.i}
		if p.derived {
			d := &s.Derived[p.i]
			row.Series, row.Stat, row.FromStep, row.Value = d.Tensor, d.Stat, d.From, d.Value
		} else {
			row.Series, row.Stat, row.FromStep, row.Value = s.Scalars[p.i].Name, ValueStat, -1, s.Scalars[p.i].Value
		}
		return row, nil
	})
	return int64(len(order)), err
}

// WriteSteps writes the table of steps.
func WriteSteps(w io.Writer, steps []journal.Lazy) error {
	return write(w, len(steps), nil, nil, func(k int) (stepRow, error) {
		s := steps[k]
		raw, err := names(s.Raw)
		return stepRow{Worker: s.Worker, Step: s.Step.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Time: journal.Nanos(s.Time),
			Seconds: s.Seconds, Overhead: s.Overhead, Skipped: s.Skipped, Raw: raw}, err
	})
}

// WriteDecisions writes the table of decisions on complete steps.
func WriteDecisions(w io.Writer, list []*journal.Decision) error {
	return write(w, len(list), nil, nil, func(k int) (completeRow, error) {
		d := list[k]
		workers, err := names(d.Workers)
		return completeRow{Step: d.Step, Mode: d.Mode.String(), ModeStep: d.ModeStep, Time: journal.Nanos(d.Time), Workers: workers}, err
	})
}

func names(list []string) (string, error) {
	if list == nil {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("encode names: %w", err)
	}
	return string(b), nil
}

func nonNil(dir []Entry) []Entry {
	if dir == nil {
		return []Entry{}
	}
	return dir
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
