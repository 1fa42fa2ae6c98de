package view

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Values are the stored values of a tensor at one step, as far as they are shown.
type Values struct {
	Steps   []int64 // of the mode, at which values are stored
	Step    int64
	Worker  string
	DType   string
	Matrix  *Matrix
	Strings []string // of the matrix, row by row, in place of its values
	More    int64    // strings after these
}

// Bounds of strings that are shown.
const (
	mostStrings     = 20_000
	mostStringBytes = 4 << 20
	stringsFile     = 64 << 20
)

// StringType is what a tensor of strings has in place of an element type.
const StringType = "STRING"

// ValuesOf reads the stored values of a tensor at the last step up to one, or the
// first; -1 is the end. fs.ErrNotExist when none are stored, *WrongCut when the
// tensor has no such part.
func ValuesOf(t source.Run, info record.TensorInfo, q source.Query, step int64, c Cut) (*Values, error) {
	v := &Values{Steps: t.RawSteps(q.Tensor, q.Mode, q.Worker)}
	if len(v.Steps) == 0 {
		return nil, fmt.Errorf("no values of %.200q are stored: %w", q.Tensor, fs.ErrNotExist)
	}
	v.Step = nearest(v.Steps, step)
	v.Worker = whose(t, q, v.Step)
	err := source.ReadPart(t, q.Tensor, q.Mode, v.Step, v.Worker, func(p source.RawPart) (err error) {
		v.DType = p.DType.String()
		if info.Strings {
			return v.strings(p, c)
		}
		v.Matrix, err = MatrixOf(p, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// whose is the worker that a query is about: the first that stored values at a step
// where none is named.
func whose(t source.Run, q source.Query, step int64) string {
	if q.Worker != "" {
		return q.Worker
	}
	for _, w := range t.Workers() {
		if slices.Contains(t.RawSteps(q.Tensor, q.Mode, w), step) {
			return w
		}
	}
	return ""
}

// strings reads what stands for strings, and cuts it.
func (v *Values) strings(p source.RawPart, c Cut) error {
	n, err := tensor.Elements(p.Shape)
	if err != nil {
		return err
	}
	if n > stringsFile {
		return wrongCut("these strings are %d bytes, which is more than is shown; vigil values prints them", n)
	}
	b := make([]byte, n)
	if _, err := p.Bytes.ReadAt(b, 0); err != nil {
		return fmt.Errorf("read strings: %w", err)
	}
	s, err := tensor.ParseStrings(b)
	if err != nil {
		return err
	}
	m := &Matrix{Shape: s.Shape, RowStride: 1, ColumnStride: 1}
	first, rows, columns, err := m.lay(c)
	if err != nil {
		return err
	}
	if m.Rows, err = within(c.Rows, rows, "rows"); err != nil {
		return err
	}
	if m.Columns, err = within(c.Columns, columns, "columns"); err != nil {
		return err
	}
	v.DType, v.Matrix = StringType, m
	size := 0
	for row := m.Rows.From; row < m.Rows.To; row++ {
		for column := m.Columns.From; column < m.Columns.To; column++ {
			text := s.Values[first+row*columns+column]
			if size += len(text); len(v.Strings) == mostStrings || size > mostStringBytes {
				v.More++
				continue
			}
			v.Strings = append(v.Strings, text)
		}
	}
	return nil
}
