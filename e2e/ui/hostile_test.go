package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Texts of a run that try to be more than text.
var (
	markup    = `<img src=x onerror="window.broken=1"></script><script>window.broken=1</script><b class="injected">`
	colours   = "\x1b[31mred\x1b[0m \x1b]0;title\x07"
	rightLeft = "\u202egnorw\u202c \u2066\u200f"
	long      = strings.Repeat("n", 5000)
)

// hostileRun writes a run each of whose texts is hostile.
func hostileRun(t *testing.T, root string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all := markup + colours + rightLeft
	started := time.Now().Add(-time.Hour).UTC()
	code := 1
	ended := started.Add(time.Minute)
	w, err := store.Create(vfs.OS, root, "hostile", record.Run{
		Format: record.RunFormat, Name: "hostile", Command: []string{"python", all}, Directory: all, Framework: record.Framework{Name: all, Version: all},
		Host: all, Started: started, Ended: &ended, Status: record.Failed, ExitCode: &code, Exception: "ValueError: " + all, Steps: map[string]int64{"TRAIN": 50},
		Provenance:  &record.Provenance{Git: &record.Git{Commit: "0123456789abcdef", Branch: all, Dirty: true, Changed: 1, Diff: "code.diff"}, Hyperparameters: map[string]string{all: all}},
		NotCaptured: []record.NotCaptured{{Name: all, Reason: all, Count: 3}},
		Workers:     []record.Worker{{Name: "worker_0", Chief: true}}, Facts: json.RawMessage(`{"v":1}`), Said: all,
	})
	must(err)
	must(w.Diff([]byte("-lr = 1\n+lr = " + all + "\n")))
	infos := []record.TensorInfo{{Name: "loss", Kind: record.Loss}, {Name: all, Kind: record.Metric}, {Name: long, Kind: record.Metric}}
	must(w.Announce("worker_0", infos))
	for s := range 50 {
		step := &record.Step{Worker: "worker_0", Step: int64(s), Mode: record.Train, ModeStep: int64(s), Time: started.Add(time.Duration(s) * time.Second)}
		for _, info := range infos {
			step.Scalars = append(step.Scalars, record.Scalar{Name: info.Name, Value: float64(s)})
		}
		must(w.Append("worker_0", "", 0, step))
		must(w.Complete(&record.Complete{Step: step.Step, Mode: step.Mode, ModeStep: step.ModeStep, Time: step.Time, Parts: []*record.Step{step}}))
	}
	finding := record.Finding{Rule: "not_finite", RuleClass: "NotFinite", Configuration: "not_finite", Severity: record.Error, Step: 10, ModeStep: 10, Mode: record.Train,
		Time: started, Check: "first_non_finite", Subject: all, Message: all, CauseClass: "non-finite", Cause: all, Remedy: all,
		Where: &record.Where{File: all, Line: 3, Call: all}, Suggestion: &record.Suggestion{File: all, Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-" + all + "\n+" + all + "\n"}}
	must(w.Finding(finding))
	must(w.Summary([]record.Group{{Root: finding, CauseClass: "non-finite"}}))
	must(w.Statuses([]record.RuleStatus{{Rule: "not_finite", Configuration: all, Status: "IssuesFound", Details: all}}))
	must(store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"tag": all}, Note: all}))
	must(w.Close())
}

// A run full of markup, terminal codes, marks of right-to-left and endless names is
// shown as text.
func TestTextOfARunIsText(t *testing.T) {
	dir := t.TempDir()
	hostileRun(t, dir)
	d := serving(t, dir)
	b := open(t, d, "/runs")
	b.shows("hostile")
	for _, page := range pagesOfARun {
		b.visit("/runs/hostile/" + page)
		if broken := b.value(`window.broken === undefined && !document.querySelector(".injected, img[src=x]")`); broken != "true" {
			t.Errorf("%s: a text of the run became markup", page)
		}
		b.narrow(page)
		b.picture("hostile-" + page)
	}
	b.visit("/runs/hostile/overview")
	b.shows(`<b class="injected">`)
}
