package trial_test

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
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
