package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// withClasses is the catalogue with Python classes among the rules.
func withClasses() Catalogue {
	c := catalogue
	c.Own = []Own{{Key: "source", Of: "a Python class", Params: []string{"source", "class"}, Free: true, Paths: []string{"source"}}}
	return c
}

// resolveDocument reads a document as --config does.
func resolveDocument(t *testing.T, text string, f Flags) (Run, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Config = ptr("c.json")
	run, err := Resolve(f, nil, dir, withClasses())
	run.File = ""
	return run, err
}

// The request for a training job, as the console and the SDK write it.
func TestSageMakerRequest(t *testing.T) {
	run, err := resolveDocument(t, `{
  "TrainingJobName": "resnet18-2026-03-01-001",
  "DebugHookConfig": {
    "S3OutputPath": "file:///var/lib/runs",
    "HookParameters": { "train.save_interval": "100", "eval.save_interval": "10" },
    "CollectionConfigurations": [
      { "CollectionName": "gradients", "CollectionParameters": { "save_interval": "500" } },
      { "CollectionName": "relu_out", "CollectionParameters": { "include_regex": ".*relu_output", "save_interval": "500", "reductions": "min,max,abs_mean" } } ] },
  "DebugRuleConfigurations": [
    { "RuleConfigurationName": "Vanishing", "RuleEvaluatorImage": "503895931360.dkr.ecr.us-east-1.amazonaws.com/sagemaker-debugger-rules:latest",
      "RuleParameters": { "rule_to_invoke": "VanishingGradient", "threshold": "0.0000001", "action_json": "[{\"name\":\"stoptraining\"},{\"name\":\"publishmetric\",\"endpoint\":\"http://localhost\"}]" } },
    { "RuleConfigurationName": "mine", "RuleParameters": { "rule_to_invoke": "MyRule", "source_s3_uri": "file:///srv/rules/my.py", "level": "3" } },
    { "RuleConfigurationName": "odd", "RuleParameters": { "rule_to_invoke": "NoSuchRule" } } ],
  "ProfilerConfig": { "ProfilingIntervalInMilliseconds": 1000 },
  "TensorBoardOutputConfig": { "S3OutputPath": "file:///var/lib/runs/tb" }
}`, Flags{Dir: ptr("here")})
	if err != nil {
		t.Fatal(err)
	}
	actions := run.Actions
	run.Actions = nil
	rule := func(name, configuration, from string, params map[string]string) RuleConfig {
		return RuleConfig{Rule: name, Configuration: configuration, Params: params, From: from, Lenient: true}
	}
	want := Defaults()
	want.Dir, want.Name, want.Every, want.Monitor = "here", "resnet18-2026-03-01-001", 100, 1000
	want.Collect = []plan.Collection{
		{Name: "gradients", Schedule: plan.Every(500), Want: plan.Stats | plan.Hist | plan.Raw, By: []string{"c.json:7:9"}},
		{Name: "relu_out", Selector: plan.Selector{Regex: []string{".*relu_output"}}, Schedule: plan.Every(500), Want: plan.Stats | plan.Hist, By: []string{"c.json:8:9"}},
	}
	want.Rule = []RuleConfig{
		rule("vanishing_gradient", "Vanishing", "c.json:10:7", map[string]string{"threshold": "0.0000001"}),
		rule("mine", "mine", "c.json:12:7", map[string]string{"source": "/srv/rules/my.py", "class": "MyRule", "level": "3"}),
		rule("NoSuchRule", "odd", "c.json:13:7", map[string]string{}),
	}
	want.Profiler = []byte(`{"ProfilerConfig":{"ProfilingIntervalInMilliseconds":1000}}`)
	want.Warnings = []string{
		"c.json:15:3: TensorBoardOutputConfig is left out: Vigil does not write for TensorBoard",
	}
	equal(t, run, want)
	if len(actions) != 2 || actions[0].Stop == nil || actions[0].On.Rules[0] != "Vanishing" {
		t.Errorf("actions %+v", actions)
	}
}

// What each parameter of a hook and of a collection does.
func TestHookDocument(t *testing.T) {
	interval := func(every int64) plan.ModeSchedule { return plan.ModeSchedule{Every: every} }
	all := func(s plan.ModeSchedule) plan.Schedule { return plan.Schedule{s, s, s, s} }
	weights := func(c string) string {
		return `{"CollectionConfigurations": [{"CollectionName": "weights", "CollectionParameters": {` + c + `}}]}`
	}
	both := func(h, c string) string {
		return `{"HookParameters": {` + h + `}, "CollectionConfigurations": [{"CollectionName": "weights", "CollectionParameters": {` + c + `}}]}`
	}
	const raw = plan.Stats | plan.Hist | plan.Raw
	for _, c := range []struct {
		name, text string
		schedule   plan.Schedule // of the collection
		want       plan.Want
	}{
		{"nothing said", weights(""), all(interval(500)), raw},
		{"null", `{"HookParameters": null, "CollectionConfigurations": [{"CollectionName": "weights", "CollectionParameters": null}]}`, all(interval(500)), raw},
		{"as text", weights(`"save_interval": "7"`), all(interval(7)), raw},
		{"as a number", weights(`"save_interval": 7`), all(interval(7)), raw},
		{"a range", weights(`"save_interval": "7", "start_step": "3", "end_step": "90"`), all(plan.ModeSchedule{Every: 7, Start: 3, End: 90}), raw},
		{"steps as text", weights(`"save_steps": "9, 1,5"`), all(plan.ModeSchedule{Every: 500, Steps: []int64{1, 5, 9}}), raw},
		{"steps as a list", weights(`"save_steps": [9, 1]`), all(plan.ModeSchedule{Every: 500, Steps: []int64{1, 9}}), raw},
		{"switched off", weights(`"end_step": "0"`), all(plan.ModeSchedule{Every: 500, Off: true}), raw},
		{"no end", weights(`"end_step": "None"`), all(interval(500)), raw},
		{"one mode", weights(`"eval.save_interval": "2"`), plan.Schedule{interval(500), interval(2), interval(500), interval(500)}, raw},
		{"one mode switched off", weights(`"predict.end_step": "0"`), plan.Schedule{interval(500), interval(500), {Every: 500, Off: true}, interval(500)}, raw},
		{"the hook's", both(`"save_interval": "20"`, ""), all(interval(20)), raw},
		{"the collection's before the hook's", both(`"save_interval": "20"`, `"save_interval": "3"`), all(interval(3)), raw},
		{"the collection's before the hook's of a mode", both(`"train.save_interval": "20"`, `"save_interval": "3"`), all(interval(3)), raw},
		{"the hook's of a mode before the hook's", both(`"save_interval": "20", "global.save_interval": "4"`, ""), plan.Schedule{interval(20), interval(20), interval(20), interval(4)}, raw},
		{"the collection's of a mode before all", both(`"train.save_interval": "20"`, `"train.save_interval": "5", "save_interval": "3"`), plan.Schedule{interval(5), interval(3), interval(3), interval(3)}, raw},
		{"key by key", both(`"save_interval": "20", "start_step": "8"`, `"save_interval": "3"`), all(plan.ModeSchedule{Every: 3, Start: 8}), raw},
		{"reductions", weights(`"reductions": "min, abs_l2_norm,std"`), all(interval(500)), plan.Stats | plan.Hist},
		{"reductions as a list", weights(`"reductions": ["min", "l1"]`), all(interval(500)), plan.Stats | plan.Hist},
		{"reductions and values, as text", weights(`"reductions": "min", "save_raw_tensor": "True"`), all(interval(500)), raw},
		{"reductions and no values", weights(`"reductions": "min", "save_raw_tensor": false, "save_shape": "True"`), all(interval(500)), plan.Stats | plan.Hist},
		{"the hook's reductions", both(`"reductions": "min"`, ""), all(interval(500)), plan.Stats | plan.Hist},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := resolveDocument(t, c.text, Flags{})
			if err != nil || len(run.Collect) != 1 || len(run.Warnings) > 0 {
				t.Fatalf("%+v, %v", run, err)
			}
			equal(t, run.Collect[0].Schedule, c.schedule)
			equal(t, run.Collect[0].Want, c.want)
		})
	}
}

// What the hook's parameters do besides.
func TestHookDocumentSettings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(r *Run)
		warning    string
	}{
		{"save_all", `{"HookParameters": {"save_all": "True", "save_interval": 5}}`, func(r *Run) { r.SaveAll, r.Every = true, 5 }, ""},
		{"workers", `{"HookParameters": {"include_workers": "all"}}`, func(r *Run) { r.AllWorkers = true }, ""},
		{"any other text means one worker", `{"HookParameters": {"include_workers": "ALL"}}`, func(*Run) {}, ""},
		{"nothing saved", `{"HookParameters": {"save_all": "False"}}`, func(*Run) {}, ""},
		{"dry_run", `{"HookParameters": {"dry_run": "True"}}`, func(*Run) {}, "dry_run is left out: what is captured is stored"},
		{"no dry_run", `{"HookParameters": {"dry_run": false}}`, func(*Run) {}, ""},
		{"a hook that says nothing", `{"HookParameters": null, "CollectionConfigurations": null}`, func(*Run) {}, ""},
		{"one worker", `{"HookParameters": {"include_workers": "one"}}`, func(*Run) {}, ""},
		{"interval of TRAIN", `{"HookParameters": {"save_interval": "9", "train.save_interval": "4"}}`, func(r *Run) { r.Every = 4 }, ""},
		{"tensors by pattern", `{"HookParameters": {"include_regex": "conv1, fc.*", "save_interval": "4"}}`, func(r *Run) {
			r.Every = 4
			r.Collect = []plan.Collection{{
				Name: "default", Selector: plan.Selector{Regex: []string{"conv1", "fc.*"}}, Schedule: plan.Every(4),
				Want: plan.Stats | plan.Hist | plan.Raw, By: []string{"c.json:1:21"},
			}}
		}, ""},
		{"losses are kept as they are", `{"CollectionConfigurations": [{"CollectionName": "losses", "CollectionParameters": {"reductions": "min"}}]}`, func(r *Run) {
			r.Collect = []plan.Collection{{Name: "losses", Schedule: plan.Every(500), Want: plan.Stats | plan.Hist | plan.Raw, By: []string{"c.json:1:32"}}}
		}, ""},
		{"and so are all collections of numbers", `{"CollectionConfigurations": [{"CollectionName": "metrics"}, {"CollectionName": "feature_importance"}, {"CollectionName": "average_shap"}], "HookParameters": {"reductions": "min"}}`, func(r *Run) {
			for i, name := range []string{"metrics", "feature_importance", "average_shap"} {
				at := []string{"c.json:1:32", "c.json:1:63", "c.json:1:105"}[i]
				r.Collect = append(r.Collect, plan.Collection{Name: name, Schedule: plan.Every(500), Want: plan.Stats | plan.Hist | plan.Raw, By: []string{at}})
			}
		}, ""},
		{"what optimisers keep", `{"CollectionConfigurations": [{"CollectionName": "optimizer_variables", "CollectionParameters": {"reductions": "min"}}]}`, func(r *Run) {
			r.Collect = []plan.Collection{{Name: "optimizer_variables", Schedule: plan.Every(500), Want: plan.Stats | plan.Hist, By: []string{"c.json:1:32"}}}
		}, ""},
		{"names", `{"CollectionConfigurations": [{"CollectionName": "mine", "CollectionParameters": {"tensor_names": "a.weight,b"}}]}`, func(r *Run) {
			r.Collect = []plan.Collection{{
				Name: "mine", Selector: plan.Selector{Names: []string{"a.weight", "b"}}, Schedule: plan.Every(500),
				Want: plan.Stats | plan.Hist | plan.Raw, By: []string{"c.json:1:32"},
			}}
		}, ""},
		{"output elsewhere", `{"S3OutputPath": "s3://bucket/x", "LocalPath": "/opt/ml/output/tensors"}`, func(*Run) {}, `nothing is written to "s3://bucket/x"`},
		{"output here", `{"S3OutputPath": "file:///data/runs"}`, func(r *Run) { r.Dir = "/data/runs" }, ""},
		{"an unknown parameter", `{"HookParameters": {"save_intervall": "5"}}`, func(*Run) {}, `save_intervall is ignored: did you mean "save_interval"?`},
		{"TensorBoard", `{"HookParameters": {"export_tensorboard": "True"}}`, func(*Run) {}, "export_tensorboard is left out"},
		{"a collection of another framework", `{"CollectionConfigurations": [{"CollectionName": "sm_metrics"}]}`, func(*Run) {}, "the collection sm_metrics is left out"},
		{"a reduction that is not computed", `{"HookParameters": {"reductions": "abs_median,min"}}`, func(*Run) {}, "the reduction abs_median is not computed"},
		{"median and product", `{"CollectionConfigurations": [{"CollectionName": "biases", "CollectionParameters": {"reductions": "median, abs_prod,l2_norm"}}]}`, func(r *Run) {
			r.Collect = []plan.Collection{{Name: "biases", Schedule: plan.Every(500), Want: plan.Stats | plan.Hist | plan.Median | plan.Prod, By: []string{"c.json:1:32"}}}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := resolveDocument(t, c.text, Flags{})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(run.Warnings, "\n"); !strings.Contains(text, c.warning) || (c.warning == "") != (text == "") {
				t.Errorf("warnings %q, want %q", text, c.warning)
			}
			run.Warnings = nil
			want := Defaults()
			c.want(&want)
			equal(t, run, want)
		})
	}
}

// A mistake in what is captured is told before anything starts.
func TestSageMakerErrors(t *testing.T) {
	weights := func(c string) string {
		return `{"CollectionConfigurations": [{"CollectionName": "weights", "CollectionParameters": {` + c + `}}]}`
	}
	for _, c := range []struct{ name, text, message, hint string }{
		{"an interval of 0", weights(`"save_interval": "0"`), `c.json:1:103: save_interval: "0" is not a whole number of at least 1`, ""},
		{"whether it is a dry run", `{"HookParameters": {"dry_run": "maybe"}}`, `dry_run: "maybe" is neither true nor false`, ""},
		{"an interval of the hook, of which nobody asks", `{"HookParameters": {"eval.save_interval": "0"}}`, `eval.save_interval: "0"`, ""},
		{"steps", weights(`"save_steps": "1,x"`), `save_steps: "x"`, ""},
		{"a pattern", weights(`"include_regex": "a("`), `"a(" is not a regular expression`, "Python"},
		{"a reduction", weights(`"reductions": "min,abs_meen"`), `there is no reduction "abs_meen"`, `did you mean "mean"?`},
		{"a boolean", weights(`"reductions": "min", "save_raw_tensor": "maybe"`), `save_raw_tensor: "maybe" is neither true nor false`, ""},
		{"a collection of no tensors", `{"CollectionConfigurations": [{"CollectionName": "weigths"}]}`, `collection "weigths" is not built in`, `did you mean "weights"?`},
		{"a collection without a name", `{"CollectionConfigurations": [{"CollectionParameters": {}}]}`, "a collection without a name", "CollectionName"},
		{"a list of parameters", `{"HookParameters": ["save_interval"]}`, "HookParameters must be key: value pairs, not a list", ""},
		{"a rule without a name", `{"DebugRuleConfigurations": [{"RuleParameters": {"threshold": "1"}}]}`, "names no rule", "rule_to_invoke"},
		{"one name for two rules", `{"DebugRuleConfigurations": [{"RuleConfigurationName": "a"}, {"RuleConfigurationName": "a"}]}`, `the rule configuration "a" already exists`, "its own"},
		{"a job's name", `{"TrainingJobName": "a/b"}`, "cannot be the name of a directory", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := resolveDocument(t, c.text, Flags{})
			refused(t, err, c.message, c.hint)
		})
	}
}

// Flags and variables count before the document, and add to it.
func TestFlagsBeforeDocument(t *testing.T) {
	run, err := resolveDocument(t, `{"TrainingJobName": "a", "DebugHookConfig": {"HookParameters": {"save_interval": "5"},
  "CollectionConfigurations": [{"CollectionName": "weights"}, {"CollectionName": "biases"}]}}`,
		Flags{Name: ptr("b"), Every: ptr("7"), Collect: []string{"weights:every=2"}, Rules: ptr("none")})
	if err != nil {
		t.Fatal(err)
	}
	if run.Name != "b" || run.Every != 7 || run.Rules != "none" || len(run.Collect) != 2 || run.Collect[0].Name != "biases" || !run.Collect[1].Schedule.Due(record.Train, 2, 0) {
		t.Errorf("%+v", run)
	}
}
