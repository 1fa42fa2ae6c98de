package tensor

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// bytes takes in elements of one byte each: counted by value first, so that
// all else is done once per value.
func (a *accumulator) bytes(p []byte, value *[256]float64) {
	var t [4][256]int64
	for ; len(p) >= 4; p = p[4:] {
		t[0][p[0]]++
		t[1][p[1]]++
		t[2][p[2]]++
		t[3][p[3]]++
	}
	for _, b := range p {
		t[0][b]++
	}
	o := sums{min: math.Inf(1), max: math.Inf(-1)}
	var n, sum float64
	for i, x := range value {
		t[0][i] += t[1][i] + t[2][i] + t[3][i]
		c := t[0][i]
		switch {
		case c == 0:
		case !isFinite(x):
			a.special(x)
			a.s.Count += c - 1
			*a.s.counter(x) += c - 1
		default:
			n += float64(c)
			sum += x * float64(c)
			o.l1 += math.Abs(x) * float64(c)
			o.min, o.max = math.Min(o.min, x), math.Max(o.max, x)
			if x == 0 {
				o.zeros += c
			} else if a.s.Hist != nil {
				a.s.Hist.add(x, c)
			}
		}
	}
	if n == 0 {
		return
	}
	mean, m2 := sum/n, 0.0
	for i, x := range value {
		if c := t[0][i]; c != 0 && isFinite(x) {
			m2 += (x - mean) * (x - mean) * float64(c)
		}
	}
	a.group(n, mean, m2, &o)
}

// counter is the field that counts elements like x, which is not finite.
func (s *Stats) counter(x float64) *int64 {
	switch {
	case x != x:
		return &s.NaN
	case x > 0:
		return &s.PosInf
	}
	return &s.NegInf
}

// fewElements is the size below which clearing and adding up the tables costs
// more than they save.
const fewElements = 512

// tabled settles a block of float32 elements that was counted in the tables.
// The first counter of each sign there holds zeros and subnormals together;
// subnormals have exponents of their own, so where there are any they are
// counted one by one.
func (a *accumulator) tabled(p []byte, subnormals bool) {
	if subnormals {
		for q := p; len(q) >= 4; q = q[4:] {
			if b := binary.LittleEndian.Uint32(q); b&0x7f800000 == 0 {
				a.s.Hist.addBits(b)
			}
		}
	}
	if a.pending += len(p) / 4; a.pending >= 1<<30 {
		a.flush()
	}
}

// add32 counts float32 elements, except zeros and those that are not finite.
func (h *Histogram) add32(p []byte) {
	for ; len(p) >= 4; p = p[4:] {
		h.addBits(binary.LittleEndian.Uint32(p))
	}
}

// least is the number of zeros and subnormals counted.
func (t *tables) least() uint64 {
	var n uint64
	for i := range t {
		n += uint64(t[i][0]) + uint64(t[i][256])
	}
	return n
}

// flush moves the tables into the histogram and clears them.
func (a *accumulator) flush() {
	if a.pending == 0 {
		return
	}
	t := &a.tables
	for e := 1; e < 255; e++ {
		i := e - 127 - MinExp
		for k := range t {
			a.s.Hist.Pos[i] += int64(t[k][e])
			a.s.Hist.Neg[i] += int64(t[k][e+256])
		}
	}
	a.tables = tables{}
	a.pending = 0
}

// addBits counts one float32, unless it is zero or not finite.
func (h *Histogram) addBits(b uint32) {
	sides := [2]*[buckets]int64{&h.Pos, &h.Neg}
	e := int(b>>23) & 0xff
	switch {
	case e == 255 || b<<1 == 0:
		return
	case e == 0:
		e = bits.Len32(b&0x7fffff) - 1 + MinExp
	default:
		e -= 127
	}
	sides[b>>31][e-MinExp]++
}

// add64 counts float64 elements, except zeros and those that are not finite.
func (h *Histogram) add64(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		b := binary.LittleEndian.Uint64(p)
		e := int(b>>52) & 0x7ff
		if e == 0x7ff || b<<1 == 0 {
			continue
		}
		// Subnormals are below every exponent told apart.
		i := min(max(e-1023, MinExp), MaxExp) - MinExp
		if b>>63 != 0 {
			h.Neg[i]++
		} else {
			h.Pos[i]++
		}
	}
}
