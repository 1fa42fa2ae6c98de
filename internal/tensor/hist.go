package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
)

const buckets = MaxExp - MinExp + 1

// Add counts the elements of o too.
func (h *Histogram) Add(o *Histogram) {
	for i := range h.Neg {
		h.Neg[i] += o.Neg[i]
		h.Pos[i] += o.Pos[i]
	}
}

// Total is the number of elements counted: the finite ones that are not zero.
func (h *Histogram) Total() int64 {
	var n int64
	for i := range h.Neg {
		n += h.Neg[i] + h.Pos[i]
	}
	return n
}

// at is bucket i in the order of the values it holds: 0 is the most negative,
// 2*buckets-1 the most positive.
func (h *Histogram) at(i int) *int64 {
	if i < buckets {
		return &h.Neg[buckets-1-i]
	}
	return &h.Pos[i-buckets]
}

// add counts n elements of value x, which must be finite and not zero.
func (h *Histogram) add(x float64, n int64) {
	_, e := math.Frexp(x)
	i := min(max(e-1, MinExp), MaxExp) - MinExp
	if x < 0 {
		h.Neg[i] += n
	} else {
		h.Pos[i] += n
	}
}

// AppendBinary appends the histogram to b in its stored form and returns the
// longer slice; the error is always nil.
//
// The form holds the buckets that are not empty, in the order of the values in
// them, from the most negative: a varint with their number, then for each the
// number of empty buckets skipped before it and its count, both varints
// (unsigned LEB128). Buckets are numbered 0 to 553: number i < 277 counts
// negative elements with exponent MaxExp-i, the others positive elements with
// exponent MinExp+i-277.
func (h *Histogram) AppendBinary(b []byte) ([]byte, error) {
	n := 0
	for i := range 2 * buckets {
		if *h.at(i) != 0 {
			n++
		}
	}
	b = binary.AppendUvarint(b, uint64(n))
	next := 0
	for i := range 2 * buckets {
		if c := *h.at(i); c != 0 {
			b = binary.AppendUvarint(b, uint64(i-next))
			b = binary.AppendUvarint(b, uint64(c))
			next = i + 1
		}
	}
	return b, nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (h *Histogram) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary reads what AppendBinary wrote, all of b and nothing else.
// After an error the histogram's content is undefined.
func (h *Histogram) UnmarshalBinary(b []byte) error {
	*h = Histogram{}
	bad := func(what string) error { return fmt.Errorf("read histogram: %s in %d bytes", what, len(b)) }
	rest := b
	uvarint := func() (uint64, bool) {
		v, n := binary.Uvarint(rest)
		// A longer spelling of a number is refused, so that equal histograms
		// have equal bytes.
		if n <= 0 || (n > 1 && rest[n-1] == 0) {
			return 0, false
		}
		rest = rest[n:]
		return v, true
	}
	n, ok := uvarint()
	if !ok || n > 2*buckets {
		return bad("no valid number of buckets")
	}
	next, total := uint64(0), uint64(0)
	for range n {
		skip, ok := uvarint()
		if !ok || skip >= 2*buckets || next+skip >= 2*buckets {
			return bad("no valid bucket")
		}
		c, ok := uvarint()
		if total += c; !ok || c == 0 || c > math.MaxInt64 || total > math.MaxInt64 {
			return bad("no valid count")
		}
		*h.at(int(next + skip)) = int64(c)
		next += skip + 1
	}
	if len(rest) != 0 {
		return bad("bytes after the last bucket")
	}
	return nil
}
