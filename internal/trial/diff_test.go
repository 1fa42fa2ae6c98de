package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// The diff of the code is covered by a checksum, as everything else: what was
// changed since, or is missing, is named and not shown.
func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name   string
		git    *record.Git
		harm   func(path string) error
		want   string
		damage string
	}{
		{"stored", &record.Git{Diff: "code.diff"}, nil, "+two\n", ""},
		{"not stored", &record.Git{}, nil, "", ""},
		{"a run of an older version", nil, nil, "", ""},
		{"changed", &record.Git{Diff: "code.diff"}, func(path string) error { return os.WriteFile(path, []byte("+ten\n"), 0o644) }, "", "does not match its checksum"},
		{"missing", &record.Git{Diff: "code.diff"}, os.Remove, "", "is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := record.Run{Status: record.Completed}
			if c.git != nil {
				run.Provenance = &record.Provenance{Git: c.git}
			}
			w, err := store.Create(vfs.OS, t.TempDir(), "run", run)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"+one\n", "+two\n"} { // the newest counts
				if err := w.Diff([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if c.harm != nil {
				if err := c.harm(filepath.Join(w.Path(), "code.diff")); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Open(w.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got := string(r.Diff()); got != c.want {
				t.Errorf("diff %q, want %q", got, c.want)
			}
			damage, err := r.Verify(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, d := range damage {
				text += d.File + " " + d.Reason
			}
			if c.damage == "" && text != "" || !strings.Contains(text, c.damage) {
				t.Errorf("damage %q, want %q", text, c.damage)
			}
		})
	}
}
