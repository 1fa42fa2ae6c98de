package server

import (
	"context"
	"errors"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Images are images of a tensor at one step, each a tile.
type Images struct {
	Format
	Name     string   `json:"name"`
	Mode     string   `json:"mode"`
	Worker   string   `json:"worker"`
	Step     int64    `json:"step" doc:"Step of the mode: the last one up to that asked for at which values are stored, or the first."`
	Steps    integers `json:"steps" doc:"Steps of the mode at which values are stored."`
	DType    string   `json:"dtype" doc:"Element type as safetensors spells it."`
	Shape    integers `json:"shape"`
	Order    string   `json:"order" doc:"What its dimensions are: N of the batch, C of channels, H of rows, W of columns."`
	Orders   []string `json:"orders" doc:"The orders that the shape may have; the first one is assumed."`
	Batch    int64    `json:"batch"`
	Channels int64    `json:"channels"`
	Height   int64    `json:"height"`
	Width    int64    `json:"width"`

	Planes  int64    `json:"planes" doc:"Values of a pixel: 1 of grey tiles, 3 of red, green and blue."`
	Rows    [2]int64 `json:"rows" doc:"The rows of each tile that values are of, the second not included."`
	Columns [2]int64 `json:"columns" doc:"Likewise the columns."`
	Stride  int64    `json:"stride" doc:"One row and column in so many is there."`
	Index   integers `json:"index" doc:"Of each tile: its place in the batch."`
	Channel integers `json:"channel" doc:"Of each tile: its channel; -1 of one in colours."`
	TileMin floats   `json:"tile_min" doc:"Of each tile: the least finite value that is there; NaN when there is none."`
	TileMax floats   `json:"tile_max" doc:"Likewise the greatest."`
	TileOdd integers `json:"tile_odd" doc:"Of each tile: values there that are NaN or infinite."`
	More    int64    `json:"more" doc:"Tiles that there is no room for."`
	Values  floats   `json:"values" doc:"Tile by tile, plane by plane, row by row; complex numbers by magnitude."`
	Min     number   `json:"min" doc:"Of the finite values of the whole tensor, or of those that are there; NaN when there is none."`
	Max     number   `json:"max" doc:"Likewise."`
	Odd     int64    `json:"odd" doc:"How many of them are NaN or infinite."`
	Whole   bool     `json:"whole" doc:"min, max and odd are those of the whole tensor."`
}

type imagesIn struct {
	TensorOf
	Step    int64  `query:"step" default:"-1" minimum:"-1" doc:"Step of the mode; -1: the last one."`
	Order   string `query:"order" enum:"NCHW,NHWC,NHW,CHW,HWC" doc:"What the dimensions are; left out, what the shape looks like."`
	Index   int64  `query:"index" default:"-1" minimum:"-1" doc:"Which of the batch; -1: all."`
	Channel int64  `query:"channel" default:"-1" minimum:"-1" doc:"Which channel; -1: all, three of them as red, green and blue."`
	Apart   bool   `query:"apart" doc:"Three channels each as a grey tile."`
	Rows    string `query:"rows" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Rows A:B of each tile, B not included; either may be left out." example:"0:64"`
	Columns string `query:"columns" pattern:"^[0-9]{0,18}:[0-9]{0,18}$" doc:"Columns A:B, likewise." example:"0:64"`
}

func (s *Server) images(_ context.Context, in *imagesIn) (Images, error) {
	rows, err := span(in.Rows)
	if err != nil {
		return Images{}, err
	}
	columns, err := span(in.Columns)
	if err != nil {
		return Images{}, err
	}
	t, info, q, err := s.tensor(&in.TensorOf, hasRaw)
	if err != nil {
		return Images{}, err
	}
	m, err := view.ImagesOf(t, info, q, in.Step, view.ImageCut{Order: in.Order, Index: in.Index, Channel: in.Channel, Apart: in.Apart, Rows: rows, Columns: columns})
	if err != nil {
		return Images{}, noValues(err, t, in.Tensor)
	}
	out := Images{Format: format1, Name: in.Tensor, Mode: q.Mode.String(), Worker: m.Worker, Step: m.Step, Steps: m.Steps, DType: m.DType.String(), Shape: m.Shape,
		Order: m.Order, Orders: m.Orders, Batch: m.Batch, Channels: m.Channels, Height: m.Height, Width: m.Width,
		Planes: m.Planes, Rows: [2]int64{m.Rows.From, m.Rows.To}, Columns: [2]int64{m.Columns.From, m.Columns.To}, Stride: m.Stride, More: m.More,
		Values: m.Values, Min: number(m.Min), Max: number(m.Max), Odd: m.Odd, Whole: m.Whole}
	for _, tile := range m.Tiles {
		out.Index, out.Channel = append(out.Index, tile.Index), append(out.Channel, tile.Channel)
		out.TileMin, out.TileMax = append(out.TileMin, tile.Min), append(out.TileMax, tile.Max)
		out.TileOdd = append(out.TileOdd, tile.Odd)
	}
	return out, nil
}

// hasRaw reports whether values of a tensor are stored.
func hasRaw(t source.Run, q source.Query) (bool, error) {
	return len(t.RawSteps(q.Tensor, q.Mode, q.Worker)) > 0, nil
}

// noValues is what is said where values of a tensor could not be given.
func noValues(err error, t source.Run, tensor string) error {
	var cut *view.WrongCut
	switch {
	case errors.As(err, &cut):
		return &wrong{cut.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return nothing(t, tensor, "; values are stored of collections with raw: vigil run --collect weights:every=100,raw -- …")
	}
	return err
}
