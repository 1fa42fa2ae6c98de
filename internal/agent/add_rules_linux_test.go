package agent

import (
	"encoding/json"
	"math"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
)

// changePlan asks an agent as `vigil plan` does.
func changePlan(t *testing.T, set Settings, r capture.PlanRequest) (rules []capture.RuleRequest, refused string) {
	t.Helper()
	c, err := net.Dial("unix", set.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, err := capture.AppendMessage(nil, capture.TypeControl, capture.Control{Cmd: "plan", Plan: &r})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
	m, err := capture.ReadMessage(c)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		OK    bool
		Error string
		Rules []capture.RuleRequest
	}
	if err := json.Unmarshal(m.Body, &v); err != nil {
		t.Fatal(err)
	}
	if v.OK != (v.Error == "") {
		t.Errorf("answer %s", m.Body)
	}
	return v.Rules, v.Error
}

// TestAddRule adds rules to a running job: each judges from the next step on
// and goes on with the next agent, what it needs is captured, and the run that
// is judged again gives the same findings.
func TestAddRule(t *testing.T) {
	set := settings(t)
	set.Config.Rules = "none"
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	add := func(list ...capture.RuleRequest) ([]capture.RuleRequest, string) {
		return changePlan(t, set, capture.PlanRequest{Rules: list, Why: "vigil plan --add-rule"})
	}
	finite, vanishing := capture.RuleRequest{Rule: "not_finite"}, capture.RuleRequest{Rule: "vanishing_gradient", Params: map[string]string{"every": "1"}}
	if _, refused := add(finite); !strings.Contains(refused, "no process of the job has started to train") {
		t.Errorf("before the training: %q", refused)
	}
	h := started(t, set, hook.Options{Model: "Net"})
	n := 0
	steps := func(count int) {
		t.Helper()
		for range count {
			s := h.Begin(hook.Train)
			s.Loss(math.NaN())
			s.End()
			n++
		}
		wait(t, "the steps to be judged", func() bool {
			tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			judged := 0
			err = tr.Replay(func(*record.Complete) error { judged++; return nil })
			return err == nil && judged == n
		})
	}
	steps(5) // nobody looks at them
	for _, c := range []struct {
		name string
		list []capture.RuleRequest
		says string
	}{
		{"unknown", []capture.RuleRequest{{Rule: "not_finit"}}, `did you mean "not_finite"?`},
		{"twice at once", []capture.RuleRequest{finite, finite}, `"not_finite" already runs`},
		{"one of two is wrong", []capture.RuleRequest{finite, {Rule: "overfit", Params: map[string]string{"patience": "-1"}}}, "patience"},
	} {
		if _, refused := add(c.list...); !strings.Contains(refused, c.says) {
			t.Errorf("%s: %q, want %s", c.name, refused, c.says)
		}
	}
	joined, refused := add(finite, vanishing)
	if refused != "" || len(joined) != 2 || joined[0].Params["start_step"] != "5" {
		t.Fatalf("joined %+v, %q", joined, refused)
	}
	if _, refused := add(finite); !strings.Contains(refused, `"not_finite" already runs`) {
		t.Errorf("once more: %q", refused)
	}
	steps(3)
	p.kill()
	set.Takeover = true
	a := startAgent(t, set)
	steps(2)
	second := capture.RuleRequest{Rule: "not_finite", Configuration: "again"}
	if _, refused := add(finite); !strings.Contains(refused, "already runs") {
		t.Errorf("by the next agent: %q", refused)
	}
	if _, refused := add(second); refused != "" {
		t.Errorf("another configuration: %q", refused)
	}
	steps(4)
	h.Close()
	a.completed()

	tr := openTrial(t, set)
	first := map[string]int64{}
	for _, f := range tr.Findings() {
		if was, there := first[f.Configuration]; !there || f.Step < was {
			first[f.Configuration] = f.Step
		}
	}
	if len(first) != 2 || first["not_finite"] != 5 || first["again"] != 10 {
		t.Errorf("first findings at %v", first)
	}
	whys := 0
	for _, c := range tr.Run().Plan {
		if c.Why == "vigil plan --add-rule" {
			whys++
		}
	}
	last := string(tr.Run().Plan[len(tr.Run().Plan)-1].Plan)
	if whys != 2 || !strings.Contains(last, `"by":"vanishing_gradient"`) && !strings.Contains(last, `"by": "vanishing_gradient"`) {
		t.Errorf("%d entries in the plan's history; the last is %s", whys, last)
	}
	var configs []rules.Config
	for _, s := range tr.Statuses() {
		configs = append(configs, rules.Config{Rule: s.Rule, Configuration: s.Configuration, Params: s.Parameters, Checks: s.Checks})
	}
	again, err := rules.NewEngine(rules.Options{Configs: configs})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Replay(func(c *record.Complete) error { again.Observe(c); return nil }); err != nil {
		t.Fatal(err)
	}
	again.Finish(record.Completed)
	live := map[string]bool{}
	for _, f := range tr.Findings() {
		live[rules.Key(f)] = true
	}
	for _, f := range again.Findings() {
		if !live[rules.Key(f)] {
			t.Errorf("judged again it also finds %s", rules.Key(f))
		}
		delete(live, rules.Key(f))
	}
	if len(live) > 0 {
		t.Errorf("judged again it does not find %v", live)
	}
}
