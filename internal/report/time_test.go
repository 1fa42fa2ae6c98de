package report

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/trial"
)

var timedStart = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func timedRun(t *testing.T, o timed.Options) *trial.Trial {
	t.Helper()
	root := t.TempDir()
	o.Started = timedStart
	timed.Write(t, root, "night", o)
	tr, err := trial.Open(timed.Path(root, "night"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// Where the time went: shares, a table by worker and mode, lengths of steps with
// those that are marked, and phases; without JavaScript.
func TestTimeInBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	if err := WriteFile(path, timedRun(t, timed.Options{Seconds: 60, Ranks: 2}), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	b := browser.New(t)
	b.Do(chromedp.Navigate("file://" + path))
	b.Wait(`document.documentElement.dataset.ready === "yes"`)
	const section = `document.getElementById("h-time").parentElement`
	for _, tt := range []struct{ name, expression string }{
		{"the widths of the parts are their shares", `(() => { const w = document.querySelector(".spent").getBoundingClientRect().width, d = document.querySelector(".spent .data").getBoundingClientRect().width; return Math.abs(d / w - 0.62) < 0.02; })()`},
		{"each part has its share in words", section + `.querySelector(".parts").textContent.includes("data 62 %") && ` + section + `.querySelector(".parts").textContent.includes("evaluation")`},
		{"parts differ in colour", `new Set([...document.querySelectorAll(".spent .part")].map((e) => getComputedStyle(e).backgroundColor)).size === document.querySelectorAll(".spent .part").length`},
		{"the table has a row for each worker and mode", section + `.querySelectorAll("table")[0].querySelectorAll("tbody tr").length === 4 && ` + section + `.querySelectorAll("table")[0].textContent.includes("worker_1training600")`},
		{"slow steps are marked and say which they are", section + `.querySelectorAll("svg .outlier").length === 6 && ` + section + `.querySelector("svg .outlier title").textContent.match(/^step \d*57: (1 s|1\.0\d s|99\d ms)$/) !== null`},
		{"the line is drawn", section + `.querySelector("polyline").getBoundingClientRect().width > 500`},
		{"phases lie where they were", `(() => { const p = [...document.querySelectorAll(".phases .phase")].map((e) => e.className.replace("phase ", "")); return p.join() === "start-up,training,finishing,evaluation"; })()`},
		{"phases have lengths", section + `.querySelectorAll("table")[1].textContent.includes("training3 s1 min 06 s")`},
	} {
		if !b.Evaluate(tt.expression) {
			t.Errorf("%s: not so", tt.name)
		}
	}
	if lines := b.Complaints(); len(lines) > 0 {
		t.Errorf("the browser complains: %q", lines)
	}
	for _, theme := range []string{"light", "dark"} {
		png := b.Picture(theme)
		if dir := os.Getenv("VIGIL_TEST_PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "time-"+theme+".png"), png, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A run that tells nothing of its time has no such panel.
func TestNoTimes(t *testing.T) {
	c, err := collect(timedRun(t, timed.Options{Empty: true}), time.Unix(0, 0))
	if err != nil || c.Time != nil {
		t.Errorf("%+v, %v", c.Time, err)
	}
}
