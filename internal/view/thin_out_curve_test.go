package view

import (
	"math"
	"slices"
	"testing"
)

func TestThin(t *testing.T) {
	const n = 100_000
	steps, values := make([]int64, n), make([]float64, n)
	for i := range n {
		steps[i], values[i] = int64(i), math.Sin(float64(i)/500)
	}
	values[54_321] = 1e6 // a spike of one step
	values[77_777] = -1e6
	gotSteps, got := thin(steps, values, 1000)
	if len(got) > 1002 || len(got) != len(gotSteps) {
		t.Fatalf("%d values at %d steps, want at most 1002", len(got), len(gotSteps))
	}
	if !slices.Contains(gotSteps, 54_321) || !slices.Contains(gotSteps, 77_777) {
		t.Error("a spike is lost")
	}
	if !slices.IsSorted(gotSteps) {
		t.Error("steps are not ascending")
	}
}

func TestThinKeepsShortCurvesAndGaps(t *testing.T) {
	steps, values := []int64{1, 2, 3}, []float64{1, math.NaN(), 3}
	if _, got := thin(steps, values, 1000); len(got) != 3 {
		t.Errorf("a short curve was thinned: %v", got)
	}
	long, gaps := make([]int64, 10_000), make([]float64, 10_000)
	for i := range long {
		long[i], gaps[i] = int64(i), math.NaN()
	}
	_, got := thin(long, gaps, 100)
	if len(got) == 0 || len(got) > 102 || !math.IsNaN(got[0]) {
		t.Errorf("a curve of gaps became %d values, first %v", len(got), got[0])
	}
}
