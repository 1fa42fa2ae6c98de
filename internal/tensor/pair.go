package tensor

import (
	"encoding/binary"
	"math"
	"slices"
)

// PairOptions say which elements of a pair count as close: with Close set,
// those for which |older-current| <= ATol + RTol*|current|. Equal infinities
// are close, an infinity and anything else are not, and two NaNs are close
// only with EqualNaN.
type PairOptions struct {
	Close      bool
	RTol, ATol float64
	EqualNaN   bool
}

// PairStats compare a tensor with an earlier value of its own. Where an element
// that enters a number is NaN or infinite the number is NaN, and so it is for
// tensors without elements; NotClose is always valid.
type PairStats struct {
	Count       int64
	MeanAbsDiff float64 // mean |current-older|
	MaxAbsDiff  float64
	MeanAbsFrom float64 // mean |older|
	NotClose    int64   // 0 unless PairOptions.Close
	// ShapeChanged means that the tensors differ in shape; nothing else is set
	// then.
	ShapeChanged bool
}

// ComputePair compares two values of a tensor, whose element types may differ.
func ComputePair(current, older View, o PairOptions) PairStats {
	if !slices.Equal(current.Shape, older.Shape) {
		return PairStats{ShapeChanged: true}
	}
	var a PairAccumulator
	a.Add(current.DType, current.Data, older.DType, older.Data, o)
	return a.Stats()
}

// PairAccumulator computes PairStats from parts, in any division. The zero
// value is ready for use.
type PairAccumulator struct {
	count, notClose     int64
	diffNaN, olderNaN   bool
	diff, maxDiff, from float64
}

// Stats are the statistics of all parts added so far.
func (a *PairAccumulator) Stats() PairStats {
	s := PairStats{Count: a.count, NotClose: a.notClose, MeanAbsDiff: math.NaN(), MaxAbsDiff: math.NaN(), MeanAbsFrom: math.NaN()}
	if a.count > 0 && !a.diffNaN {
		s.MeanAbsDiff, s.MaxAbsDiff = a.diff/float64(a.count), a.maxDiff
	}
	if a.count > 0 && !a.olderNaN {
		s.MeanAbsFrom = a.from / float64(a.count)
	}
	return s
}

// Add takes in the same elements of both tensors; bytes of an incomplete last
// element are ignored. The options must be the same in all calls.
func (a *PairAccumulator) Add(dc DType, current []byte, do DType, older []byte, o PairOptions) {
	sc, so := dc.Size(), do.Size()
	if sc == 0 || so == 0 {
		return
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for len(current) >= sc && len(older) >= so {
		n := min(len(current)/sc, len(older)/so, blockElements)
		a.block(s, dc, current[:n*sc], do, older[:n*so], o)
		current, older = current[n*sc:], older[n*so:]
	}
}

// block takes in at most blockElements elements.
func (a *PairAccumulator) block(s *scratch, dc DType, current []byte, do DType, older []byte, o PairOptions) {
	n := len(current) / dc.Size()
	body := 0
	if dc == do && (dc == F32 || dc == F16 || dc == BF16) {
		body = n &^ 7
	}
	if body > 0 {
		c, p := current[:body*dc.Size()], older[:body*dc.Size()]
		if dc != F32 {
			// Half of the wide buffer each: it holds twice as many bytes as
			// one block of float32.
			wc, wp := s.wide[:4*body], s.wide[4*blockElements:][:4*body]
			if dc == F16 {
				widenF16(wc, c)
				widenF16(wp, p)
			} else {
				widenBF16(wc, c)
				widenBF16(wp, p)
			}
			c, p = wc, wp
		}
		var sums pairSums
		pair32(c, p, o.RTol, o.ATol, &sums)
		if isFinite(sums.diff) && isFinite(sums.older) {
			a.count += int64(body)
			a.diff += sums.diff
			a.from += sums.older
			a.maxDiff = math.Max(a.maxDiff, sums.maxDiff)
			if o.Close {
				a.notClose += sums.notClose
			}
		} else {
			body = 0
		}
	}
	if dc == F32 && do == F32 {
		for i := 4 * body; i < 4*n; i += 4 {
			a.one(float64(math.Float32frombits(binary.LittleEndian.Uint32(current[i:]))),
				float64(math.Float32frombits(binary.LittleEndian.Uint32(older[i:]))), o)
		}
		return
	}
	sc, so := dc.Size(), do.Size()
	for i := body; i < n; i++ {
		a.one(decode(dc, current[i*sc:(i+1)*sc]), decode(do, older[i*so:(i+1)*so]), o)
	}
}

// one takes in one element.
func (a *PairAccumulator) one(cur, old float64, o PairOptions) {
	a.count++
	if !isFinite(old) {
		a.olderNaN = true
	} else {
		a.from += math.Abs(old)
	}
	if o.Close && !o.close(cur, old) {
		a.notClose++
	}
	if !isFinite(cur) || !isFinite(old) {
		a.diffNaN = true
		return
	}
	d := math.Abs(old - cur)
	a.diff += d
	a.maxDiff = math.Max(a.maxDiff, d)
}

func (o *PairOptions) close(cur, old float64) bool {
	switch {
	case cur == old:
		return true
	case cur != cur || old != old:
		return o.EqualNaN && cur != cur && old != old
	case math.IsInf(cur, 0) || math.IsInf(old, 0):
		return false
	}
	return math.Abs(old-cur) <= o.ATol+float64(o.RTol*math.Abs(cur))
}
