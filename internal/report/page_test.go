package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv/browser"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// hostile is a name that would break out of HTML, a script or an attribute.
const hostile = `</script><script>window.broken=1</script>"'<b>`

// makeRun writes a run of n training steps with some layers and one finding.
func makeRun(t *testing.T, n, layers int) *trial.Trial {
	t.Helper()
	root := t.TempDir()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	code := 0
	ended := started.Add(time.Hour)
	w, err := store.Create(vfs.OS, root, "run", record.Run{
		Format: record.RunFormat, Name: "run", Command: []string{"python", hostile}, Framework: record.Framework{Name: "pytorch", Version: "2.15.0"},
		Host: "host", Started: started, Ended: &ended, Status: record.Completed, ExitCode: &code, Steps: map[string]int64{"TRAIN": int64(n)},
		Provenance:  &record.Provenance{Git: &record.Git{Commit: "0123456789abcdef", Branch: hostile, Dirty: true, Changed: 1, Diff: "code.diff"}, Hyperparameters: map[string]string{"lr": hostile}},
		NotCaptured: []record.NotCaptured{{Name: hostile, Reason: "sparse", Count: 3}},
		Workers:     []record.Worker{{Name: "worker_0", Chief: true}},
		Facts:       json.RawMessage(fmt.Sprintf(`{"v":1,"schedule":{"at":%d,"steps":[9,%d],"rates":[0.1,0.001]}}`, n, n)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Diff([]byte("-lr = 1\n+lr = " + hostile + "\n")); err != nil {
		t.Fatal(err)
	}
	infos := []record.TensorInfo{{Name: "loss", Kind: record.Loss}}
	for i := range layers {
		infos = append(infos,
			record.TensorInfo{Name: fmt.Sprintf("Net_layer%d.weight", i), Kind: record.Weight, DType: "F32", Shape: []int64{8, 8}, Order: i},
			record.TensorInfo{Name: fmt.Sprintf("gradient/Net_layer%d.weight%s", i, hostile), Kind: record.Gradient, DType: "F32", Shape: []int64{8, 8}, Order: i})
	}
	if err := w.Announce("worker_0", infos); err != nil {
		t.Fatal(err)
	}
	for s := range n {
		step := &record.Step{Worker: "worker_0", Step: int64(s), Mode: record.Train, ModeStep: int64(s), Time: started.Add(time.Duration(s) * time.Millisecond)}
		step.Scalars = []record.Scalar{{Name: "loss", Value: 2 + math.Sin(float64(s)/100)}}
		if s >= n*3/4 {
			step.Scalars[0].Value = math.NaN()
		}
		if s%10 == 0 {
			for _, info := range infos[1:] {
				v := math.Exp(-float64(info.Order)) * (1.5 + math.Sin(float64(s)/200))
				hist := &tensor.Histogram{}
				for e := range 60 { // wider than those of most tensors
					hist.Neg[100+e], hist.Pos[100+(e+s)%60] = int64(e%3), 1
				}
				step.Stats = append(step.Stats, record.TensorStats{Tensor: info.Name, Stats: tensor.Stats{Count: 120, Zeros: 1, Min: -v, Max: v, Mean: 0, M2: 64 * v * v, L1: 64 * v, Hist: hist}})
			}
		}
		if err := w.Append("worker_0", "", 0, step); err != nil {
			t.Fatal(err)
		}
		if err := w.Complete(&record.Complete{Step: step.Step, Mode: step.Mode, ModeStep: step.ModeStep, Time: step.Time, Parts: []*record.Step{step}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n { // a sample each second, without a tenth in the middle
		if i > n/2 && i < n/2+n/10 {
			continue
		}
		values := []record.Scalar{{Name: "cpu/total", Value: 50 + 40*math.Sin(float64(i)/40)}, {Name: "memory/used_percent", Value: 30 + 20*float64(i)/float64(n)},
			{Name: "disk/a/read_per_s", Value: 1e6 * (1 + math.Sin(float64(i)/9))}, {Name: "disk/b/read_per_s", Value: 1e6}, {Name: "net/sent_per_s", Value: 2e5}, {Name: "gpu/0/utilization", Value: 90}}
		if err := w.Samples(record.Sample{Host: hostile, Time: started.Add(time.Duration(i) * time.Second), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	f := record.Finding{
		Rule: "vanishing_gradient", RuleClass: "VanishingGradient", Configuration: "vanishing_gradient", Severity: record.Warning, Step: int64(n / 2), Mode: record.Train,
		ModeStep: int64(n / 2), Worker: "worker_0", Check: "threshold", Subject: infos[2].Name, Observed: 1e-9, Threshold: 1e-7, Comparator: "<",
		Message: "The gradient of layer 0 vanishes: " + hostile, CauseClass: "activation", Cause: "saturating activations", Remedy: "use ReLU",
		Context:    map[string]any{"below": 3, "share": 0.5},
		Suggestion: &record.Suggestion{File: "/home/me/train.py", Diff: "--- a/train.py\n+++ b/train.py\n@@ -7,1 +7,1 @@\n-lr = 1\n+lr = 2  # " + hostile + "\n"},
	}
	if err := w.Finding(f); err != nil {
		t.Fatal(err)
	}
	if err := w.Summary([]record.Group{{Root: f, CauseClass: "activation"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Statuses([]record.RuleStatus{
		{
			Rule: "vanishing_gradient", Configuration: "vanishing_gradient", Status: "IssuesFound", Findings: 1, Datapoints: 40,
			Details: "RuleEvaluationConditionMet: Evaluation of the rule VanishingGradient at step 9 resulted in the condition being met\nThe gradient vanishes.",
		},
		{Rule: "dead_relu", Configuration: "dead_relu", Status: "NoIssuesFound", Datapoints: 12},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := trial.Open(filepath.Join(root, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// A run of 10,000 steps with 60 layers gives a file below 2 MB that names no
// address on a network.
func TestReportIsSmallAndSelfContained(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, makeRun(t, 10_000, 60), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 2<<20 {
		t.Errorf("the report has %d bytes", b.Len())
	}
	for _, load := range []string{"src=\"http", "href=\"http", "url(http", "@import", "fetch("} {
		if strings.Contains(b.String(), load) {
			t.Errorf("the report contains %q", load)
		}
	}
}

// The page works in a real browser: everything is drawn, nothing complains,
// hostile names stay text, and the controls do what they say.
func TestReportInBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	if err := WriteFile(path, makeRun(t, 400, 6), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	b := browser.New(t)
	b.Do(chromedp.Navigate("file://" + path))
	b.Wait(`document.documentElement.dataset.ready === "yes"`)
	for _, tt := range []struct{ name, expression string }{
		{"hostile names stay text", `window.broken === undefined`},
		{"the verdict is shown", `document.querySelector(".verdict").textContent.includes("Found 1 warning")`},
		{"the finding is shown with cause and remedy", `document.querySelector("article.finding").textContent.includes("saturating activations") && document.querySelector("article.finding").textContent.includes("use ReLU")`},
		{"what it was made of is shown, with the diff", `document.getElementById("h-made").parentElement.textContent.includes("commit 0123456789 of") && document.getElementById("h-made").parentElement.querySelector("pre").textContent.includes("+lr = ")`},
		{"the suggested edit is shown", `document.querySelector("article.finding").textContent.includes("train.py:7") && document.querySelector(".diff .goes").textContent === "- lr = 1" && document.querySelector(".diff .comes").textContent.startsWith("+ lr = 2  # </script>")`},
		{"the loss is drawn", `document.querySelectorAll("#losses canvas").length === 1`},
		{"a stretch without a finite value is shaded", `(() => { const c = document.querySelector("#losses canvas"), d = c.getContext("2d"), y = c.height * 0.3, red = (x) => { const p = d.getImageData(c.width * x, y, 1, 1).data; return p[3] > 0 && p[0] > p[1] + 20; }; return red(0.9) && !red(0.3); })()`},
		{"the learning rate is drawn", `document.querySelectorAll("#rates canvas").length === 1`},
		{"the machine is drawn", `document.querySelectorAll("#h-machine ~ .shares canvas, #h-machine ~ .rates canvas").length === 2`},
		{"a time without samples is shaded, and no curve crosses it", `(() => { const c = document.querySelector(".shares canvas"), d = c.getContext("2d"), red = (x) => { const p = d.getImageData(c.width * x, c.height * 0.1, 1, 1).data; return p[3] > 0 && p[0] > p[1] + 20; }; return red(0.57) && !red(0.3); })()`},
		{"disks are added up in the table", `document.getElementById("h-machine").parentElement.textContent.replace(/\s/g, "").match(/diskread999.9kB\/s.*3.0MB\/s/) !== null`},
		{"evidence is in the words of the check", `document.querySelector("article.finding").textContent.match(/Mean magnitude of [^:]*gradient.*: 1e-09, lower limit 1e-07; gradients below it: 3\./s) !== null`},
		{"rules that found nothing are folded", `(() => { const s = document.getElementById("h-rules").parentElement; return s.querySelector("details").textContent.includes("dead_relu") && s.textContent.includes("2 rules: 1 found something, 1 quiet") && !s.querySelector("details").open; })()`},
		{"no phrase of another product", `!document.querySelector("main").textContent.match(/ConditionMet|IssuesFound|VanishingGradient/)`},
		{"the heat map has a row for every gradient", `(() => { const c = document.getElementById("heatmap"); return c.height >= 6 * 12 && c.getContext("2d").getImageData(c.width - 5, 5, 1, 1).data[3] === 255; })()`},
		{"the layer of the finding is chosen", `document.getElementById("layer-name").textContent.includes("gradient/Net_layer0")`},
		{"its curve is drawn", `document.querySelectorAll("#layer canvas").length === 1`},
		{"its histogram is drawn over the steps", `(() => { const c = document.getElementById("spreadmap"); return !document.getElementById("spread").hidden && document.getElementById("spread-name").textContent.includes("gradient/Net_layer0") && c.getContext("2d").getImageData(c.width - 5, 5, 1, 1).data[3] === 255; })()`},
		{"another statistic can be chosen", `(() => { const s = document.getElementById("stat"); s.selectedIndex = 2; s.dispatchEvent(new Event("change")); return document.getElementById("layer-name").textContent.includes("standard deviation of weights"); })()`},
		{"layers can be filtered", `(() => { const f = document.getElementById("filter"), c = document.getElementById("heatmap"), before = c.height; f.value = "layer3"; f.dispatchEvent(new Event("input")); return c.height < before; })()`},
		{"the theme changes", `(() => { const was = document.documentElement.dataset.theme; document.getElementById("theme").click(); return document.documentElement.dataset.theme !== was; })()`},
		{"what was not captured is listed", `document.body.textContent.includes("sparse")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !b.Evaluate(tt.expression) {
				t.Errorf("%s is not true", tt.expression)
			}
		})
	}
	if lines := b.Complaints(); len(lines) > 0 {
		t.Errorf("the browser complains: %q", lines)
	}
}

// TestScreenshots writes pictures of the report in both themes where
// VIGIL_TEST_PICTURES names a directory, for a person to look at.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("VIGIL_TEST_PICTURES")
	path := filepath.Join(t.TempDir(), "report.html")
	if err := WriteFile(path, makeRun(t, 2000, 20), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	b := browser.New(t)
	for _, theme := range []string{"light", "dark"} {
		b.Do(chromedp.Navigate("file://" + path))
		b.Wait(`document.documentElement.dataset.ready === "yes"`)
		png := b.Picture(theme)
		if dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "report-"+theme+".png"), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
