package cli

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// timedRun stores a run whose updates took some seconds each, with what was known of
// earlier runs when it began.
func timedRun(t *testing.T, root, name string, perStep float64, before *record.EarlierRuns) {
	t.Helper()
	began, code := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), 0
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const steps = 300
	ended := began.Add(time.Duration(steps * perStep * 1e9))
	w, err := store.Create(vfs.OS, root, name, record.Run{Started: began, Ended: &ended, ExitCode: &code, Status: record.Completed, Host: "h",
		Command: []string{"python", "train.py"}, Framework: record.Framework{Name: "pytorch"}, Workers: []record.Worker{{Name: "worker_0", Chief: true, World: 1}}})
	must(err)
	step, window := time.Duration(perStep*1e9), &record.Window{From: began, To: began.Add(10 * time.Second), Rows: record.Rows{}}
	times, of := record.RowSource{Kind: record.TimeRows, Name: "worker_0"}, record.RowSource{Kind: record.EventRows, Name: "worker_0"}
	for i := range int64(steps) {
		row := record.StepTime{Worker: "worker_0", Step: i, ModeStep: i, Steps: 1, Start: began.Add(time.Duration(i) * step), End: began.Add(time.Duration(i+1) * step)}
		row.Parts[record.Forward] = int64(step)
		var events []record.Event
		if i == 20 && before != nil {
			facts, err := json.Marshal(before)
			must(err)
			events = []record.Event{{Worker: "worker_0", Kind: record.EarlierRunsEvent, Start: row.End, End: row.End, Facts: facts}}
		}
		must(w.Append("worker_0", "", 0, &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Scalars: []record.Scalar{{Name: "loss", Value: 1}}}))
		must(w.Times("worker_0", "", 0, []record.StepTime{row}, events))
		if !row.End.Before(window.To) {
			must(w.Window(window))
			window = &record.Window{Index: window.Index + 1, From: window.To, To: window.To.Add(10 * time.Second), Rows: record.Rows{}}
		}
		window.Rows[times]++
		if len(events) > 0 {
			window.Rows[of]++
		}
	}
	must(w.Window(window))
	must(w.Close())
}

// A build fails on a training that became slower.
func TestMaxSlower(t *testing.T) {
	root, program := t.TempDir(), vigil(t)
	before := &record.EarlierRuns{Runs: 3, PerStep: 0.1, Most: 0.1, Parts: map[string]float64{"forward": 0.1}, Changed: []string{"torch 2.14.0 → 2.15.0"}, Known: true}
	timedRun(t, root, "first", 0.1, nil)
	timedRun(t, root, "same", 0.101, before)
	timedRun(t, root, "slower", 0.108, before)
	timedRun(t, root, "twice", 0.2, before)
	const says = "the last 3 runs of this script"
	for _, c := range []struct {
		command string
		code    int
		want    string // in the output, divided by |
	}{
		{"check first --max-slower 5%", 0, "--max-slower has nothing to compare run first with: when it began there was no earlier run here of the same script"},
		{"check same --max-slower 5%", 0, ""},
		{"check slower --max-slower 5%", 2, "warning slow_training|A step takes 108 ms, and took 100 ms in " + says + ": 7 % of the time is new, most of it in the forward pass; changed since the last run: torch 2.14.0 → 2.15.0"},
		{"check slower --max-slower 10", 0, ""},
		{"check slower", 0, ""},
		{"check slower --max-slower 5 --fail-on never", 2, says},
		{"check slower --max-slower 5 --rules none", 2, says},
		{"check slower --max-slower 5% --rule slow_training:info_gain=9 --json", 2, `"check":"slower_than_before"`},
		{"check twice --max-slower 50%", 2, says},
		{"check twice --max-slower 150%", 0, ""},
		{"check " + root + " --max-slower 5%", 2, "== slower|== twice|nothing to compare run first with"},
		{"check slower --max-slower fast", 1, `--max-slower "fast" is not a percentage|such as 5%`},
		{"check slower --max-slower=-1", 1, "percentage"},
	} {
		cmd := exec.Command(program, append(strings.Fields(c.command), "--dir", root)...)
		cmd.Env = cleanEnv(t)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s ended with %d, want %d:\n%s", c.command, code, c.code, out)
		}
		for _, part := range strings.Split(c.want, "|") {
			if !strings.Contains(string(out), part) {
				t.Errorf("%s printed\n%s\nwithout %q", c.command, out, part)
			}
		}
	}
}
