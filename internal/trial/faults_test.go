package trial_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A disk that fills up refuses with ErrNoSpace at whatever operation, loses
// nothing and goes on when there is room again.
func TestDiskFull(t *testing.T) {
	testenv.Unraced(t)
	for room := int64(0); room < 6000; room += 97 {
		disk := vfs.NewCrash(uint64(room))
		w := create(t, disk, "/root")
		disk.SetRoom(room)
		var stored []int64
		full := 0
		for i := range int64(30) {
			err := w.Append("w", "s", uint64(i+1), small("w", i))
			if i%7 == 6 && err == nil {
				if err := w.Seal(); err != nil && !errors.Is(err, store.ErrNoSpace) {
					t.Fatalf("room %d: seal: %v", room, err)
				}
			}
			switch {
			case err == nil:
				stored = append(stored, i)
			case errors.Is(err, store.ErrNoSpace):
				full++
			default:
				t.Fatalf("room %d: append: %v", room, err)
			}
			if i == 20 {
				if err := w.UpdateRun(func(r *record.Run) { r.Said = "x" }); err != nil && !errors.Is(err, store.ErrNoSpace) {
					t.Fatalf("room %d: update run: %v", room, err)
				}
				if err := w.Summary(nil); err != nil && !errors.Is(err, store.ErrNoSpace) {
					t.Fatalf("room %d: summary: %v", room, err)
				}
				disk.SetRoom(-1)
			}
		}
		if full == 0 && room < 500 {
			t.Fatalf("room %d: the disk was never full", room)
		}
		ok(t, w.Close())
		tr, err := trial.OpenFS(disk, "/root/run")
		ok(t, err)
		var got []int64
		ok(t, tr.Undecided(func(s *record.Step) error { got = append(got, s.Step); return nil }))
		if !cmp.Equal(got, stored) {
			t.Fatalf("room %d: steps %v, want %v", room, got, stored)
		}
		whole(t, tr)
	}
}

// Every operation of a short life fails once, with another error than a full
// disk; the writer reports it or goes on, and nothing acknowledged is lost.
func TestEveryOperationFailsOnce(t *testing.T) {
	for n := 1; ; n++ {
		disk := vfs.NewCrash(uint64(n))
		create(t, disk, "/root")
		failed := false
		fsys := vfs.WithFaults(disk, func(op vfs.Op) error {
			if op.N == n && op.Kind != vfs.OpOpen {
				failed = true
				return syscall.EIO
			}
			failed = failed || op.N == n
			return nil
		})
		w, err := store.Resume(fsys, "/root/run")
		if err != nil {
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("operation %d: resume: %v", n, err)
			}
			continue
		}
		var stored []int64
		for i := range int64(6) {
			if err := w.Append("w", "", 0, small("w", i)); err == nil {
				stored = append(stored, i)
			}
			if i%3 == 2 {
				_ = w.Seal() // tried again by Close
			}
			_ = w.Sync()
		}
		_ = w.Close()
		tr, err := trial.OpenFS(disk, "/root/run")
		ok(t, err)
		var got []int64
		ok(t, tr.Undecided(func(s *record.Step) error { got = append(got, s.Step); return nil }))
		if !cmp.Equal(got, stored) {
			t.Fatalf("operation %d failed: steps %v, want %v", n, got, stored)
		}
		if !failed {
			return
		}
	}
}

// A disk that is full refuses samples, step times and detail, too: what was
// refused is not there, the rest is, with the right names, and it goes on when
// there is room.
func TestDiskFullOfTime(t *testing.T) {
	testenv.Unraced(t)
	for room := int64(0); room < 3000; room += 61 {
		disk := vfs.NewCrash(uint64(room))
		w := create(t, disk, "/root")
		disk.SetRoom(room)
		var samples []record.Sample
		var times []record.StepTime
		full := 0
		refused := func(err error) bool {
			if err != nil && !errors.Is(err, store.ErrNoSpace) {
				t.Fatalf("room %d: %v", room, err)
			}
			if err != nil {
				full++
			}
			return err != nil
		}
		for i := range 30 {
			if s := machine("a", i); !refused(w.Samples(s)) {
				samples = append(samples, s)
			}
			if row := took("w0", int64(i)); !refused(w.Times("w0", "s", uint64(i)+1, []record.StepTime{row}, nil)) {
				times = append(times, row)
			}
			if i%7 == 6 {
				refused(w.Seal())
				refused(w.Trace("w0", []record.Interval{{Start: start, End: start}}))
			}
			if i == 20 {
				disk.SetRoom(-1)
			}
		}
		if full == 0 && room < 500 {
			t.Fatalf("room %d: the disk was never full", room)
		}
		ok(t, w.Close())
		tr := open(t, disk, "/root/run")
		if diff := cmp.Diff(samples, samplesOf(t, tr, "a", time.Time{}, time.Time{}), equal); diff != "" {
			t.Fatalf("room %d: %s", room, diff)
		}
		if diff := cmp.Diff(times, timesOf(t, tr, "w0")); diff != "" {
			t.Fatalf("room %d: %s", room, diff)
		}
		whole(t, tr)
	}
}
