package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// The documented example says every key, and means what its comments say.
func TestDocumentedExample(t *testing.T) {
	file := filepath.Join(testenv.Root(), "docs", "vigil.example.yaml")
	run, err := Resolve(Flags{Config: &file}, nil, t.TempDir(), catalogue)
	if err != nil {
		t.Fatal(err)
	}
	at := func(pos string) string { return file + ":" + pos }
	off := plan.ModeSchedule{Off: true}
	attention := plan.ModeSchedule{Every: 100, Start: 1000, End: 5000, Steps: []int64{0, 1, 2}}
	equal(t, run, Run{
		Dir: "vigil-runs", Name: "resnet-baseline", Note: "the first with warm-up", Tags: map[string]string{"experiment": "warm-up", "data": "v3"}, Resume: "resnet-baseline", ResumeStep: ptr(int64(400)), File: file, Rules: "default", Every: 50, Budget: 0.02, Keep: 20e9, KeepAge: 7 * 24 * time.Hour, MinFree: MinFree{Share: 0.05}, Monitor: 500,
		StopOn:  When{Severity: record.Error},
		Windows: []Window{{Spec: "stacks:steps=50-80", FirstStep: ptr(int64(50)), EndStep: ptr(int64(81))}}, KeepOutput: ptr(true),
		Rule: []RuleConfig{
			{"vanishing_gradient", "vanishing_gradient", map[string]string{"threshold": "1e-8"}, at("38:5"), false},
			{"dead_relu", "dead_relu_in_the_head", map[string]string{"tensor_regex": `["^head\\..*relu_output"]`, "threshold_layer": "30"}, at("39:5"), false},
		},
		Collect: []plan.Collection{
			{Name: "gradients", Schedule: plan.Schedule{{Every: 10}, off, off, off}, By: []string{at("47:5")}},
			{
				Name: "attention", Selector: plan.Selector{Regex: []string{"attn.*weight", `attn_output_\d`}},
				Schedule: plan.Schedule{attention, attention, off, off}, Want: plan.Raw, By: []string{at("48:5")},
			},
			{
				Name: "norms", Selector: plan.Selector{ModuleTypes: []string{"BatchNorm2d", "LayerNorm"}, Side: record.Output},
				Want: plan.Stats | plan.Hist, By: []string{at("56:5")},
			},
		},
		Mutes:   []Mute{{"dead_relu", `^stem\.`, "the stem is pruned on purpose"}},
		Actions: exampleActions(at),
	})
}

func TestEveryKeyIsInTheExample(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "vigil.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{name: "example", cat: catalogue}
	root, err := d.parse(data)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := d.mapping(root, "the file")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, p := range pairs {
		keys = append(keys, p.key)
	}
	equal(t, keys, slices.Concat(scalarKeys, listKeys, serviceKeys))
}

func TestFileForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(r *Run)
	}{
		{"empty", "", func(*Run) {}},
		{"comment only", "# nothing\n", func(*Run) {}},
		{"null", "---\n", func(*Run) {}},
		{"bom-free document marks", "---\nevery: 5\n", func(r *Run) { r.Every = 5 }},
		{"auto", "every: auto\n", func(*Run) {}},
		{"quoted", `budget: "5 %"`, func(r *Run) { r.Budget = 0.05 }},
		{"json form", `{"every": 5, "strict": true}`, func(r *Run) { r.Every, r.Strict = 5, true }},
		{"crlf", "every: 5\r\nkeep: 1GiB\r\n", func(r *Run) { r.Every, r.Keep = 5, 1<<30 }},
		{"an age", "keep: 36h\n", func(r *Run) { r.Keep, r.KeepAge = 0, 36*time.Hour }},
		{"a share of the disk", "min-free: 1%\n", func(r *Run) { r.MinFree = MinFree{Share: 0.01} }},
		{"some of the disk", "min-free: 10GB\n", func(r *Run) { r.MinFree = MinFree{Bytes: 10e9} }},
		{"size and age", "keep: 1GB,2w\n", func(r *Run) { r.Keep, r.KeepAge = 1e9, 14*24*time.Hour }},
		{"size and age as a list", "keep: [7d, 1GB]\n", func(r *Run) { r.Keep, r.KeepAge = 1e9, 7*24*time.Hour }},
		{"yes", "save-all: yes\n", func(r *Run) { r.SaveAll = true }},
		{"stop-on list", "stop-on: [DeadRelu, error]\n", func(r *Run) { r.StopOn = When{Severity: record.Error, Rules: []string{"dead_relu"}} }},
		{"stop-on never", "stop-on: never\n", func(*Run) {}},
		{"one rule, no list", "rule: dead_relu\n", func(r *Run) {
			r.Rule = []RuleConfig{{"dead_relu", "dead_relu", nil, "c.yaml:1:7", false}}
		}},
		{"empty lists", "rule:\ncollect: []\nmute:\nactions: ~\n", func(*Run) {}},
		{"stop on a configuration", "stop-on: tight\nrule:\n- DeadRelu:configuration=tight\n", func(r *Run) {
			r.StopOn.Rules = []string{"tight"}
			r.Rule = []RuleConfig{{"dead_relu", "tight", nil, "c.yaml:3:3", false}}
		}},
		{"anchor", "every: &n 7\n", func(r *Run) { r.Every = 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := parseFile([]byte(c.text), "c.yaml", catalogue)
			if err != nil {
				t.Fatal(err)
			}
			got, want := Defaults(), Defaults()
			if err := got.join([]layer{l}, catalogue); err != nil {
				t.Fatal(err)
			}
			c.want(&want)
			equal(t, got, want)
		})
	}
}

func TestFileErrors(t *testing.T) {
	for _, c := range []struct{ name, text, message, hint string }{
		{"syntax", "every: 5\nrule: [a\n", "c.yaml:2:", "quotes"},
		{"tab", "rule:\n\t- a\n", "c.yaml:2:", "indentation"},
		{"unknown key", "every: 5\nbugdet: 2%\n", `c.yaml:2:1: unknown key "bugdet"`, `did you mean "budget"?`},
		{"underscore", "save_all: true\n", `c.yaml:1:1: unknown key "save_all"`, `did you mean "save-all"?`},
		{"twice", "every: 5\nevery: 6\n", "c.yaml:2:1", ""},
		{"not pairs", "- a\n", "c.yaml:1:1: the file must be key: value pairs, not a list", ""},
		{"scalar", "hello\n", "must be key: value pairs", ""},
		{"bad integer", "dir: x\nevery: many\n", `c.yaml:2:8: every: "many" is not a whole number of at least 1`, ""},
		{"bad budget", "budget: 0.02\n", `c.yaml:1:9: budget: "0.02"`, ""},
		{"bad size", "keep: lots\n", `c.yaml:1:7: keep: "lots" is neither a size nor an age`, "20GB,7d"},
		{"bad share", "min-free: 0\n", `c.yaml:1:11: min-free: "0" is neither a share nor a size of the disk`, "10GB"},
		{"two sizes", "keep: 20GB,30GB\n", `c.yaml:1:7: keep: "20GB,30GB" names two sizes, 20GB and 30GB`, "one size and one age"},
		{"nothing to keep", "keep:\n", `keep: it is empty`, "20GB,7d"},
		{"bad set", "rules: defualt\n", `"defualt" is none of default, experimental, all, none`, `did you mean "default"?`},
		{"bad workers", "workers: every\n", `workers: "every" is none of chief, all`, ""},
		{"list for scalar", "every: [1]\n", "c.yaml:1:8: every must be a single value, not a list", ""},
		{"nothing", "every:\n", "every must be a single value, not nothing", ""},
		{"unknown rule", "rule:\n  - dead_rely\n", `c.yaml:2:5: unknown rule "dead_rely"`, `did you mean "dead_relu"?`},
		{"parameter beside the rule", "rule:\n  - rule: dead_relu\n    treshold_layer: 3\n", `c.yaml:3:5: unknown key "treshold_layer" of a rule`, `"threshold_layer" there`},
		{"unknown rule in map", "rule:\n  - rule: dead_rely\n", `c.yaml:2:11: unknown rule "dead_rely"`, `did you mean "dead_relu"?`},
		{"unknown parameter", "rule:\n  - rule: dead_relu\n    parameters:\n      treshold_layer: 3\n", `c.yaml:4:7: rule "dead_relu" has no parameter "treshold_layer"`, `"threshold_layer"`},
		{"parameter in spec", "rule:\n  - dead_relu:treshold_layer=3\n", `c.yaml:2:5: unknown parameter "treshold_layer"`, `"threshold_layer"`},
		{"rule without name", "rule:\n  - parameters: {}\n", "c.yaml:2:", "rule: NAME"},
		{"rule key", "rule:\n  - rule: dead_relu\n    params: {}\n", `unknown key "params" of a rule`, `"parameters"`},
		{"collection key", "collect:\n  - name: w\n    evry: 3\n", `c.yaml:3:5: unknown key "evry" of a collection`, `"every"`},
		{"collection regex", "collect:\n  - name: w\n    regex: ['a', '(b']\n", `c.yaml:3:18: regex: "(b" is not a regular expression`, "Python"},
		{"collection selects nothing", "collect:\n  - weigths:every=3\n", `collection "weigths" is not built in`, `did you mean "weights"?`},
		{"collection range", "collect:\n  - {name: w, regex: a, start: 5, end: 2}\n", "c.yaml:2:", ""},
		{"collection without name", "collect:\n  - regex: a\n", "without a name", "name: NAME"},
		{"mute all", "mute:\n  - reason: x\n", "hides every finding", "name a rule"},
		{"mute without reason", "mute:\n  - rule: dead_relu\n", "without a reason", "reason:"},
		{"mute pattern", "mute:\n  - {tensor: 'a**', reason: x}\n", "multiple repeat at position 2", ""},
		{"action shell", "actions:\n  - command: mail me\n", "c.yaml:2:14: the command must be a list", "sh, -c"},
		{"action without command", "actions:\n  - command: []\n", "without a command", "command:"},
		{"action that does nothing", "actions:\n  - on: error\n", "c.yaml:2:5: an action without effect", "mail"},
		{"action on", "actions:\n  - {command: [a], on: eror}\n", `c.yaml:2:24: on: "eror" is neither a severity nor a rule`, `did you mean "error"?`},
		{"action timeout", "actions:\n  - {command: [a], timeout: 5}\n", `"5" is not a time`, ""},
		{"stop on", "stop-on: dead_rellu\n", `c.yaml:1:10: stop-on: "dead_rellu" is neither`, `did you mean "dead_relu"?`},
		{"stop on never and more", "stop-on: [never, error]\n", "never cannot be combined", ""},
		{"name", "name: a/b\n", "cannot be the name of a directory", ""},
		{"two documents", "every: 5\n---\nevery: 6\n", "second document", ""},
		{"merge key", "a: &a {every: 1}\n<<: *a\n", "c.yaml:", ""},
		{"alias", "every: &n 5\nkeep: *n\n", "alias", ""},
		{"deep", "rule: " + repeat("[", 5000), "nested too deeply", ""},
		{"deep lines", repeat("- ", 5000) + "a", "nested too deeply", ""},
		{"large", repeat("# comment\n", 40000), "larger than 256 KiB", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := parseFile([]byte(c.text), "c.yaml", catalogue)
			if err == nil {
				r := Defaults()
				err = r.join([]layer{l}, catalogue)
			}
			refused(t, err, c.message, c.hint)
		})
	}
}

func repeat(s string, n int) string {
	b := make([]byte, 0, len(s)*n)
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

func FuzzFile(f *testing.F) {
	data, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "vigil.example.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for _, s := range []string{`{"HookParameters": {"eval.save_steps": "1,2", "reductions": "min"}, "CollectionConfigurations": [{"CollectionName": "a", "CollectionParameters": null}]}`,
		`{"DebugRuleConfigurations": [{"RuleConfigurationName": "a", "RuleParameters": {"rule_to_invoke": "b"}}]}`, "every: 5", "rule: [a: {b: c}]", "a: &x [*x]", "? - a\n: b", "collect:\n- |\n  w:every=3\n", "!!map {a: b}", "<<: 1",
		"rule:\n- rule: bad\n  expression: |\n    a &&\n    b\n  for: 3", "rule:\n- rule: bad\n  expression: 'it''s'", "rule: {rule: x, expression: |\n  a}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := parseFile([]byte(s), "c.yaml", withExpressions(3, 7))
		if err == nil {
			r := Defaults()
			err = r.join([]layer{l}, catalogue)
		}
		var u *UsageError
		if err != nil && !errors.As(err, &u) {
			t.Errorf("%q: %T is no *UsageError: %v", s, err, err)
		}
	})
}

// The page says what there is.
func TestPageNamesEverything(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := append(append([]string{"names", "include", "module-types", "side", "configuration", "parameters", "command", "on", "timeout", "tensor", "reason"},
		scalarKeys...), append(slices.Concat(listKeys, serviceKeys, collectKeys), plan.Names()...)...)
	for _, w := range words {
		if strings.HasPrefix(w, "tanh") || strings.HasPrefix(w, "sigmoid") {
			continue // named together with relu_output and relu_input
		}
		if !strings.Contains(string(b), "`"+w) && !strings.Contains(string(b), w+":") {
			t.Errorf("docs/configuration.md does not name %q", w)
		}
	}
}
