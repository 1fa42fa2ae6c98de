package view

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Bounds of a matrix that is shown: values, and the bytes that are read for them.
const (
	MatrixSide  = 512
	matrixBytes = 512 << 20
)

// Span are the indices From to To, To not included; To 0 is the end.
type Span struct{ From, To int64 }

// Cut says which matrix of a tensor is shown: its last two dimensions, or the only
// one as a row; Flat: the first dimension by all others.
type Cut struct {
	Flat          bool
	At            []int64 // indices of the dimensions before the last two; missing ones are 0
	Rows, Columns Span
}

// Matrix is a part of a tensor as a person looks at it: one row in so many and
// column, so that it has at most MatrixSide of each; a single row as many values as
// such a matrix.
type Matrix struct {
	DType                   tensor.DType
	Shape                   []int64
	At                      []int64
	Rows, Columns           Span // as shown
	RowStride, ColumnStride int64
	Values                  []float64 // row by row
	Min, Max                float64   // of the finite ones shown; NaN when there is none
}

// WrongCut is the error for a cut that a tensor does not have.
type WrongCut struct{ message string }

func (w *WrongCut) Error() string { return w.message }

func wrongCut(format string, args ...any) error { return &WrongCut{fmt.Sprintf(format, args...)} }

// ShownRows and ShownColumns are how many there are in Values.
func (m *Matrix) ShownRows() int64 { return steps(m.Rows, m.RowStride) }

// ShownColumns are how many there are in a row of Values.
func (m *Matrix) ShownColumns() int64 { return steps(m.Columns, m.ColumnStride) }

func steps(s Span, stride int64) int64 { return (s.To - s.From + stride - 1) / stride }

// MatrixOf reads a part of a stored tensor. Of a large tensor it reads little:
// where more than half a GiB lies between the values asked for, it shows fewer.
func MatrixOf(p source.RawPart, c Cut) (*Matrix, error) {
	if _, err := tensor.Elements(p.Shape); err != nil {
		return nil, err
	}
	m := &Matrix{DType: p.DType, Shape: p.Shape, RowStride: 1, ColumnStride: 1, Min: math.NaN(), Max: math.NaN()}
	first, rows, columns, err := m.lay(c)
	if err != nil {
		return nil, err
	}
	if m.Rows, err = within(c.Rows, rows, "rows"); err != nil {
		return nil, err
	}
	if m.Columns, err = within(c.Columns, columns, "columns"); err != nil {
		return nil, err
	}
	most := int64(MatrixSide)
	if m.Rows.To-m.Rows.From <= 1 {
		most *= MatrixSide
	}
	m.RowStride, m.ColumnStride = stride(m.Rows, MatrixSide), stride(m.Columns, most)
	r := &partReader{p: p, m: m, first: first, width: columns}
	for r.cost() > matrixBytes && (m.ShownRows() > 1 || m.ShownColumns() > 1) {
		r.thinner()
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	for _, v := range m.Values {
		m.Min, m.Max = widened(m.Min, m.Max, v)
	}
	return m, nil
}

// lay finds the matrix in the tensor: its first element, rows and columns.
func (m *Matrix) lay(c Cut) (first, rows, columns int64, err error) {
	n := len(m.Shape)
	switch n {
	case 0:
		rows, columns = 1, 1
	case 1:
		rows, columns = 1, m.Shape[0]
	default:
		rows, columns = m.Shape[n-2], m.Shape[n-1]
	}
	lead := m.Shape[:max(n-2, 0)]
	if c.Flat && n > 2 {
		rows, columns, lead = m.Shape[0], 1, nil
		for _, d := range m.Shape[1:] {
			columns *= d
		}
	}
	if len(c.At) > len(lead) {
		return 0, 0, 0, wrongCut("a tensor of shape %v has %d dimensions before its rows and columns, not %d", m.Shape, len(lead), len(c.At))
	}
	m.At = append(slices.Clone(c.At), make([]int64, len(lead)-len(c.At))...)
	for i, at := range m.At {
		if at < 0 || at >= lead[i] {
			return 0, 0, 0, wrongCut("index %d is not one of the %d of dimension %d", at, lead[i], i)
		}
		first = first*lead[i] + at
	}
	return first * rows * columns, rows, columns, nil
}

// within is a span that lies in so many.
func within(s Span, n int64, what string) (Span, error) {
	if s.To == 0 || s.To > n {
		s.To = n
	}
	if s.From < 0 || s.From > s.To || s.From == s.To && n > 0 {
		return s, wrongCut("%s %d to %d are not among its %d", what, s.From, s.To, n)
	}
	return s, nil
}

func stride(s Span, most int64) int64 { return max(1, (s.To-s.From+most-1)/most) }

// partReader reads a matrix's values where they lie.
type partReader struct {
	p     source.RawPart
	m     *Matrix
	first int64 // element of the tensor that the matrix begins with
	width int64 // its columns
}

// apart is the distance in bytes from which on values are read one by one.
const apart = 4096

// place is where a value lies.
func (r *partReader) place(row, column int64) int64 {
	return (r.first + (r.m.Rows.From+row*r.m.RowStride)*r.width + r.m.Columns.From + column*r.m.ColumnStride) * int64(r.p.DType.Size())
}

// single reports whether a row's values are read one by one.
func (r *partReader) single() bool { return r.m.ColumnStride*int64(r.p.DType.Size()) >= apart }

// readCost is how many bytes are read: whole blocks, the one that was read last not
// again.
type readCost struct{ block, last, bytes int64 }

func (c *readCost) add(from, to int64) {
	a, b := from/c.block, to/c.block
	if a == c.last {
		a++
	}
	if b >= a {
		c.bytes, c.last = c.bytes+(b-a+1)*c.block, b
	}
}

func (r *partReader) cost() int64 {
	c := readCost{block: max(r.p.Block, apart), last: -1}
	r.touch(&c)
	return c.bytes
}

// touch adds what is read for all values.
func (r *partReader) touch(c *readCost) {
	columns := r.m.ShownColumns()
	for row := range r.m.ShownRows() {
		if columns == 0 {
			break
		}
		if !r.single() {
			c.add(r.place(row, 0), r.place(row, columns-1))
			continue
		}
		for column := range columns {
			at := r.place(row, column)
			c.add(at, at)
		}
	}
}

// thinner leaves out every other row or column, whichever saves more.
func (r *partReader) thinner() {
	m := r.m
	half := func(s *int64) int64 {
		*s *= 2
		defer func() { *s /= 2 }()
		return r.cost()
	}
	rows, columns := int64(math.MaxInt64), int64(math.MaxInt64)
	if m.ShownRows() > 1 {
		rows = half(&m.RowStride)
	}
	if m.ShownColumns() > 1 {
		columns = half(&m.ColumnStride)
	}
	if rows < columns || rows == columns && m.ShownRows() >= m.ShownColumns() {
		m.RowStride *= 2
	} else {
		m.ColumnStride *= 2
	}
}

func (r *partReader) read() error {
	size := int64(r.p.DType.Size())
	rows, columns := r.m.ShownRows(), r.m.ShownColumns()
	r.m.Values = make([]float64, 0, rows*columns)
	if rows == 0 || columns == 0 {
		return nil
	}
	together := min(columns, max(1, 1<<20/(size*r.m.ColumnStride))) // values that a read brings
	if r.single() {
		together = 1
	}
	buf := make([]byte, ((together-1)*r.m.ColumnStride+1)*size)
	for row := range rows {
		for column := int64(0); column < columns; column += together {
			n := min(together, columns-column)
			b := buf[:((n-1)*r.m.ColumnStride+1)*size]
			if k, err := r.p.Bytes.ReadAt(b, r.place(row, column)); k < len(b) {
				if err == nil || err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return fmt.Errorf("read a part of a tensor: %w", err)
			}
			v := tensor.View{DType: r.p.DType, Data: b}
			for i := range n {
				r.m.Values = append(r.m.Values, tensor.ToFloat64(v, i*r.m.ColumnStride))
			}
		}
	}
	return nil
}
