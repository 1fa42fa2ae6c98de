package view

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Bounds of images that are shown together.
const (
	mostTiles   = 1024
	imageValues = 4 * MatrixSide * MatrixSide
	tileSide    = 4 * MatrixSide
)

// imageSide is from which side on a tensor is taken for images without being asked:
// what is smaller is read better as numbers.
const imageSide = 8

// ImageOrders are the orders in which the dimensions of a shape may be those of
// images, each letter a dimension: N of the batch, C of channels, H of rows, W of
// columns. The first one is assumed; plain reports whether the shape is likely one of
// images. None: it cannot be.
func ImageOrders(shape []int64) (orders []string, plain bool) {
	pixel := func(i int) bool { return shape[i] == 1 || shape[i] == 3 }
	if slices.Contains(shape, 0) {
		return nil, false
	}
	switch len(shape) {
	case 3:
		orders, plain = []string{"NHW", "CHW", "HWC"}, false
		switch {
		case pixel(0):
			orders, plain = []string{"CHW", "HWC", "NHW"}, true
		case pixel(2):
			orders, plain = []string{"HWC", "CHW", "NHW"}, true
		}
	case 4:
		orders, plain = []string{"NCHW", "NHWC"}, true
		if pixel(3) && !pixel(1) && shape[2] >= imageSide { // kernels may be 3 wide
			orders = []string{"NHWC", "NCHW"}
		}
	default:
		return nil, false
	}
	d := dimensions(shape, orders[0])
	return orders, plain && min(d.height.n, d.width.n) >= imageSide
}

// ImageCut says which images of a tensor are shown.
type ImageCut struct {
	Order         string // "": the one that is assumed
	Index         int64  // of the batch; -1: all
	Channel       int64  // -1: all
	Apart         bool   // three channels as three grey images, and not as red, green and blue
	Rows, Columns Span   // of each image
}

// Images are images of a tensor, each a tile: grey ones of one plane of values, or
// coloured ones of three.
type Images struct {
	Steps    []int64 // of the mode, at which values are stored
	Step     int64
	Worker   string
	DType    tensor.DType
	Shape    []int64
	Orders   []string
	Order    string
	Batch    int64
	Channels int64
	Height   int64
	Width    int64

	Planes        int64 // of a tile: 1 or 3
	Rows, Columns Span  // of each tile
	Stride        int64 // one row and column in so many is there
	Tiles         []Tile
	More          int64     // tiles that there is no room for
	Values        []float64 // tile by tile, plane by plane, row by row

	// Min and Max of the finite values, NaN when there is none; and how many are not
	// finite: of the whole tensor where Whole, else of what is shown.
	Min, Max float64
	Odd      int64
	Whole    bool
}

// Tile is one image.
type Tile struct {
	Index, Channel int64   // Channel -1: coloured
	Min, Max       float64 // of the finite values shown
	Odd            int64   // values shown that are not finite
}

// ImagesOf reads images of a tensor at the last step up to one at which its values
// are stored, or the first; -1 is the end. fs.ErrNotExist when none are stored,
// *WrongCut when the tensor has no such images.
func ImagesOf(t source.Run, info record.TensorInfo, q source.Query, step int64, c ImageCut) (*Images, error) {
	m := &Images{Steps: t.RawSteps(q.Tensor, q.Mode, q.Worker)}
	if len(m.Steps) == 0 {
		return nil, fmt.Errorf("no values of %.200q are stored: %w", q.Tensor, fs.ErrNotExist)
	}
	if info.Strings {
		return nil, wrongCut("%.200q is strings and no images", q.Tensor)
	}
	m.Step = nearest(m.Steps, step)
	m.Worker = whose(t, q, m.Step)
	if err := source.ReadPart(t, q.Tensor, q.Mode, m.Step, m.Worker, func(p source.RawPart) error { return m.read(p, c) }); err != nil {
		return nil, err
	}
	q.Worker, q.From, q.To = m.Worker, m.Step, m.Step+1
	rows, err := t.Stats(q)
	if err == nil && len(rows) > 0 && rows[0].Count == m.Batch*m.Channels*m.Height*m.Width {
		r := &rows[0]
		m.Min, m.Max, m.Odd, m.Whole = r.Min, r.Max, r.Count-r.Finite(), true
	}
	return m, nil
}

// dimension is how long a dimension is, and how many elements lie between two of it.
type dimension struct{ n, apart int64 }

// imageLayout are the dimensions of a shape by what they mean; one that it does not have
// is 1 long.
type imageLayout struct{ batch, channels, height, width dimension }

func dimensions(shape []int64, order string) imageLayout {
	l := imageLayout{batch: dimension{n: 1}, channels: dimension{n: 1}}
	apart := int64(1)
	for i, letter := range slices.Backward([]byte(order)) {
		d := dimension{shape[i], apart}
		apart *= shape[i]
		switch letter {
		case 'N':
			l.batch = d
		case 'C':
			l.channels = d
		case 'H':
			l.height = d
		case 'W':
			l.width = d
		}
	}
	return l
}

// read fills everything but the steps.
func (m *Images) read(p source.RawPart, c ImageCut) error {
	if _, err := tensor.Elements(p.Shape); err != nil {
		return err
	}
	m.DType, m.Shape = p.DType, p.Shape
	if m.Orders, _ = ImageOrders(p.Shape); len(m.Orders) == 0 {
		return wrongCut("a tensor of shape %v has no images: those have three or four dimensions", p.Shape)
	}
	if m.Order = c.Order; m.Order == "" {
		m.Order = m.Orders[0]
	}
	if !slices.Contains(m.Orders, m.Order) {
		return wrongCut("a tensor of shape %v has no order %s: it may have %s", p.Shape, m.Order, strings.Join(m.Orders, ", "))
	}
	l := dimensions(p.Shape, m.Order)
	m.Batch, m.Channels, m.Height, m.Width = l.batch.n, l.channels.n, l.height.n, l.width.n
	if err := m.choose(c); err != nil {
		return err
	}
	for i, r := range m.thin(p, l) {
		if err := r.read(); err != nil {
			return err
		}
		m.Tiles[int64(i)/m.Planes].measure(r.m.Values)
		m.Values = append(m.Values, r.m.Values...)
	}
	m.Min, m.Max = math.NaN(), math.NaN()
	for i := range m.Tiles {
		m.Min, m.Max = widened(m.Min, m.Max, m.Tiles[i].Min)
		m.Min, m.Max = widened(m.Min, m.Max, m.Tiles[i].Max)
		m.Odd += m.Tiles[i].Odd
	}
	return nil
}

// choose finds the tiles, and the part of each that is shown.
func (m *Images) choose(c ImageCut) (err error) {
	few := func(at, n int64, what string) (from, to int64, err error) {
		if at < -1 || at >= n {
			return 0, 0, wrongCut("%s %d is not one of the %d of shape %v as %s", what, at, n, m.Shape, m.Order)
		}
		if at < 0 {
			return 0, n, nil
		}
		return at, at + 1, nil
	}
	index, last, err := few(c.Index, m.Batch, "index")
	if err != nil {
		return err
	}
	channel, end, err := few(c.Channel, m.Channels, "channel")
	if err != nil {
		return err
	}
	if m.Rows, err = within(c.Rows, m.Height, "rows"); err != nil {
		return err
	}
	if m.Columns, err = within(c.Columns, m.Width, "columns"); err != nil {
		return err
	}
	each := end - channel
	if m.Planes = 1; m.Channels == 3 && each == 3 && !c.Apart {
		m.Planes, each = 3, 1
	}
	for n := range min((last-index)*each, mostTiles) {
		t := Tile{Index: index + n/each, Channel: channel + n%each, Min: math.NaN(), Max: math.NaN()}
		if m.Planes == 3 {
			t.Channel = -1
		}
		m.Tiles = append(m.Tiles, t)
	}
	m.More = (last-index)*each - int64(len(m.Tiles))
	return nil
}

// thin are the readers of the planes, of as many values of each tile as there is room
// for, and of fewer tiles where even one value of each would cost too much to read.
func (m *Images) thin(p source.RawPart, l imageLayout) []*partReader {
	for m.Stride = 1; ; {
		rows, columns := steps(m.Rows, m.Stride), steps(m.Columns, m.Stride)
		plane := rows * columns
		readers, cost := m.readers(p, l)
		switch {
		case max(rows, columns) <= tileSide && plane*int64(len(readers)) <= imageValues && cost <= matrixBytes, plane == 1 && len(m.Tiles) == 1:
			return readers
		case plane > 1:
			m.Stride *= 2
		default:
			half := len(m.Tiles) / 2
			m.More, m.Tiles = m.More+int64(len(m.Tiles)-half), m.Tiles[:half]
		}
	}
}

// readers are those of the planes, and how many bytes they read together, as far as
// there are not too many values anyway.
func (m *Images) readers(p source.RawPart, l imageLayout) (list []*partReader, bytes int64) {
	cost := readCost{block: max(p.Block, apart), last: -1}
	for _, t := range m.Tiles {
		for k := range m.Planes {
			r := &partReader{p: p, first: t.Index*l.batch.apart + max(t.Channel, k)*l.channels.apart, width: l.height.apart,
				m: &Matrix{Rows: m.Rows, RowStride: m.Stride, ColumnStride: m.Stride * l.width.apart}}
			r.m.Columns = Span{m.Columns.From * l.width.apart, (m.Columns.To-1)*l.width.apart + 1}
			if r.m.ShownRows()*r.m.ShownColumns() <= imageValues {
				r.touch(&cost)
			}
			list = append(list, r)
		}
	}
	return list, cost.bytes
}

// measure takes the values of a plane in.
func (t *Tile) measure(values []float64) {
	for _, v := range values {
		if v-v != 0 {
			t.Odd++
		}
		t.Min, t.Max = widened(t.Min, t.Max, v)
	}
}

// widened is a range with a value in it; what is not finite is in none.
func widened(low, high, v float64) (float64, float64) {
	if v-v != 0 {
		return low, high
	}
	if !(v >= low) {
		low = v
	}
	if !(v <= high) {
		high = v
	}
	return low, high
}
