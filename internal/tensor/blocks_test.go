package tensor

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// inBlocks is a tensor's statistics as a hook hands them over.
func inBlocks(values []float64, width int) (blocks, hist []byte) {
	for at := 0; at < len(values); at += width {
		part := values[at:min(at+width, len(values))]
		s := Compute(viewOf64(part), false)
		for _, v := range []float64{
			float64(s.NaN) + float64(width-len(part)), float64(s.PosInf), float64(s.NegInf), float64(s.Zeros), s.Min, s.Max, s.Mean, s.M2, s.L1,
		} {
			blocks = binary.LittleEndian.AppendUint64(blocks, math.Float64bits(v))
		}
	}
	h := Compute(viewOf64(values), true).Hist
	for _, side := range [][buckets]int64{h.Neg, h.Pos} {
		for _, n := range side {
			hist = binary.LittleEndian.AppendUint32(hist, uint32(n))
		}
	}
	return blocks, hist
}

func viewOf64(values []float64) View {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return View{DType: F64, Shape: []int64{int64(len(values))}, Data: data}
}

func TestFromBlocks(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, values := range map[string][]float64{
		"none":            {},
		"one":             {-3},
		"whole blocks":    {1, 2, 3, 4, 5, 6, 7, 8},
		"a rest":          {1, 0, -1, 4, 1e-40},
		"nothing finite":  {nan, inf, -inf, nan, nan},
		"a block of NaN":  {nan, nan, nan, nan, 5},
		"NaN in the rest": {1, 2, 3, 4, nan},
	} {
		t.Run(name, func(t *testing.T) {
			blocks, hist := inBlocks(values, 4)
			got, err := FromBlocks(int64(len(values)), 4, blocks, hist)
			if err != nil {
				t.Fatal(err)
			}
			want := Compute(viewOf64(values), true)
			if *got.Hist != *want.Hist {
				t.Errorf("histogram differs")
			}
			got.Hist, want.Hist = nil, nil
			for _, p := range [][2]*float64{{&got.Min, &want.Min}, {&got.Max, &want.Max}, {&got.Mean, &want.Mean}, {&got.M2, &want.M2}, {&got.L1, &want.L1}} {
				if math.Abs(*p[0]-*p[1]) <= 1e-12*math.Abs(*p[1]) || *p[0] != *p[0] && *p[1] != *p[1] {
					*p[0], *p[1] = 0, 0
				}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// What a hook hands over is not trusted: numbers that cannot be are refused.
func TestFromBlocksContradictions(t *testing.T) {
	values := []float64{1, 0, -1, 4, 7}
	set := func(at int, v float64) func(blocks, hist []byte) {
		return func(blocks, _ []byte) { binary.LittleEndian.PutUint64(blocks[8*at:], math.Float64bits(v)) }
	}
	for name, c := range map[string]struct {
		change func(blocks, hist []byte)
		want   string
	}{
		"a count below zero":     {set(0, -1), "a count of -1"},
		"half an element":        {set(3, 0.5), "a count of 0.5"},
		"more than there are":    {set(1, 5), "a count of 5"},
		"too few filled up":      {set(9, 2), "a count of -1"},
		"min above max":          {set(4, 9), "min 9"},
		"a mean that is no mean": {set(6, math.NaN()), "mean NaN"},
		"M2 below zero":          {set(7, -1), "M2 -1"},
		"a histogram of others":  {func(_, hist []byte) { hist[0] = 1 }, "a histogram of 5 elements for 4"},
	} {
		t.Run(name, func(t *testing.T) {
			blocks, hist := inBlocks(values, 4)
			c.change(blocks, hist)
			if _, err := FromBlocks(5, 4, blocks, hist); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	blocks, hist := inBlocks(values, 4)
	if _, err := FromBlocks(9, 4, blocks, hist); err == nil {
		t.Error("a block too few was taken")
	}
}
