package rules_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/rule"
)

// Rules that join a running evaluation find what they find when the whole run
// is judged again with the parameters that Join gave them, also when the
// evaluator is stopped and started again afterwards.
func TestJoinedRulesAreJudgedAgainAlike(t *testing.T) {
	testenv.Unraced(t)
	other := &memory{t: t, workers: []string{"worker_0"}, steps: scalarsAt("loss", 1, 1, 2, 1, 1, 1)}
	rapid.Check(t, func(rt *rapid.T) {
		infos, steps := drawSteps(rt)
		all := append(everyRule(rt), expressions()...)
		make := func(configs []rules.Config, found *[]record.Finding) *rules.Engine {
			e, err := rules.NewEngine(rules.Options{
				Configs: configs, OnFinding: func(f record.Finding) { *found = append(*found, f) }, Trial: func(string) (rule.Trial, error) { return other, nil },
				Raw: func(string, string, record.Mode, int64) (rule.Values, error) { return view(t, vec(0, 1, 0, 1)), nil },
			})
			if err != nil {
				rt.Fatal(err)
			}
			e.Announce("worker_0", infos)
			e.Facts(sections())
			return e
		}
		// Every rule of the default set is there under its own name, so those
		// that join have other ones.
		configs, late := all[:len(all)/2], slices.Clone(all[len(all)/2:])
		for i := range late {
			late[i].Configuration = "late_" + late[i].Rule
		}
		var live []record.Finding
		e := make(configs, &live)
		at := rapid.IntRange(0, len(steps)).Draw(rt, "joins")
		join := func() {
			for _, c := range late {
				joined, _, err := e.Join(c)
				if err != nil {
					rt.Fatal(err)
				}
				configs = append(slices.Clip(configs), joined)
			}
		}
		for i, c := range steps {
			if i == at {
				join()
			}
			e.Observe(c)
			if rapid.IntRange(0, 5).Draw(rt, "restart") == 0 {
				state, err := e.Save()
				if err != nil {
					rt.Fatal(err)
				}
				e = make(configs, &live)
				if err := e.Restore(state); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if at == len(steps) {
			join()
		}
		e.Tick(epoch.Add(time.Hour))
		e.Finish(record.Completed)

		var again []record.Finding
		var asStored []rules.Config // as a check reads them from the run
		for _, s := range e.Statuses() {
			asStored = append(asStored, rules.Config{Rule: s.Rule, Configuration: s.Configuration, Checks: s.Checks, Params: s.Parameters})
		}
		r := make(asStored, &again)
		for _, c := range steps {
			r.Observe(c)
		}
		r.Tick(epoch.Add(time.Hour))
		r.Finish(record.Completed)
		equal(rt, "findings", live, again)
		equal(rt, "statuses", e.Statuses(), r.Statuses())
		for _, f := range live {
			if strings.HasPrefix(f.Configuration, "late_") && at > 0 && at < len(steps) && f.Step < steps[at].Step {
				rt.Fatalf("a rule that joined at step %d found something at step %d: %+v", steps[at].Step, f.Step, f)
			}
		}
	})
}

// What is known of the training already is told to a rule that joins, at the
// first step that it judges, and not again to the others.
func TestJoinedRulesAreToldOfFacts(t *testing.T) {
	e := newListening(t, nil)
	e.Facts(sections())
	observe(e, 1, 2, 3)
	before := heard(e)
	if _, needs, err := e.Join(rules.Config{Rule: "listening", Configuration: "late"}); err != nil || len(needs) > 0 {
		t.Fatal(needs, err)
	}
	if got := heard(e); got != before {
		t.Errorf("heard at once: %s", got)
	}
	observe(e, 4)
	if got, want := heard(e), before+", graph 4, labels 4, network 4, graph 4"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

// A rule that cannot join is refused with the reason, and nothing changes.
func TestJoinRefused(t *testing.T) {
	e := newListening(t, nil)
	observe(e, 1, 2, 3)
	var taken *rules.TakenError
	var unknown *rules.UnknownRuleError
	var wrong *rule.ParamError
	for _, c := range []struct {
		config rules.Config
		as     any
		says   string
	}{
		{rules.Config{Rule: "listening"}, &taken, `"listening" already runs; to run it a second time, give it another name: configuration=listening_2`},
		{rules.Config{Rule: "vanishing_gradeint"}, &unknown, `did you mean "vanishing_gradient"?`},
		{rules.Config{Rule: "overfit", Params: map[string]string{"patienec": "2"}}, &wrong, `"patience"`},
		{rules.Config{Rule: "mine", Params: map[string]string{"source": "/nowhere/mine.py"}}, nil, "no such file"},
	} {
		_, _, err := e.Join(c.config)
		if err == nil || !strings.Contains(err.Error(), c.says) || c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%s: %v, want %s", c.config.Rule, err, c.says)
		}
	}
	if n := len(e.Statuses()); n != 1 {
		t.Errorf("%d configurations", n)
	}
	joined, needs, err := e.Join(rules.Config{Rule: "Overfit", Params: map[string]string{"start_step": "2"}})
	if err != nil || len(needs) == 0 || joined.Configuration != "overfit" || joined.Params["start_step"] != "4" {
		t.Errorf("joined as %+v, needs %v, %v", joined, needs, err)
	}
	e.Leave("overfit")
	if n := len(e.Statuses()); n != 1 {
		t.Errorf("%d configurations after it left", n)
	}
	if joined, _, err = e.Join(rules.Config{Rule: "overfit", Params: map[string]string{"start_step": "90"}}); err != nil || joined.Params["start_step"] != "90" {
		t.Errorf("joined as %+v, %v", joined, err)
	}
	e.Finish(record.Completed)
	if _, _, err := e.Join(rules.Config{Rule: "not_finite"}); err == nil || !strings.Contains(err.Error(), "have ended") {
		t.Errorf("after the end: %v", err)
	}
}
