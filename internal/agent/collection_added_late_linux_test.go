package agent

import (
	"slices"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// A collection that is asked for while the job runs holds tensors that were
// announced before it: a rule that names it judges them, and they are stored
// as its members.
func TestCollectionOfARunningJob(t *testing.T) {
	set := settings(t)
	set.Config.Rules, set.Config.Every = "none", 1000
	a := startAgent(t, set)
	h := started(t, set, hook.Options{Model: "Net"})
	w, _ := h.Parameter("body", "Linear", "weight", 2)
	steps := func(until func() bool) {
		wait(t, "the steps", func() bool {
			s := h.Begin(hook.Train)
			s.Float32(w, []float32{0, 0})
			s.End()
			time.Sleep(time.Millisecond)
			return until()
		})
	}
	n := 0
	steps(func() bool { n++; return n == 5 })
	mine := plan.Collection{Name: "mine", Selector: plan.Selector{Regex: []string{"^body"}}, Schedule: plan.Every(1, record.Train), Want: plan.Stats}
	_, refused := changePlan(t, set, capture.PlanRequest{
		Collect: []plan.Collection{mine}, Why: "vigil plan --collect mine",
		Rules: []capture.RuleRequest{{Rule: "all_zero", Params: map[string]string{"collection_names": "mine", "every": "1"}}},
	})
	if refused != "" {
		t.Fatal(refused)
	}
	steps(func() bool {
		tr := openTrial(t, set)
		defer tr.Close()
		return len(tr.Findings()) > 0
	})
	h.Close()
	a.completed()
	tr := openTrial(t, set)
	for _, info := range tr.Announced() {
		if info.Name == "body.weight" && !slices.Contains(info.Collections, "mine") {
			t.Errorf("%s is stored as a member of %v", info.Name, info.Collections)
		}
	}
	for _, f := range tr.Findings() {
		if f.Rule != "all_zero" || f.Subject != "body.weight" {
			t.Errorf("finding %+v", f)
		}
	}
}
