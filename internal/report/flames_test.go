package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv/browser"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// sampled writes a run with a window: a process that trains, of which there are
// enough samples, and workers of which there are not.
func sampled(t *testing.T) *trial.Trial {
	t.Helper()
	root := t.TempDir()
	ended := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	w, err := store.Create(vfs.OS, root, "run", record.Run{Format: record.RunFormat, Name: "run", Started: ended.Add(-time.Hour), Ended: &ended, Status: record.Completed})
	if err != nil {
		t.Fatal(err)
	}
	script := stacks.Frame{File: "/home/u/train.py", Line: 40, Function: "<module>"}
	main := stacks.Frame{File: "/home/u/train.py", Line: 31, Function: "main"}
	forward := stacks.Frame{File: "/e/lib/python3.12/site-packages/torch/nn/modules/linear.py", Line: 125, Function: "Linear.forward"}
	odd := stacks.Frame{File: "/home/u/" + hostile + ".py", Line: 7, Function: hostile}
	seen := stacks.Window{Worker: "worker_0", Number: 1, Began: ended, Seconds: 4, FirstStep: 120, EndStep: 160, Loaders: 2, Processes: []stacks.Sampled{
		{PID: 1, Kind: stacks.Rank, Samples: 400, Stacks: []stacks.Stack{
			{Thread: "MainThread", Frames: []stacks.Frame{forward, main, script}, Time: 3 * time.Second, Samples: 300},
			{Thread: "MainThread", Frames: []stacks.Frame{odd, script}, Time: time.Second, Samples: 100},
		}},
		{PID: 2, Kind: stacks.LoaderWorker, Samples: 9, Stacks: []stacks.Stack{{Thread: "MainThread", Frames: []stacks.Frame{main}, Time: time.Second, Samples: 9}}},
	}}
	for s := range int64(10) {
		step := &record.Step{Worker: "worker_0", Step: s, ModeStep: s, Time: ended, Scalars: []record.Scalar{{Name: "loss", Value: 1 / float64(s+1)}}}
		if err := w.Append("worker_0", "", 0, step); err != nil {
			t.Fatal(err)
		}
		if err := w.Complete(&record.Complete{Step: s, ModeStep: s, Time: ended, Parts: []*record.Step{step}}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := seen.Encode()
	if err == nil {
		err = w.Profile("worker_0", 1, b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trial.Open(filepath.Join(root, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// The flame graph: bars of the right width below each other, a table with the lines,
// and a sentence where there are too few samples.
func TestFlameGraphInBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	if err := WriteFile(path, sampled(t), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	b := browser.New(t)
	b.Do(chromedp.Navigate("file://" + path))
	b.Wait(`document.documentElement.dataset.ready === "yes"`)
	bar := func(text string) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".flame div")].find((d) => d.textContent.startsWith(%q)).getBoundingClientRect()`, text)
	}
	for _, tt := range []struct{ name, expression string }{
		{"hostile names stay text", `window.broken === undefined`},
		{"widths are shares", bar("main") + `.width / ` + bar("<module>") + `.width > 0.74 && ` + bar("main") + `.width / ` + bar("<module>") + `.width < 0.76`},
		{"a call is below its caller", bar("Linear.forward") + `.top > ` + bar("main") + `.top && ` + bar("main") + `.top > ` + bar("<module>") + `.top`},
		{"all bars are inside", `(() => { const f = document.querySelector(".flame").getBoundingClientRect(); return [...document.querySelectorAll(".flame div")].every((d) => { const r = d.getBoundingClientRect(); return r.left >= f.left - 1 && r.right <= f.right + 1 && r.bottom <= f.bottom + 1; }); })()`},
		{"libraries look different", `document.querySelectorAll(".flame .library").length === 1 && document.querySelectorAll(".flame .own").length === 3`},
		{"the table has the line of the script", `document.getElementById("h-stacks").parentElement.querySelector("tbody tr").textContent.includes("75 %train.py:31main")`},
		{"too few samples are said to be", `document.getElementById("h-stacks").parentElement.textContent.includes("Only 9 samples came: 200 are needed")`},
	} {
		if !b.Evaluate(tt.expression) {
			t.Errorf("%s: not so", tt.name)
		}
	}
	if dir := os.Getenv("VIGIL_TEST_PICTURES"); dir != "" {
		for _, theme := range []string{"light", "dark"} {
			if err := os.WriteFile(filepath.Join(dir, "flames-"+theme+".png"), b.Picture(theme), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNoWindows(t *testing.T) {
	c, err := collect(makeRun(t, 5, 1), time.Unix(0, 0))
	if err != nil || c.Flames != nil {
		t.Errorf("flames %v, error %v", c.Flames, err)
	}
}
