package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

func TestBrief(t *testing.T) {
	code := 0
	run := record.Run{Name: "r", Status: record.Completed, ExitCode: &code, Steps: map[string]int64{"TRAIN": 240, "EVAL": 15}, Framework: record.Framework{Name: "pytorch", Version: "2.15"}, Command: []string{"python", "train.py"}, Said: "MLP · SGD"}
	root := record.Finding{Rule: "zero_grad", Configuration: "zero_grad", Check: "kept", Severity: record.Error, Step: 11, ModeStep: 9, Message: "Gradients are not cleared.", Cause: "zero_grad is not called", Remedy: "call it"}
	f := view.Findings{
		Groups: []record.Group{{Root: root, Symptoms: []record.Finding{{Rule: "dead_relu"}, {Rule: "loss_flat"}}}},
		Rules:  []record.RuleStatus{{Rule: "zero_grad", Configuration: "zero_grad", Status: "IssuesFound", Findings: 1, Datapoints: 3}},
	}
	got := strings.ReplaceAll(brief(run, f), live.Program(), "vigil")
	const want = `Vigil on run r: completed, exit code 0, 240 steps, 15 evaluation steps
Framework: pytorch 2.15
Command: python train.py
Training: MLP · SGD
Findings: 1 error, 2 symptoms
1 rule: 1 found something

1. error zero_grad/kept at step 9: Gradients are not cleared.
   cause: zero_grad is not called
   remedy: call it
   symptoms: dead_relu, loss_flat
   explain: vigil rules describe zero_grad/kept
`
	if got != want {
		t.Errorf("the brief is\n%s\nwant\n%s", got, want)
	}
}

// However much was found, and however long its texts, a brief stays within 2 KB
// and says how many findings it leaves out.
func TestBriefIsBrief(t *testing.T) {
	long := strings.Repeat("wörter ", 400)
	for _, n := range []int{1, 2, 5, 50} {
		run := record.Run{Name: strings.Repeat("n", 300), Status: record.Failed, Said: long, Command: []string{"python", long}}
		var f view.Findings
		for i := range n {
			f.Groups = append(f.Groups, record.Group{Root: record.Finding{Rule: fmt.Sprintf("rule_%d", i), Check: "c", Severity: record.Warning, Message: long, Cause: long, Remedy: long}})
		}
		got := brief(run, f)
		if len(got) > briefSize {
			t.Errorf("the brief of %d findings has %d bytes", n, len(got))
		}
		if shown := strings.Count(got, "warning rule_"); shown < n && !strings.Contains(got, fmt.Sprintf("and %d more: ", n-shown)) {
			t.Errorf("the brief of %d findings shows %d, and does not say how many more there are:\n%s", n, shown, got)
		}
	}
}

// A brief has its own lines; a terminal wraps them between words.
func TestBriefOnATerminal(t *testing.T) {
	const text = "Vigil on run r: completed\n  where: train.py:12 loss = f(x)\n"
	for width, want := range map[int]string{
		0:  text,
		24: "Vigil on run r:\ncompleted\n  where: train.py:12\n  loss = f(x)\n",
	} {
		if got := wrapped(live.Page{Width: width}, text); got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}
