package measure

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

func f32(shape []int64, xs ...float32) tensor.View {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	v, err := tensor.NewView(tensor.F32, shape, b)
	if err != nil {
		panic(err)
	}
	return v
}

func vector(xs ...float32) tensor.View { return f32([]int64{int64(len(xs))}, xs...) }

// every is a schedule of TRAIN steps.
func every(n int64) (s plan.Schedule) {
	for i := range s {
		s[i].Off = true
	}
	s[record.Train] = plan.ModeSchedule{Every: n}
	return s
}

func pairsOf(s plan.Schedule, pairs ...plan.Pair) plan.Decision {
	return plan.Decision{Requests: []plan.Request{{By: "test", Schedule: s, Want: plan.Stats, Pairs: pairs}}}
}

func open(t *testing.T, path string) *Meter {
	t.Helper()
	m, err := New(Options{Spill: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// at measures a step and spells the result: quantity of the last dot, step
// compared with, value. Positions of values that are not finite have a test of
// their own and are left out.
func at(t *testing.T, m *Meter, d plan.Decision, step int64, v tensor.View) string {
	t.Helper()
	_, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, step, v)
	if err != nil {
		t.Fatal(err)
	}
	return spell(derived)
}

func spell(derived []record.Derived) string {
	var out []string
	for _, x := range derived {
		if strings.HasPrefix(x.Stat, "first_") {
			continue
		}
		out = append(out, fmt.Sprintf("%s@%d=%g", x.Stat[strings.LastIndexByte(x.Stat, '.')+1:], x.From, x.Value))
	}
	return strings.Join(out, " ")
}

func TestStatsAndHistogram(t *testing.T) {
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	d := plan.Decision{Requests: []plan.Request{
		{Schedule: every(1), Want: plan.Stats},
		{Schedule: every(10), Want: plan.Stats | plan.Hist},
	}}
	for step, hist := range map[int64]bool{0: true, 1: false, 10: true} {
		s, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, step, vector(1, 2, -4))
		if err != nil || derived != nil {
			t.Fatal(derived, err)
		}
		if s.Tensor != "w" || s.Count != 3 || s.Max != 2 || (s.Hist != nil) != hist {
			t.Errorf("step %d: %+v", step, s)
		}
	}
	if s, _, _ := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Eval, 0, vector(1)); s.Hist != nil {
		t.Error("a histogram in a mode that is off")
	}
}

func TestPairs(t *testing.T) {
	type step struct {
		n    int64
		v    tensor.View
		want string
	}
	tests := map[string]struct {
		d     plan.Decision
		steps []step
	}{
		"previous": {pairsOf(every(500), plan.Pair{Lag: 1}), []step{
			{0, vector(1, 1), ""},
			{500, vector(12, 12), "mean_abs_diff@0=11 max_abs_diff@0=11 mean_abs_from@0=1"},
			{600, vector(3, 3), ""},
			{1000, vector(12, 8), "mean_abs_diff@500=2 max_abs_diff@500=4 mean_abs_from@500=12"},
		}},
		"within": {pairsOf(every(500), plan.Pair{Within: 1000}), []step{
			{0, vector(1), ""},
			{500, vector(2), "mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=1"},
			{1000, vector(4), "mean_abs_diff@0=3 max_abs_diff@0=3 mean_abs_from@0=1"},
			{1500, vector(8), "mean_abs_diff@500=6 max_abs_diff@500=6 mean_abs_from@500=2"},
			{3000, vector(8), ""},
		}},
		"two lags, close": {pairsOf(every(1), plan.Pair{Lag: 1, Close: true, RTol: 1e-5, ATol: 1e-8}, plan.Pair{Lag: 2, Close: true, RTol: 1e-5, ATol: 1e-8}), []step{
			{0, vector(1, 1), ""},
			{1, vector(1.000001, 2), "mean_abs_diff@0=0.5000004768371582 max_abs_diff@0=1 mean_abs_from@0=1 not_close@0=1"},
			{5, vector(1, 1), "mean_abs_diff@1=0.5000004768371582 max_abs_diff@1=1 mean_abs_from@1=1.5000004768371582 not_close@1=1 " +
				"mean_abs_diff@0=0 max_abs_diff@0=0 mean_abs_from@0=1 not_close@0=0"},
		}},
		"left to the budget": {pairsOf(every(plan.Auto), plan.Pair{Lag: 1}), []step{
			{0, vector(1), ""},
			{7, vector(2), "mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=1"},
			{9, vector(2), "mean_abs_diff@7=0 max_abs_diff@7=0 mean_abs_from@7=2"},
		}},
		"shape changes": {pairsOf(every(1), plan.Pair{Lag: 1}), []step{
			{0, vector(1), ""},
			{1, vector(1, 2), "shape_changed@0=1"},
			{2, f32([]int64{1, 2}, 1, 2), "shape_changed@1=1"},
			{3, f32([]int64{1, 2}, 1, 3), "mean_abs_diff@2=0.5 max_abs_diff@2=1 mean_abs_from@2=1.5"},
		}},
		"empty and scalar": {pairsOf(every(1), plan.Pair{Lag: 1, Close: true}), []step{
			{0, f32([]int64{0, 3}), ""},
			{1, f32([]int64{0, 3}), "mean_abs_diff@0=NaN max_abs_diff@0=NaN mean_abs_from@0=NaN not_close@0=0"},
			{2, f32(nil, 4), "shape_changed@1=1"},
			{3, f32(nil, 4), "mean_abs_diff@2=0 max_abs_diff@2=0 mean_abs_from@2=4 not_close@2=0"},
		}},
		"not a number": {pairsOf(every(1), plan.Pair{Lag: 1, Close: true, EqualNaN: true}), []step{
			{0, vector(float32(math.NaN()), 1), ""},
			{1, vector(float32(math.NaN()), 1), "mean_abs_diff@0=NaN max_abs_diff@0=NaN mean_abs_from@0=NaN not_close@0=0"},
		}},
		"the same request twice": {plan.Decision{Requests: []plan.Request{
			{Schedule: every(1), Pairs: []plan.Pair{{Lag: 1}}}, {Schedule: every(1), Pairs: []plan.Pair{{Lag: 1}}},
		}}, []step{
			{0, vector(1), ""},
			{1, vector(1), "mean_abs_diff@0=0 max_abs_diff@0=0 mean_abs_from@0=1"},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, restart := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "spill")
				m := open(t, path)
				for _, s := range test.steps {
					if got := at(t, m, test.d, s.n, s.v); got != s.want {
						t.Errorf("restart=%t step %d:\n got %s\nwant %s", restart, s.n, got, s.want)
					}
					if restart { // as after kill -9: the old one is not closed
						m = open(t, path)
						if got := at(t, m, test.d, s.n, s.v); got != s.want {
							t.Errorf("step %d measured again:\n got %s\nwant %s", s.n, got, s.want)
						}
					}
				}
			}
		})
	}
}

// What other requests capture makes no difference to a pair.
func TestPairsCountTheirOwnSteps(t *testing.T) {
	d := plan.Decision{Requests: []plan.Request{
		{Schedule: every(2), Pairs: []plan.Pair{{Lag: 1}}},
		{Schedule: every(3), Pairs: []plan.Pair{{Lag: 2}}},
	}}
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	from := map[string]string{}
	for step := range int64(13) {
		_, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, step, vector(float32(step)))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range derived {
			if strings.HasSuffix(x.Stat, plan.PairMeanAbsDiff) {
				from[x.Stat] += fmt.Sprintf("%d->%d ", step, x.From)
				if x.Value != float64(step-x.From) {
					t.Errorf("step %d against %d: %v", step, x.From, x.Value)
				}
			}
		}
	}
	want := map[string]string{
		"pair[lag=1,every=2].mean_abs_diff": "2->0 4->2 6->4 8->6 10->8 12->10 ",
		"pair[lag=2,every=3].mean_abs_diff": "6->0 9->3 12->6 ",
	}
	if diff := cmp.Diff(want, from); diff != "" {
		t.Error(diff)
	}
}

func TestPairsOfModesAndTensorsAreApart(t *testing.T) {
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	s := every(1)
	s[record.Eval] = plan.ModeSchedule{Every: 1}
	d := pairsOf(s, plan.Pair{Lag: 1})
	measure := func(name string, mode record.Mode, step int64, x float32) string {
		_, derived, err := m.Tensor(record.TensorInfo{Name: name}, d, mode, step, vector(x))
		if err != nil {
			t.Fatal(err)
		}
		return spell(derived)
	}
	measure("a", record.Train, 0, 1)
	measure("b", record.Train, 0, 10)
	measure("a", record.Eval, 0, 100)
	for name, got := range map[string]string{
		"mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=1":       measure("a", record.Train, 1, 2),
		"mean_abs_diff@0=2 max_abs_diff@0=2 mean_abs_from@0=10":      measure("b", record.Train, 1, 12),
		"mean_abs_diff@0=100 max_abs_diff@0=100 mean_abs_from@0=100": measure("a", record.Eval, 1, 200),
	} {
		if got != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
}

// Steps that were not acknowledged can be measured again, with the same result.
func TestSeveralStepsAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	d := plan.Decision{Requests: []plan.Request{{Schedule: every(1),
		Pairs: []plan.Pair{{Lag: 2}, {Within: 3}},
		Units: []plan.Units{{Above: 0, Below: math.Inf(1), Inactivity: 30, Window: 3}}}}}
	value := func(step int64) tensor.View { return vector(float32(step*step), -1, float32(step%3)) }
	m := open(t, path)
	m.Acked(record.Train, -1)
	first := map[int64]string{}
	for step := range int64(30) {
		first[step] = at(t, m, d, step, value(step))
		if step%5 == 4 {
			m.Acked(record.Train, step)
		}
		if step%7 == 6 { // killed: everything after the last acknowledged step comes again
			m = open(t, path)
			last := (step+1)/5*5 - 1
			m.Acked(record.Train, last)
			for again := last + 1; again <= step; again++ {
				if got := at(t, m, d, again, value(again)); got != first[again] {
					t.Errorf("step %d again:\n got %s\nwant %s", again, got, first[again])
				}
			}
		}
	}
	whole := open(t, filepath.Join(t.TempDir(), "other"))
	for step := range int64(30) {
		if got := at(t, whole, d, step, value(step)); got != first[step] {
			t.Errorf("step %d without interruption:\n got %s\nwant %s", step, got, first[step])
		}
	}
}

func TestSpillStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	m := open(t, path)
	d := pairsOf(every(1), plan.Pair{Lag: 1}, plan.Pair{Lag: 3})
	v := tensor.View{DType: tensor.F32, Shape: []int64{100_000}, Data: make([]byte, 400_000)}
	for step := range int64(200) {
		at(t, m, d, step, v)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Three earlier values, one more for the last step measured again, one
	// while it is written.
	if limit := int64(6 * 420_000); info.Size() > limit {
		t.Errorf("the spill file has %d bytes, want at most %d", info.Size(), limit)
	}
}

func TestNoSpill(t *testing.T) {
	m := open(t, "")
	for step := range int64(3) {
		if got := at(t, m, pairsOf(every(1), plan.Pair{Lag: 1}), step, vector(1)); got != "" {
			t.Error(got)
		}
	}
	if err := m.Remove(); err != nil {
		t.Error(err)
	}
}

func TestSpillIsMadeWhenNeeded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	m := open(t, path)
	at(t, m, plan.Decision{Requests: []plan.Request{{Schedule: every(1), Want: plan.Stats}}}, 0, vector(1))
	if _, err := os.Stat(path); err == nil {
		t.Error("the spill file was made although nothing is to be kept")
	}
	at(t, m, pairsOf(every(1), plan.Pair{Lag: 1}), 1, vector(1))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if err := m.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the spill file is still there")
	}
}

func TestPlanChanges(t *testing.T) {
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	at(t, m, pairsOf(every(1), plan.Pair{Lag: 1}), 0, vector(1))
	got := at(t, m, pairsOf(every(1), plan.Pair{Lag: 1}, plan.Pair{Lag: 1, Close: true}), 1, vector(2))
	want := "mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=1 mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=1 not_close@0=1"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := at(t, m, plan.Decision{Requests: []plan.Request{{Schedule: every(1), Want: plan.Stats}}}, 2, vector(2)); got != "" {
		t.Error(got)
	}
}

func TestSteadyStateAllocatesLittle(t *testing.T) {
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	info := record.TensorInfo{Name: "w"}
	v := vector(make([]float32, 3000)...)
	for name, test := range map[string]struct {
		d    plan.Decision
		want float64
	}{
		"statistics": {plan.Decision{Requests: []plan.Request{{Schedule: every(1), Want: plan.Stats}}}, 0},
		"pair":       {pairsOf(every(1), plan.Pair{Lag: 1}), 2}, // the numbers themselves, and now and then pooled memory
	} {
		step := int64(0)
		run := func() {
			if _, _, err := m.Tensor(info, test.d, record.Train, step, v); err != nil {
				t.Fatal(err)
			}
			step++
		}
		for range 10 {
			run()
		}
		if got := testing.AllocsPerRun(50, run); got > test.want {
			t.Errorf("%s: %v allocations a tensor, want %v", name, got, test.want)
		}
	}
}

// A key of a pair names its schedule in TRAIN only.
func TestPairsOfOneKeyInAnotherMode(t *testing.T) {
	both := every(1)
	both[record.Eval] = plan.ModeSchedule{Every: 1}
	d := pairsOf(every(1), plan.Pair{Lag: 1})
	d.Requests = append(d.Requests, pairsOf(both, plan.Pair{Lag: 1}).Requests...)
	m := open(t, filepath.Join(t.TempDir(), "spill"))
	for _, mode := range []record.Mode{record.Train, record.Eval} {
		for step, want := range []string{"", "mean_abs_diff@0=1 max_abs_diff@0=1 mean_abs_from@0=0"} {
			_, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, mode, int64(step), vector(float32(step)))
			if got := spell(derived); err != nil || got != want {
				t.Errorf("%s step %d: %s (%v), want %s", mode, step, got, err, want)
			}
		}
	}
}
