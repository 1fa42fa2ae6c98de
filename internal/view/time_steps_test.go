package view_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

// timedRun is a run of two ranks with n steps of 100 ms each, one of which takes a
// second: rank 1 waits for rank 0.
func timedRun(t *testing.T, n int, samples []record.Sample) *trial.Trial {
	t.Helper()
	return sampledRun(t, samples, func(w *store.Writer) {
		for rank, worker := range []string{"worker_0", "worker_1"} {
			at := machineBegan.Add(2 * time.Second)
			var rows []record.StepTime
			for i := range int64(n) {
				row := record.StepTime{Worker: worker, Step: i, ModeStep: i, Steps: 1, Start: at}
				row.Parts[record.WaitForData], row.Parts[record.Forward] = 60e6, 40e6
				if i == 7 {
					row.Parts[record.WaitForData] = 960e6
				}
				if rank == 1 {
					row.Parts[record.WaitForRanks], row.Parts[record.WaitForData] = row.Parts[record.WaitForData]-10e6, 10e6
				}
				row.End = at.Add(time.Duration(row.Total()))
				row.Longest, row.LongestStep = row.Total(), i
				rows, at = append(rows, row), row.End
			}
			events := []record.Event{{Worker: worker, Kind: record.CheckpointEvent, Start: machineBegan.Add(3 * time.Second), End: machineBegan.Add(4 * time.Second)},
				{Worker: worker, Kind: record.LoaderEvent, Start: machineBegan.Add(2 * time.Second), End: machineBegan.Add(2500 * time.Millisecond), Facts: []byte(`{"workers":2}`)}}
			if err := w.Times(worker, "session"+worker, uint64(len(rows)), rows, events); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Over few columns the lengths of steps keep the slow one, and the parts add up to
// the mean.
func TestStepSeries(t *testing.T) {
	run := timedRun(t, 100, nil)
	for _, tt := range []struct {
		columns  int
		raw      bool
		from, to int64
		steps    int64
		first    int64
	}{{columns: 200, raw: true, steps: 100}, {columns: 100, raw: true, steps: 100}, {columns: 10, steps: 100}, {columns: 10, from: 5, to: 9, raw: true, steps: 4, first: 5}} {
		s, err := view.StepSeriesOf(run, "", record.Train, tt.from, tt.to, tt.columns)
		if err != nil {
			t.Fatal(err)
		}
		if s.Raw != tt.raw || s.Steps != tt.steps || len(s.X) > tt.columns || s.X[0] != tt.first || s.Worker != "worker_0" {
			t.Errorf("%+v: raw %v, %d steps, %d columns from %d", tt, s.Raw, s.Steps, len(s.X), s.X[0])
		}
		if slices.Max(s.Max) != 1 || math.Abs(s.Typical-0.1) > 1e-4 || s.Shortest != 0.1 || s.Longest != 1 {
			t.Errorf("%+v: longest %v, typical %v", tt, slices.Max(s.Max), s.Typical)
		}
		if len(s.Outliers) != 1 || s.Outliers[0].Step != 7 || s.Outliers[0].Seconds != 1 || math.Abs(s.Outliers[0].Times-10) > 0.01 || s.MoreOutliers != 0 {
			t.Errorf("%+v: outliers %+v", tt, s.Outliers)
		}
		counted := int64(0)
		for _, n := range s.Counts {
			counted += n
		}
		if counted != tt.steps || len(s.Edges) != len(s.Counts)+1 || !s.Logarithmic {
			t.Errorf("%+v: histogram of %d steps with %d edges", tt, counted, len(s.Edges))
		}
		for i, mean := range s.Mean {
			if sum := s.Parts[0].Values[i] + s.Parts[1].Values[i]; len(s.Parts) != 2 || math.Abs(sum-mean) > 1e-12 {
				t.Errorf("%+v: the parts of column %d add up to %v, not %v", tt, i, sum, mean)
			}
		}
	}
	if s, err := view.StepSeriesOf(run, "worker_9", record.Train, 0, 0, 10); err != nil || s.Steps != 0 || s.Raw != true {
		t.Errorf("of nobody: %+v, error %v", s, err)
	}
}

// What is remembered of sealed step times gives the same figures as all rows: of whole
// runs and of ranges, also where the training went back.
func TestStepSeriesOfParts(t *testing.T) {
	testenv.Unraced(t)
	run := sampledRun(t, nil, func(w *store.Writer) {
		random, at := rand.New(rand.NewPCG(1, 2)), machineBegan
		for part, begins := range []int64{0, 3000, 5000, 5500, 9000} { // the third goes back
			var rows []record.StepTime
			for i := range int64(3000) {
				n := 1 + i%2*int64(part%2) // some rows are of two steps
				row := record.StepTime{Worker: "worker_0", Step: begins + i, ModeStep: begins + i*n, Steps: n, Start: at, Gap: random.Int64N(1000)}
				for p := range row.Parts {
					row.Parts[p] = 1000 + random.Int64N(1e6)
				}
				if random.IntN(200) == 0 {
					row.Parts[record.Other] += 1e8
				}
				at = at.Add(time.Duration(row.Total()))
				row.End, row.Longest, row.LongestStep = at, row.Total()-row.Gap, row.ModeStep
				rows = append(rows, row)
			}
			if err := errors.Join(w.Times("worker_0", "session", uint64(part+1), rows, nil), w.Seal()); err != nil {
				t.Fatal(err)
			}
		}
	})
	alike := cmp.Options{cmpopts.EquateApprox(1e-12, 0), cmpopts.EquateEmpty()}
	for _, columns := range []int{20, 300, 4000} {
		for _, r := range [][2]int64{{0, 0}, {2500, 0}, {2990, 3010}, {4000, 9100}, {0, 5200}, {50_000, 0}} {
			for _, again := range []string{"", ", again"} {
				want, err := view.StepSeriesOf(plain{run, run}, "", record.Train, r[0], r[1], columns)
				if err != nil {
					t.Fatal(err)
				}
				got, err := view.StepSeriesOf(run, "", record.Train, r[0], r[1], columns)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got, alike); d != "" {
					t.Fatalf("steps %d to %d in %d columns%s: %.2000s", r[0], r[1], columns, again, d)
				}
				if len(want.X) > columns || want.Steps == 0 != (r[0] == 50_000) {
					t.Errorf("steps %d to %d: %d steps in %d columns", r[0], r[1], want.Steps, len(want.X))
				}
			}
		}
	}
}

func TestRankTimes(t *testing.T) {
	list, text, err := view.RankTimes(timedRun(t, 100, nil), record.Train)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, error %v", list, err)
	}
	if want := "worker_0 has most work besides waiting: 109 ms a step, 118 % more than worker_1."; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	if r := list[1]; r.Rank != 1 || r.Steps != 100 || math.Abs(r.Seconds-10.9) > 1e-9 || math.Abs(r.Own-5) > 1e-9 || math.Abs(r.Parts["ranks"]-5.9) > 1e-9 {
		t.Errorf("rank 1: %+v", r)
	}
}

// The last steps before a time, and the samples within each: of a step between two
// samples the nearest one.
func TestLastSteps(t *testing.T) {
	var samples []record.Sample
	for i := range 40 {
		samples = append(samples, record.Sample{Host: "node1", Time: half(i), Values: []record.Scalar{{Name: "cpu/total", Value: float64(i)}}})
	}
	run := timedRun(t, 100, samples)
	for _, tt := range []struct {
		name        string
		n           int
		before      time.Time
		first, last int64
		cpu         float64 // in the last step
	}{
		{"of all", 30, time.Time{}, 70, 99, 26}, // step 99 is from 12.8 s to 12.9 s
		{"before a time", 5, machineBegan.Add(2650 * time.Millisecond), 1, 5, 5},
		{"with samples in it", 1, machineBegan.Add(3750 * time.Millisecond), 7, 7, 6}, // from 2.7 s to 3.7 s: 3 and 3.5 s
		{"fewer than asked for", 500, time.Time{}, 0, 99, 26},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := view.LastStepsOf(run, tt.n, tt.before)
			if err != nil || len(l.Steps) == 0 || len(l.Uses) != 1 {
				t.Fatalf("%+v, error %v", l, err)
			}
			n := len(l.Steps)
			if l.Steps[0].ModeStep != tt.first || l.Steps[n-1].ModeStep != tt.last || math.Abs(l.Uses[0].Values[n-1]-tt.cpu) > 0.5 {
				t.Errorf("steps %d to %d, CPU %v", l.Steps[0].ModeStep, l.Steps[n-1].ModeStep, l.Uses[0].Values[n-1])
			}
		})
	}
}

// still is a run that goes on, though its last step was long ago. It counts the rows that are read.
type still struct {
	*trial.Trial
	until time.Time
	read  int
}

func (s *still) Run() record.Run {
	run := s.Trial.Run()
	run.Ended, run.Time = nil, &record.RunTime{Until: s.until}
	return run
}

func (s *still) Times(worker string, from, to time.Time, fn func(*record.StepTime) error) error {
	return s.Trial.Times(worker, from, to, func(row *record.StepTime) error {
		s.read++
		return fn(row)
	})
}

func TestLastStepsOfAJobThatStandsStill(t *testing.T) {
	run := timedRun(t, 2000, nil)
	s := &still{Trial: run, until: machineBegan.Add(202 * time.Second)}
	l, err := view.LastStepsOf(s, 30, time.Time{})
	if err != nil || len(l.Steps) != 30 || l.Steps[29].ModeStep != 1999 {
		t.Fatalf("%+v, error %v", l, err)
	}
	if s.read > 700 { // ten steps a second, a minute
		t.Errorf("%d of 4000 rows were read", s.read)
	}
}

// Marks are round numbers of steps; a span cuts everything but the ends of the run.
func TestTimeline(t *testing.T) {
	run := timedRun(t, 1000, nil)
	l, err := view.TimelineOf(run, time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Steps) != 200 || l.Steps[1].Step != 5 || !l.Steps[1].Time.Equal(machineBegan.Add(2600*time.Millisecond)) || l.Steps[199].Step != 995 {
		t.Errorf("steps %+v", l.Steps)
	}
	if len(l.Phases) != 2 || l.Phases[0].Name != record.StartUpPhase || l.Phases[1].Name != record.TrainingPhase {
		t.Errorf("phases %+v", l.Phases)
	}
	if len(l.Checkpoints) != 2 || len(l.Events) != 2 || len(l.Times) != 1 || l.Times[0].Steps != 1000 {
		t.Errorf("checkpoints %+v, events %+v, times %+v", l.Checkpoints, l.Events, l.Times)
	}
	part, err := view.TimelineOf(run, machineBegan.Add(10*time.Second), machineBegan.Add(11*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if !part.From.Equal(l.From) || !part.To.Equal(l.To) || len(part.Checkpoints) != 0 || len(part.Steps) < 10 || len(part.Steps) > 12 || part.Times[0].Steps > 12 {
		t.Errorf("a second: %+v", part)
	}
}

func TestLoaders(t *testing.T) {
	list, err := view.LoadersOf(timedRun(t, 10, nil))
	if err != nil || len(list) != 2 || list[0].Passes != 1 || list[0].First != 0.5 || string(list[0].Settings) != `{"workers":2}` {
		t.Errorf("%+v, error %v", list, err)
	}
}
