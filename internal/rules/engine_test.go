package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

func TestNames(t *testing.T) {
	for spelling, want := range map[string]string{
		"vanishing_gradient": "vanishing_gradient", "VanishingGradient": "vanishing_gradient", "vanishinggradient": "vanishing_gradient",
		"StalledTrainingRule": "stalled_training_rule", "StalledTraining": "stalled_training_rule", "stalled_training": "stalled_training_rule",
		"weight_update": "weight_update_ratio", "WeightUpdate": "weight_update_ratio", "not_finite": "not_finite", "NotFinite": "not_finite",
		"underfitting": "underfit", "Underfitting": "underfit", "Underfit": "underfit", "GradientClipping": "gradient_clipping", "gradientclipping": "gradient_clipping",
		"SimilarAcrossRuns": "similar_across_runs", "similaracrossruns": "similar_across_runs", "TreeDepth": "tree_depth", "ClassifierConfusion": "confusion", "classifier_confusion": "confusion", "LowFeatureImportance": "low_feature_importance",
	} {
		if d, ok := rules.Lookup(spelling); !ok || d.Name != want {
			t.Errorf("%q finds %v", spelling, d)
		}
	}
	var unknown *rules.UnknownRuleError
	if err := rules.Check(rules.Config{Rule: "vanishing_gradien"}); !errors.As(err, &unknown) || unknown.Nearest != "vanishing_gradient" {
		t.Errorf("error is %v", err)
	}
	if _, err := rules.Set("defualt", ""); err == nil || !strings.Contains(err.Error(), `"default"`) {
		t.Errorf("error is %v", err)
	}
}

// Every definition is complete, and its causes are of the closed list.
func TestDefinitions(t *testing.T) {
	for _, d := range rules.Catalogue() {
		if d.Name == "" || d.Class == "" || d.Summary == "" || d.Why == "" || d.New == nil || d.Needs == nil || len(d.Causes) == 0 || len(d.Remedies) == 0 {
			t.Errorf("%s is incomplete", d.Name)
		}
		if !slices.Contains(rule.CauseClasses, d.CauseClass) {
			t.Errorf("%s: cause class %q is not in the list", d.Name, d.CauseClass)
		}
		p, err := d.Parse(nil)
		if err != nil {
			t.Errorf("%s: defaults are refused: %v", d.Name, err)
		}
		if _, err := d.New(p); err != nil && d.Example == nil {
			t.Errorf("%s: defaults are refused: %v", d.Name, err)
		} else if err == nil && d.Example != nil {
			t.Errorf("%s: defaults suffice, yet it has an example", d.Name)
		}
		if err := rules.Check(rules.Config{Rule: d.Name, Params: d.Example}); err != nil {
			t.Errorf("%s: its example is refused: %v", d.Name, err)
		}
		if d.Default != nil {
			if err := rules.Check(rules.Config{Rule: d.Name, Params: d.Default.Params}); err != nil {
				t.Errorf("%s: default set is refused: %v", d.Name, err)
			}
		}
		for _, s := range append(d.Explains, d.ExplainsAlways...) {
			of, _, _ := strings.Cut(s, "/")
			if _, ok := rules.Lookup(of); !ok {
				t.Errorf("%s explains %q, which is of no rule", d.Name, s)
			}
		}
	}
}

func TestWrongConfigurations(t *testing.T) {
	j := newJob(t, config("vanishing_gradient", "treshold", "1"), config("vanishing"), config("weight_update_ratio", "large_threshold", "1e-9"),
		config("exploding_tensor", "tensor_regex", "(") /* regex */, config("vanishing_gradient"))
	j.feed(tensorAt("gradient/a", 0, vec(0, 0)))
	all := j.engine.Statuses()
	for i, want := range []string{`did you mean "threshold"`, `did you mean "vanishing_gradient"`, "small_threshold", "regular expression"} {
		if all[i].Status != rules.StatusError || !strings.Contains(all[i].Details, want) {
			t.Errorf("status %d is %+v", i, all[i])
		}
	}
	if s := all[4]; s.Status != rules.IssuesFound || s.Configuration != "vanishing_gradient_2" {
		t.Errorf("the good configuration is %+v", s)
	}
}

func TestDetailsAndCounters(t *testing.T) {
	j := newJob(t, config("VanishingGradient"))
	j.feed(tensorAt("gradient/a", 3, vec(1, 1)), tensorAt("gradient/a", 7, vec(0, 0)), tensorAt("gradient/a", 9, vec(0, 0)))
	s := j.status()
	first, rest, _ := strings.Cut(s.Details, "\n")
	if first != "RuleEvaluationConditionMet: Evaluation of the rule VanishingGradient at step 7 resulted in the condition being met" || rest != j.found[0].Message {
		t.Errorf("details are %q", s.Details)
	}
	if s.RuleTriggered != 2 || s.Violations != 2 || s.Datapoints != 3 || s.Findings != 2 || s.Parameters["threshold"] != "0.0000001" {
		t.Errorf("status is %+v", s)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(asJSON(t, j.found[0])), &fields); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"rule", "rule_class", "configuration", "severity", "step", "mode", "mode_step", "worker", "time", "check", "subject", "observed", "threshold", "comparator", "context", "message", "cause_class", "cause", "remedy"} {
		if v, ok := fields[f]; !ok || v == "" {
			t.Errorf("finding has no %q: %v", f, fields)
		}
	}
}

func TestCommonParameters(t *testing.T) {
	bad := func(step int64) input { return tensorAt("gradient/a", step, vec(0)) }
	all := []input{bad(0), bad(5), bad(10), bad(15)}
	cases := map[string]struct {
		params []string
		fires  []int64
	}{
		"start and end":  {[]string{"start_step", "5", "end_step", "15"}, []int64{5, 10}},
		"stop on fire":   {[]string{"on_fire", "stop"}, []int64{0}},
		"max findings":   {[]string{"max_findings", "2"}, []int64{0, 5}},
		"other workers":  {[]string{"workers", "worker_7"}, []int64{}},
		"chief":          {[]string{"workers", "chief"}, []int64{0, 5, 10, 15}},
		"list":           {[]string{"workers", "worker_3,worker_0"}, []int64{0, 5, 10, 15}},
		"ignored fields": {[]string{"base_trial", "x", "action_json", "{}"}, []int64{0, 5, 10, 15}},
	}
	for name, c := range cases {
		j := newJob(t, config("vanishing_gradient", c.params...))
		j.feed(all...)
		if got := j.fired(); !slices.Equal(got, c.fires) {
			t.Errorf("%s: fires at %v, want %v (%s)", name, got, c.fires, j.status().Details)
		}
	}
	j := newJob(t, config("vanishing_gradient", "max_findings", "2"))
	j.feed(all...)
	if s := j.status(); s.Violations != 4 || s.Findings != 2 || !strings.Contains(s.Details, "more than 2 findings") {
		t.Errorf("status is %+v", s)
	}
}

func TestSeveralWorkers(t *testing.T) {
	j := newJob(t, config("vanishing_gradient"), config("loss_not_decreasing", "every", "1"))
	step := func(n int64, losses ...float64) {
		var parts []*record.Step
		for i, l := range losses {
			w := []string{"worker_0", "worker_1"}[i]
			parts = append(parts, j.part(w, input{step: n, scalars: map[string]float64{"loss": l}, tensors: map[string]values{"gradient/a": vec(0), "gradient/b": vec(float64(i) * 1e-9)}}))
		}
		j.engine.Observe(rules.NewComplete(parts))
	}
	step(0, 1, 3)
	if len(j.found) != 2 || !slices.Equal(j.found[0].Workers, []string{"worker_0", "worker_1"}) || j.found[0].Worker != "worker_0" {
		t.Fatalf("findings are %+v", j.found)
	}
	if s := j.status(); s.Violations != 4 || s.Findings != 2 {
		t.Errorf("status is %+v", s)
	}
	j.found = nil
	step(10, 1.2, 2.6) // mean 2 -> 1.9
	step(20, 1.9)      // worker_0 alone: 1.2 -> 1.9
	var loss []record.Finding
	for _, f := range j.found {
		if f.Rule == "loss_not_decreasing" {
			loss = append(loss, f)
		}
	}
	if len(loss) != 1 || loss[0].Step != 20 || !near(float64(loss[0].Observed), 100*0.7/1.2, 1e-9) {
		t.Errorf("findings are %+v", loss)
	}
}

func TestModes(t *testing.T) {
	j := newJob(t, config("loss_not_decreasing", "every", "1", "num_steps", "1"))
	at := func(step int64, mode record.Mode, x float64) {
		j.feed(input{step: step, mode: mode, scalars: map[string]float64{"loss": x}})
	}
	at(0, record.Train, 1)
	at(1, record.Train, 1) // no EVAL yet: TRAIN is judged
	at(2, record.Eval, 5)
	at(3, record.Train, 1) // EVAL is there: TRAIN is not judged any more
	at(4, record.Eval, 4)
	at(5, record.Eval, 4)
	if got := j.fired(); !slices.Equal(got, []int64{1, 5}) {
		t.Errorf("fires at %v", got)
	}
	j = newJob(t, config("loss_not_decreasing", "every", "1", "num_steps", "1", "mode", "GLOBAL"))
	at(0, record.Train, 1)
	at(1, record.Eval, 5)
	if got := j.fired(); !slices.Equal(got, []int64{1}) {
		t.Errorf("fires at %v", got)
	}
}

func TestAliasesAreJudgedOnce(t *testing.T) {
	for _, order := range [][]string{{"loss", "Alias_output_0"}, {"Alias_output_0", "loss"}} {
		j := newJob(t, config("loss_not_decreasing", "every", "1"), config("all_zero", "tensor_regex", "Alias"))
		for _, n := range order {
			info := record.TensorInfo{Name: n, Kind: record.Loss}
			if n != "loss" {
				info.AliasOf = "loss"
			}
			j.describe(info)
		}
		for s := range int64(3) {
			j.feed(input{step: s * 10, scalars: map[string]float64{"loss": 0, "Alias_output_0": 0}})
		}
		if n := j.status().Datapoints; n != 2 {
			t.Errorf("announced as %v: %d evaluations, want 2", order, n)
		}
		if s := j.engine.Statuses()[1]; s.Datapoints != 3 {
			t.Errorf("a rule that asks for the other name only sees %d", s.Datapoints)
		}
	}
}

type broken struct{ rule.Rule }

func (broken) Select() []rule.Selector       { return []rule.Selector{rule.Everything()} }
func (broken) Step(*rule.View, *rule.Report) { panic("oh no") }
func (broken) Finish(*rule.Report)           {}
func (broken) Save() ([]byte, error)         { return nil, errors.New("cannot") }
func (broken) Restore([]byte) error          { return nil }

func TestOneRuleFails(t *testing.T) {
	def := &rule.Definition{Name: "broken", Class: "Broken", New: func(rule.Params) (rule.Rule, error) { return broken{}, nil }}
	e, err := rules.NewEngine(rules.Options{Configs: []rules.Config{{Rule: "broken"}, {Rule: "vanishing_gradient"}}, Definitions: []*rule.Definition{def}})
	if err != nil {
		t.Fatal(err)
	}
	s := &record.Step{Worker: "worker_0", Stats: []record.TensorStats{{Tensor: "gradient/a"}}}
	s.Stats[0].Count, s.Stats[0].Zeros = 1, 1
	e.Observe(rules.NewComplete([]*record.Step{s}))
	if _, err := e.Save(); err != nil {
		t.Error(err)
	}
	all := e.Statuses()
	if all[0].Status != rules.StatusError || !strings.Contains(all[0].Details, "oh no") || all[1].Status != rules.IssuesFound {
		t.Errorf("statuses are %+v", all)
	}
}

// rawReader notes what it could read of each step.
type rawReader struct{ read *[]string }

func (rawReader) Select() []rule.Selector { return nil }
func (r rawReader) Step(v *rule.View, _ *rule.Report) {
	if _, err := v.Raw("worker_0", "w"); err == nil {
		*r.read = append(*r.read, fmt.Sprintf("%s %d", v.Mode, v.ModeStep))
	}
}
func (rawReader) Finish(*rule.Report)   {}
func (rawReader) Save() ([]byte, error) { return []byte("null"), nil }
func (rawReader) Restore([]byte) error  { return nil }

// Raw values are stored by mode step, so that is what they are asked for by.
func TestRawOfModeStep(t *testing.T) {
	var read []string
	def := &rule.Definition{Name: "reader", Class: "Reader", New: func(rule.Params) (rule.Rule, error) { return rawReader{&read}, nil }}
	e, err := rules.NewEngine(rules.Options{
		Configs: []rules.Config{{Rule: "reader"}}, Definitions: []*rule.Definition{def},
		Raw: func(worker, tensor string, mode record.Mode, modeStep int64) (rule.Values, error) {
			if worker != "worker_0" || tensor != "w" || mode != record.Eval || modeStep != 2 {
				return rule.Values{}, fs.ErrNotExist
			}
			return rule.Values{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, s := range []record.Step{{Mode: record.Train}, {Mode: record.Eval, ModeStep: 1}, {Mode: record.Train, ModeStep: 2}, {Mode: record.Eval, ModeStep: 2}} {
		s.Worker, s.Step = "worker_0", int64(n)
		e.Observe(rules.NewComplete([]*record.Step{&s}))
	}
	if !slices.Equal(read, []string{"EVAL 2"}) {
		t.Errorf("read %v", read)
	}
}

func TestMutes(t *testing.T) {
	var found []record.Finding
	e, err := rules.NewEngine(rules.Options{
		Configs: []rules.Config{{Rule: "vanishing_gradient"}}, OnFinding: func(f record.Finding) { found = append(found, f) },
		Mutes: []rules.Mute{{Rule: "VanishingGradient", Subject: "^gradient/(?=a)", Reason: "pruned"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &record.Step{Worker: "worker_0", Stats: []record.TensorStats{{Tensor: "gradient/a"}}}
	s.Stats[0].Count, s.Stats[0].Zeros = 1, 1
	e.Observe(rules.NewComplete([]*record.Step{s}))
	if st := e.Statuses()[0]; len(found) != 1 || !found[0].Muted || found[0].Context["muted_because"] != "pruned" || st.Status != rules.InProgress || st.Findings+st.Violations+st.RuleTriggered != 0 {
		t.Errorf("findings %+v, status %+v", found, st)
	}
	if g := e.Groups(); len(g) != 0 {
		t.Errorf("groups are %+v", g)
	}
	if _, err := rules.NewEngine(rules.Options{Mutes: []rules.Mute{{Subject: "("}}}); err == nil {
		t.Error("a broken pattern is taken")
	}
}

func TestNothingMatches(t *testing.T) {
	j := newJob(t, config("all_zero", "tensor_regex", "nowhere", "collection_names", "nothing"))
	for s := range int64(60) {
		j.feed(tensorAt("w.weight", s, vec(1)))
	}
	j.engine.Finish(record.Completed)
	if s := j.status(); s.Status != rules.NoIssuesFound || !strings.Contains(s.Details, "no matching tensor was ever saved") {
		t.Errorf("status is %+v", s)
	}
	if len(j.warned) != 1 || !strings.Contains(j.warned[0], `collection "nothing", pattern "nowhere"`) {
		t.Errorf("warnings are %q", j.warned)
	}
	// Where only a part of the run is judged, that part is named.
	for part, params := range map[string][]string{
		" by worker_7": {"workers", "worker_7"}, " from step 60 on": {"start_step", "60"}, " by worker_3, worker_7 from step 1 on before step 2": {"workers", "worker_3,worker_7", "start_step", "1", "end_step", "2"},
	} {
		j := newJob(t, config("all_zero", params...))
		j.feed(tensorAt("w.weight", 0, vec(1)), tensorAt("w.weight", 1, vec(1)))
		j.engine.Finish(record.Completed)
		if s := j.status(); !strings.HasSuffix(s.Details, "no matching tensor was ever saved"+part) {
			t.Errorf("%v: status is %+v", params, s)
		}
	}
}

func TestStopped(t *testing.T) {
	j := newJob(t, config("vanishing_gradient"), config("all_zero"))
	j.feed(tensorAt("gradient/a", 0, vec(1)))
	j.feed(tensorAt("Net.weight", 1, vec(0)))
	j.engine.Finish(record.Stopped)
	all := j.engine.Statuses()
	if all[0].Status != rules.Stopped || all[1].Status != rules.IssuesFound {
		t.Errorf("statuses are %+v", all)
	}
	if !strings.Contains(all[1].Details, "every saved tensor is inspected") {
		t.Errorf("details are %q", all[1].Details)
	}
}

// The golden vector of StalledTrainingRule: a script that sleeps 200 s between
// steps is found between 60 s and 72 s after its last tensor, and stopped; a
// replay dates the finding alike.
func TestStalledTraining(t *testing.T) {
	c := config("StalledTrainingRule", "threshold", "60", "stop_training_on_fire", "True")
	live, replay := newJob(t, c), newJob(t, c)
	tick := func(j *job, seconds int) { j.engine.Tick(epoch.Add(time.Duration(seconds) * time.Second)) }
	for s := range 5 {
		tick(live, s)
	}
	live.feed(scalarsAt("loss", 1, 1, 1, 1, 1, 1, 1)...) // last at 5 s
	for s := 6; s < 205; s++ {
		tick(live, s)
		if s <= 65 && len(live.found) > 0 {
			t.Fatalf("found after %d s", s-5)
		}
		if s == 77 && len(live.found) != 1 {
			t.Fatalf("not found after %d s", s-5)
		}
	}
	live.feed(input{step: 205, scalars: map[string]float64{"loss": 1}})
	tick(live, 400)
	tick(replay, 0)
	replay.feed(scalarsAt("loss", 1, 1, 1, 1, 1, 1, 1)...)
	replay.feed(input{step: 205, scalars: map[string]float64{"loss": 1}})
	tick(replay, 400)
	if len(live.found) != 2 || live.found[0].Context["stop_training"] != true || live.found[0].Severity != record.Error {
		t.Errorf("findings are %+v", live.found)
	}
	if at := live.found[0].Time.Sub(epoch); at != 65*time.Second || live.found[0].Step != 5 {
		t.Errorf("finding is dated %s at step %d", at, live.found[0].Step)
	}
	equal(t, "findings", live.found, replay.found)

	other := newJob(t, config("stalled_training", "threshold", "60", "stop_training_on_fire", "True", "training_job_name_prefix", "other-"))
	tick(other, 0)
	tick(other, 61)
	if len(other.found) != 1 || other.found[0].Context["stop_training"] != nil || !strings.Contains(other.status().Details, `"other-"`) {
		t.Errorf("a job with another name: %+v, %+v", other.found, other.status())
	}
}

func TestMerge(t *testing.T) {
	set, err := rules.Set("default", "pytorch")
	if err != nil {
		t.Fatal(err)
	}
	got := rules.Merge(set, []rules.Config{{Rule: "DeadRelu", Params: map[string]string{"unit": "channel"}}, {Rule: "all_zero"}, {Rule: "all_zero"}})
	var names []string
	for _, c := range got {
		names = append(names, c.Configuration)
		if c.Configuration == "dead_relu" && len(c.Params) != 1 {
			t.Errorf("what the user names keeps the set's parameters: %v", c.Params)
		}
	}
	want := []string{"not_finite", "output_activation", "loss_choice", "labels_fit", "data_scaling", "zero_grad", "not_updated", "evaluation_mode", "initial_weights", "network_structure", "regularisation", "same_batches", "padding", "clipping", "optimiser_settings", "vanishing_gradient", "exploding_tensor", "learning_rate", "loss_spike", "loss_flat", "impossible_loss", "too_few_updates", "ranks_diverge", "loss_not_decreasing", "slow_training", "memory_growth", "overfit", "dead_relu", "all_zero", "all_zero_2"}
	if !slices.Equal(names, want) {
		t.Errorf("configurations are %v", names)
	}
	needy := 0 // rules that need to be told more than their defaults
	for _, d := range rules.Catalogue() {
		if d.Example != nil || !d.Applies("pytorch") {
			needy++
		}
	}
	all, err := rules.Set("all", "pytorch")
	if err != nil || len(all) != len(rules.Catalogue())-needy {
		t.Errorf("all: %d configurations, %v", len(all), err)
	}
	if none, err := rules.Set("none", ""); err != nil || len(none) != 0 {
		t.Errorf("none: %v, %v", none, err)
	}
}
