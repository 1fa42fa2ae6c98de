package chunk

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/vigil-ml/vigil/internal/store/journal"
)

// Names of the tables of what goes by time.
const (
	Metrics = "metrics"
	Times   = "times"
	Events  = "events"
)

// timeColumn is the column of instants in a table of metrics. No series may be
// called so.
const timeColumn = "time"

// SeriesName reports whether a name may be that of a series of machine metrics.
func SeriesName(name string) bool { return name != "" && name != timeColumn }

// WriteMetrics writes the table of a host's machine metrics: a row for each
// instant, a column for each series. Figures have few significant bits, so that
// of the eight bytes of a column, each compressed for itself, two hold anything.
func WriteMetrics(w io.Writer, m *journal.Machine) error {
	group := parquet.Group{timeColumn: parquet.Encoded(parquet.Timestamp(parquet.Microsecond), &parquet.DeltaBinaryPacked)}
	for _, name := range m.Names {
		group[name] = parquet.Optional(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit))
	}
	schema := parquet.NewSchema("metrics", group)
	pw := parquet.NewGenericWriter[any](w, append(options(), schema,
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending(timeColumn))),
		parquet.DataPageStatistics(false))...)
	columns := pw.ColumnWriters()
	var buf [batch]parquet.Value
	for from := 0; from < len(m.Times); from += maxRowGroup {
		to := min(from+maxRowGroup, len(m.Times))
		for i, path := range schema.Columns() {
			figures := m.Column(path[0])
			for at := from; at < to; at += batch {
				n := min(batch, to-at)
				for k := range buf[:n] {
					switch {
					case path[0] == timeColumn:
						buf[k] = parquet.Int64Value(m.Times[at+k]).Level(0, 0, i)
					case math.IsNaN(figures[at+k]):
						buf[k] = parquet.NullValue().Level(0, 0, i)
					default:
						buf[k] = parquet.DoubleValue(figures[at+k]).Level(0, 1, i)
					}
				}
				if _, err := columns[i].WriteRowValues(buf[:n]); err != nil {
					return err
				}
			}
		}
		if err := pw.Flush(); err != nil {
			return err
		}
	}
	return pw.Close()
}

// MetricNames are the series of a table of metrics, sorted.
func (f *File) MetricNames() []string {
	var list []string
	for name := range f.col {
		if name != timeColumn {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// HasMetric reports whether a table of metrics has a series.
func (f *File) HasMetric(name string) bool {
	_, there := f.col[name]
	return there && name != timeColumn
}

// Instants reads the times of n rows of a table of metrics, in microseconds
// since 1970.
func (f *File) Instants(from, n int64) ([]int64, error) {
	at, err := f.times(timeColumn, from, n)
	for i := range at {
		at[i] /= 1000
	}
	return at, err
}

// Figures reads a column of numbers that may be absent, as NaN. ok is false when
// there is no such column.
func (f *File) Figures(column string, from, n int64) (out []float64, ok bool, err error) {
	if !f.HasMetric(column) {
		return nil, false, nil
	}
	out = make([]float64, n)
	err = f.pages(column, from, n, func(k int64, p parquet.Page) error {
		values := p.Data()
		data := values.Double()
		levels := p.DefinitionLevels()
		if levels == nil {
			copy(out[k:], data[:p.NumValues()])
			return nil
		}
		if present := int(p.NumValues() - p.NumNulls()); len(data) < present {
			return fmt.Errorf("%w: %d numbers of %d", ErrFormat, len(data), present)
		} else if present == len(levels) {
			copy(out[k:], data[:present])
			return nil
		}
		for i, level := range levels {
			if level == 0 {
				out[k+int64(i)] = math.NaN()
				continue
			}
			out[k+int64(i)], data = data[0], data[1:]
		}
		return nil
	})
	return out, true, err
}
