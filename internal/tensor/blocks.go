package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Statistics that were computed elsewhere, on a device, come as the numbers of
// blocks: a tensor's elements in row-major order, cut into blocks of a fixed
// width, the last one filled up with NaN. Uniting blocks is Merge.
const (
	// BlockBytes is the size of one block's numbers, float64 each: NaN (with
	// those that fill up), +Inf, -Inf and zeros counted; then, over the finite
	// elements, min, max, mean, M2 and L1. Where there are none the last five
	// mean nothing.
	BlockBytes = 9 * 8
	// CountBytes is the size of a tensor's histogram, uint32 each: the negative
	// elements by exponent from MinExp to MaxExp, then the positive ones.
	CountBytes = 2 * buckets * 4
)

// Blocks is the number of blocks of a tensor of count elements.
func Blocks(count, width int64) int64 { return (count + width - 1) / width }

// FromBlocks gives the statistics of count elements from their blocks and their
// histogram. Numbers that contradict each other are an error.
func FromBlocks(count, width int64, blocks, hist []byte) (Stats, error) {
	s := Stats{Min: math.NaN(), Max: math.NaN(), Hist: new(Histogram)}
	if width <= 0 || int64(len(blocks)) != Blocks(count, width)*BlockBytes || len(hist) != CountBytes {
		return s, fmt.Errorf("read statistics of blocks: %d and %d bytes for %d elements in blocks of %d", len(blocks), len(hist), count, width)
	}
	for i := range buckets {
		s.Hist.Neg[i] = int64(binary.LittleEndian.Uint32(hist[4*i:]))
		s.Hist.Pos[i] = int64(binary.LittleEndian.Uint32(hist[4*(buckets+i):]))
	}
	whole := s
	whole.Hist = nil
	for left := count; left > 0; left -= width {
		n := min(left, width)
		b, err := oneBlock(n, width-n, blocks[:BlockBytes])
		if err != nil {
			return s, err
		}
		whole = Merge(whole, b)
		blocks = blocks[BlockBytes:]
	}
	if got, want := s.Hist.Total(), whole.Finite()-whole.Zeros; got != want {
		return s, fmt.Errorf("read statistics of blocks: a histogram of %d elements for %d that are finite and not zero", got, want)
	}
	whole.Hist = s.Hist
	return whole, nil
}

// oneBlock reads a block of n elements and so many NaN after them.
func oneBlock(n, filled int64, b []byte) (Stats, error) {
	var v [BlockBytes / 8]float64
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	v[0] -= float64(filled)
	s := Stats{Count: n, Min: math.NaN(), Max: math.NaN()}
	left := float64(n)
	for i, to := range []*int64{&s.NaN, &s.PosInf, &s.NegInf, &s.Zeros} {
		if !(v[i] >= 0 && v[i] <= left) || v[i] != math.Floor(v[i]) {
			return s, fmt.Errorf("read statistics of blocks: a count of %v among %d elements", v[i], n)
		}
		left -= v[i]
		*to = int64(v[i])
	}
	if s.Finite() == 0 {
		return s, nil
	}
	s.Min, s.Max, s.Mean, s.M2, s.L1 = v[4], v[5], v[6], v[7], v[8]
	if !(s.Min <= s.Max && isFinite(s.Min) && isFinite(s.Max) && s.M2 >= 0 && s.L1 >= 0) || !isFinite(s.Mean) {
		return s, fmt.Errorf("read statistics of blocks: min %v, max %v, mean %v, M2 %v, L1 %v", s.Min, s.Max, s.Mean, s.M2, s.L1)
	}
	return s, nil
}
