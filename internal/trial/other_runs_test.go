package trial_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A run is found by name below the root and by path, and opened once; names and
// statistics that it does not have are no error.
func TestOthers(t *testing.T) {
	root := t.TempDir()
	w := create(t, vfs.OS, root)
	save(t, w, "worker_0", 3, map[string]tensor.View{"weight": bytesView([]byte{1, 2, 3})})
	for n := range int64(5) {
		ok(t, w.Append("worker_0", "", 0, step("worker_0", n)))
	}
	others := trial.NewOthers(vfs.OS, root)
	defer others.Close()
	o, err := others.Open("run")
	ok(t, err)
	if again, err := others.Open("run"); err != nil || again != o {
		t.Errorf("opened again: %v", err)
	}
	if _, err := others.Open(filepath.Join(root, "run")); err != nil {
		t.Error(err)
	}
	for _, none := range []string{"", "ran", "../run/x", "run/run.json/x"} {
		if _, err := others.Open(none); err == nil {
			t.Errorf("%q was opened", none)
		} else if none == "ran" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", none, err)
		}
	}
	steps, values, err := o.Series("loss", "value", record.Train, "worker_0", 2)
	if err != nil || !slices.Equal(steps, []int64{2, 3, 4}) || values[0] != 1.0/3 {
		t.Errorf("series %v, %v, %v", steps, values, err)
	}
	for _, q := range [][2]string{{"nothing", "value"}, {"weight", "quantile[0.5]"}} {
		if steps, _, err := o.Series(q[0], q[1], record.Train, "worker_0", 0); err != nil || len(steps) != 0 {
			t.Errorf("%v: %v, %v", q, steps, err)
		}
	}
	if v, err := o.Raw("weight", record.Train, 3, "worker_0"); err != nil || len(v.Data) != 3 {
		t.Errorf("raw %v, %v", v, err)
	}
	if _, err := o.Raw("weight", record.Train, 4, "worker_0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("raw that is not there: %v", err)
	}
	if !slices.Contains(o.Workers(), "worker_0") {
		t.Errorf("workers %v", o.Workers())
	}
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }))
	ok(t, w.Close())
	if o.Running() {
		t.Error("a run that has ended is running")
	}
}
