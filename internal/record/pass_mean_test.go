package record

import (
	"math"
	"testing"
)

// A pass is the mean over its samples, as if its batches were one.
func TestPassMean(t *testing.T) {
	type step struct {
		value, samples float64
		sums           bool
	}
	for name, test := range map[string]struct {
		steps []step
		want  float64
	}{
		"one step":              {[]step{{3, 7, false}}, 3},
		"the last one smaller":  {[]step{{1, 4, false}, {2, 4, false}, {9, 1, false}}, (4*1 + 4*2 + 9) / 9.0},
		"sums":                  {[]step{{4, 4, true}, {8, 4, true}, {9, 1, true}}, (4 + 8 + 9) / 9.0},
		"samples not known":     {[]step{{1, 0, false}, {2, 0, false}, {9, 0, false}}, 4},
		"not known of one step": {[]step{{1, 4, false}, {2, 0, false}, {9, 1, false}}, 4},
		"a number that is none": {[]step{{1, 4, false}, {math.NaN(), 4, false}}, math.NaN()},
		"infinity":              {[]step{{1, 4, false}, {math.Inf(1), 4, false}}, math.Inf(1)},
		"nothing":               {nil, math.NaN()},
	} {
		var m PassMean
		for _, s := range test.steps {
			m.Add(s.value, s.samples, s.sums)
		}
		got := m.Value()
		if math.IsNaN(got) != math.IsNaN(test.want) || !math.IsNaN(got) && got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
