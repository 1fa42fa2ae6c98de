package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Raw are values of a tensor at one step.
type Raw struct {
	Format
	Name         string   `json:"name"`
	Mode         string   `json:"mode"`
	Worker       string   `json:"worker"`
	Step         int64    `json:"step" doc:"Step of the mode: the last one up to that asked for at which values are stored, or the first."`
	Steps        integers `json:"steps" doc:"Steps of the mode at which values are stored."`
	DType        string   `json:"dtype" doc:"Element type as safetensors spells it; STRING for strings."`
	Shape        integers `json:"shape"`
	At           integers `json:"at" doc:"Indices of the dimensions before the last two: which matrix this is of."`
	Rows         [2]int64 `json:"rows" doc:"The rows that values are of, the second not included."`
	Columns      [2]int64 `json:"columns" doc:"Likewise the columns."`
	RowStride    int64    `json:"row_stride" doc:"Every so-manieth row is there."`
	ColumnStride int64    `json:"column_stride" doc:"Every so-manieth column is there."`
	Values       floats   `json:"values" doc:"Row by row; complex numbers by magnitude. Empty for strings."`
	Min          number   `json:"min" doc:"Of the finite values that are there; NaN when there is none."`
	Max          number   `json:"max" doc:"Likewise."`
	Strings      []string `json:"strings" doc:"Row by row; empty for numbers."`
	More         int64    `json:"more" doc:"Strings after these."`
}

type rawIn struct {
	TensorOf
	Step    int64  `query:"step" default:"-1" minimum:"-1" doc:"Step of the mode; -1: the last one."`
	Rows    string `query:"rows" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Rows A:B of the last but one dimension, B not included; either may be left out." example:"0:64"`
	Columns string `query:"columns" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Columns A:B of the last dimension, likewise." example:"0:64"`
	Flat    bool   `query:"flat" doc:"The first dimension as rows, all others together as columns."`
	At      string `query:"at" pattern:"^[0-9,]{0,900}$" doc:"Indices of the dimensions before the last two, such as 3,0; missing ones are 0."`
}

// cut is the part that a request names.
func (in *rawIn) cut() (c view.Cut, err error) {
	span := func(text string) (s view.Span) {
		a, b, _ := strings.Cut(text, ":")
		s.From, _ = strconv.ParseInt(a, 10, 64)
		s.To, _ = strconv.ParseInt(b, 10, 64)
		if b != "" && s.To <= s.From {
			err = &wrong{fmt.Sprintf("%q names no rows or columns: write A:B with A below B", text)}
		}
		return s
	}
	c.Rows, c.Columns, c.Flat = span(in.Rows), span(in.Columns), in.Flat
	for at := range strings.SplitSeq(in.At, ",") {
		if at != "" {
			n, bad := strconv.ParseInt(at, 10, 64)
			if bad != nil {
				err = &wrong{fmt.Sprintf("%.100q is no index", at)}
			}
			c.At = append(c.At, n)
		}
	}
	return c, err
}

func (s *Server) raw(_ context.Context, in *rawIn) (Raw, error) {
	c, err := in.cut()
	if err != nil {
		return Raw{}, err
	}
	t, info, q, err := s.tensor(&in.TensorOf, func(t source.Run, q source.Query) (bool, error) {
		return len(t.RawSteps(q.Tensor, q.Mode, q.Worker)) > 0, nil
	})
	if err != nil {
		return Raw{}, err
	}
	v, err := view.ValuesOf(t, info, q, in.Step, c)
	var cut *view.WrongCut
	switch {
	case errors.As(err, &cut):
		return Raw{}, &wrong{cut.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return Raw{}, nothing(t, in.Tensor, "; values are stored of collections with raw: vigil run --collect weights:every=100,raw -- …")
	case err != nil:
		return Raw{}, err
	}
	m := v.Matrix
	return Raw{Format: format1, Name: in.Tensor, Mode: q.Mode.String(), Worker: v.Worker, Step: v.Step, Steps: v.Steps,
		DType: v.DType, Shape: m.Shape, At: m.At, Rows: [2]int64{m.Rows.From, m.Rows.To}, Columns: [2]int64{m.Columns.From, m.Columns.To},
		RowStride: m.RowStride, ColumnStride: m.ColumnStride, Values: m.Values, Min: number(m.Min), Max: number(m.Max), Strings: nonNil(v.Strings), More: v.More}, nil
}
