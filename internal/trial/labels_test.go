package trial_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// golden is tags.json as docs/formats/json.md describes it.
const golden = `{
  "tags": {
    "experiment": "learning rates",
    "lr": "0.1"
  },
  "note": "the first that learns\nafter the fix",
  "crc": "255b97a0"
}
`

// Tags and a note are read with the run, live or ended. They are no part of
// run.json, so that the agent that rewrites it takes nothing away.
func TestLabels(t *testing.T) {
	dir := t.TempDir()
	w := create(t, vfs.OS, dir)
	path := w.Path()
	if run := open(t, vfs.OS, path).Run(); len(run.Tags) != 0 || run.Note != "" {
		t.Errorf("a run without labels has %v, %q", run.Tags, run.Note)
	}
	labels := record.Labels{Tags: map[string]string{"lr": "0.1", "experiment": "learning rates"}, Note: "the first that learns\nafter the fix"}
	ok(t, store.WriteLabels(vfs.OS, path, labels))
	if got := string(readFile(t, vfs.OS, path+"/tags.json")); got != golden {
		t.Errorf("tags.json is\n%s, want\n%s", got, golden)
	}
	ok(t, w.UpdateRun(func(r *record.Run) { r.Tags, r.Note = map[string]string{"not": "here"}, "nor this" }))
	ok(t, w.Close())
	if got := string(readFile(t, vfs.OS, path+"/run.json")); strings.Contains(got, "not") && strings.Contains(got, "nor this") {
		t.Errorf("labels are in run.json: %s", got)
	}
	for name, run := range map[string]func() record.Run{
		"a trial": func() record.Run { return open(t, vfs.OS, path).Run() },
		"a look": func() record.Run {
			run, err := trial.Brief(path)
			ok(t, err)
			return run
		},
	} {
		if got := run(); got.Tags["lr"] != "0.1" || len(got.Tags) != 2 || got.Note != labels.Note {
			t.Errorf("%s has the tags %v and the note %q", name, got.Tags, got.Note)
		}
	}
}

// FuzzLabelsFile puts any object into tags.json under a right checksum: it is read, or
// the file is named, and the run is read all the same.
func FuzzLabelsFile(f *testing.F) {
	base := tiny(f)
	for _, text := range []string{`{}`, `{"tags":{"a":"b"},"note":"n"}`, `{"tags":null}`, `{"tags":[1],"note":2}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, err := lines.Document(json.RawMessage(b))
		if err != nil {
			return
		}
		disk := base.KillClone()
		writeFile(t, disk, "/root/run/tags.json", doc)
		tr := open(t, disk, "/root/run")
		damage, err := tr.Verify(context.Background(), nil)
		ok(t, err)
		if l, err := store.ReadLabels(disk, "/root/run"); (err != nil) != slices.ContainsFunc(damage, func(d trial.Damage) bool { return d.File == "tags.json" }) {
			t.Fatalf("%s: %+v, %v, damage %v", b, l, err, damage)
		}
		if got := count(t, tr); got.steps != 3 {
			t.Fatalf("read %+v", got)
		}
	})
}
