package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// slow is a class that takes longer for a step than the training does, and
// remembers all it has seen.
const slow = `
import time
from vigil.rules import Rule

class Slow(Rule):
    def __init__(self, base_trial):
        super().__init__(base_trial)
        self.seen = []

    def invoke_at_step(self, step):
        time.sleep(0.001)
        self.seen.append(float(self.base_trial.tensor("loss").value(step)))
        if step % 100 == 0:
            self.finding("%d %.6f" % (len(self.seen), sum(self.seen)))
`

func withRule(t *testing.T, set *Settings, text string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "my_rules.py")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set.Config.Rules = "none"
	set.Config.Rule = []config.RuleConfig{{Rule: "slow", Configuration: "slow", Params: map[string]string{"source": source}}}
	set.Python = Python{Interpreter: testenv.Python(t), Lib: filepath.Join(testenv.Root(), "python")}
}

// A rule that is slower than the training keeps nothing from being captured: it
// falls behind, and has judged every step in the end. So it has when agents are
// replaced meanwhile, and then its findings are those of one that was not
// disturbed.
func TestSlowPythonRule(t *testing.T) {
	t.Parallel()
	const n = 1500
	var undisturbed []string
	for _, replaced := range []bool{false, true} {
		set := settings(t)
		withRule(t, &set, slow)
		var p *process
		var a *testAgent
		if replaced {
			p = startProcess(t, set)
			wait(t, "the agent's socket", func() bool { return listens(set) })
		} else {
			a = startAgent(t, set)
		}
		h := started(t, set, hook.Options{Model: "Net"})
		for i := range n {
			if p != nil && i > 0 && i%500 == 0 {
				wait(t, "the steps", func() bool { tr := openTrial(t, set); return len(tr.Steps(record.Train)) == i })
				p.kill()
				set.Takeover = true
				if i == 500 {
					p = startProcess(t, set)
				} else {
					a, p = startAgent(t, set), nil
				}
			}
			s := h.Begin(hook.Train)
			s.Loss(lossAt(i))
			s.End()
		}
		wait(t, "all steps", func() bool { tr := openTrial(t, set); return len(tr.Steps(record.Train)) == n })
		h.Close()
		a.completed()
		tr := openTrial(t, set)
		if run := tr.Run(); len(run.Dropped) > 0 || len(run.NotCaptured) > 0 {
			t.Errorf("dropped %v, not captured %v", run.Dropped, run.NotCaptured)
		}
		if s := tr.Statuses(); len(s) != 1 || s[0].Datapoints != n || s[0].Findings != n/100 {
			t.Errorf("replaced %v: %+v", replaced, s)
		}
		var found []string
		for _, f := range tr.Findings() {
			found = append(found, f.Message)
		}
		if !replaced {
			undisturbed = found
		} else if !slices.Equal(found, undisturbed) {
			t.Errorf("found %q, undisturbed %q", found, undisturbed)
		}
	}
}
