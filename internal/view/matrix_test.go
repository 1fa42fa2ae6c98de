package view

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// places reads nothing: each byte is that of its place. It counts what is asked.
type places struct{ bytes int64 }

func (c *places) ReadAt(p []byte, off int64) (int, error) {
	c.bytes += int64(len(p))
	for i := range p {
		p[i] = byte((off + int64(i)) % 251)
	}
	return len(p), nil
}

// A matrix is bounded in what it shows and in what is read for it, however large
// the tensor.
func TestMatrixBounds(t *testing.T) {
	for _, c := range []struct {
		name                    string
		shape                   []int64
		block                   int64
		cut                     Cut
		rowStride, columnStride int64
		rows, columns           int64 // shown
	}{
		{"small", []int64{3, 4}, 1, Cut{}, 1, 1, 3, 4},
		{"as many as there may be", []int64{512, 512}, 1, Cut{}, 1, 1, 512, 512},
		{"one more", []int64{513, 512}, 1, Cut{}, 2, 1, 257, 512},
		{"a vector", []int64{512 * 512}, 1, Cut{}, 1, 1, 1, 512 * 512},
		{"a long vector", []int64{512*512 + 1}, 1, Cut{}, 1, 2, 1, 256*512 + 1},
		{"one row of a matrix", []int64{9, 1000}, 1, Cut{Rows: Span{3, 4}}, 1, 1, 1, 1000},
		{"gigabytes", []int64{50_000, 50_000}, 1, Cut{}, 98, 98, 511, 511},
		{"gigabytes in blocks", []int64{50_000, 50_000}, 16 << 20, Cut{}, 98 * 16, 98, 32, 511},
		{"a part of gigabytes in blocks", []int64{50_000, 50_000}, 16 << 20, Cut{Rows: Span{40_000, 40_200}, Columns: Span{7, 107}}, 1, 1, 200, 100},
		{"few rows of a gigabyte", []int64{4, 1 << 30}, 1, Cut{}, 1, 1 << 21, 4, 512},
		{"few rows of a gigabyte in blocks", []int64{4, 1 << 30}, 64 << 20, Cut{}, 4, 1 << 27, 1, 8},
		{"0-d", nil, 1, Cut{}, 1, 1, 1, 1},
		{"nothing", []int64{0, 5}, 1, Cut{}, 1, 1, 0, 5},
		{"flat", []int64{7, 5, 3, 3}, 1, Cut{Flat: true, Rows: Span{2, 4}}, 1, 1, 2, 45},
		{"the last of many", []int64{100, 100, 30, 30}, 1, Cut{At: []int64{99, 99}}, 1, 1, 30, 30},
	} {
		src := &places{}
		m, err := MatrixOf(source.RawPart{DType: tensor.U8, Shape: c.shape, Bytes: src, Block: c.block}, c.cut)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if m.RowStride != c.rowStride || m.ColumnStride != c.columnStride || m.ShownRows() != c.rows || m.ShownColumns() != c.columns || int64(len(m.Values)) != c.rows*c.columns {
			t.Errorf("%s: every %d. of rows, every %d. of columns, %d x %d shown, %d values", c.name, m.RowStride, m.ColumnStride, m.ShownRows(), m.ShownColumns(), len(m.Values))
		}
		if src.bytes > matrixBytes {
			t.Errorf("%s: %d bytes were read", c.name, src.bytes)
		}
		if len(m.Values) > MatrixSide*MatrixSide {
			t.Errorf("%s: %d values", c.name, len(m.Values))
		}
		first, width := int64(0), int64(1)
		if n := len(c.shape); n > 0 {
			width = c.shape[n-1]
		}
		if c.cut.Flat {
			width = c.shape[1] * c.shape[2] * c.shape[3]
		} else if n := len(c.shape); n > 2 {
			for i, at := range m.At {
				first = first*c.shape[i] + at
			}
			first *= c.shape[n-2] * width
		}
		for i, v := range m.Values {
			row, column := m.Rows.From+int64(i)/c.columns*m.RowStride, m.Columns.From+int64(i)%c.columns*m.ColumnStride
			if want := float64((first + row*width + column) % 251); v != want {
				t.Errorf("%s: value %d is %g, want %g", c.name, i, v, want)
				break
			}
		}
	}
}

// What is shorter than it should be is an error, and not zeros.
func TestMatrixTorn(t *testing.T) {
	short := io.NewSectionReader(&places{}, 0, 11)
	if _, err := MatrixOf(source.RawPart{DType: tensor.U8, Shape: []int64{3, 4}, Bytes: short, Block: 1}, Cut{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

func TestNearest(t *testing.T) {
	steps := []int64{10, 20, 30}
	for at, want := range map[int64]int64{-1: 30, 0: 10, 10: 10, 19: 10, 20: 20, 99: 30} {
		if got := nearest(steps, at); got != want {
			t.Errorf("up to %d: %d, want %d", at, got, want)
		}
	}
}

// United bins lose nothing, and zeros stay findable.
func TestRidgesOf(t *testing.T) {
	nan := math.NaN()
	list := rows([]float64{-4, 0, 1, 2}, []float64{nan, math.Inf(1), 0, 8}, []float64{-0.5, 0, 0, 3})
	for _, c := range []struct {
		name          string
		columns, bins int
		want          Ridges
	}{
		{"all", 9, 99, Ridges{Edges: []float64{-8, -4, -2, -1, -0.5, 0.5, 1, 2, 4, 8, 16}, Zero: 4, Steps: []int64{0, 1, 2},
			Counts:   [][]int64{{1, 0, 0, 0, 1, 0, 1, 1, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0, 1, 2, 0, 0, 1, 0, 0}},
			Shares:   [][]float64{{0.25, 0, 0, 0, 0.25, 0, 0.25, 0.25, 0, 0}, {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5}, {0, 0, 0, 0.25, 0.5, 0, 0, 0.25, 0, 0}},
			Elements: []int64{4, 4, 4}, NaN: []int64{0, 1, 0}, Inf: []int64{0, 1, 0}, All: 3}},
		{"first and last step, three bins together", 2, 4, Ridges{Edges: []float64{-8, -1, 1, 8, 16}, Zero: 1, Steps: []int64{0, 2},
			Counts:   [][]int64{{1, 1, 2, 0}, {0, 3, 1, 0}},
			Shares:   [][]float64{{0.25, 0.25, 0.5, 0}, {0, 0.75, 0.25, 0}},
			Elements: []int64{4, 4}, NaN: []int64{0, 0}, Inf: []int64{0, 0}, All: 3}},
	} {
		if d := cmp.Diff(&c.want, RidgesOf(list, c.columns, c.bins)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	if RidgesOf(nil, 10, 10) != nil {
		t.Error("there are histograms where none was stored")
	}
}

// A column of several steps keeps its spike, and says what is not finite.
func TestHeatLayer(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	steps := []int64{0, 1, 2, 3, 4, 5, 6, 7}
	at := map[int64]bool{}
	for _, s := range steps {
		at[s] = true
	}
	for _, c := range []struct {
		name   string
		most   int
		steps  []int64
		values []float64
		want   []float64
		odd    []int64
		starts []int64
	}{
		{"each its own", 9, steps, []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 2, 3, 4, 5, 6, 7, 8}, nil, steps},
		{"spikes of both signs", 2, steps, []float64{1, -9, 3, 4, 5, 6, 70, 8}, []float64{-9, 70}, nil, []int64{0, 4}},
		{"nothing captured", 4, steps[:2], []float64{1, 2}, []float64{2, nan, nan, nan}, nil, []int64{0, 2, 4, 6}},
		{"not finite beside finite", 4, steps, []float64{1, nan, 3, inf, nan, inf, nan, nan}, []float64{1, 3, inf, nan}, []int64{0, 1, 2, 3}, []int64{0, 2, 4, 6}},
		{"a step that came in the meantime", 9, []int64{0, 99}, []float64{1, 5}, []float64{1, nan, nan, nan, nan, nan, nan, nan}, nil, steps},
	} {
		on := newHeatColumns(at, c.most)
		row := heatLayer(record.TensorInfo{}, c.steps, c.values, on)
		if d := cmp.Diff(c.want, row.Values, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s: values (-want +got):\n%s", c.name, d)
		}
		if d := cmp.Diff(c.odd, row.Odd); d != "" {
			t.Errorf("%s: odd (-want +got):\n%s", c.name, d)
		}
		if d := cmp.Diff(c.starts, on.starts); d != "" {
			t.Errorf("%s: columns (-want +got):\n%s", c.name, d)
		}
	}
}
