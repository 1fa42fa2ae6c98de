package trial_test

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A chart keeps spikes, says where numbers are missing, and goes on with what
// is stored after it was drawn.
func TestChart(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	value := func(i int64) float64 {
		switch i {
		case 777:
			return 1e6
		case 1500:
			return math.NaN()
		case 4321:
			return -1e6
		}
		return math.Sin(float64(i) / 300)
	}
	put := func(from, to int64) {
		var list []*record.Step
		for i := from; i < to; i++ {
			list = append(list, &record.Step{Worker: "worker_0", Step: i, Mode: record.Train, ModeStep: i, Time: start, Seconds: 1,
				Scalars: []record.Scalar{{Name: "loss", Value: value(i)}, {Name: "short", Value: 1}}[:min(2, max(1, 101-i))]})
		}
		ok(t, w.Append("worker_0", "", 0, list...))
	}
	put(0, 3000)
	ok(t, w.Seal())
	put(3000, 4000)
	tr := open(t, vfs.OS, w.Path())
	draw := func(name string, points int) (at map[int64]float64, n int) {
		t.Helper()
		steps, values, err := tr.Chart(trial.Query{Tensor: name}, points)
		ok(t, err)
		at = map[int64]float64{}
		for i, s := range steps {
			if i > 0 && s <= steps[i-1] {
				t.Fatalf("step %d after step %d", s, steps[i-1])
			}
			at[s] = values[i]
		}
		return at, len(steps)
	}
	for range 2 {
		for _, points := range []int{50, 500, 2000} {
			at, n := draw("loss", points)
			if n > points || at[777] != 1e6 || !math.IsNaN(at[1500]) {
				t.Errorf("%d points asked for, got %d; the spike is %g, what is missing %g", points, n, at[777], at[1500])
			}
			if _, there := at[1500]; !there {
				t.Error("the number that is missing is not in the chart")
			}
		}
	}
	if at, n := draw("short", 500); n != 100 || at[99] != 1 {
		t.Errorf("a short series has %d points", n)
	}
	put(4000, 5000)
	ok(t, w.Seal())
	if at, n := draw("loss", 300); n > 300 || at[4321] != -1e6 || at[777] != 1e6 {
		t.Errorf("after more was stored: %d points, spikes %g and %g", n, at[777], at[4321])
	}
	// A step that is stored again takes the place of the first.
	ok(t, w.Append("worker_0", "", 0, &record.Step{Worker: "worker_0", Step: 777, ModeStep: 777, Time: start, Scalars: []record.Scalar{{Name: "loss", Value: 3}}}))
	if at, _ := draw("loss", 300); at[777] == 1e6 {
		t.Error("a value that was stored again is drawn as it was")
	}
	if _, _, err := tr.Chart(trial.Query{Tensor: "none"}, 100); err == nil {
		t.Error("a series that is not there has a chart")
	}
}
