package slow

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

func sorted(x []float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}

// steadiness is the rank correlation of values with their places.
func steadiness(x []float64) float64 {
	places := make([]float64, len(x))
	for i := range places {
		places[i] = float64(i)
	}
	return record.RankCorrelation(places, x)
}
