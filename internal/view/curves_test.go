package view

import (
	"math"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Charts show updates: an evaluation is one point, at the update that it came after.
func TestEvaluationIsOnePoint(t *testing.T) {
	c := &clock{
		steps:  map[record.Mode][]source.StepRange{record.Eval: {{From: 0, Global: 0, Count: 1}, {From: 1, Global: 3, Count: 2}, {From: 3, Global: 6, Count: 1}}},
		trains: []source.StepRange{{From: 0, Global: 1, Count: 2}, {From: 2, Global: 5, Count: 1}},
	}
	for _, tt := range []struct {
		name   string
		clock  *clock
		mode   record.Mode
		values []float64
		steps  []int64
		means  []float64
	}{
		{"training", c, record.Train, []float64{3, 2, 1}, []int64{0, 1, 2}, []float64{3, 2, 1}},
		{"evaluation before, between and after", c, record.Eval, []float64{9, 4, 2, 1}, []int64{0, 1, 2}, []float64{9, 3, 1}},
		{"no update in the run", &clock{}, record.Eval, []float64{9, 4}, []int64{0, 1}, []float64{9, 4}},
	} {
		steps := make([]int64, len(tt.values))
		for i := range steps {
			steps[i] = int64(i)
		}
		places, means := together(tt.clock.updates(tt.mode, steps), tt.values)
		if !slices.Equal(places, tt.steps) || !slices.Equal(means, tt.means) {
			t.Errorf("%s: %v %v, want %v %v", tt.name, places, means, tt.steps, tt.means)
		}
	}
}

func TestGaps(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, tt := range []struct {
		name   string
		values []float64
		want   []Gap
	}{
		{"none", []float64{1, 2}, nil},
		{"one value", []float64{1, nan, 2}, []Gap{{1, 1}}},
		{"to the end", []float64{1, nan, inf, nan}, []Gap{{1, 3}}},
		{"two", []float64{nan, 1, 1, inf}, []Gap{{0, 0}, {3, 3}}},
	} {
		steps := make([]int64, len(tt.values))
		for i := range steps {
			steps[i] = int64(i)
		}
		if got := gapsOf(steps, tt.values); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	many := make([]float64, 1000)
	for i := range many {
		many[i] = []float64{1, nan}[i%2]
	}
	steps := make([]int64, len(many))
	for i := range steps {
		steps[i] = int64(i)
	}
	if got := gapsOf(steps, many); len(got) != mostGaps || got[mostGaps-1][1] != 999 {
		t.Errorf("%d gaps, the last to %v", len(got), got[len(got)-1])
	}
}
