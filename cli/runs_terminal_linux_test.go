package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// recorded stores a run with a loss that falls.
func recorded(t *testing.T, root, name string, started time.Time, lr string) {
	t.Helper()
	ended := started.Add(90 * time.Second)
	w, err := store.Create(vfs.OS, root, name, record.Run{
		Command: []string{"python", "train.py", "--lr", lr}, Framework: record.Framework{Name: "pytorch", Version: "2.15.0+cpu"},
		Started: started, Ended: &ended, Status: record.Completed, Steps: map[string]int64{"TRAIN": 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Announce("worker_0", []record.TensorInfo{{Name: "loss", Kind: record.Loss}}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(100) {
		step := &record.Step{Worker: "worker_0", Step: i, Mode: record.Train, ModeStep: i, Scalars: []record.Scalar{{Name: "loss", Value: 1 / float64(i+1)}}}
		if err := w.Append("worker_0", "", 0, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finding(record.Finding{Rule: "loss_spike", Configuration: "loss_spike", Check: "loss_spike/spike", Severity: record.Error}); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"lr": lr}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

var escape = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`)

// Lists and comparisons fit the terminal, whatever its width, and are in colour only
// where colours are wanted.
func TestRunsOnATerminal(t *testing.T) {
	root := t.TempDir()
	recorded(t, root, "20261125-110000-train", time.Now().Add(-time.Hour), "0.1")
	recorded(t, root, "a-name-that-somebody-has-chosen-and-that-is-far-too-long-for-a-line", time.Now().Add(-time.Minute), "0.5")
	for _, columns := range []int{60, 80, 100, 160} {
		for _, noColor := range []string{"", "1"} {
			t.Run(fmt.Sprintf("%d columns, NO_COLOR=%s", columns, noColor), func(t *testing.T) {
				t.Parallel()
				command := fmt.Sprintf("stty cols %d; %s ls; %[2]s compare latest~1 latest", columns, vigil(t))
				p := onTerminalWith(t, []string{"VIGIL_DIR=" + root, "NO_COLOR=" + noColor}, "sh", "-c", command)
				if code := p.code(); code != 0 {
					t.Fatalf("exit code %d:\n%s", code, p.shown())
				}
				text := p.shown()
				if coloured := strings.Contains(text, "\x1b["); coloured == (noColor != "") {
					t.Errorf("in colour: %t\n%q", coloured, text)
				}
				text = escape.ReplaceAllString(text, "")
				for line := range strings.Lines(text) {
					if line = strings.TrimRight(line, "\r\n"); utf8.RuneCountInString(line) > columns {
						t.Errorf("a line has %d columns: %s", utf8.RuneCountInString(line), line)
					}
				}
				for _, want := range []string{"20261125-110000-train", "1 error", "a-name-", "for-a-line", "Configuration", "Final values", "loss (TRAIN)", "⡇"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in\n%s", want, text)
					}
				}
			})
		}
	}
}

// The question before runs are removed, on a terminal.
func TestRemovingAsks(t *testing.T) {
	root := t.TempDir()
	recorded(t, root, "kept", time.Now().Add(-time.Hour), "0.1")
	for _, tt := range []struct {
		answer, want string
		there        bool
	}{
		{"n\n", "nothing was removed", true},
		{"\n", "nothing was removed", true},
		{"yes\n", "removed 1 run, ", false},
	} {
		p := onTerminalWith(t, []string{"VIGIL_DIR=" + root}, vigil(t), "rm", "kept")
		p.expect("Remove 1 run for good (")
		p.expect("[y/N] ")
		p.press(tt.answer)
		p.expect(tt.want)
		if code := p.code(); code != 0 {
			t.Errorf("%q: exit code %d", tt.answer, code)
		}
		if _, err := os.Stat(filepath.Join(root, "kept", "run.json")); (err == nil) != tt.there {
			t.Errorf("%q: the run is there: %t", tt.answer, err == nil)
		}
	}
}
