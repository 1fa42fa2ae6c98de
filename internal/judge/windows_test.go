package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// What is found in windows of time while a run is live is found in the stored run, at
// the same steps and times; also in one that was lost, of which nobody closed the last
// windows.
func TestWindowsAreJudgedAlike(t *testing.T) {
	for _, status := range []string{record.Completed, record.Lost} {
		run := described()
		run.Started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		run.Status = record.Running
		w, err := store.Create(vfs.OS, t.TempDir(), "run", run)
		if err != nil {
			t.Fatal(err)
		}
		fails := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		var said []string
		o := judge.Options{Run: run, Rules: rules.Options{
			Configs: []rules.Config{
				{Rule: "hardware_utilization", Configuration: "idle", Params: map[string]string{"threshold": "50", "window": "4", "patience": "3"}},
				{Rule: "hardware_utilization", Configuration: "busy", Params: map[string]string{"threshold": "50", "window": "4", "patience": "3", "direction": "above"}},
			},
			OnFinding: func(f record.Finding) {
				said = append(said, fmt.Sprint(f.Configuration, " at ", f.Step, " after ", f.Time.Sub(run.Started), ": ", f.Message))
			},
		}}
		live := o
		dead := false // the agent, which would have stored what it decides
		live.OnDecision = func(c *record.Complete) {
			if !dead {
				fails(w.Complete(c))
			}
		}
		live.OnWindow = func(c *record.Window) {
			if !dead {
				fails(w.Window(c))
			}
		}
		j, err := judge.New(t.Context(), live)
		if err != nil {
			t.Fatal(err)
		}
		j.Worker("worker_0")
		seq := uint64(0)
		for i := range int64(40) {
			at := run.Started.Add(record.FirstWindows + time.Duration(i)*time.Second) // the last window is a long one
			for n, host := range []string{"a", "b"} {
				s := record.Sample{Host: host, Time: at, Values: []record.Scalar{{Name: "cpu/total", Value: float64(100 * (int(i/15) + n) % 200)}}}
				fails(w.Samples(s))
				j.Samples(s)
			}
			if i%3 > 0 {
				continue
			}
			seq++
			p := &record.Step{Worker: "worker_0", Step: i / 3, Mode: record.Train, ModeStep: i / 3, Time: at, Seconds: 3}
			fails(w.Append("worker_0", "steps", seq, p))
			j.Add(p)
			row := record.StepTime{Worker: "worker_0", Steps: 1, Start: at.Add(-3 * time.Second), End: at}
			fails(w.Times("worker_0", "steps", seq, []record.StepTime{row}, nil))
			j.Times("worker_0", []record.StepTime{row}, nil)
		}
		decided := len(said)
		dead = status == record.Lost
		j.End()
		j.Engine.Finish(status)
		j.Close()
		found := said
		if decided == 0 || decided == len(found) {
			t.Errorf("%d of %d findings came before the end", decided, len(found))
		}
		fails(w.UpdateRun(func(r *record.Run) { r.Status = status }))
		fails(w.Close())
		tr, err := trial.Open(w.Path())
		if err != nil {
			t.Fatal(err)
		}
		said = nil
		if _, err := judge.Stored(t.Context(), tr, o); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(found, said); d != "" {
			t.Errorf("%s: the stored run gives others: %s", status, d)
		}
	}
}
