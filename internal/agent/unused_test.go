package agent

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Which runs are not kept: those of a command that ended well and of which nothing
// was ever seen.
func TestUnused(t *testing.T) {
	good := Ended{Status: record.Completed}
	for _, tt := range []struct {
		name   string
		end    Ended
		coded  bool
		change func(*job)
		want   bool
	}{
		{"nothing was seen", good, true, func(*job) {}, true},
		{"the command failed", Ended{Status: record.Failed, ExitCode: 1}, true, func(*job) {}, false},
		{"it was stopped", Ended{Status: record.Stopped}, true, func(*job) {}, false},
		{"the launcher was killed, so the exit code is not known", Ended{Status: record.Ended}, false, func(*job) {}, false},
		{"a script without a launcher", good, false, func(*job) {}, false},
		{"a process said that it did not train", good, true, func(j *job) { j.setUntrained("PyTorch was imported, but no training was seen", "", false) }, false},
		{"a process said that an exception ended it", good, true, func(j *job) { j.setUntrained("", "KeyError", false) }, false},
		{"an earlier agent had a session", good, true, func(j *job) { j.sessions["s"] = sessionState{Worker: "worker_0"} }, false},
		{"the run goes on from before", good, true, func(j *job) { j.set.Resume = &Resume{} }, false},
		{"it was asked to keep the output", good, true, func(j *job) { keep := true; j.set.Config.KeepOutput = &keep }, false},
		{"it was given a name", good, true, func(j *job) { j.set.Config.Name = "r" }, false},
		{"a framework was imported", good, true, func(j *job) {
			if err := os.WriteFile(j.set.Socket+ImportedSuffix, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		dir := t.TempDir()
		w, err := store.Create(vfs.OS, dir, "r", record.Run{})
		if err != nil {
			t.Fatal(err)
		}
		j := newJob(Settings{Name: "r", Dir: dir, Socket: filepath.Join(dir, "s")}, w, &events{wake: make(chan struct{}, 1)})
		tt.change(j)
		if got := (&running{job: j}).unused(tt.end, tt.coded); got != tt.want {
			t.Errorf("%s: unused %t, want %t", tt.name, got, tt.want)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Tags of the start are added to those that are there, as when a run goes on; an agent
// that takes over writes none.
func TestLabel(t *testing.T) {
	w, err := store.Create(vfs.OS, t.TempDir(), "r", record.Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, tt := range []struct {
		name     string
		takeover bool
		tags     map[string]string
		note     string
		want     map[string]string
		wantNote string
	}{
		{"nothing is given", false, nil, "", nil, ""},
		{"at the start", false, map[string]string{"a": "1"}, "first", map[string]string{"a": "1"}, "first"},
		{"an agent takes over", true, map[string]string{"a": "9"}, "", map[string]string{"a": "1"}, "first"},
		{"the run goes on", false, map[string]string{"a": "2", "b": "3"}, "", map[string]string{"a": "2", "b": "3"}, "first"},
	} {
		if err := label(w, Settings{Takeover: tt.takeover, Config: config.Run{Tags: tt.tags, Note: tt.note}}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got, err := store.ReadLabels(vfs.OS, w.Path())
		if err != nil || !maps.Equal(got.Tags, tt.want) || got.Note != tt.wantNote {
			t.Errorf("%s: %+v, %v, want %v, %q", tt.name, got, err, tt.want, tt.wantNote)
		}
	}
}
