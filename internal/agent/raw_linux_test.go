package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// TestAsStored gives live rules what a later check gives them: the mutes of the
// run, its chief and its raw values.
func TestAsStored(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	set.Config.Mutes = []config.Mute{{Rule: "dead_relu", Tensor: "^fc", Reason: "pruned"}, {Tensor: "x", Reason: "y"}}
	set.Config.Collect = []plan.Collection{collect(t, `mine:every=5,regex=fc\.weight,raw`)}
	a := startAgent(t, set)
	h := started(t, set, hook.Options{})
	w, _ := h.Parameter("fc", "Linear", "weight", 4)
	for range 6 {
		s := h.Begin(hook.Train)
		s.Float32(w, ramp(4))
		s.End()
	}
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	run := tr.Run()
	if d := cmp.Diff(run.Mutes, []record.Mute{{Rule: "dead_relu", Tensor: "^fc", Reason: "pruned"}, {Tensor: "x", Reason: "y"}}); d != "" {
		t.Error(d)
	}
	if run.ChiefName() != tr.Chief() {
		t.Errorf("the chief is %q or %q", run.ChiefName(), tr.Chief())
	}
	set.Takeover = true
	store, err := openStore(set)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	e := &evaluator{job: &job{store: store}}
	defer func() { e.values.Close() }()
	for range 2 {
		if v, err := e.raw("worker_0", "fc.weight", record.Train, 5); err != nil || !slices.Equal(v.Data, toBytes(ramp(4))) {
			t.Errorf("values of step 5: %v, %v", v, err)
		}
	}
	if _, err := e.raw("worker_0", "fc.weight", record.Train, 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("values of step 4: %v", err)
	}
}

// TestKeepsByAge: an agent removes what other runs left too long ago, also when
// its own run stores no raw tensor.
func TestKeepsByAge(t *testing.T) {
	set := settings(t)
	earlier, err := store.Create(vfs.OS, set.Dir, "earlier", record.Run{Status: record.Completed})
	if err != nil {
		t.Fatal(err)
	}
	earlier.LeaveFree(0, 1) // the disk of the tests may be nearly full
	files := map[int64]string{}
	for n := range int64(2) {
		r, err := earlier.RawStep("worker_0", record.Train, n)
		if err == nil {
			err = errors.Join(r.Add("w", tensor.View{DType: tensor.U8, Shape: []int64{3}, Data: []byte{1, 2, 3}}), r.Commit())
		}
		if err != nil {
			t.Fatal(err)
		}
		files[n] = filepath.Join(earlier.Path(), filepath.FromSlash(layout.Raw("worker_0", record.Train, n)))
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := errors.Join(os.Chtimes(files[0], old, old), earlier.Close()); err != nil {
		t.Fatal(err)
	}
	set.Config.Keep, set.Config.KeepAge = 0, 24*time.Hour
	a := startAgent(t, set)
	wait(t, "the old file to go", func() bool { _, err := os.Stat(files[0]); return errors.Is(err, fs.ErrNotExist) })
	if _, err := os.Stat(files[1]); err != nil {
		t.Errorf("a file of today: %v", err)
	}
	a.completed()
}
