package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainUnits counts element by element.
func plainUnits(v View, o UnitOptions) (counts []uint32, negative int64) {
	units, _, err := o.Units(v.Shape)
	if err != nil {
		panic(err)
	}
	counts = make([]uint32, units)
	inner := int64(1)
	for _, d := range v.Shape[min(len(v.Shape), 2):] {
		inner *= d
	}
	n, _ := Elements(v.Shape)
	for i := range n {
		x := ToFloat64(v, i)
		unit := int64(0)
		switch {
		case len(v.Shape) < 2:
		case o.Channel && len(v.Shape) > 2:
			unit = i / inner % v.Shape[1]
		default:
			unit = i % units
		}
		if x > o.Above && (x < o.Below || math.IsInf(o.Below, 1)) {
			counts[unit]++
		}
		if x < 0 {
			negative++
		}
	}
	return counts, negative
}

func TestUnitCounts(t *testing.T) {
	both(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		data := hostile(r)
		var counts []uint32
		for _, name := range []string{"normal", "relu", "mixed", "subnormal", "minus inf", "inf"} {
			for _, d := range floats {
				for _, shape := range [][]int64{nil, {5}, {0, 4}, {4, 0}, {7, 3}, {3, 2100}, {2, 3, 4}, {2, 3, 5, 7}, {1, 2, 50, 50}, {3000, 1}} {
					n, err := Elements(shape)
					if err != nil {
						t.Fatal(err)
					}
					v := View{d, shape, encode(d, fillWith(int(n), data[name]))}
					for _, o := range []UnitOptions{
						{Above: 0, Below: math.Inf(1)}, {Channel: true, Above: 0, Below: math.Inf(1)},
						{Above: -0.7, Below: 0.3}, {Channel: true, Above: math.Inf(-1), Below: 1e-42},
					} {
						what := fmt.Sprintf("%s %s %v %+v", name, d, shape, o)
						var samples, negative int64
						counts, samples, negative, err = UnitCounts(counts, v, o)
						if err != nil {
							t.Fatal(what, err)
						}
						want, wantNegative := plainUnits(v, o)
						if !slices.Equal(counts, want) || negative != wantNegative || samples*int64(len(counts)) != n {
							t.Fatalf("%s: %v (%d samples, %d negative), want %v (%d)", what, counts, samples, negative, want, wantNegative)
						}
					}
				}
			}
		}
	})
}

func TestUnitCountsRefuses(t *testing.T) {
	for name, v := range map[string]View{
		"too few bytes":      {F32, []int64{2, 2}, make([]byte, 12)},
		"unknown type":       {Invalid, []int64{2}, nil},
		"negative dimension": {F32, []int64{-1, 2}, nil},
	} {
		if _, _, _, err := UnitCounts(nil, v, UnitOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The limits are compared as float64, whatever the type.
func TestLimitsAreExact(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, limit := range []float64{16.99999, 9.4999, 0, 1e-50, -1e-50, 0.1, -0.1, 1e39, math.Inf(1), math.Inf(-1)} {
			f := float32(limit)
			for _, x := range []float32{f, math.Nextafter32(f, float32(math.Inf(1))), math.Nextafter32(f, float32(math.Inf(-1)))} {
				if (x > float32Above(limit)) != (float64(x) > limit) {
					t.Errorf("%v > %v", x, limit)
				}
				if (x < float32Below(limit)) != (float64(x) < limit) {
					t.Errorf("%v < %v", x, limit)
				}
			}
		}
	})
}
