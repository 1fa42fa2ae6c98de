package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// TestFormerNamesOfChecks reads a run whose findings have the names that checks had
// before, and asks by those names: everybody shows and understands them as today's.
func TestFormerNamesOfChecks(t *testing.T) {
	root := t.TempDir()
	w, err := store.Create(vfs.OS, root, "old", record.Run{
		Format: record.RunFormat, Name: "old", Status: record.Completed, Started: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		Framework: record.Framework{Name: "pytorch"}, Steps: map[string]int64{"TRAIN": 100},
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	found := func(rule, check string, step int64) record.Finding {
		return record.Finding{Rule: rule, Configuration: rule, Check: check, Severity: record.Warning, Step: step, ModeStep: step, Subject: "loss", Message: rule + " found " + check, Context: map[string]any{}}
	}
	root1 := found("not_updated", "strangers", 9)
	follows := found("loss_flat", "guess", 50)
	apart := found("learning_rate", "gone", 90)
	apart.OutweighedBy = "not_updated/strangers"
	for _, f := range []record.Finding{root1, follows, apart} {
		must(w.Finding(f))
	}
	must(w.Summary([]record.Group{{Root: root1, Symptoms: []record.Finding{follows}}, {Root: apart, Symptoms: []record.Finding{}}}))
	must(w.Close())
	known := filepath.Join(root, "known.json")
	must(os.WriteFile(known, []byte(`{"findings":[{"rule":"loss_flat","configuration":"loss_flat","check":"guess","subject":"loss"}]}`), 0o600))
	test := filepath.Join(root, "test.yaml")
	must(os.WriteFile(test, []byte(`
tests:
  - name: the loss of a training that ended at once
    rule: learning_rate
    series: [{name: loss, values: 1x3}]
    expect: [{check: gone}]
`), 0o600))
	path := filepath.Join(root, "old")
	for _, c := range []struct {
		place string
		args  []string
		want  []string
		never string
	}{
		{"stored findings", []string{"findings", path}, []string{"vigil rules describe not_updated/optimiser_of_another_model", "vigil rules describe learning_rate/decayed_early"}, "describe not_updated/strangers"},
		{"the same for programs", []string{"findings", path, "--json"}, []string{`"check":"optimiser_of_another_model"`, `"check":"chance_level"`, `"outweighed_by":"not_updated/optimiser_of_another_model"`}, `"check":"strangers"`},
		{"ls --finding", []string{"ls", root, "--finding", "not_updated/strangers"}, []string{"old  "}, "none of"},
		{"ls --finding, the rule spelt otherwise", []string{"ls", root, "--finding", "LearningRate/gone"}, []string{"old  "}, "none of"},
		{"rules describe", []string{"rules", "describe", "learning_rate/thrown"}, []string{"learning_rate/loss_stuck_high, "}, "no check"},
		{"the same for programs", []string{"rules", "describe", "learning_rate/thrown", "--json"}, []string{`"id":"learning_rate/loss_stuck_high","former":["thrown"]`}, "no check"},
		{"expected by a test of a rule", []string{"rules", "test", test}, []string{"- ", "check=gone"}, "unknown"},
	} {
		t.Run(c.place, func(t *testing.T) {
			cmd := exec.Command(vigil(t), c.args...)
			cmd.Env = cleanEnv(t)
			out, _ := cmd.CombinedOutput()
			hasAll(t, string(out), c.want...)
			if strings.Contains(string(out), c.never) {
				t.Errorf("%q is in\n%s", c.never, out)
			}
		})
	}
	t.Run("a baseline", func(t *testing.T) {
		b, err := readBaseline(root, known)
		must(err)
		now := found("loss_flat", "chance_level", 70)
		if b.accepted(&now) == "" {
			t.Error("what is known from before counts again")
		}
	})
	t.Run("an assistant", func(t *testing.T) {
		a := assisted(t, root)
		hasAll(t, a.answer("explain_check", map[string]any{"check": "not_updated/astray"}), "not_updated/another_instance_trained")
		hasAll(t, a.answer("run_verdict", map[string]any{"run": "old"}), "not_updated/optimiser_of_another_model")
	})
}
