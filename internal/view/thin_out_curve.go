package view

import "math"

// thin keeps at most limit points of a curve. From each stretch of steps it
// keeps the smallest and the largest value, so that a spike of a single step
// is still there, and the first non-finite one as a gap.
func thin(steps []int64, values []float64, limit int) ([]int64, []float64) {
	if len(steps) <= limit || limit < 4 {
		return steps, values
	}
	buckets := limit / 2
	outSteps := make([]int64, 0, limit+2)
	outValues := make([]float64, 0, limit+2)
	for b := range buckets {
		from, to := b*len(steps)/buckets, (b+1)*len(steps)/buckets
		low, high := -1, -1
		for i := from; i < to; i++ {
			v := values[i]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if low < 0 || v < values[low] {
				low = i
			}
			if high < 0 || v > values[high] {
				high = i
			}
		}
		if low < 0 { // nothing finite: the gap itself
			outSteps, outValues = append(outSteps, steps[from]), append(outValues, math.NaN())
			continue
		}
		first, second := min(low, high), max(low, high)
		outSteps, outValues = append(outSteps, steps[first]), append(outValues, values[first])
		if second != first {
			outSteps, outValues = append(outSteps, steps[second]), append(outValues, values[second])
		}
	}
	return outSteps, outValues
}
