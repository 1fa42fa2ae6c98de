package agent

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// recording is a run that one agent after another records.
type recording struct {
	t    *testing.T
	disk *vfs.Crash
	job  *job
}

var recorded = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{t: t, disk: vfs.NewCrash(1)}
	w, err := store.Create(r.disk, "/runs", "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Running, Started: recorded})
	if err != nil {
		t.Fatal(err)
	}
	r.take(w)
	return r
}

func (r *recording) take(w *store.Writer) {
	set := Settings{Name: "run", Dir: "/runs", Config: config.Run{Rules: "none", StopOn: config.When{}}}
	r.job = newJob(set, w, newEvents(io.Discard, openLogs(w.Path())))
}

// begin starts the rules, as the first worker does.
func (r *recording) begin() {
	r.t.Helper()
	if err := r.job.begin(record.Framework{Name: "pytorch"}); err != nil {
		r.t.Fatal(err)
	}
	r.job.eval.worker("worker_0")
}

func (r *recording) sample(seconds ...float64) {
	r.t.Helper()
	var list []record.Sample
	for _, s := range seconds {
		list = append(list, record.Sample{Host: "here", Time: r.at(s), Values: []record.Scalar{{Name: "cpu/total", Value: s}}})
	}
	if err := r.job.storeSamples(list); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) at(seconds float64) time.Time {
	return recorded.Add(time.Duration(seconds * float64(time.Second)))
}

func (r *recording) step(from, to float64) {
	r.t.Helper()
	row := []record.StepTime{{Worker: "worker_0", Steps: 1, Start: r.at(from), End: r.at(to)}}
	if err := r.job.store.Times("worker_0", "", 0, row, nil); err != nil {
		r.t.Fatal(err)
	}
	r.job.eval.times("worker_0", row, nil)
}

// die kills the agent; the next one takes over.
func (r *recording) die() {
	r.t.Helper()
	if r.job.eval != nil {
		r.job.eval.close()
	}
	r.job.events.close()
	r.disk = r.disk.KillClone()
	w, err := store.Resume(r.disk, "/runs/run")
	if err != nil {
		r.t.Fatal(err)
	}
	r.take(w)
}

// end ends the job and gives its windows: what they are made of.
func (r *recording) end() (out []string) {
	r.t.Helper()
	r.job.eval.finish(record.Completed)
	r.job.events.close()
	if err := r.job.store.Close(); err != nil {
		r.t.Fatal(err)
	}
	tr, err := trial.OpenFS(r.disk, "/runs/run")
	if err != nil {
		r.t.Fatal(err)
	}
	defer tr.Close()
	err = tr.Decisions(func(*record.Complete) error { return nil }, func(w *record.Window) error {
		s := fmt.Sprint(w.Index, ":")
		for _, x := range w.Samples {
			s += fmt.Sprint(" ", x.Values[0].Value)
		}
		for _, x := range w.Times {
			s += fmt.Sprint(" step to ", x.End.Sub(recorded).Seconds())
		}
		for _, name := range w.Late {
			s += " without " + name
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// What goes by time is in one window of two seconds each, whoever was there when it was stored.
func TestRowsAreJudgedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(r *recording)
		want []string
	}{
		"from before the rules started": {func(r *recording) {
			r.sample(1, 9)
			r.sample(12)
			r.begin()
			r.sample(13, 21)
			r.step(10, 21)
		}, []string{"0: 1", "4: 9", "6: 12 13", "10: 21 step to 21"}},
		"from agents that died": {func(r *recording) {
			r.sample(1)
			r.die()
			r.sample(2)
			r.begin()
			r.step(0, 3)
			r.sample(4)
			r.die()
			r.sample(11)
			r.begin()
			r.step(3, 11)
			r.die()
			r.begin()
			r.sample(12)
		}, []string{"0: 1", "1: 2 step to 3", "2: 4", "5: 11 step to 11", "6: 12"}},
		"with a clock that was set back between two agents": {func(r *recording) {
			r.begin()
			r.step(0, 5)
			r.sample(5, 15)
			r.die()
			r.begin()
			r.sample(6, 7, 17) // stored as though at 15 seconds and after
			r.step(5, 30)
		}, []string{"2: 5 step to 5", "7: 15 6", "8: 7", "13: 17", "15: step to 30"}},
		"without who is late": {func(r *recording) {
			r.begin()
			r.step(0, 1)
			r.sample(5, 11, 20)
			r.job.eval.tick(r.at(39))
			r.job.eval.tick(r.at(41))
			r.step(1, 42)
		}, []string{"0: step to 1 without worker_0", "2: 5 without worker_0", "5: 11 without worker_0", "10: 20", "21: step to 42"}},
		"without a machine that is sampled no more": {func(r *recording) {
			r.begin()
			r.sample(1)
			r.step(0, 5)
			r.job.samplesEnd("here")
			r.step(5, 15)
			r.step(15, 25)
		}, []string{"0: 1", "2: step to 5", "7: step to 15", "12: step to 25"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecording(t)
			tt.do(r)
			if d := cmp.Diff(tt.want, r.end()); d != "" {
				t.Error(d)
			}
		})
	}
}

// What comes after the rules have ended is stored, and in no window.
func TestRowsAfterTheEnd(t *testing.T) {
	r := newRecording(t)
	r.begin()
	r.sample(1)
	r.job.eval.in.put(func() { r.job.eval.ended = record.Completed })
	r.sample(2)
	if got := r.end(); !slices.Equal(got, []string{"0: 1"}) {
		t.Errorf("windows are %q", got)
	}
}
