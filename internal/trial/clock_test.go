package trial_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// knotsOf are when the steps of a mode closed, of all rows one after the other.
func knotsOf(t failing, tr *trial.Trial, mode record.Mode) (k source.Knots) {
	ok(t, tr.Times("", time.Time{}, time.Time{}, func(r *record.StepTime) error {
		if r.Mode == mode {
			k.Add(r.ModeStep, r.Start.Add(r.End.Sub(r.Start)/time.Duration(r.Steps)).UnixMicro())
			if r.Steps > 1 {
				k.Add(r.ModeStep+r.Steps-1, r.End.UnixMicro())
			}
		}
		return nil
	}))
	if len(k.Step) == 0 {
		for _, s := range tr.StepInfos(mode, "") {
			k.Add(s.ModeStep, s.Time.UnixMicro())
		}
	}
	return k
}

// compareClocks compares when steps closed, and their places among all steps, with
// what is in the rows.
func compareClocks(t *rapid.T, tr *trial.Trial) {
	mode := rapid.SampledFrom([]record.Mode{record.Train, record.Eval, record.Predict}).Draw(t, "clock of")
	k := knotsOf(t, tr, mode)
	if len(k.Step) == 0 {
		if got := tr.Closed("", mode, []int64{0}, 1); got != nil {
			t.Fatalf("%v of a mode without steps", got)
		}
	} else {
		first, last := k.Step[0], k.Step[len(k.Step)-1]
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "asked"), 1))
		for _, n := range []int{1, 40, 40, 4000} {
			steps := make([]int64, n)
			for i := range steps {
				if steps[i] = k.Step[random.IntN(len(k.Step))]; i%5 == 0 {
					steps[i] = max(0, first-10) + random.Int64N(last-first+20)
				}
			}
			slices.Sort(steps)
			steps = slices.Compact(steps)
			for i, got := range tr.Closed("", mode, steps, 0) {
				if want := k.Closed(steps[i]); got != want {
					t.Fatalf("%v step %d closed at %d, want %d", mode, steps[i], got, want)
				}
			}
			apart := 1 + random.Int64N(1000)
			for i, got := range tr.Closed("", mode, steps, apart) {
				least, most := k.Closed(steps[i]-apart), k.Closed(steps[i]+apart)
				if got < least || got > most {
					t.Fatalf("%v step %d closed at %d: the steps %d before and after closed at %d and %d", mode, steps[i], got, apart, least, most)
				}
			}
		}
		for range 20 {
			at := k.At[random.IntN(len(k.At))] + random.Int64N(5000) - 2500
			if got, want := tr.FirstClosed("", mode, at), k.First(at); got != want {
				t.Fatalf("%v step %d is the first that closed from %d on, want %d", mode, got, at, want)
			}
		}
	}
	want, got := map[int64]int64{}, map[int64]int64{}
	for _, s := range tr.StepInfos(mode, "") {
		want[s.ModeStep] = s.Step
	}
	next := int64(-1)
	for _, s := range tr.Stretches(mode) {
		if s.From < next {
			t.Fatalf("steps from %d on come behind step %d", s.From, next-1)
		}
		next = s.From + s.Count
		for i := range s.Count {
			got[s.From+i] = s.Global + i
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("places of %v steps: %.2000s", mode, d)
	}
}

// Steps without rows of times have the times of the steps themselves; of rows of
// several steps the first and the last one are known.
func TestClocksOfAllRuns(t *testing.T) {
	for _, tt := range []struct {
		name string
		each int64 // steps in a row of times; 0: no rows
		seal bool
	}{{"no rows", 0, true}, {"no rows, in a journal", 0, false}, {"rows of a step", 1, true}, {"rows of several", 7, true}, {"in a journal", 7, false}} {
		t.Run(tt.name, func(t *testing.T) {
			disk := vfs.NewCrash(1)
			w := create(t, disk, "/root")
			at := storeSteps(t, w, start, 0, 20_000, tt.each)
			if tt.seal {
				ok(t, w.Seal())
				storeSteps(t, w, at, 12_000, 9000, tt.each) // the training went back
			}
			tr := open(t, disk, "/root/run")
			k := knotsOf(t, tr, record.Train)
			var steps []int64
			for s := int64(3); s < 20_000; s += 11 {
				steps = append(steps, s)
			}
			for i, got := range tr.Closed("", record.Train, steps, 0) {
				if want := k.Closed(steps[i]); got != want {
					t.Fatalf("step %d closed at %d, want %d", steps[i], got, want)
				}
			}
			for i := 0; i < len(steps); i += 60 { // each looks through all rows
				at := k.Closed(steps[i])
				if got, want := tr.FirstClosed("", record.Train, at), k.First(at); got != want {
					t.Fatalf("the first step from %d on is %d, want %d", at, got, want)
				}
			}
		})
	}
}

// storeSteps stores n steps from one on, and where their time went in rows of so many
// steps.
func storeSteps(t testing.TB, w *store.Writer, at time.Time, from, n, each int64) time.Time {
	random := rand.New(rand.NewPCG(1, 2))
	var steps []*record.Step
	var times []record.StepTime
	for i := from; i < from+n; i++ {
		begin := at
		at = at.Add(time.Duration(1+random.IntN(20)) * time.Millisecond)
		steps = append(steps, &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Time: at})
		if each == 0 {
			continue
		}
		if k := len(times) - 1; k < 0 || times[k].Steps == each {
			times = append(times, record.StepTime{Worker: "worker_0", Step: i, ModeStep: i, Start: begin})
		}
		row := &times[len(times)-1]
		row.End, row.Steps = at, row.Steps+1
		row.Parts[record.Other] = row.End.Sub(row.Start).Nanoseconds()
	}
	ok(t, w.Append("worker_0", "", 0, steps...))
	ok(t, w.Times("worker_0", "", 0, times, nil))
	return at
}
