package tensor

import (
	"fmt"
	"math"
	"slices"
)

// UnitOptions say what a unit of an activation tensor is and when a sample of
// it is active. Axis 0 of the tensor is the batch; a unit is one position of
// the remaining axes, or one channel (axis 1) when Channel is set and the rank
// is at least 3, with all of its positions as samples. A tensor of rank 0 or 1
// is one unit. A sample is active when Above < x < Below, so NaN is not; with
// Below +Inf there is no upper limit, and infinity is active too.
type UnitOptions struct {
	Channel      bool
	Above, Below float64
}

// Units is the number of units of a shape and the number of samples each of
// them has.
func (o UnitOptions) Units(shape []int64) (units, samples int64, err error) {
	n, err := Elements(shape)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case len(shape) <= 1:
		return 1, n, nil
	case o.Channel && len(shape) >= 3:
		units = shape[1]
	default:
		// The product of the other axes, also when the batch is empty.
		if units, err = Elements(shape[1:]); err != nil {
			return 0, 0, err
		}
	}
	if units == 0 {
		return 0, 0, nil
	}
	return units, n / units, nil
}

// UnitCounts counts for each unit of v its active samples, in counts, whose
// memory is used again when it is large enough. samples is their number per
// unit, negative the number of elements below zero.
func UnitCounts(counts []uint32, v View, o UnitOptions) (result []uint32, samples, negative int64, err error) {
	units, samples, err := o.Units(v.Shape)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("count active units: %w", err)
	}
	if samples > math.MaxUint32 {
		return nil, 0, 0, fmt.Errorf("count active units: shape %v has more than %d samples in a unit", v.Shape, uint32(math.MaxUint32))
	}
	if size := int64(v.DType.Size()); size == 0 || units*samples*size != int64(len(v.Data)) {
		return nil, 0, 0, fmt.Errorf("count active units: %d bytes do not hold shape %v of %s", len(v.Data), v.Shape, v.DType)
	}
	counts = slices.Grow(counts[:0], int(units))[:units]
	clear(counts)
	if samples == 0 {
		return counts, 0, 0, nil
	}
	if math.IsInf(o.Below, 1) {
		o.Below = math.NaN()
	}
	c := counter{v.DType, float32Above(o.Above), float32Below(o.Below), o, scratches.Get().(*scratch)}
	defer scratches.Put(c.scratch)
	row := len(v.Data) / int(samples) // bytes of one sample of every unit
	switch {
	case len(v.Shape) <= 1:
		counts[0], negative = c.span(v.Data)
	case o.Channel && len(v.Shape) >= 3:
		span := len(v.Data) / int(v.Shape[0]*v.Shape[1])
		for i := 0; i*span < len(v.Data); i++ {
			n, neg := c.span(v.Data[i*span : (i+1)*span])
			counts[i%int(units)] += n
			negative += neg
		}
	default:
		for i := 0; i < len(v.Data); i += row {
			negative += c.row(counts, v.Data[i:i+row])
		}
	}
	return counts, samples, negative, nil
}

// counter compares elements with the limits.
type counter struct {
	dtype  DType
	lo, hi float32     // limits that do the same to float32 values as the exact ones
	opts   UnitOptions // with Below NaN where there is no limit
	*scratch
}

// float32Above is the greatest float32 not above x, so that y > x and
// y > float32Above(x) mean the same for every float32 y.
func float32Above(x float64) float32 {
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// float32Below is the least float32 not below x.
func float32Below(x float64) float32 { return -float32Above(-x) }

// narrowed brings at most blockElements elements to float32, or gives nil where
// that would lose something.
func (c *counter) narrowed(p []byte) []byte {
	switch c.dtype {
	case F32:
		return p
	case F16:
		widenF16(c.narrow[:2*len(p)], p)
		return c.narrow[:2*len(p)]
	case BF16:
		widenBF16(c.narrow[:2*len(p)], p)
		return c.narrow[:2*len(p)]
	}
	return nil
}

// row adds one to the count of each unit that is active in p, which holds one
// sample of each.
func (c *counter) row(counts []uint32, p []byte) (negative int64) {
	size := c.dtype.Size()
	for len(counts) > 0 {
		n := min(len(counts), blockElements)
		if b := c.narrowed(p[:n*size]); b != nil {
			negative += between32(b, counts[:n], c.lo, c.hi)
		} else {
			for i := range n {
				x := decode(c.dtype, p[i*size:(i+1)*size])
				if x > c.opts.Above && !(x >= c.opts.Below) {
					counts[i]++
				}
				if x < 0 {
					negative++
				}
			}
		}
		counts, p = counts[n:], p[n*size:]
	}
	return negative
}

// span counts the active elements of p, all samples of one unit.
func (c *counter) span(p []byte) (active uint32, negative int64) {
	size := c.dtype.Size()
	for len(p) > 0 {
		n := min(len(p)/size, blockElements)
		if b := c.narrowed(p[:n*size]); b != nil {
			a, neg := span32(b, c.lo, c.hi)
			active += uint32(a)
			negative += neg
		} else {
			for i := range n {
				x := decode(c.dtype, p[i*size:(i+1)*size])
				if x > c.opts.Above && !(x >= c.opts.Below) {
					active++
				}
				if x < 0 {
					negative++
				}
			}
		}
		p = p[n*size:]
	}
	return active, negative
}
