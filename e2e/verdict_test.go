package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/internal/view"
)

// verdictOf is what `vigil ls --json` says of the only run.
func verdictOf(t *testing.T, dir string) (v view.Verdict, status string) {
	t.Helper()
	var list struct {
		Runs []struct {
			Status  string       `json:"status"`
			Verdict view.Verdict `json:"verdict"`
		} `json:"runs"`
	}
	o := run(t, dir, nil, binary, "ls", "--json")
	if json.Unmarshal([]byte(o.stdout), &list) != nil || len(list.Runs) != 1 {
		return v, ""
	}
	return list.Runs[0].Verdict, list.Runs[0].Status
}

// says runs a command and looks for its exit code and a text of its output.
func says(t *testing.T, dir string, code int, text string, argv ...string) {
	t.Helper()
	if o := run(t, dir, nil, append([]string{binary}, argv...)...); o.code != code || !strings.Contains(o.stdout, text) {
		t.Errorf("vigil %s: exit code %d, want %d and %q:\n%s%s", strings.Join(argv, " "), o.code, code, text, o.stdout, o.stderr)
	}
}

// A run that no rule has judged is not called healthy: while nothing has come, when
// something has been judged, and at the end.
func TestNothingIsHealthyBeforeItWasJudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := `
import os, time, vigil

def until(name):
    while not os.path.exists(name):
        time.sleep(0.005)

until("begin")
for i in range(120):
    vigil.log({"loss": 1 / (1 + i)}, step=i)
until("end")
`
	if err := os.WriteFile(filepath.Join(dir, "loop.py"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	python, ended := testenv.Python(t), make(chan outcome)
	go func() { ended <- run(t, dir, nil, binary, "run", "--quiet", "--name", "r", "--", python, "loop.py") }()
	open := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(class string) view.Verdict {
		for {
			if v, status := verdictOf(t, dir); status == record.Running && v.Class == class {
				return v
			}
			select {
			case o := <-ended:
				t.Fatalf("it ended with %d before its verdict was %s: %s", o.code, class, o.stderr)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	if v := wait("idle"); v.Text != "Nothing judged yet; the run is still going on." {
		t.Errorf("at 0 steps: %q", v.Text)
	}
	says(t, dir, 0, "not judged", "ls")
	says(t, dir, 0, "nothing judged yet", "findings", "r")
	open("begin")
	if v := wait("ok"); v.Text != "Nothing found so far; the run is still going on." {
		t.Errorf("when rules judged: %q", v.Text)
	}
	open("end")
	if o := <-ended; o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	if v, _ := verdictOf(t, dir); v.Class != "ok" || v.Text != "Nothing to report: no rule found anything wrong." {
		t.Errorf("at the end: %+v", v)
	}
	says(t, dir, 0, "no findings: no rule ran", "check", "r", "--rules", "none")
}

// What follows from a muted root does not count either: when it is muted from the
// start, and when a person mutes it later.
func TestMutedRootCoversItsSymptoms(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	begin := func(config string) (dir string) {
		dir = t.TempDir()
		for name, text := range map[string]string{"loop.py": logged, "vigil.yaml": config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if o := run(t, dir, nil, binary, "run", "--name", "r", "--", python, "loop.py", "leaping"); o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		return dir
	}
	covered := func(dir string) {
		t.Helper()
		says(t, dir, 0, "nothing that counts: ", "check", "r", "--fail-on", "info")
		says(t, dir, 0, "follows from loss_not_decreasing/rises, which is muted: known", "findings", "r")
		says(t, dir, 0, "muted", "ls")
		if o := run(t, dir, nil, binary, "findings", "r", "--rules"); strings.Contains(o.stdout, " found ") {
			t.Errorf("a rule still found something:\n%s", o.stdout)
		}
		if v, _ := verdictOf(t, dir); v.Class != "muted" {
			t.Errorf("the verdict is %+v", v)
		}
		tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
		for _, f := range tr.Findings() {
			if !f.Muted {
				t.Errorf("%s/%s counts", f.Rule, f.Check)
			}
		}
		if n := len(tr.Groups()); n != 0 {
			t.Errorf("%d root causes count", n)
		}
	}
	dir := begin("mute: [{rule: loss_not_decreasing, reason: known}]")
	covered(dir)
	if b, err := os.ReadFile(filepath.Join(dir, "vigil-runs", "r", "findings", "summary.json")); err != nil || strings.Contains(string(b), "loss_") {
		t.Errorf("the summary: %s, %v", b, err)
	}

	dir = begin("")
	says(t, dir, 2, "loss_not_decreasing", "check", "r")
	label := func(m record.LabelMute) {
		if err := store.WriteLabels(vfs.OS, filepath.Join(dir, "vigil-runs", "r"), record.Labels{Mutes: []record.LabelMute{m}}); err != nil {
			t.Fatal(err)
		}
	}
	label(record.LabelMute{Rule: "loss_not_decreasing", Reason: "known"})
	covered(dir)
	label(record.LabelMute{Rule: "loss_not_decreasing", Reason: "known", SymptomsCount: true})
	says(t, dir, 2, "loss_spike", "check", "r", "--fail-on", "info")
	if v, _ := verdictOf(t, dir); v.Class != "info" {
		t.Errorf("where symptoms count the verdict is %+v", v)
	}
}
