package e2e

import (
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// A training that is killed, and started again from its checkpoint, leaves the
// run that it would have left without that.
func TestResumeFromACheckpoint(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	python, script := testenv.Python(t), filepath.Join(testenv.Root(), "examples", "checkpoint.py")
	if o := run(t, other, nil, binary, "run", "--quiet", "--name", "whole", "--", python, script); o.code != 0 {
		t.Fatalf("the training that nobody disturbs: %+v", o)
	}
	if o := run(t, dir, []string{"KILLED_AT=60"}, binary, "run", "--quiet", "--name", "night", "--", python, script); o.code != 128+9 {
		t.Fatalf("the training that is killed: %+v", o)
	}
	if o := run(t, dir, []string{"KILLED_AT=60"}, binary, "run", "--quiet", "--resume", "night", "--", python, script); o.code != 0 {
		t.Fatalf("the training that goes on: %+v", o)
	}
	whole, night := open(t, filepath.Join(other, "vigil-runs", "whole")), open(t, filepath.Join(dir, "vigil-runs", "night"))
	defer whole.Close()
	defer night.Close()
	for _, c := range []struct {
		tensor, stat string
		mode         record.Mode
	}{
		{"loss", "", record.Train},
		{"loss", "", record.Eval},
		{"Sequential_0.weight", "mean", record.Train},
	} {
		read := func(tr *trial.Trial) map[int64]float64 {
			t.Helper()
			steps, values, err := tr.Series(trial.Query{Tensor: c.tensor, Stat: c.stat, Mode: c.mode})
			if err != nil {
				t.Fatal(err)
			}
			at := map[int64]float64{}
			for i, n := range steps {
				at[n] = values[i]
			}
			if len(at) != len(steps) {
				t.Errorf("%s in %s: a step is there twice: %v", c.tensor, c.mode, steps)
			}
			return at
		}
		// How often values are captured depends on the machine.
		both := 0
		want := read(whole)
		for n, got := range read(night) {
			v, is := want[n]
			if is {
				both++
			}
			if is && got != v {
				t.Errorf("%s in %s at step %d: %g, want %g", c.tensor, c.mode, n, got, v)
			}
		}
		if both == 0 {
			t.Errorf("%s in %s: no step is in both runs", c.tensor, c.mode)
		}
	}
	r := night.Run()
	if len(r.Resumptions) != 1 || r.Resumptions[0].From == nil || r.Resumptions[0].From.Modes["TRAIN"] != 48 || r.Resumptions[0].Cut["TRAIN"] <= 0 || r.Resumptions[0].Cut["TRAIN"] > 12 {
		t.Errorf("resumptions %+v", r.Resumptions)
	}
	if d := night.Damage(); len(d) > 0 || r.Status != record.Completed {
		t.Errorf("the run is %s, damage %+v", r.Status, d)
	}
}
