package golden

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"testing"
)

// A picture is the stored one when at most this share of its pixels differs, each by
// more than this in one of its channels: edges of letters may be a little off, and a
// stored picture has 256 colours.
const (
	mostDiffer  = 0.005
	mostChannel = 24
)

// compare is the share of pixels that differ, and a picture of where: those in red
// over what is wanted, faintly. A picture of another size differs where the other has
// no pixel.
func compare(got, want image.Image) (share float64, where *image.RGBA) {
	size := got.Bounds().Union(want.Bounds())
	where = image.NewRGBA(size)
	count := 0
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			p := image.Pt(x, y)
			a, b := rgb(got, p), rgb(want, p)
			if p.In(got.Bounds()) && p.In(want.Bounds()) && distance(a, b) <= mostChannel {
				where.SetRGBA(x, y, color.RGBA{255 - (255-b.R)/4, 255 - (255-b.G)/4, 255 - (255-b.B)/4, 255})
				continue
			}
			count++
			where.SetRGBA(x, y, color.RGBA{220, 0, 0, 255})
		}
	}
	return float64(count) / float64(size.Dx()*size.Dy()), where
}

func rgb(i image.Image, p image.Point) color.RGBA {
	return color.RGBAModel.Convert(i.At(p.X, p.Y)).(color.RGBA)
}

// distance is the largest one of a channel.
func distance(a, b color.RGBA) int {
	most := 0
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		most = max(most, d, -d)
	}
	return most
}

// shrink makes a picture one of at most 256 colours, the most frequent of which stay
// as they are; each of the others becomes one that is near it.
func shrink(i image.Image) *image.Paletted {
	from := image.NewRGBA(i.Bounds())
	draw.Draw(from, from.Bounds(), i, i.Bounds().Min, draw.Src)
	count := map[color.RGBA]int{}
	for y := from.Rect.Min.Y; y < from.Rect.Max.Y; y++ {
		for x := from.Rect.Min.X; x < from.Rect.Max.X; x++ {
			count[from.RGBAAt(x, y)]++
		}
	}
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var kept color.Palette
	var place map[color.RGBA]uint8
	for near := 0; ; near += 2 {
		if kept, place = palette(all, near); len(kept) <= 256 {
			break
		}
	}
	to := image.NewPaletted(from.Rect, kept)
	for y := from.Rect.Min.Y; y < from.Rect.Max.Y; y++ {
		for x := from.Rect.Min.X; x < from.Rect.Max.X; x++ {
			to.SetColorIndex(x, y, place[from.RGBAAt(x, y)])
		}
	}
	return to
}

// palette keeps a colour that is not so near to one that is kept.
func palette(all []color.RGBA, near int) (kept color.Palette, place map[color.RGBA]uint8) {
	place = map[color.RGBA]uint8{}
next:
	for _, c := range all {
		for k, other := range kept {
			if distance(c, other.(color.RGBA)) <= near {
				place[c] = uint8(k)
				continue next
			}
		}
		if kept = append(kept, c); len(kept) > 256 {
			return kept, nil
		}
		place[c] = uint8(len(kept) - 1)
	}
	return kept, place
}

func encode(t *testing.T, i image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, i); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture is compared as a person would: what is moved, coloured or larger differs,
// what is a shade off does not.
func TestCompare(t *testing.T) {
	page := func(change func(*image.RGBA)) *image.RGBA {
		i := image.NewRGBA(image.Rect(0, 0, 200, 100))
		draw.Draw(i, i.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(i, image.Rect(20, 20, 100, 60), image.NewUniform(color.RGBA{30, 80, 200, 255}), image.Point{}, draw.Src)
		if change != nil {
			change(i)
		}
		return i
	}
	box := func(r image.Rectangle, c color.Color) func(*image.RGBA) {
		return func(i *image.RGBA) { draw.Draw(i, r, image.NewUniform(c), image.Point{}, draw.Src) }
	}
	for _, row := range []struct {
		name  string
		got   *image.RGBA
		equal bool
	}{
		{"the same", page(nil), true},
		{"a shade off", page(box(image.Rect(20, 20, 100, 60), color.RGBA{40, 90, 190, 255})), true},
		{"a few pixels", page(box(image.Rect(150, 50, 160, 60), color.Black)), true},
		{"another colour", page(box(image.Rect(20, 20, 100, 60), color.RGBA{30, 120, 200, 255})), false},
		{"moved by two pixels", page(func(i *image.RGBA) {
			box(i.Rect, color.White)(i)
			box(image.Rect(22, 22, 102, 62), color.RGBA{30, 80, 200, 255})(i)
		}), false},
		{"a line higher", func() *image.RGBA {
			i := image.NewRGBA(image.Rect(0, 0, 200, 101))
			draw.Draw(i, i.Rect, page(nil), image.Point{}, draw.Src)
			return i
		}(), false},
	} {
		if share, _ := compare(row.got, page(nil)); share <= mostDiffer != row.equal {
			t.Errorf("%s: %.2f %% of the pixels differ", row.name, 100*share)
		}
	}
}

// A stored picture has at most 256 colours and is still the picture.
func TestShrink(t *testing.T) {
	i := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for y := range 256 {
		for x := range 256 {
			i.SetRGBA(x, y, color.RGBA{uint8(x), uint8(x), uint8(y / 8), 255})
		}
	}
	small := shrink(i)
	if n := len(small.Palette); n > 256 {
		t.Errorf("%d colours", n)
	}
	if share, _ := compare(small, i); share > 0 {
		t.Errorf("%.2f %% of the pixels differ", 100*share)
	}
}
