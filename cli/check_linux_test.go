package cli

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// lost writes a run whose processes died: two workers, steps 0 to 9, of which
// only those before decided were declared complete. The loss of worker_1 is NaN
// at step 8, its last.
func lost(t *testing.T, decided int64, mutes ...record.Mute) *trial.Trial {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Create(vfs.OS, t.TempDir(), "lost", record.Run{
		Format: record.RunFormat, Name: "lost", Status: record.Running, Host: host, Launcher: &record.Process{PID: 1 << 30, Start: 1}, Mutes: mutes,
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	workers := []string{"worker_0", "worker_1"}
	for _, worker := range workers {
		if err := w.Announce(worker, []record.TensorInfo{{Name: "loss", Kind: record.Loss, Collections: []string{"losses"}}}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range int64(10) {
		var parts []*record.Step
		for i, worker := range workers {
			loss := 1.0
			if i == 1 && n == 8 {
				loss = math.NaN()
			}
			if i == 1 && n == 9 {
				continue
			}
			s := &record.Step{Worker: worker, Step: n, Mode: record.Train, ModeStep: n, Time: begin.Add(time.Duration(n) * time.Second), Seconds: 1,
				Scalars: []record.Scalar{{Name: "loss", Value: loss}}}
			if err := w.Append(worker, worker, uint64(n+1), s); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, s)
		}
		if n < decided {
			if err := w.Complete(rules.NewComplete(parts)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := trial.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	if s := tr.Run().Status; s != record.Lost {
		t.Fatalf("the run is %s", s)
	}
	return tr
}

// TestCheckLost judges the steps of a lost run that nobody had decided on, each
// with the parts of all workers, and marks what is muted.
func TestCheckLost(t *testing.T) {
	mute := record.Mute{Rule: "NotFinite", Tensor: "^loss$", Reason: "known"}
	for _, decided := range []int64{0, 5, 10} {
		for _, mutes := range [][]record.Mute{nil, {mute}} {
			var found []record.Finding
			tr := lost(t, decided, mutes...)
			j, err := replay(t.Context(), tr, []rules.Config{{Rule: "not_finite"}}, replaying{found: func(f record.Finding) { found = append(found, f) }})
			if err != nil {
				t.Fatal(err)
			}
			if j.Steps() != 10 || len(found) != 1 || found[0].Step != 8 || found[0].Worker != "worker_1" || found[0].Muted != (len(mutes) > 0) {
				t.Errorf("%d of the steps decided, mutes %v: %d judged, findings %+v", decided, mutes, j.Steps(), found)
			}
		}
	}
}
