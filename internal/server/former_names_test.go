package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// A link to a finding whose check has been renamed leads to it still, and lists of runs
// have the former name next to that of today, so that a search by it finds the run.
func TestFormerNamesOfChecks(t *testing.T) {
	root := t.TempDir()
	w, err := store.Create(vfs.OS, root, "run", record.Run{Format: record.RunFormat, Name: "run", Status: record.Completed})
	if err == nil {
		err = w.Finding(record.Finding{Rule: "learning_rate", Configuration: "learning_rate", Check: "thrown", Severity: record.Error, Subject: "loss", Context: map[string]any{}})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(New(Options{Root: root, Version: "test"}).Handler())
	defer s.Close()
	for path, want := range map[string]string{
		"/runs/run/evidence?id=learning_rate/thrown/1":          `"id":"learning_rate/loss_stuck_high/1"`,
		"/runs/run/evidence?id=learning_rate/loss_stuck_high/1": `"id":"learning_rate/loss_stuck_high/1"`,
		"/runs": `"check":"loss_stuck_high","former":["thrown"]`,
	} {
		r, err := http.Get(s.URL + apiPath + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, %q is not in\n%s", path, err, want, b)
		}
	}
}
