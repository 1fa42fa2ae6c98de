package server

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
	RowStride    int64    `json:"row_stride" doc:"One row in so many is there."`
	ColumnStride int64    `json:"column_stride" doc:"One column in so many is there."`
	Values       floats   `json:"values" doc:"Row by row; complex numbers by magnitude. Empty for strings."`
	Min          number   `json:"min" doc:"Of the finite values that are there; NaN when there is none."`
	Max          number   `json:"max" doc:"Likewise."`
	Strings      []string `json:"strings" doc:"Row by row; empty for numbers."`
	More         int64    `json:"more" doc:"Strings after these."`
}

type rawIn struct {
	TensorOf
	PartOf
}

// PartOf is the part of a request that says which values of a tensor are meant.
type PartOf struct {
	Step    int64  `query:"step" default:"-1" minimum:"-1" doc:"Step of the mode; -1: the last one."`
	Rows    string `query:"rows" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Rows A:B of the last but one dimension, B not included; either may be left out." example:"0:64"`
	Columns string `query:"columns" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Columns A:B of the last dimension, likewise." example:"0:64"`
	Flat    bool   `query:"flat" doc:"The first dimension as rows, all others together as columns."`
	At      string `query:"at" pattern:"^[0-9,]{0,900}$" doc:"Indices of the dimensions before the last two, such as 3,0; missing ones are 0."`
}

// span reads A:B.
func span(text string) (s view.Span, err error) {
	a, b, _ := strings.Cut(text, ":")
	s.From, _ = strconv.ParseInt(a, 10, 64)
	s.To, _ = strconv.ParseInt(b, 10, 64)
	if b != "" && s.To <= s.From {
		return s, &wrong{fmt.Sprintf("%q names no rows or columns: write A:B with A below B", text)}
	}
	return s, nil
}

// cut is the part that a request names.
func (in *PartOf) cut() (c view.Cut, err error) {
	c.Flat = in.Flat
	if c.Rows, err = span(in.Rows); err != nil {
		return c, err
	}
	if c.Columns, err = span(in.Columns); err != nil {
		return c, err
	}
	for at := range strings.SplitSeq(in.At, ",") {
		if at != "" {
			n, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				return c, &wrong{fmt.Sprintf("%.100q is no index", at)}
			}
			c.At = append(c.At, n)
		}
	}
	return c, nil
}

func (s *Server) raw(_ context.Context, in *rawIn) (Raw, error) {
	c, err := in.cut()
	if err != nil {
		return Raw{}, err
	}
	t, info, q, err := s.tensor(&in.TensorOf, hasRaw)
	if err != nil {
		return Raw{}, err
	}
	v, err := view.ValuesOf(t, info, q, in.Step, c)
	if err != nil {
		return Raw{}, noValues(err, t, in.Tensor)
	}
	return toRaw(in.Tensor, q.Mode.String(), v), nil
}

func toRaw(tensor, mode string, v *view.Values) Raw {
	m := v.Matrix
	return Raw{Format: format1, Name: tensor, Mode: mode, Worker: v.Worker, Step: v.Step, Steps: v.Steps,
		DType: v.DType, Shape: m.Shape, At: m.At, Rows: [2]int64{m.Rows.From, m.Rows.To}, Columns: [2]int64{m.Columns.From, m.Columns.To},
		RowStride: m.RowStride, ColumnStride: m.ColumnStride, Values: m.Values, Min: number(m.Min), Max: number(m.Max), Strings: nonNil(v.Strings), More: v.More}
}
