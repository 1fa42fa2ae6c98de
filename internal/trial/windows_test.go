package trial_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// spans stores a run of which windows and steps are decided in turn: two hosts and
// two workers, rows that come before and after a window closes, tables and journals.
func spans(t *testing.T, w *store.Writer) (windows []*record.Window, rest map[record.RowSource]int) {
	t.Helper()
	waiting := map[record.RowSource][]record.Row{}
	put := func(kind record.RowKind, name string, r record.Row) {
		s := record.RowSource{Kind: kind, Name: name}
		waiting[s] = append(waiting[s], r)
	}
	for i := range 60 {
		for _, host := range []string{"a", odd[0]} {
			x := machine(host, i)
			ok(t, w.Samples(x))
			put(record.SampleRows, host, record.Row{Sample: &x})
		}
		for _, worker := range []string{"w0", odd[1]} {
			row := took(worker, int64(i))
			event := record.Event{Worker: worker, Kind: record.CheckpointEvent, Start: row.Start, End: row.End, Step: int64(i)}
			if i%7 > 0 {
				ok(t, w.Times(worker, worker, uint64(i)+1, []record.StepTime{row}, nil))
			} else {
				ok(t, w.Times(worker, worker, uint64(i)+1, []record.StepTime{row}, []record.Event{event}))
				put(record.EventRows, worker, record.Row{Event: &event})
			}
			put(record.TimeRows, worker, record.Row{Time: &row})
		}
		if i == 20 {
			e := record.Event{Host: "a", Kind: record.ClockEvent, Start: start, End: start}
			ok(t, w.HostEvents("a", e))
			put(record.HostEventRows, "a", record.Row{Event: &e})
		}
		s := step("w0", int64(i))
		ok(t, w.Append("w0", "steps", uint64(i)+1, s))
		if i%3 == 0 {
			ok(t, w.Complete(complete(s)))
		}
		if i%9 == 8 {
			n := int64(i / 9)
			rows := map[record.RowSource][]record.Row{}
			for k, list := range waiting {
				half := max(0, len(list)-int(n)%3) // some come too late
				rows[k], waiting[k] = list[:half], list[half:]
			}
			win := record.NewWindow(2*n, start.Add(time.Duration(20*n)*time.Second), start.Add(time.Duration(20*n+10)*time.Second), []string{odd[0]}, rows)
			ok(t, w.Window(win))
			windows = append(windows, win)
		}
		if i%25 == 24 {
			ok(t, w.Seal())
		}
	}
	rest = map[record.RowSource]int{}
	for k, list := range waiting {
		rest[k] = len(list)
	}
	return windows, rest
}

// replayed is what a run's decisions give, in their order.
func replayed(t *testing.T, tr *trial.Trial, at *record.Cursor) (order []string, windows []*record.Window) {
	t.Helper()
	onStep := func(c *record.Complete) error {
		order = append(order, fmt.Sprint("step ", c.Step, " of ", len(c.Parts)))
		return nil
	}
	onWindow := func(w *record.Window) error {
		order = append(order, fmt.Sprint("window ", w.Index))
		windows = append(windows, w)
		return nil
	}
	if at == nil {
		ok(t, tr.Decisions(onStep, onWindow))
	} else {
		ok(t, tr.ReplayAfter(*at, onStep, onWindow, func(*record.Step) error { return nil }))
	}
	return order, windows
}

// Windows come back as they were, in their places among the steps; from a cursor on
// as well; and what is in none is told.
func TestWindows(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	want, rest := spans(t, w)
	live := open(t, disk, "/root/run")
	order, got := replayed(t, live, nil)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("from journals and tables: %s", d)
	}
	var steps []string
	ok(t, live.Replay(func(c *record.Complete) error { steps = append(steps, fmt.Sprint(c.Step)); return nil }))
	if len(steps) != 20 || len(order) != 20+len(want) || order[2] != "step 6 of 1" || order[3] != "window 0" || order[4] != "step 9 of 1" {
		t.Errorf("the order is %v", order)
	}

	// Every place to go on from.
	at := record.NewCursor()
	next := 0
	for i, name := range order {
		later, windows := replayed(t, live, &at)
		if d := cmp.Diff(order[i:], later); d != "" {
			t.Fatalf("after %d decisions: %s", i, d)
		}
		if d := cmp.Diff(want[next:], windows, cmp.Transformer("empty", func(l []*record.Window) int { return len(l) })); d != "" {
			t.Fatalf("after %d decisions: %s", i, d)
		}
		if len(windows) > 0 && !cmp.Equal(want[next], windows[0]) {
			t.Fatalf("after %d decisions: %s", i, cmp.Diff(want[next], windows[0]))
		}
		if name == fmt.Sprint("window ", want[min(next, len(want)-1)].Index) {
			at = at.Clone()
			at.Window = want[next].Index + 1
			at.Rows.Add(want[next].Rows)
			next++
		} else {
			var n int64
			fmt.Sscanf(name, "step %d", &n)
			at.Step = n
		}
	}
	left := map[record.RowSource]int{}
	ok(t, live.RowsAfter(at.Rows, func(s record.RowSource, r record.Row) error { left[s]++; return nil }))
	for s, n := range rest {
		if n == 0 {
			delete(rest, s)
		}
	}
	if d := cmp.Diff(rest, left); d != "" {
		t.Errorf("rows in no window: %s", d)
	}
	stop := errors.New("enough")
	if err := live.RowsAfter(nil, func(record.RowSource, record.Row) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the function is lost: %v", err)
	}
	if err := live.Decisions(func(*record.Complete) error { return nil }, func(*record.Window) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the function is lost: %v", err)
	}

	// A kill, and all of it sealed.
	disk = disk.KillClone()
	w, err := store.Resume(disk, "/root/run")
	ok(t, err)
	ok(t, w.Close())
	sealed := open(t, disk, "/root/run")
	again, got := replayed(t, sealed, nil)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("from tables: %s", d)
	}
	if d := cmp.Diff(order, again); d != "" {
		t.Errorf("order from tables: %s", d)
	}
	whole(t, sealed)
}

// The time of steps that were taken back has passed: it stays in its windows.
func TestWindowsOfStepsTakenBack(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	want, _ := spans(t, w)
	ok(t, w.Rewind(before(10)))
	tr := open(t, disk, "/root/run")
	if _, got := replayed(t, tr, nil); !cmp.Equal(want, got) {
		t.Errorf("windows differ: %s", cmp.Diff(want, got))
	}
}

// Of a table that is damaged the rows are missing; those after it are in their windows.
func TestWindowsOfDamagedTables(t *testing.T) {
	dir := t.TempDir()
	w := create(t, vfs.OS, dir)
	want, _ := spans(t, w)
	ok(t, w.Close())
	file := filepath.Join(dir, "run", "system", "a", "metrics-000001.parquet")
	b, err := os.ReadFile(file)
	ok(t, err)
	for i := range b {
		b[i] ^= 0xff
	}
	ok(t, os.WriteFile(file, b, 0o600))
	tr := open(t, vfs.OS, filepath.Join(dir, "run"))
	_, got := replayed(t, tr, nil)
	if len(got) != len(want) {
		t.Fatalf("%d windows, want %d", len(got), len(want))
	}
	first, last := got[0], got[len(got)-1]
	for _, s := range first.Samples {
		if s.Host == "a" {
			t.Errorf("there is a sample of the damaged table: %+v", s)
		}
	}
	if !cmp.Equal(first.Times, want[0].Times) || !cmp.Equal(last.Samples, want[len(want)-1].Samples) {
		t.Errorf("the other rows differ: %s", cmp.Diff(want[len(want)-1].Samples, last.Samples))
	}
	if len(tr.Damage()) == 0 {
		t.Error("the damage is not told")
	}
}
