package trial_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// numbered is global step n of an attempt: every fourth step is an evaluation,
// and its loss reports which attempt it is of.
func numbered(worker string, attempt, n int64) *record.Step {
	s := &record.Step{Worker: worker, Step: n, Mode: record.Train, ModeStep: n - n/4, Seconds: 1}
	if n%4 == 3 {
		s.Mode, s.ModeStep = record.Eval, n/4
	}
	s.Scalars = []record.Scalar{{Name: "loss", Value: float64(1000*attempt + n)}}
	s.Stats = []record.TensorStats{{Tensor: "w", Stats: tensor.Stats{Count: 1, Max: float64(1000*attempt + n)}}}
	if n%5 == 0 {
		s.Raw = []string{"w"}
	}
	return s
}

// before is the place before global step n.
func before(n int64) record.Place {
	return record.Place{Step: n, Modes: map[string]int64{"TRAIN": n - n/4, "EVAL": n / 4}}
}

// attempt writes the steps from one to another, with decisions, raw tensors and
// findings, and seals in between.
func attempt(w *store.Writer, number, from, to int64) error {
	for n := from; n < to; n++ {
		var parts []*record.Step
		for _, worker := range []string{"w0", "w1"} {
			s := numbered(worker, number, n)
			if len(s.Raw) > 0 {
				r, err := w.RawStep(worker, s.Mode, s.ModeStep)
				if err != nil {
					return err
				}
				if err := r.Add("w", bytesView([]byte{byte(number), byte(n)})); err != nil {
					return err
				}
				if err := r.Commit(); err != nil {
					return err
				}
			}
			if err := w.Append(worker, fmt.Sprint(worker, " ", number), uint64(n+1), s); err != nil {
				return err
			}
			parts = append(parts, s)
		}
		if err := w.Complete(complete(parts...)); err != nil {
			return err
		}
		if n%6 == 0 {
			if err := w.Finding(record.Finding{Rule: "r", Step: n, Subject: fmt.Sprint(number)}); err != nil {
				return err
			}
		}
		if n%9 == 8 {
			if err := w.Seal(); err != nil {
				return err
			}
		}
	}
	return w.Sync()
}

// shows is what a reader sees of a run of numbered steps: for each global step
// the attempt that it is of.
func shows(t *testing.T, tr *trial.Trial, want []int64, settled bool) {
	t.Helper()
	whole(t, tr)
	showsSteps(t, tr, want, settled)
}

// showsTorn is shows after a loss of power, which may have damaged the last line
// of the manifest, that was not synced.
func showsTorn(t *testing.T, tr *trial.Trial, want []int64, settled bool) {
	t.Helper()
	damage, err := tr.Verify(context.Background(), nil)
	ok(t, err)
	for _, d := range damage {
		if d.File != "manifest.jsonl" || len(damage) > 1 {
			t.Errorf("damaged: %s: %s", d.File, d.Reason)
		}
	}
	showsSteps(t, tr, want, settled)
}

func showsSteps(t *testing.T, tr *trial.Trial, want []int64, settled bool) {
	t.Helper()
	var decided []int64
	ok(t, tr.Replay(func(c *record.Complete) error {
		if c.Step != int64(len(decided)) || len(c.Parts) != 2 {
			t.Errorf("decision %d is of step %d, with %d parts", len(decided), c.Step, len(c.Parts))
		}
		for _, p := range c.Parts {
			if p.Scalars[0].Value != p.Stats[0].Max || p.Step != c.Step {
				t.Errorf("step %d holds %+v", c.Step, p)
			}
		}
		decided = append(decided, int64(c.Parts[0].Scalars[0].Value)/1000)
		return nil
	}))
	if d := cmp.Diff(want, decided); d != "" {
		t.Errorf("replayed: %s", d)
	}
	ok(t, tr.Undecided(func(s *record.Step) error { t.Errorf("undecided: %+v", s); return nil }))
	for _, mode := range []record.Mode{record.Train, record.Eval} {
		var steps []int64
		var values []float64
		var raw []int64
		for n, a := range want {
			if s := numbered("w0", a, int64(n)); s.Mode == mode {
				steps, values = append(steps, s.ModeStep), append(values, s.Scalars[0].Value)
				if len(s.Raw) > 0 {
					raw = append(raw, s.ModeStep)
				}
			}
		}
		for _, worker := range []string{"w0", "w1"} {
			gotSteps, gotValues, err := tr.Series(trial.Query{Tensor: "loss", Mode: mode, Worker: worker})
			ok(t, err)
			if !slices.Equal(gotSteps, steps) || !slices.Equal(gotValues, values) {
				t.Errorf("loss of %s in %s: %v %v, want %v %v", worker, mode, gotSteps, gotValues, steps, values)
			}
			rows, err := tr.Stats(trial.Query{Tensor: "w", Mode: mode, Worker: worker})
			ok(t, err)
			if len(rows) != len(steps) {
				t.Errorf("%d statistics, want %d", len(rows), len(steps))
			}
			gotSteps, _, err = tr.Series(trial.Query{Tensor: "w", Stat: "max", Mode: mode, Worker: worker})
			ok(t, err)
			if !slices.Equal(gotSteps, steps) {
				t.Errorf("statistics of %s at %v, want %v", worker, gotSteps, steps)
			}
		}
		if got := tr.Steps(mode); !slices.Equal(got, steps) || len(tr.StepInfos(mode, "")) != len(steps) {
			t.Errorf("%s steps %v, want %v", mode, got, steps)
		}
		if !settled {
			continue
		}
		if got := tr.RawSteps("w", mode, "w0"); !slices.Equal(got, raw) {
			t.Errorf("raw %s steps %v, want %v", mode, got, raw)
		}
		for _, n := range raw {
			v, err := tr.Raw("w", mode, n, "w1")
			if err != nil || int64(v.Data[0]) != want[v.Data[1]] {
				t.Errorf("raw values of %s step %d: %v, %v", mode, n, v.Data, err)
			}
		}
	}
	if settled {
		for _, f := range tr.Findings() {
			if f.Step >= int64(len(want)) || f.Subject != fmt.Sprint(want[f.Step]) {
				t.Errorf("the finding of attempt %s at step %d is still there", f.Subject, f.Step)
			}
		}
	}
}

// attempts says for each global step which attempt it is of: pairs of a number
// and the step up to which it goes.
func attempts(pairs ...int64) (list []int64) {
	for i := 0; i < len(pairs); i += 2 {
		for int64(len(list)) < pairs[i+1] {
			list = append(list, pairs[i])
		}
	}
	return list
}

// A run that went back shows each step once, and goes on from there; it may go
// back again, further or less far.
func TestRewind(t *testing.T) {
	testenv.Unraced(t)
	for _, seal := range []bool{false, true} {
		for _, c := range []struct {
			back, on, again, end int64
		}{{13, 24, 20, 30}, {16, 24, 4, 12}, {0, 3, 1, 9}, {20, 20, 20, 20}, {7, 30, 7, 8}} {
			t.Run(fmt.Sprint(seal, c), func(t *testing.T) {
				disk := vfs.NewCrash(1)
				w := create(t, disk, "/root")
				steps := func(want []int64) { t.Helper(); shows(t, open(t, disk, w.Path()), want, true) }
				next := func() {
					if seal {
						ok(t, w.Close())
					}
					var err error
					w, err = store.Resume(disk, "/root/run")
					ok(t, err)
				}
				ok(t, attempt(w, 1, 0, 20))
				steps(attempts(1, 20))
				next()
				ok(t, w.Rewind(before(c.back)))
				steps(attempts(1, c.back))
				ok(t, attempt(w, 2, c.back, c.on))
				steps(attempts(1, c.back, 2, c.on))
				next()
				ok(t, w.Rewind(before(c.again)))
				ok(t, attempt(w, 3, c.again, c.end))
				want := attempts(1, c.back, 2, c.on)[:c.again]
				for int64(len(want)) < c.end {
					want = append(want, 3)
				}
				steps(want)
				ok(t, w.Close())
				steps(want)
				if n := w.Rewindings(); n != 2 {
					t.Errorf("%d rewindings", n)
				}
			})
		}
	}
}

// However the process or the power dies while a run goes back, the run stands
// where it stood or at the place, for readers at once; the next writer ends
// what was begun, and goes on.
func TestRewindAndDie(t *testing.T) {
	testenv.Unraced(t)
	for op := 1; ; op++ {
		disk := vfs.NewCrash(uint64(op))
		w := create(t, disk, "/root")
		ok(t, attempt(w, 1, 0, 12))
		ops, dead := 0, false
		dying := vfs.WithFaults(disk, func(vfs.Op) error {
			if ops++; ops >= op {
				dead = true
				return errDead
			}
			return nil
		})
		w, err := store.Resume(dying, "/root/run")
		if err == nil {
			err = w.Rewind(before(7))
		}
		if (err != nil) != dead {
			t.Fatalf("operation %d: %v", op, err)
		}
		for _, after := range []*vfs.Crash{disk.KillClone(), disk.CrashClone()} {
			// A reader without a writer.
			seen := open(t, after, "/root/run")
			n := len(seen.Steps(record.Train))
			if n == 9 {
				showsTorn(t, seen, attempts(1, 12), false)
			} else {
				showsTorn(t, seen, attempts(1, 7), false)
			}
			w, err := store.Resume(after, "/root/run")
			ok(t, err)
			if w.Rewindings() == 0 {
				if n != 9 || !dead {
					t.Fatalf("operation %d: %d steps before the run was rewound", op, n)
				}
				showsTorn(t, open(t, after, "/root/run"), attempts(1, 12), true)
				ok(t, w.Rewind(before(7)))
			}
			showsTorn(t, open(t, after, "/root/run"), attempts(1, 7), true)
			ok(t, attempt(w, 2, 7, 11))
			w, err = store.Resume(after.CrashClone(), "/root/run")
			ok(t, err)
			ok(t, w.Close())
			showsTorn(t, open(t, w.FS(), "/root/run"), attempts(1, 7, 2, 11), true)
		}
		if t.Failed() || !dead {
			if op < 20 {
				t.Errorf("the writer did only %d operations", op)
			}
			return
		}
	}
}
