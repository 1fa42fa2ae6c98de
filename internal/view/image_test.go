package view

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Which dimension of a shape is what.
func TestImageOrders(t *testing.T) {
	for _, c := range []struct {
		shape  []int64
		orders string
		plain  bool
	}{
		{[]int64{32, 3, 224, 224}, "NCHW NHWC", true},
		{[]int64{32, 224, 224, 3}, "NHWC NCHW", true},
		{[]int64{32, 1, 28, 28}, "NCHW NHWC", true},
		{[]int64{64, 256, 14, 14}, "NCHW NHWC", true},
		{[]int64{64, 3, 7, 7}, "NCHW NHWC", false}, // kernels
		{[]int64{64, 64, 3, 3}, "NCHW NHWC", false},
		{[]int64{3, 64, 64}, "CHW HWC NHW", true},
		{[]int64{1, 64, 64}, "CHW HWC NHW", true},
		{[]int64{64, 64, 3}, "HWC CHW NHW", true},
		{[]int64{3, 3, 3}, "CHW HWC NHW", false},
		{[]int64{32, 28, 28}, "NHW CHW HWC", false}, // sequences have such shapes
		{[]int64{28, 28}, "", false},
		{[]int64{}, "", false},
		{[]int64{0, 3, 8, 8}, "", false},
		{[]int64{2, 3, 4, 8, 8}, "", false},
	} {
		orders, plain := ImageOrders(c.shape)
		if got := strings.Join(orders, " "); got != c.orders || plain != c.plain {
			t.Errorf("%v: %q %t, want %q %t", c.shape, got, plain, c.orders, c.plain)
		}
	}
}

// Every value of every tile is the one that is there in the tensor.
func TestImages(t *testing.T) {
	all := ImageCut{Index: -1, Channel: -1}
	for _, c := range []struct {
		name    string
		shape   []int64
		cut     ImageCut
		planes  int64
		tiles   [][2]int64 // index and channel
		strides [4]int64   // of index, channel, row and column in the tensor
		stride  int64
		more    int64
	}{
		{name: "colours", shape: []int64{2, 3, 4, 5}, cut: all, planes: 3, tiles: [][2]int64{{0, -1}, {1, -1}}, strides: [4]int64{60, 20, 5, 1}},
		{name: "colours apart", shape: []int64{2, 3, 4, 5}, cut: ImageCut{Index: 1, Channel: -1, Apart: true}, planes: 1, tiles: [][2]int64{{1, 0}, {1, 1}, {1, 2}}, strides: [4]int64{60, 20, 5, 1}},
		{name: "one channel", shape: []int64{2, 3, 4, 5}, cut: ImageCut{Index: -1, Channel: 2}, planes: 1, tiles: [][2]int64{{0, 2}, {1, 2}}, strides: [4]int64{60, 20, 5, 1}},
		{name: "colours last", shape: []int64{2, 4, 5, 3}, cut: ImageCut{Order: "NHWC", Index: -1, Channel: -1}, planes: 3, tiles: [][2]int64{{0, -1}, {1, -1}}, strides: [4]int64{60, 1, 15, 3}},
		{name: "channels last, asked for", shape: []int64{1, 4, 5, 2}, cut: ImageCut{Order: "NHWC", Index: 0, Channel: -1}, planes: 1, tiles: [][2]int64{{0, 0}, {0, 1}}, strides: [4]int64{40, 1, 10, 2}},
		{name: "a batch of grey ones", shape: []int64{2, 4, 5}, cut: all, planes: 1, tiles: [][2]int64{{0, 0}, {1, 0}}, strides: [4]int64{20, 0, 5, 1}},
		{name: "channels of one", shape: []int64{2, 4, 5}, cut: ImageCut{Order: "CHW", Index: -1, Channel: -1}, planes: 1, tiles: [][2]int64{{0, 0}, {0, 1}}, strides: [4]int64{0, 20, 5, 1}},
		{name: "one in colours", shape: []int64{4, 5, 3}, cut: all, planes: 3, tiles: [][2]int64{{0, -1}}, strides: [4]int64{0, 1, 15, 3}},
		{name: "a part", shape: []int64{2, 4, 5, 3}, cut: ImageCut{Order: "NHWC", Index: 1, Channel: -1, Rows: Span{1, 3}, Columns: Span{2, 4}}, planes: 3, tiles: [][2]int64{{1, -1}}, strides: [4]int64{60, 1, 15, 3}},
		{name: "large", shape: []int64{1, 2000, 1100, 3}, cut: all, planes: 3, tiles: [][2]int64{{0, -1}}, strides: [4]int64{0, 1, 3300, 3}, stride: 4},
		{name: "many", shape: []int64{100, 100, 3, 3}, cut: ImageCut{Index: -1, Channel: -1}, planes: 1, strides: [4]int64{900, 9, 3, 1}, more: 10_000 - 1024},
	} {
		m := &Images{}
		if err := m.read(source.RawPart{DType: tensor.U8, Shape: c.shape, Bytes: &places{}, Block: 1}, c.cut); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var tiles [][2]int64
		for _, tile := range m.Tiles {
			tiles = append(tiles, [2]int64{tile.Index, tile.Channel})
		}
		if m.Planes != c.planes || m.Stride != max(c.stride, 1) || m.More != c.more || c.tiles != nil && !cmp.Equal(tiles, c.tiles) {
			t.Errorf("%s: %d planes, stride %d, %d more, tiles %v", c.name, m.Planes, m.Stride, m.More, tiles)
		}
		i := 0
		for _, tile := range m.Tiles {
			low, high := math.Inf(1), math.Inf(-1)
			for k := range m.Planes {
				for row := m.Rows.From; row < m.Rows.To; row += m.Stride {
					for column := m.Columns.From; column < m.Columns.To; column += m.Stride {
						at := tile.Index*c.strides[0] + max(tile.Channel, k)*c.strides[1] + row*c.strides[2] + column*c.strides[3]
						want := float64(at % 251)
						if low, high = min(low, want), max(high, want); i >= len(m.Values) || m.Values[i] != want {
							t.Fatalf("%s: tile %+v, plane %d, row %d, column %d is not element %d", c.name, tile, k, row, column, at)
						}
						i++
					}
				}
			}
			if tile.Min != low || tile.Max != high || tile.Odd != 0 {
				t.Errorf("%s: %+v, want %g to %g", c.name, tile, low, high)
			}
		}
		if i != len(m.Values) {
			t.Errorf("%s: %d values, want %d", c.name, len(m.Values), i)
		}
	}
}

// counts reads nothing and counts what is asked.
type counts struct{ bytes int64 }

func (c *counts) ReadAt(p []byte, _ int64) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}

// What is shown and what is read for it is bounded, however large the tensor.
func TestImageBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int64
		block int64
		tiles int
	}{
		{"a thousand of a thousand", []int64{1000, 3, 1000, 1000}, 1, 1000},
		{"in blocks", []int64{1000, 3, 1000, 1000}, 16 << 20, 0},
		{"many channels last", []int64{1 << 20, 8, 8, 512}, 64 << 20, 0},
		{"wide", []int64{1, 1 << 30, 3}, 1, 1},
		{"small ones in one block", []int64{1024, 1, 4, 4}, 64 << 20, 1024},
	} {
		src, m := &counts{}, &Images{}
		if err := m.read(source.RawPart{DType: tensor.F64, Shape: c.shape, Bytes: src, Block: c.block}, ImageCut{Index: -1, Channel: -1}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if side := max(steps(m.Rows, m.Stride), steps(m.Columns, m.Stride)); side > tileSide {
			t.Errorf("%s: a tile has a side of %d", c.name, side)
		}
		if len(m.Values) > imageValues || src.bytes > matrixBytes || len(m.Tiles) == 0 || c.tiles > 0 && len(m.Tiles) != c.tiles {
			t.Errorf("%s: %d tiles, %d values, %d bytes were read", c.name, len(m.Tiles), len(m.Values), src.bytes)
		}
	}
}

// What is not finite is counted, and no range has it.
func TestImageOdd(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var b []byte
	for _, v := range []float64{1, nan, -3, inf, nan, -inf, nan, nan} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	m := &Images{}
	if err := m.read(source.RawPart{DType: tensor.F64, Shape: []int64{2, 2, 2}, Bytes: strings.NewReader(string(b)), Block: 1}, ImageCut{Index: -1, Channel: -1}); err != nil {
		t.Fatal(err)
	}
	want := []Tile{{Index: 0, Min: -3, Max: 1, Odd: 2}, {Index: 1, Min: nan, Max: nan, Odd: 4}}
	if d := cmp.Diff(want, m.Tiles, sameNumbers); d != "" || m.Min != -3 || m.Max != 1 || m.Odd != 6 {
		t.Errorf("%g to %g, %d odd (-want +got):\n%s", m.Min, m.Max, m.Odd, d)
	}
}

// What a tensor does not have is said in one sentence.
func TestImagesRefused(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		cut   ImageCut
		want  string
	}{
		{[]int64{5, 5}, ImageCut{}, "a tensor of shape [5 5] has no images: those have three or four dimensions"},
		{[]int64{2, 3, 4, 5}, ImageCut{Order: "HWC"}, "a tensor of shape [2 3 4 5] has no order HWC: it may have NCHW, NHWC"},
		{[]int64{2, 3, 4, 5}, ImageCut{Index: 2}, "index 2 is not one of the 2 of shape [2 3 4 5] as NCHW"},
		{[]int64{2, 3, 4, 5}, ImageCut{Channel: 3}, "channel 3 is not one of the 3 of shape [2 3 4 5] as NCHW"},
		{[]int64{2, 3, 4, 5}, ImageCut{Rows: Span{4, 5}}, "rows 4 to 4 are not among its 4"},
	} {
		var cut *WrongCut
		err := new(Images).read(source.RawPart{DType: tensor.U8, Shape: c.shape, Bytes: &places{}, Block: 1}, c.cut)
		if !errors.As(err, &cut) || cut.Error() != c.want {
			t.Errorf("%v %+v: %v, want %q", c.shape, c.cut, err, c.want)
		}
	}
}
