package slow

import (
	"cmp"
	"math"
	"slices"
)

func sorted(x []float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}

// rankCorrelation is Spearman's, of values with their places; 0 where all are equal.
func rankCorrelation(x []float64) float64 {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	rank := make([]float64, n)
	for i := 0; i < n; {
		j := i
		for j < n && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ { // equal values share the mean of their ranks
			rank[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	mean := float64(n-1) / 2
	var xy, xx, yy float64
	for i := range rank {
		a, b := float64(i)-mean, rank[i]-mean
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
