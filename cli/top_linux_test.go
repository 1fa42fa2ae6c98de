package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/view"
)

// topOnTerminal starts top on a job that goes on, in a terminal of 80 columns.
func topOnTerminal(t *testing.T) (*pty, *store.Writer) {
	t.Helper()
	dir := t.TempDir()
	w := timed.Write(t, filepath.Join(dir, "vigil-runs"), "night", timed.Options{Started: time.Now().Add(-21 * time.Second), Seconds: 16, Ranks: 2, Running: true})
	t.Cleanup(func() { _ = w.Close() })
	p := onTerminal(t, "sh", "-c", `cd "$0" && echo before && exec "$1" top`, dir, vigil(t))
	p.until("the page", func() bool {
		lines := p.screen.Rows()
		return len(lines) > 12 && strings.Contains(strings.Join(lines, "\n"), "q ends it")
	})
	return p, w
}

func TestTopIsDrawn(t *testing.T) {
	p, _ := topOnTerminal(t)
	lines := p.screen.Rows()
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"night · running for 2", " · training for ", "159 of 3,000 · epoch 2 · 8.99 steps/s", "samples/s per rank",
		"data 6", "rank  step  steps/s  data  forward  backward", "   1   159", " % of 4 cores, the job uses 1.8", "9.0 GB of 32 GB, the job 3.1 GB", "nvme0n1 reads 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "before") {
		t.Errorf("what was there before is still there:\n%s", text)
	}
	first := lines[0]
	p.until("another time", func() bool { return p.screen.Rows()[0] != first && strings.HasPrefix(p.screen.Rows()[0], "night") })
	p.press("x") // no key of ours
	p.press("q")
	if code := p.code(); code != 0 {
		t.Errorf("q ends it with %d", code)
	}
	if text := strings.TrimSpace(strings.Join(p.screen.Rows(), "\n")); text != "before" {
		t.Errorf("the terminal is left with\n%s", text)
	}
}

func TestTopEndsByCtrlC(t *testing.T) {
	p, _ := topOnTerminal(t)
	p.press("\x03")
	if code := p.code(); code != 0 {
		t.Errorf("Ctrl-C ends it with %d", code)
	}
}

// Who looks on when the job ends reads how it ended.
func TestTopSeesTheEnd(t *testing.T) {
	p, w := topOnTerminal(t)
	ended, code := time.Now(), 1
	if err := w.UpdateRun(func(r *record.Run) {
		r.Status, r.Ended, r.ExitCode, r.Exception = record.Failed, &ended, &code, "ValueError: no data"
	}); err != nil {
		t.Fatal(err)
	}
	if code := p.code(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	text := strings.Join(p.screen.All(), "\n")
	if !strings.Contains(text, "the run has ended: crashed with ValueError: no data, exit code 1") || !strings.Contains(text, "before") {
		t.Errorf("the terminal shows\n%s", text)
	}
}

func TestTopOnce(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "vigil-runs")
	timed.Write(t, root, "done", timed.Options{Started: timedStart, Seconds: 20, GPU: true})
	timed.Write(t, root, "begun", timed.Options{Started: time.Now(), Empty: true})
	timed.Write(t, root, "empty", timed.Options{Started: timedStart, Empty: true, Ended: true})
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string // on standard output, or the first line of standard error
	}{
		{"one that has ended", []string{"top", "done"}, 0, []string{
			"done · completed after 25 s", "time      data 6", "GPU 0     █████████████████░░░  87 %", "199 of 3,000", "start-up 3 s, training 2", "the run has ended: completed\n",
		}},
		{"one that has just begun", []string{"top", "begun"}, 0, []string{"begun · running for ", " · start-up for "}},
		{"a run without times", []string{"top", "empty"}, 1, []string{`vigil: run "empty" has no step times and no machine metrics`}},
		{"an unknown run", []string{"top", "doen"}, 1, []string{`vigil: there is no run "doen" in "vigil-runs"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := vigilIn(t, dir, tt.args...)
			if code != tt.code {
				t.Errorf("ended with %d: %s%s", code, stdout, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout+stderr, want) {
					t.Errorf("%q is not in\n%s%s", want, stdout, stderr)
				}
			}
		})
	}
	stdout, stderr, code := vigilIn(t, dir, "top", "done", "--json")
	var top struct {
		Format int
		view.Top
	}
	if err := json.Unmarshal([]byte(stdout), &top); err != nil || code != 0 || top.Format != 1 {
		t.Fatalf("%v %d %s%s", err, code, stdout, stderr)
	}
	if len(top.Ranks) != 1 || top.Ranks[0].Parts["data"] < 0.5 || len(top.Hosts) != 1 || len(top.Hosts[0].Cores) != 4 || len(top.Hosts[0].GPUs) != 1 || *top.Hosts[0].GPUs[0].Utilization != 87 {
		t.Errorf("got %s", stdout)
	}
}
