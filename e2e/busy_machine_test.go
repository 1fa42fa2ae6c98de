package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// onStatistics are the rules of the default set that judge statistics of
// tensors, and say so when they saw too few.
var onStatistics = []string{"vanishing_gradient", "exploding_tensor", "dead_relu", "loss_not_decreasing"}

// Others on the machine silence no rule: with twice as many busy processes as
// there are for two cores, a job of 300 steps is judged by all of them.
func TestBusyMachine(t *testing.T) {
	python := testenv.Python(t)
	dir := t.TempDir()
	deep := forked(t, "deep") // PyTorch is there before they are busy
	busy, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 4 {
		cmd := command(busy, dir, nil, python, "-c", "while True: pass")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait() //nolint:errcheck // it is killed
	}
	defer cancel() // before the waits
	o := run(t, dir, []string{"VIGIL_E2E_STEPS=300"}, append([]string{binary, "run", "--name", "busy", "--"}, deep...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d\n%s", o.code, o.stderr)
	}
	tr := open(t, filepath.Join(dir, "vigil-runs", "busy"))
	if n := len(tr.Steps(record.Train)); n != 300 {
		t.Errorf("%d steps are stored, not 300", n)
	}
	for name, least := range map[string]int{"gradient/Sequential_0.weight": 10, "Sequential_6.weight": 10, "1_output_0": 6} {
		rows, err := tr.Stats(trial.Query{Tensor: name, Mode: record.Train})
		if err != nil || len(rows) < least {
			t.Errorf("%s was captured at %d steps, want at least %d (%v)", name, len(rows), least, err)
		}
	}
	judged := map[string]record.RuleStatus{}
	for _, s := range tr.Statuses() {
		judged[s.Rule] = s
		if s.NotJudged != "" {
			t.Errorf("%s was not judged: %s", s.Rule, s.NotJudged)
		}
	}
	for _, name := range onStatistics {
		if s := judged[name]; s.Status != "NoIssuesFound" || s.Datapoints == 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A rule that saw too little of a job says so wherever its status stands.
func TestNotJudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := run(t, dir, []string{"VIGIL_E2E_STEPS=20"}, append([]string{binary, "run", "--name", "short", "--"}, forked(t, "deep")...)...); o.code != 0 {
		t.Fatalf("exit code %d\n%s", o.code, o.stderr)
	}
	const why = "gradients were captured at "
	for _, args := range [][]string{{"show"}, {"findings", "--rules"}, {"check", "--statuses"}, {"show", "--json"}, {"findings", "--json"}, {"check", "--json"}} {
		o := run(t, dir, nil, append([]string{binary, args[0], "vigil-runs/short"}, args[1:]...)...)
		want := why
		if slices.Contains(args, "--json") {
			var doc struct {
				NotJudged []struct{ Rule, Reason string } `json:"not_judged"`
				Rules     []record.RuleStatus             `json:"rules"`
			}
			if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			got := ""
			for _, u := range doc.NotJudged {
				got += u.Rule + ": " + u.Reason + "\n"
			}
			for _, r := range doc.Rules {
				got += r.Rule + ": " + r.NotJudged + "\n"
			}
			o.stdout, want = got, "vanishing_gradient: "+why
		}
		if o.code != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("vigil %v: exit code %d, want %q:\n%s", args, o.code, want, o.stdout)
		}
	}
	if o := run(t, dir, nil, binary, "report", "vigil-runs/short", "-o", "short.html"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "short.html")); err != nil || !strings.Contains(string(page), "not judged") || !strings.Contains(string(page), why) {
		t.Errorf("the report does not say what was not judged (%v)", err)
	}
}
