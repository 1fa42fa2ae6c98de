package agent

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// TestAsStored gives live rules what a later check gives them: the mutes of the
// run, its chief and its raw values.
func TestAsStored(t *testing.T) {
	set := settings(t)
	set.Config.Every = 1
	set.Config.Mutes = []config.Mute{{Rule: "dead_relu", Tensor: "^fc", Reason: "pruned"}, {Tensor: "x", Reason: "y"}}
	set.Config.Collect = []plan.Collection{collect(t, `mine:every=5,regex=fc\.weight,raw`)}
	a := startAgent(t, set)
	h := started(t, hook.Options{})
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
