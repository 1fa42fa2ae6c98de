package tensor

import (
	"encoding/binary"
	"math"
	"sync"
)

// Compute gives the statistics of all elements of v in one pass, with the
// histogram when asked. Any element type and any size will do; an unknown type
// gives the zero Stats with NaN for Min and Max. It runs on the calling
// goroutine alone, allocates only the histogram, and may be called by several
// goroutines.
//
// Elements of float32 and of 16 bits are summed in sixteen float32 lanes for at
// most 2,048 elements, then in float64: the relative error of L1 is about 1e-8
// and never above 1e-5, that of M2 never above 1e-4. Blocks whose squares would
// overflow, vanish or cancel are computed again in float64, in which all other
// types are summed. Counts, minimum and maximum are exact. L1 and M2 are
// infinite when the true value does not fit a float64.
func Compute(v View, hist bool) Stats {
	a := accumulator{s: Stats{Min: math.NaN(), Max: math.NaN()}}
	if v.DType.Size() == 0 {
		return a.s
	}
	if hist {
		a.s.Hist = new(Histogram)
	}
	a.scratch = scratches.Get().(*scratch)
	a.elements(v.DType, v.Data)
	scratches.Put(a.scratch)
	return a.s
}

// blockElements is the number of elements whose sums may be kept in float32:
// 128 for each of 16 lanes. Two blocks fit the first-level cache as float64.
const blockElements = 2048

// scratch is the memory a computation needs besides its result. The tables are
// zero whenever nobody uses them.
type scratch struct {
	wide   [8 * blockElements]byte
	narrow [4 * blockElements]byte
	finite [8 * blockElements]byte
	tables tables
	sums   sums
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// accumulator unites blocks by Chan's formula.
type accumulator struct {
	*scratch
	s       Stats
	shift   float64 // mean of the last block
	pending int     // elements counted in the tables
}

func (a *accumulator) elements(d DType, p []byte) {
	size := d.Size()
	if t := byteValues(d); t != nil {
		a.bytes(p, t)
		return
	}
	for len(p) >= size {
		n := min(len(p)/size, blockElements)
		a.block(d, p[:n*size])
		p = p[n*size:]
	}
	a.flush()
}

// block brings at most blockElements elements to float32 or float64.
func (a *accumulator) block(d DType, p []byte) {
	switch d {
	case F32:
		a.block32(p)
	case F64:
		a.block64(p, true)
	case F16:
		w := a.narrow[:2*len(p)]
		widenF16(w, p)
		a.block32(w)
	case BF16:
		w := a.narrow[:2*len(p)]
		widenBF16(w, p)
		a.block32(w)
	default:
		size := d.Size()
		n := len(p) / size
		for i := range n {
			binary.LittleEndian.PutUint64(a.wide[8*i:], math.Float64bits(decode(d, p[i*size:(i+1)*size])))
		}
		a.block64(a.wide[:8*n], true)
	}
}

// smallestSum is the least sum of squares of float32 values that is trusted:
// the products that float32 flushes or rounds coarsely are below 2^-149, and
// 2,048 of them are nothing next to it.
const smallestSum = 0x1p-100

// block32 takes float32 elements.
func (a *accumulator) block32(p []byte) {
	n := len(p) / 4
	body := n &^ 7
	if body > 0 {
		o := &a.sums
		b := p[:4*body]
		zeros := a.s.Zeros
		tabled := a.s.Hist != nil && body >= fewElements
		before := a.tables.least()
		if tabled {
			momentsHist32(b, float32(a.shift), o, &a.tables)
		} else {
			moments32(b, float32(a.shift), o)
		}
		if o.cancels(body) {
			a.shift = float64(float32(float64(float32(a.shift)) + o.d/float64(body)))
			moments32(b, float32(a.shift), o)
		}
		switch {
		case o.min == o.max && isFinite(o.l1):
			a.constant(o.min, body)
		case !(o.dd >= smallestSum && o.dd <= math.MaxFloat32) || !isFinite(o.l1):
			w := a.wide[:8*body]
			widenF32(w, b)
			a.block64(w, false)
		default:
			a.merge(o, float64(float32(a.shift)), body)
		}
		switch {
		case tabled:
			a.tabled(b, a.tables.least()-before != uint64(a.s.Zeros-zeros))
		case a.s.Hist != nil:
			a.s.Hist.add32(b)
		}
	}
	for i := 4 * body; i < 4*n; i += 4 {
		a.scalar(float64(math.Float32frombits(binary.LittleEndian.Uint32(p[i:]))), a.s.Hist)
	}
}

// block64 takes float64 elements, and counts them in the histogram when the
// caller does not.
func (a *accumulator) block64(p []byte, count bool) {
	n := len(p) / 8
	body := n &^ 7
	h := a.s.Hist
	if !count {
		h = nil
	}
	if body > 0 {
		o := &a.sums
		b := p[:8*body]
		moments64(b, a.shift, o)
		if o.cancels(body) {
			a.shift += o.d / float64(body)
			moments64(b, a.shift, o)
		}
		switch {
		case o.min == o.max && isFinite(o.l1):
			a.constant(o.min, body)
		case !isFinite(o.l1):
			a.sift(b)
		case !isFinite(o.dd):
			a.large(b)
		default:
			a.merge(o, a.shift, body)
		}
		if h != nil {
			h.add64(b)
		}
	}
	for i := 8 * body; i < 8*n; i += 8 {
		a.scalar(math.Float64frombits(binary.LittleEndian.Uint64(p[i:])), h)
	}
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// cancels reports whether so much of the sum of squares comes from the distance
// between shift and mean that the rest of it is not to be trusted. It is false
// when a sum is not finite.
func (o *sums) cancels(n int) bool {
	return o.d*o.d > 0.9*float64(n)*o.dd && o.dd <= math.MaxFloat64
}

// merge takes in a block of n finite elements.
func (a *accumulator) merge(o *sums, shift float64, n int) {
	md := o.d / float64(n)
	a.group(float64(n), shift+md, math.Max(o.dd-md*o.d, 0), o)
}

// constant takes in n equal elements; all is exact then.
func (a *accumulator) constant(x float64, n int) {
	o := sums{l1: math.Abs(x) * float64(n), min: x, max: x}
	if x == 0 {
		o.zeros = int64(n)
	}
	a.group(float64(n), x, 0, &o)
}

// group takes in n finite elements of known mean and M2.
func (a *accumulator) group(n, mean, m2 float64, o *sums) {
	s := &a.s
	a.shift = mean
	if have := s.Finite(); have == 0 {
		s.Min, s.Max, s.Mean, s.M2 = o.min, o.max, mean, m2
	} else {
		s.Min, s.Max = math.Min(s.Min, o.min), math.Max(s.Max, o.max)
		s.Mean, s.M2 = chan2(float64(have), s.Mean, s.M2, n, mean, m2)
	}
	s.Count += int64(n)
	s.Zeros += o.zeros
	s.L1 += o.l1
}

// scalar takes in one element.
func (a *accumulator) scalar(x float64, h *Histogram) {
	if a.special(x) {
		return
	}
	o := sums{l1: math.Abs(x), min: x, max: x}
	if x == 0 {
		o.zeros = 1
	} else if h != nil {
		h.add(x, 1)
	}
	a.group(1, x, 0, &o)
}

// special counts x if it is not finite.
func (a *accumulator) special(x float64) bool {
	switch {
	case x != x:
		a.s.NaN++
	case x > math.MaxFloat64:
		a.s.PosInf++
	case x < -math.MaxFloat64:
		a.s.NegInf++
	default:
		return false
	}
	a.s.Count++
	return true
}
