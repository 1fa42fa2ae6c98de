package trial_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

var equal = cmp.Options{cmpopts.EquateNaNs()}

var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// odd are names that must do no harm anywhere.
var odd = []string{"a/b\"c\nd", strings.Repeat("long", 1250), "../../etc/passwd", "", "__metadata__", "ünï"}

// step makes one step of a worker with a bit of everything in it.
func step(worker string, n int64) *record.Step {
	s := &record.Step{Worker: worker, Step: n, Mode: record.Train, ModeStep: n, Time: start.Add(time.Duration(n) * time.Second), Seconds: 0.5, Overhead: 0.001}
	if n%10 == 9 {
		s.Mode = record.Eval
	}
	s.Scalars = []record.Scalar{{Name: "loss", Value: 1 / float64(n+1)}, {Name: odd[n%int64(len(odd))], Value: float64(n)}}
	h := &tensor.Histogram{}
	h.Pos[100] = n
	s.Stats = []record.TensorStats{
		{Tensor: "weight", Stats: tensor.Stats{Count: 4, Min: -1, Max: float64(n), Mean: 0.5, M2: 4, L1: 8, Hist: h}},
		{Tensor: odd[0], Stats: tensor.Stats{Count: 4, NaN: n % 2, Min: 1, Max: 2, Mean: 1.5, M2: 1, L1: 6}},
	}
	s.Derived = []record.Derived{{Tensor: "weight", Stat: "pair[lag=1,every=0].mean_abs_diff", From: n - 1, Value: 0.25}}
	return s
}

func create(t testing.TB, fsys vfs.FS, root string) *store.Writer {
	t.Helper()
	host, _ := os.Hostname()
	w, err := store.Create(fsys, root, "run", record.Run{Host: host, Started: start, Status: record.Running,
		Workers: []record.Worker{{Name: "worker_1", Rank: 1}, {Name: "worker_0", Chief: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := fsys.(*vfs.Crash); !ok {
		w.LeaveFree(0, 1) // the disk of the tests may be nearly full
	}
	return w
}

// failing is what a test and a check of a property have in common.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func ok(t failing, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func complete(parts ...*record.Step) *record.Complete {
	s := parts[0]
	return &record.Complete{Step: s.Step, Mode: s.Mode, ModeStep: s.ModeStep, Time: s.Time.Add(time.Millisecond), Parts: parts}
}

func open(t testing.TB, fsys vfs.FS, path string) *trial.Trial {
	t.Helper()
	tr, err := trial.OpenFS(fsys, path)
	ok(t, err)
	t.Cleanup(func() { tr.Close() })
	return tr
}

func whole(t testing.TB, tr *trial.Trial) {
	t.Helper()
	list, err := tr.Verify(context.Background(), nil)
	ok(t, err)
	for _, d := range list {
		t.Errorf("damaged: %s: %s", d.File, d.Reason)
	}
}

// One run, read in all ways while it is written, after half of it was sealed,
// and after its end: the answers are the same.
func TestReading(t *testing.T) {
	root := t.TempDir()
	w := create(t, vfs.OS, root)
	live := open(t, vfs.OS, w.Path())
	infos := []record.TensorInfo{{Name: "weight", Kind: record.Weight, Order: 2, Shape: []int64{2, 2}}, {Name: odd[0], Kind: record.Bias, Order: 1}}
	ok(t, w.Announce("worker_0", infos))
	var want []*record.Complete
	const n = 40
	for i := range int64(n) {
		a, b := step("worker_0", i), step("worker_1", i)
		ok(t, w.Append("worker_0", "s0", uint64(i+1), a))
		if i%4 != 3 { // every fourth part of worker_1 comes too late
			ok(t, w.Append("worker_1", "s1", uint64(i+1), b))
			want = append(want, complete(a, b))
		} else {
			want = append(want, complete(a))
		}
		ok(t, w.Complete(want[i]))
		if i%4 == 3 {
			ok(t, w.Append("worker_1", "s1", uint64(i+1), b))
		}
		if i == n/2 {
			ok(t, w.Seal())
		}
	}
	check := func(t *testing.T, tr *trial.Trial) {
		t.Helper()
		if got := tr.Workers(); !cmp.Equal(got, []string{"worker_0", "worker_1"}) {
			t.Errorf("workers %q", got)
		}
		if got := tr.Modes(); !cmp.Equal(got, []record.Mode{record.Train, record.Eval}) {
			t.Errorf("modes %v", got)
		}
		if got := tr.Steps(record.Eval); !cmp.Equal(got, []int64{9, 19, 29, 39}) {
			t.Errorf("EVAL steps %v", got)
		}
		steps, values, err := tr.Series(trial.Query{Tensor: "loss", From: 5, To: 12})
		if err != nil || !cmp.Equal(steps, []int64{5, 6, 7, 8, 10, 11}) || values[0] != 1.0/6 {
			t.Errorf("loss: %v %v %v", steps, values, err)
		}
		for stat, want := range map[string]float64{"min": -1, "max": 30, "mean": 0.5, "variance": 1, "std": 1, "l1": 8, "abs_mean": 2,
			"l2": math.Sqrt(5), "sum": 2, "abs_max": 30, "count": 4, "zeros": 0, "nan": 0, "inf": 0, "pair[lag=1,every=0].mean_abs_diff": 0.25} {
			steps, values, err := tr.Series(trial.Query{Tensor: "weight", Stat: stat, Worker: "worker_1", From: 30, To: 31})
			if err != nil || len(steps) != 1 || values[0] != want {
				t.Errorf("weight %s: %v %v %v, want %g", stat, steps, values, err, want)
			}
		}
		_, values, err = tr.Series(trial.Query{Tensor: odd[0], Stat: "mean", From: 1, To: 3})
		if err != nil || len(values) != 2 || !math.IsNaN(values[0]) || values[1] != 1.5 {
			t.Errorf("mean with NaN in it: %v %v", values, err)
		}
		rows, err := tr.Stats(trial.Query{Tensor: "weight", From: 2, To: 4})
		if err != nil || len(rows) != 2 || rows[1].Hist == nil || rows[1].Hist.Pos[100] != 3 || rows[1].Max != 3 || rows[1].Worker != "worker_0" || !rows[1].Time.Equal(start.Add(3*time.Second)) {
			t.Errorf("statistics %+v, %v", rows, err)
		}
		if _, _, err := tr.Series(trial.Query{Tensor: "weight"}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("scalar of a tensor that has none: %v", err)
		}
		if _, _, err := tr.Series(trial.Query{Tensor: "nope", Stat: "min"}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("series of an unknown tensor: %v", err)
		}
		if steps, _, err := tr.Series(trial.Query{Tensor: "loss", From: 1000}); len(steps) != 0 || err != nil {
			t.Errorf("a range without values: %v %v", steps, err)
		}
		names := tr.StatNames("weight")
		if len(names) != 17 || names[16] != "pair[lag=1,every=0].mean_abs_diff" {
			t.Errorf("statistics of weight: %q", names)
		}
		if got := tr.StatNames("loss"); !cmp.Equal(got, []string{"value"}) {
			t.Errorf("statistics of loss: %q", got)
		}
		list := tr.Tensors()
		if len(list) < 2 || list[0].Name == "weight" {
			t.Errorf("tensors %+v", list)
		}
		var byName = map[string]record.TensorInfo{}
		for _, i := range list {
			byName[i.Name] = i
		}
		if byName["loss"].Kind != record.Metric || byName["weight"].Order != 2 || byName[odd[0]].Kind != record.Bias {
			t.Errorf("tensors %+v", byName)
		}
		if got := tr.StepInfos(record.Eval, ""); len(got) != 4 || got[0].Step != 9 || got[0].Seconds != 0.5 || got[0].Worker != "worker_0" {
			t.Errorf("step infos %+v", got)
		}
		var got []*record.Complete
		ok(t, tr.Replay(func(c *record.Complete) error { got = append(got, c); return nil }))
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Errorf("replay: %.3000s", diff)
		}
		var late []int64
		ok(t, tr.Undecided(func(s *record.Step) error { late = append(late, s.Step); return nil }))
		if !cmp.Equal(late, []int64{3, 7, 11, 15, 19, 23, 27, 31, 35, 39}) {
			t.Errorf("undecided %v", late)
		}
		whole(t, tr)
	}
	t.Run("live", func(t *testing.T) { check(t, live) })
	t.Run("live, new reader", func(t *testing.T) { check(t, open(t, vfs.OS, w.Path())) })
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }))
	ok(t, w.Close())
	t.Run("ended", func(t *testing.T) { check(t, live) })
	t.Run("ended, new reader", func(t *testing.T) { check(t, open(t, vfs.OS, w.Path())) })
	if list, _ := filepath.Glob(filepath.Join(w.Path(), "*", "*", "*.log")); len(list) != 0 {
		t.Errorf("journals after Close: %v", list)
	}
	entries, err := trial.List(root)
	if err != nil || len(entries) != 1 || entries[0].Run.Name != "run" || entries[0].Run.Status != record.Completed {
		t.Errorf("list %+v, %v", entries, err)
	}
}

func TestFindingsAndState(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	tr := open(t, vfs.OS, w.Path())
	if tr.Groups() != nil || tr.Findings() != nil || tr.Statuses() != nil || tr.Actions() != nil {
		t.Error("a new run has findings")
	}
	var want []record.Finding
	for i, rule := range []string{"b", "a/../b", "b"} {
		f := record.Finding{Rule: rule, Severity: record.Warning, Mode: record.Eval, Time: start.Add(time.Duration(i) * time.Second),
			Observed: record.Number(math.Inf(1)), Subject: odd[i], Context: map[string]any{"crc": "00000000"}, Muted: i == 2}
		want = append(want, f)
		ok(t, w.Finding(f))
	}
	// Findings that are not grouped yet count each for itself, then by their root.
	if entries, err := trial.List(filepath.Dir(w.Path())); err != nil || len(entries) != 1 || entries[0].Tally.String() != "2 warnings" {
		t.Errorf("list before the groups %+v, %v", entries, err)
	}
	groups := []record.Group{{Root: want[0], Symptoms: want[1:], CauseClass: "loss"}}
	ok(t, w.Summary(nil))
	ok(t, w.Summary(groups))
	statuses := []record.RuleStatus{{Rule: "b", Status: "IssuesFound", Skipped: map[string]int64{"non_finite": 3}}}
	ok(t, w.Statuses(statuses))
	ok(t, w.Action(map[string]any{"action": "stop", "ok": true}))
	ok(t, w.SaveState("rules", []byte("snapshot")))
	if diff := cmp.Diff(want, tr.Findings()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(groups, tr.Groups()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(statuses, tr.Statuses()); diff != "" {
		t.Error(diff)
	}
	if got := tr.Actions(); len(got) != 1 || !strings.Contains(string(got[0]), `"stop"`) {
		t.Errorf("actions %s", got)
	}
	if b, err := w.LoadState("rules"); string(b) != "snapshot" || err != nil {
		t.Errorf("state %q, %v", b, err)
	}
	if _, err := w.LoadState("other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("state that was not saved: %v", err)
	}
	whole(t, tr)
	entries, err := trial.List(filepath.Dir(w.Path()))
	if err != nil || len(entries) != 1 || entries[0].Findings[record.Warning] != 2 || entries[0].Tally.String() != "1 warning, 1 symptom" {
		t.Errorf("list %+v, %v", entries, err)
	}
	ok(t, w.Close())
}

func TestOpenWhatIsNoRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := trial.Open(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open an empty directory: %v", err)
	}
	if _, err := trial.Open(filepath.Join(dir, "nope")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open what is not there: %v", err)
	}
	ok(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	list, err := trial.List(dir)
	if err != nil || len(list) != 0 {
		t.Errorf("list a root without runs: %v, %v", list, err)
	}
	if _, err := trial.List(filepath.Join(dir, "nope")); err == nil {
		t.Error("list a root that is not there: no error")
	}
}

func TestLostRun(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	tr := open(t, vfs.OS, w.Path())
	set := func(p *record.Process, host string) string {
		ok(t, w.UpdateRun(func(r *record.Run) { r.Agent, r.Host = p, host }))
		return tr.Run().Status
	}
	host, _ := os.Hostname()
	if got := set(nil, host); got != record.Running {
		t.Errorf("no process known: %s", got)
	}
	if got := set(&record.Process{PID: os.Getpid()}, host); got != record.Running {
		t.Errorf("this process: %s", got)
	}
	if got := set(&record.Process{PID: os.Getpid(), Start: 1}, host); got != record.Lost {
		t.Errorf("a process of this pid that started at another time: %s", got)
	}
	if got := set(&record.Process{PID: os.Getpid(), Start: 1}, host+"x"); got != record.Running {
		t.Errorf("a process of another host: %s", got)
	}
	ok(t, w.Close())
}

// A replay that goes on from a cursor gives what comes after it, however the
// steps lie in tables and journals, and reads nothing of what was before: it
// does not notice that the tables of the beginning are gone.
func TestReplayAfter(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	const n, per = 60, 10 // steps, and steps in a table
	var want []*record.Complete
	cursors := []record.Cursor{record.NewCursor()}
	for i := range int64(n) {
		a, b := step("worker_0", i), step("worker_1", i)
		ok(t, w.Append("worker_0", "s0", uint64(i+1), a))
		ok(t, w.Append("worker_1", "s1", uint64(i+1), b))
		c := cursors[i].Clone()
		c.Step, c.Next["worker_0"], c.Next["worker_1"] = i, i+1, i+1
		if i < n-3 { // the last steps are under way
			c.ModeSteps[a.Mode] = i
			want = append(want, complete(a, b))
			ok(t, w.Complete(want[i]))
		} else {
			c.Step, c.Next["worker_0"], c.Next["worker_1"] = n-4, n-3, n-3
		}
		cursors = append(cursors, c)
		if i%per == per-1 && i < n-per {
			ok(t, w.Seal())
		}
	}
	check := func(i int) {
		t.Helper()
		tr := open(t, disk, w.Path())
		var got []*record.Complete
		waiting := 0
		ok(t, tr.ReplayAfter(cursors[i], func(c *record.Complete) error { got = append(got, c); return nil }, nil,
			func(*record.Step) error { waiting++; return nil }))
		rest := want[min(i, len(want)):]
		if len(got) != len(rest) || waiting != 6 {
			t.Fatalf("after %d steps %d parts wait and there are %d steps, want %d", i, waiting, len(got), len(rest))
		}
		for k, c := range got {
			w := rest[k]
			if c.Step != w.Step || c.Mode != w.Mode || c.ModeStep != w.ModeStep || len(c.Parts) != 2 || c.Parts[1].Worker != "worker_1" ||
				!cmp.Equal(c.Parts[1].Scalars, w.Parts[1].Scalars, equal) || c.Parts[0].Stats[0].Max != w.Parts[0].Stats[0].Max {
				t.Fatalf("after %d steps: %+v, want %+v", i, c, w)
			}
		}
		if d := tr.Damage(); len(d) > 0 {
			t.Errorf("after %d steps: damage %+v", i, d)
		}
	}
	for i := 0; i < len(cursors); i += 3 {
		check(i)
	}
	for _, dir := range []string{"series/worker_0", "series/worker_1", "complete"} {
		list, err := disk.List(filepath.Join(w.Path(), dir))
		ok(t, err)
		removed := 0
		for _, e := range list {
			if name := e.Name(); strings.HasSuffix(name, "-000001.parquet") || strings.HasSuffix(name, "-000002.parquet") {
				ok(t, disk.Remove(filepath.Join(w.Path(), dir, name)))
				removed++
			}
		}
		if removed == 0 {
			t.Fatalf("no table in %s was removed", dir)
		}
	}
	for i := 3*per + 1; i < len(cursors); i += 4 {
		check(i)
	}
	ok(t, w.Close())
}

// follow hands over the steps of a run as they come, until the run has ended.
func follow(tr *trial.Trial, fn func(*record.Complete) error) error {
	tail := tr.Tail()
	defer tail.Close()
	for {
		ended := tr.Run().Status != record.Running
		if err := tail.Next(fn); err != nil || ended {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTail(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	tr := open(t, vfs.OS, w.Path())
	got := make(chan int64, 100)
	done := make(chan error, 1)
	go func() {
		done <- follow(tr, func(c *record.Complete) error { got <- c.Step; return nil })
	}()
	for i := range int64(6) {
		s := step("w", i)
		ok(t, w.Append("w", "", 0, s))
		ok(t, w.Complete(complete(s)))
		if i == 2 {
			ok(t, w.Seal())
		}
		select {
		case n := <-got:
			if n != i {
				t.Fatalf("got step %d, want %d", n, i)
			}
		case <-time.After(time.Minute):
			t.Fatalf("step %d did not come", i)
		}
	}
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Failed }))
	select {
	case err := <-done:
		ok(t, err)
	case <-time.After(time.Minute):
		t.Fatal("there was no end to it")
	}
	ok(t, w.Close())
	stop := fmt.Errorf("enough")
	if err := tr.Replay(func(*record.Complete) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("replay ended with %v", err)
	}
}

// The last value stored for a step is the one that counts.
func TestSameStepTwice(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	for _, v := range []float64{1, 2, 3} {
		s := &record.Step{Worker: "w", Step: 5, ModeStep: 5, Scalars: []record.Scalar{{Name: "x", Value: v}}}
		ok(t, w.Append("w", "", 0, s))
		if v == 1 {
			ok(t, w.Seal())
		}
	}
	steps, values, err := open(t, vfs.OS, w.Path()).Series(trial.Query{Tensor: "x"})
	if err != nil || !cmp.Equal(steps, []int64{5}) || values[0] != 3 {
		t.Errorf("%v %v %v", steps, values, err)
	}
	ok(t, w.Close())
}
