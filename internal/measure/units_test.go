package measure

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func unitsOf(s plan.Schedule, u plan.Units) plan.Decision {
	return plan.Decision{Requests: []plan.Request{{Schedule: s, Want: plan.Stats, Units: []plan.Units{u}}}}
}

var relu = plan.Units{Above: 0, Below: math.Inf(1), Inactivity: 1, Window: 1}

func TestUnits(t *testing.T) {
	zeros := make([]float32, 32)
	half := make([]float32, 32)
	for i := range half {
		half[i] = float32(i % 4 / 2)
	}
	rare := make([]float32, 400)
	rare[7] = 1
	tanh := plan.Units{Above: -9.4999, Below: 9.4999, Inactivity: 1, Window: 1}
	sigmoid := plan.Units{Above: -23, Below: 16.99999, Inactivity: 1, Window: 1}
	channel := relu
	channel.Channel = true
	nan := float32(math.NaN())
	tests := map[string]struct {
		u    plan.Units
		v    tensor.View
		want string
	}{
		"all zero":               {relu, f32([]int64{8, 4}, zeros...), "units@-1=4 inactive@-1=4 samples@-1=8 negative@-1=0"},
		"half zero":              {relu, f32([]int64{8, 4}, half...), "units@-1=4 inactive@-1=2 samples@-1=8 negative@-1=0"},
		"one sample in 200":      {relu, f32([]int64{200, 2}, rare...), "units@-1=2 inactive@-1=2 samples@-1=200 negative@-1=0"},
		"tanh":                   {tanh, f32([]int64{2, 3}, 10, 10, 0, 10, -10, 0), "units@-1=3 inactive@-1=2 samples@-1=2 negative@-1=1 low@-1=1 high@-1=3 least[0]@-1=0 least_active[0]@-1=0 least[1]@-1=1 least_active[1]@-1=0"},
		"the limit is not in":    {sigmoid, f32([]int64{2, 1}, 16.99999, 16.99999), "units@-1=1 inactive@-1=1 samples@-1=2 negative@-1=0 low@-1=0 high@-1=2 least[0]@-1=0 least_active[0]@-1=0"},
		"channels":               {channel, f32([]int64{2, 2, 2}, 0, 0, 1, 0, 0, 0, 0, 0), "units@-1=2 inactive@-1=1 samples@-1=4 negative@-1=0"},
		"channels of rank 2":     {channel, f32([]int64{1, 2}, 0, 1), "units@-1=2 inactive@-1=1 samples@-1=1 negative@-1=0"},
		"a vector is one unit":   {relu, vector(0, 0, 1), "units@-1=1 inactive@-1=0 samples@-1=3 negative@-1=0"},
		"a number is one unit":   {relu, f32(nil, -1), "units@-1=1 inactive@-1=1 samples@-1=1 negative@-1=1"},
		"not a number is idle":   {relu, f32([]int64{1, 2}, nan, 1), "units@-1=2 inactive@-1=1 samples@-1=1 negative@-1=0"},
		"an empty batch":         {relu, f32([]int64{0, 3}), "units@-1=3 inactive@-1=0 samples@-1=0 negative@-1=0"},
		"no units":               {relu, f32([]int64{3, 0}), "units@-1=0 inactive@-1=0 samples@-1=0 negative@-1=0"},
		"infinity is active":     {relu, f32([]int64{1, 1}, float32(math.Inf(1))), "units@-1=1 inactive@-1=0 samples@-1=1 negative@-1=0"},
		"exactly the percentage": {plan.Units{Below: 2, Inactivity: 50, Window: 1}, f32([]int64{2, 1}, 1, 0), "units@-1=1 inactive@-1=0 samples@-1=2 negative@-1=0 low@-1=1 high@-1=0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := open(t, "") // a window of one step needs no file
			if got := at(t, m, unitsOf(every(1), test.u), 0, test.v); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// Two requests whose key is the same count in steps of their own, and a step
// has one number.
func TestUnitsOfTwoSchedules(t *testing.T) {
	u := relu
	u.Window, u.Inactivity = 2, 60
	d := unitsOf(every(2), u)
	d.Requests = append(d.Requests, unitsOf(every(3), u).Requests...)
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	samples := map[int64]string{
		0: "1", 2: "3", 3: "3", 4: "5", 6: "7", 8: "9", 9: "9", 10: "11",
	}
	for step := range int64(11) {
		// Step n has n/2+1 samples.
		v := f32([]int64{step/2 + 1, 1}, make([]float32, step/2+1)...)
		want := ""
		if s := samples[step]; s != "" {
			want = "units@-1=1 inactive@-1=1 samples@-1=" + s + " negative@-1=0"
		}
		if got := at(t, m, d, step, v); got != want {
			t.Errorf("step %d:\n got %s\nwant %s", step, got, want)
		}
	}
}

func TestUnitsWindow(t *testing.T) {
	u := relu
	u.Window, u.Inactivity = 3, 40
	d := unitsOf(every(2), u)
	steps := []struct {
		n    int64
		v    tensor.View
		want string
	}{
		{0, f32([]int64{1, 2}, 1, 0), "units@-1=2 inactive@-1=1 samples@-1=1 negative@-1=0"},
		{1, f32([]int64{1, 2}, 1, 1), ""},
		{2, f32([]int64{1, 2}, 0, 1), "units@-1=2 inactive@-1=0 samples@-1=2 negative@-1=0"},
		{4, f32([]int64{3, 2}, 0, 1, 0, 1, 0, 1), "units@-1=2 inactive@-1=1 samples@-1=5 negative@-1=0"},
		{6, f32([]int64{1, 2}, 1, 0), "units@-1=2 inactive@-1=1 samples@-1=5 negative@-1=0"},
		{8, f32([]int64{1, 3}, 1, 0, 0), "units@-1=3 inactive@-1=2 samples@-1=1 negative@-1=0"},
		{10, f32([]int64{1, 3}, 0, 1, 0), "units@-1=3 inactive@-1=1 samples@-1=2 negative@-1=0"},
	}
	for _, restart := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "spill")
		m := open(t, path)
		for _, s := range steps {
			if got := at(t, m, d, s.n, s.v); got != s.want {
				t.Errorf("restart=%t step %d:\n got %s\nwant %s", restart, s.n, got, s.want)
			}
			if restart {
				m = open(t, path)
				if got := at(t, m, d, s.n, s.v); got != s.want {
					t.Errorf("step %d again:\n got %s\nwant %s", s.n, got, s.want)
				}
			}
		}
	}
}

func TestLeast(t *testing.T) {
	active := []uint64{9, 2, 0, 30, 1, 2, 0, 3, 2}
	if got := least(active, 100, 10); !slices.Equal(got, []int{2, 6, 4, 1, 5}) {
		t.Errorf("least active are %v", got)
	}
	if got := least(active, 100, 1); !slices.Equal(got, []int{2, 6}) {
		t.Errorf("inactive are %v", got)
	}
	if got := least([]uint64{0}, 0, 50); len(got) != 0 {
		t.Errorf("without samples: %v", got)
	}
}
