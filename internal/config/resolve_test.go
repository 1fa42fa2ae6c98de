package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

func ptr[T any](v T) *T { return &v }

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestResolveDefaults(t *testing.T) {
	run, err := Resolve(Flags{}, nil, t.TempDir(), catalogue)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run, Run{Dir: "vigil-runs", Rules: "default", Budget: 0.02, Keep: 20e9, Monitor: 500})
}

// What names the root of the runs.
func TestRootOfTheRuns(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for text, want := range map[string]string{
		"runs":              "runs",
		"../runs":           "../runs",
		"/srv/my runs":      "/srv/my runs",
		"~/runs":            filepath.Join(home, "runs"),
		"~":                 home,
		"~other/runs":       "~other/runs",
		"a~/b":              "a~/b",
		"file:///srv/runs":  "/srv/runs",
		"./odd://directory": "./odd://directory",
	} {
		if run, err := Resolve(Flags{Dir: ptr(text)}, nil, t.TempDir(), catalogue); err != nil || run.Dir != want {
			t.Errorf("%q is %q, %v; want %q", text, run.Dir, err, want)
		}
	}
}

func TestPrecedence(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "vigil.yaml", `
dir: from-file
name: from-file
every: 1
keep: 1GB
rule:
  - dead_relu:threshold_layer=1,threshold_inactivity=1
collect:
  - weights:every=1
  - weights:every=7,mode=eval
  - gradients:every=1
`)
	env := []string{
		"VIGIL_NAME=from-env", "VIGIL_EVERY=2", "VIGIL_SAVE_ALL=1", "VIGIL_STOP_ON=dead_relu, error", "VIGIL_DIR=",
		"VIGIL_RULE=dead_relu:threshold_layer=2;vanishing_gradient", "VIGIL_COLLECT=weights:every=2\nlosses:every=2",
		"VIGIL=1", "VIGIL_SOCKET=/s", "VIGIL_RUN=/r", "PATH=/bin", "VIGIL_STRICT=1",
	}
	run, err := Resolve(Flags{
		Every: ptr("3"), Rule: []string{"DeadRelu:threshold_layer=3"}, Collect: []string{"losses:every=3", "losses:every=5"}, SaveAll: ptr(false),
	}, env, dir, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	each := func(n int64) plan.Schedule { return plan.Every(n) }
	equal(t, run, Run{
		Dir: "from-file", Name: "from-env", File: file, Rules: "default", Every: 3, Budget: 0.02, Keep: 1e9, Monitor: 500, Strict: true,
		StopOn: When{Severity: record.Error, Rules: []string{"dead_relu"}},
		Rule: []RuleConfig{
			{"dead_relu", "dead_relu", map[string]string{"threshold_layer": "3", "threshold_inactivity": "1"}, "vigil.yaml:7:5, VIGIL_RULE, --rule", false},
			{"vanishing_gradient", "vanishing_gradient", nil, "VIGIL_RULE", false},
		},
		Collect: []plan.Collection{
			{Name: "gradients", Schedule: each(1), By: []string{"vigil.yaml:11:5"}},
			{Name: "weights", Schedule: each(2), By: []string{"VIGIL_COLLECT"}},
			{Name: "losses", Schedule: each(3), By: []string{"--collect"}},
			{Name: "losses", Schedule: each(5), By: []string{"--collect"}},
		},
	})
}

// The look is on unless somebody says otherwise: the strongest source counts.
func TestLook(t *testing.T) {
	for _, c := range []struct {
		file, env string
		flag      *bool
		off       bool
	}{
		{"", "", nil, false},
		{"look: false", "", nil, true},
		{"look: false", "1", nil, false},
		{"", "0", nil, true},
		{"look: true", "", ptr(false), true},
		{"look: false", "0", ptr(true), false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := Resolve(Flags{Look: c.flag}, []string{"VIGIL_LOOK=" + c.env}, dir, catalogue)
		if err != nil || run.NoLook != c.off {
			t.Errorf("%+v: no look is %v, %v", c, run.NoLook, err)
		}
	}
}

// The diff of the code is stored unless somebody says otherwise.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		file, env string
		flag      *bool
		off       bool
	}{
		{"", "", nil, false},
		{"source: false", "", nil, true},
		{"source: false", "1", nil, false},
		{"", "0", nil, true},
		{"source: true", "", ptr(false), true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := Resolve(Flags{Source: c.flag}, []string{"VIGIL_SOURCE=" + c.env}, dir, catalogue)
		if err != nil || run.NoSource != c.off {
			t.Errorf("%+v: no source is %v, %v", c, run.NoSource, err)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	for _, c := range []struct {
		name, message, hint string
		flags               Flags
		env                 []string
	}{
		{"flag", `--every: "0"`, "", Flags{Every: ptr("0")}, nil},
		{"variable", `VIGIL_EVERY: "x"`, "", Flags{}, []string{"VIGIL_EVERY=x"}},
		{"variable overridden but wrong", `VIGIL_EVERY: "x"`, "", Flags{Every: ptr("1")}, []string{"VIGIL_EVERY=x"}},
		{"rule", `--rule: unknown rule "dead_rely"`, `did you mean "dead_relu"?`, Flags{Rule: []string{"dead_rely"}}, nil},
		{"rule parameter", `--rule: unknown parameter "treshold_layer"`, `"threshold_layer"`, Flags{Rule: []string{"dead_relu:treshold_layer=1"}}, nil},
		{"rule in variable", `VIGIL_RULE: unknown rule`, "", Flags{}, []string{"VIGIL_RULE=nope"}},
		{"collection", `--collect: unknown parameter "evry"`, `"every"`, Flags{Collect: []string{"weights:evry=1"}}, nil},
		{"collection selects nothing", `collection "weigths" is not built in`, `"weights"`, Flags{Collect: []string{"weigths"}}, nil},
		{"default without pattern", `collection "default"`, "regex=RE", Flags{Collect: []string{"default:every=3"}}, nil},
		{"stop on", `--stop-on: "eror" is neither`, `did you mean "error"?`, Flags{StopOn: ptr("eror")}, nil},
		{"stop on nothing", `--stop-on: it is empty`, "", Flags{StopOn: ptr("")}, nil},
		{"name", `--name: "a/b" cannot`, "", Flags{Name: ptr("a/b")}, nil},
		{"dir", `--dir: it is empty`, "", Flags{Dir: ptr(" ")}, nil},
		{"configuration of two rules", `configuration "x" is of rule "dead_relu"`, "another", Flags{Rule: []string{"dead_relu:configuration=x", "vanishing_gradient:configuration=x"}}, nil},
		{"missing file", "read configuration file", "--config", Flags{Config: ptr("nope.yaml")}, nil},
		{"missing file of variable", "nope.yaml", "", Flags{}, []string{"VIGIL_CONFIG=nope.yaml"}},
		{"dir in a bucket", `--dir: "s3://bucket/runs" is not a directory; runs are stored only in directories`, "", Flags{Dir: ptr("s3://bucket/runs")}, nil},
		{"dir in a bucket, by the environment", `VIGIL_DIR: "gs://bucket" is not a directory`, "", Flags{}, []string{"VIGIL_DIR=gs://bucket"}},
		{"directory as file", "read configuration file", "", Flags{Config: ptr(".")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Resolve(c.flags, c.env, t.TempDir(), catalogue)
			refused(t, err, c.message, c.hint)
		})
	}
	_, err := Resolve(Flags{Config: ptr("nope.yaml")}, nil, t.TempDir(), catalogue)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}
}

// Parameters by which SageMaker Debugger told a rule its runs are taken everywhere.
func TestParametersOfTrials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vigil.yaml")
	if err := os.WriteFile(file, []byte("rule:\n  - rule: dead_relu\n    parameters:\n      base_trial: s3://x\n      other_trial_0: y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []Flags{{Config: &file}, {Rule: []string{"dead_relu:base_trial=s3://x,other_trial_0=y"}}} {
		run, err := Resolve(flags, nil, t.TempDir(), catalogue)
		if err != nil || len(run.Rule) != 1 || run.Rule[0].Rule != "dead_relu" {
			t.Errorf("%+v, %v", run.Rule, err)
		}
	}
	_, err := Resolve(Flags{Rule: []string{"dead_relu:other_trial_x=y"}}, nil, t.TempDir(), catalogue)
	refused(t, err, `unknown parameter "other_trial_x"`, "")
}

func TestWarnsOfMistypedVariable(t *testing.T) {
	run, err := Resolve(Flags{}, []string{"VIGIL_EVRY=1", "VIGIL_STOPON=error", "VIGIL_TEST_PYTHON=x", "VIGIL_CACHE=y"}, t.TempDir(), catalogue)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run.Warnings, []string{"unknown environment variable VIGIL_EVRY; did you mean VIGIL_EVERY?", "unknown environment variable VIGIL_STOPON; did you mean VIGIL_STOP_ON?"})
}

// A rule that was asked for by a name that it has elsewhere says what it is here.
func TestNoticesOnNames(t *testing.T) {
	known := catalogue
	known.Notice = func(name string) string {
		if name == "DeadRelu" {
			return "the rule is dead_relu"
		}
		return ""
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), []byte("rule: [{rule: DeadRelu, configuration: one}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := Resolve(Flags{Rule: []string{"DeadRelu:configuration=two", "dead_relu:configuration=three"}}, nil, dir, known)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run.Warnings, []string{"vigil.yaml:1:15: DeadRelu: the rule is dead_relu", "--rule: DeadRelu: the rule is dead_relu"})
}

func TestNoColor(t *testing.T) {
	for _, c := range []struct {
		env  []string
		flag *bool
		want bool
	}{
		{nil, nil, false}, {[]string{"NO_COLOR=1"}, nil, true}, {[]string{"NO_COLOR="}, nil, false},
		{[]string{"VIGIL_NO_COLOR=yes"}, nil, true}, {[]string{"NO_COLOR=1"}, ptr(false), false},
	} {
		run, err := Resolve(Flags{NoColor: c.flag}, c.env, t.TempDir(), catalogue)
		if err != nil || run.NoColor != c.want {
			t.Errorf("%v %v: NoColor is %v, %v", c.env, c.flag, run.NoColor, err)
		}
	}
}

func TestParseKeep(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		text  string
		bytes int64
		age   time.Duration
	}{
		{"20GB", 20e9, 0},
		{"7d", 0, 7 * day},
		{"20GB,7d", 20e9, 7 * day},
		{" 4w , 1.5 GiB ", 3 << 29, 28 * day},
		{"12H", 0, 12 * time.Hour},
		{"1.5d,500MB", 500e6, 36 * time.Hour},
		{"0,2h", 0, 2 * time.Hour},
	} {
		bytes, age, err := ParseKeep(c.text)
		if err != nil || bytes != c.bytes || age != c.age {
			t.Errorf("ParseKeep(%q) is %d, %s, %v; want %d, %s", c.text, bytes, age, err, c.bytes, c.age)
		}
	}
	for _, c := range []struct{ text, message, hint string }{
		{"", "it is empty", "20GB,7d"},
		{"lots", `"lots" is neither a size nor an age`, "12h, 7d, 4w"},
		{"20GB,soon", `"soon" is neither a size nor an age`, "12h, 7d, 4w"},
		{"7days", `"7days" is neither a size nor an age`, "12h, 7d, 4w"},
		{"-7d", `"-7d" is neither a size nor an age`, "12h, 7d, 4w"},
		{"d", `"d" is neither a size nor an age`, "12h, 7d, 4w"},
		{"20GB 7d", `"20GB 7d" is neither a size nor an age`, "both: 20GB,7d"},
		{"0d", `the age "0d" is not between a minute and a hundred years`, ""},
		{"9999w", `the age "9999w" is not between a minute and a hundred years`, ""},
		{"20GB,", `"20GB," has an empty part beside a comma`, "20GB,7d"},
		{",7d", `",7d" has an empty part beside a comma`, "20GB,7d"},
		{"7d,1w", `"7d,1w" names two ages, 7d and 1w`, "one size and one age"},
		{"1GB,2GB,7d", `"1GB,2GB,7d" names two sizes, 1GB and 2GB`, "one size and one age"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := Resolve(Flags{Keep: &c.text}, nil, t.TempDir(), catalogue)
			refused(t, err, "--keep: "+c.message, c.hint)
		})
	}
}

func TestValues(t *testing.T) {
	for s, want := range map[string]int64{
		"20GB": 20e9, "1.5GiB": 3 << 29, "500 MB": 500e6, "1048576": 1 << 20, "1k": 1000, "2T": 2e12, "7B": 7, "0": 0, "10gb": 10e9,
	} {
		if got, err := ParseSize(s); err != nil || got != want {
			t.Errorf("ParseSize(%q) is %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "GB", "-1GB", "1e3", "0x10", "inf", "nan", "99999999TB", "1.2.3GB", "10 bananas"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("ParseSize(%q) is %d", s, got)
		}
	}
	for _, n := range []int64{0, 1, 999, 1000, 20e9, 1500e6, 123456789} {
		if got, err := ParseSize(FormatSize(n)); err != nil || got != n {
			t.Errorf("FormatSize(%d) is %s, read back %d, %v", n, FormatSize(n), got, err)
		}
	}
	for s, want := range map[string]float64{"2%": 0.02, "100%": 1, "0.5 %": 0.005} {
		if got, err := ParsePercent(s); err != nil || got != want {
			t.Errorf("ParsePercent(%q) is %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"2", "0%", "101%", "-1%", "%", "", "nan%"} {
		if got, err := ParsePercent(s); err == nil {
			t.Errorf("ParsePercent(%q) is %g", s, got)
		}
	}
	for s, want := range map[string]float64{"2": 0.02, "2%": 0.02, " 10 ": 0.1, "1.5": 0.015, "0.5%": 0.005} {
		if got, err := ParseBudget(s); err != nil || got != want {
			t.Errorf("ParseBudget(%q) is %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"0.5", "0.02", "0", "101", "-1", ""} {
		if got, err := ParseBudget(s); err == nil {
			t.Errorf("ParseBudget(%q) is %g", s, got)
		}
	}
}

func TestWhen(t *testing.T) {
	f := func(rule, configuration string, s record.Severity) *record.Finding {
		return &record.Finding{Rule: rule, Configuration: configuration, Severity: s}
	}
	for _, c := range []struct {
		when string
		f    *record.Finding
		want bool
	}{
		{"never", f("a", "a", record.Error), false},
		{"error", f("a", "a", record.Error), true},
		{"error", f("a", "a", record.Warning), false},
		{"warning", f("a", "a", record.Error), true},
		{"info", f("a", "a", record.Info), true},
		{"dead_relu", f("dead_relu", "x", record.Info), true},
		{"tight", f("dead_relu", "tight", record.Info), true},
		{"dead_relu,error", f("other", "other", record.Warning), false},
		{"DeadRelu,Error", f("other", "other", record.Error), true},
	} {
		w, err := parseWhen(c.when, catalogue, []string{"tight"}, true)
		if err != nil {
			t.Errorf("%q: %v", c.when, err)
			continue
		}
		if got := w.Matches(c.f); got != c.want {
			t.Errorf("%q on %s/%s: %v", c.when, c.f.Rule, c.f.Severity, got)
		}
		if back, err := parseWhen(w.String(), catalogue, []string{"tight"}, true); err != nil || back.String() != w.String() {
			t.Errorf("%q is spelt %q, which is read as %v, %v", c.when, w, back, err)
		}
	}
}

// A rule that one source asks for twice runs twice; another source sets the
// parameters of the first.
func TestRuleAskedForTwice(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "vigil.yaml", "rule:\n  - dead_relu:threshold_layer=1\n  - DeadRelu:threshold_layer=2\n  - {rule: dead_relu, configuration: dead_relu_2}\n  - dead_relu\n")
	run, err := Resolve(Flags{Rule: []string{"dead_relu:threshold_inactivity=1", "vanishing_gradient", "vanishing_gradient:threshold=1"}}, nil, dir, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run.Rule, []RuleConfig{
		{"dead_relu", "dead_relu", map[string]string{"threshold_layer": "1", "threshold_inactivity": "1"}, "vigil.yaml:2:5, --rule", false},
		{"dead_relu", "dead_relu_3", map[string]string{"threshold_layer": "2"}, "vigil.yaml:3:5", false},
		{"dead_relu", "dead_relu_2", nil, "vigil.yaml:4:6", false},
		{"dead_relu", "dead_relu_4", nil, "vigil.yaml:5:5", false},
		{"vanishing_gradient", "vanishing_gradient", nil, "--rule", false},
		{"vanishing_gradient", "vanishing_gradient_2", map[string]string{"threshold": "1"}, "--rule", false},
	})
}

// Many rules are worth a word, too many are refused.
func TestManyRules(t *testing.T) {
	file := func(n int) string {
		dir := t.TempDir()
		text := "rule:\n"
		for i := range n {
			text += fmt.Sprintf("  - rule: dead_relu\n    configuration: head_%d\n", i)
		}
		if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for n, want := range map[int]string{20: "", 21: "21 rules are asked for; each costs time at every step, and more than 100 are refused", 100: "100 rules are asked for"} {
		run, err := Resolve(Flags{}, nil, file(n), catalogue)
		if err != nil || len(run.Rule) != n || !strings.Contains(strings.Join(run.Warnings, "\n"), want) || (want == "") != (len(run.Warnings) == 0) {
			t.Errorf("%d rules: %d, warnings %q, %v", n, len(run.Rule), run.Warnings, err)
		}
	}
	_, err := Resolve(Flags{}, nil, file(120), catalogue)
	var u *UsageError
	if !errors.As(err, &u) || u.Message != "120 rules are too many; the limit is 100" || u.What == "" || u.Hint == "" {
		t.Errorf("120 rules: %+v", err)
	}
}
