package agent

import (
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// TestCompareRuns trains three times: with the same numbers as before, and with
// others. The rule reads the earlier run's scalars and stored values.
func TestCompareRuns(t *testing.T) {
	t.Parallel()
	first := settings(t)
	first.Config.Every = 1
	first.Name = "first"
	first.Config.Rule = []config.RuleConfig{{Rule: "similar_across_runs", Configuration: "same", Params: map[string]string{"other_trials": "nowhere", "tensor_regex": "weight|^loss$", "every": "1"}}}
	train := func(set Settings, seed float32) *trial.Trial {
		a := startAgent(t, set)
		h := started(t, set, hook.Options{Model: "Net"})
		w, _ := h.Parameter("fc", "Linear", "weight", 2)
		for i := range 10 {
			s := h.Begin(hook.Train)
			s.Loss(lossAt(i))
			s.Float32(w, []float32{seed, float32(i)})
			s.End()
		}
		h.Close()
		a.completed()
		return openTrial(t, set)
	}
	status := func(tr *trial.Trial) record.RuleStatus {
		for _, s := range tr.Statuses() {
			if s.Configuration == "same" {
				return s
			}
		}
		t.Fatalf("no status: %+v", tr.Statuses())
		return record.RuleStatus{}
	}
	if s := status(train(first, 1)); s.Status != "Error" {
		t.Errorf("compared with a run that is not there: %+v", s)
	}
	params := map[string]string{"other_trials": "first", "tensor_regex": "weight|^loss$", "every": "1"}
	same := first
	same.Name, same.Config.Rule = "same", []config.RuleConfig{{Rule: "similar_across_runs", Configuration: "same", Params: params}}
	if s := status(train(same, 1)); s.Status != "NoIssuesFound" || s.Datapoints != 20 {
		t.Errorf("the same numbers: %+v", s)
	}
	other := same
	other.Name = "other"
	tr := train(other, 2)
	if s := status(tr); s.Status != "IssuesFound" || s.Datapoints != 20 || s.RuleTriggered != 10 {
		t.Errorf("other numbers: %+v", s)
	}
	found := tr.Findings()
	if len(found) != 10 || found[0].Step != 0 || found[0].Subject != "fc.weight" || found[0].Context["differing_share"] != 0.5 {
		t.Errorf("findings are %+v", found)
	}
}
