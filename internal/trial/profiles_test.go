package trial_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Windows of detail are stored once, read back, and checked: with the manifest, and
// by their own checksum where the manifest does not name them.
func TestWindowsOfDetail(t *testing.T) {
	root := t.TempDir()
	w, err := store.Create(vfs.OS, root, "r", record.Run{Status: record.Completed})
	if err != nil {
		t.Fatal(err)
	}
	of := func(worker string, number int) []byte {
		b, err := (&stacks.Window{Worker: worker, Number: number, Began: time.Unix(1, 0).UTC(), Processes: []stacks.Sampled{{PID: 1, Kind: stacks.Rank, Samples: 9}}}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, at := range []source.Window{{Number: 2, Worker: "worker_1"}, {Number: 1, Worker: "a/b"}, {Number: 2, Worker: "worker_0"}} {
		if err := w.Profile(at.Worker, at.Number, of(at.Worker, at.Number)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Profile("worker_0", 2, of("worker_0", 7)); err != nil { // an agent after this one does not know of it
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "r")
	verified := func() (damage []string) {
		t.Helper()
		tr, err := trial.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		list, err := tr.Verify(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			damage = append(damage, d.File+": "+d.Reason)
		}
		return damage
	}
	tr, err := trial.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	list := tr.Windows()
	if len(list) != 3 || list[0] != (source.Window{Number: 1, Worker: "a/b"}) || list[1].Worker != "worker_0" || list[2].Worker != "worker_1" {
		t.Errorf("windows %v", list)
	}
	for _, at := range list {
		if seen, err := tr.Stacks(at); err != nil || seen.Number != at.Number || seen.Worker != at.Worker {
			t.Errorf("%v: %+v, %v", at, seen, err)
		}
	}
	if _, err := tr.Stacks(source.Window{Number: 9, Worker: "worker_0"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	if damage := verified(); len(damage) != 0 {
		t.Errorf("damage %q", damage)
	}

	unlisted := filepath.Join(path, "profiles", "worker_0", "window-000003.pb.gz")
	if err := os.WriteFile(unlisted, of("worker_0", 3), 0o600); err != nil {
		t.Fatal(err)
	}
	if damage := verified(); len(damage) != 0 {
		t.Errorf("one that the manifest does not name: %q", damage)
	}
	b := of("worker_0", 3)
	if err := os.WriteFile(unlisted, b[:len(b)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(path, "profiles", "worker_1", "window-000002.pb.gz")); err != nil {
		t.Fatal(err)
	}
	damage := strings.Join(verified(), "\n")
	for _, want := range []string{"profiles/worker_0/window-000003.pb.gz: ", "profiles/worker_1/window-000002.pb.gz: is missing"} {
		if !strings.Contains(damage, want) {
			t.Errorf("damage %q lacks %q", damage, want)
		}
	}
}
