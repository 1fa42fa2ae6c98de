package ruletest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// catalogue is what the program knows of rules.
func catalogue() config.Catalogue {
	c := config.Catalogue{
		Lookup: func(name string) (string, []string, bool) {
			d, ok := rules.Lookup(name)
			if !ok {
				return "", nil, false
			}
			params, err := rules.Parameters(name)
			return d.Name, params, err == nil
		},
		Own: []config.Own{
			{Key: "expression", Of: "an expression", Params: rules.ExpressionParameters()},
			{Key: "source", Of: "a Python class", Params: rules.PythonParameters(), Free: true, Paths: []string{"source", "python"}},
		},
		CheckOwn: func(name string, p map[string]string) error { return rules.Check(rules.Config{Rule: name, Params: p}) },
	}
	for _, d := range rules.Catalogue() {
		c.Names = append(c.Names, d.Name)
	}
	return c
}

// The rules of this project, tested the way that anybody may test theirs.
func TestOwnRules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("find tests: %d files, %v", len(files), err)
	}
	for _, path := range files {
		f, err := Load(path, catalogue())
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		results, err := f.Run(t.Context(), Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, r := range results {
			if !r.OK {
				t.Errorf("%s: %s:\n  %s", path, r.Name, strings.Join(r.Differences, "\n  "))
			}
		}
	}
}

func TestNotation(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 2 3", "0:1 1:2 2:3"},
		{"1x3", "0:1 1:1 2:1 3:1"},
		{"1+0.5x2 9", "0:1 1:1.5 2:2 3:9"},
		{"1-1x2", "0:1 1:0 2:-1"},
		{"-1e-3-1e-3x1", "0:-0.001 1:-0.002"},
		{"1 _ 2 _x2 3", "0:1 2:2 5:3"},
		{"NaN Inf -Infx1", "0:NaN 1:+Inf 2:-Inf 3:-Inf"},
		{"", ""},
	} {
		var p points
		if err := p.parse(c.text); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		var got []string
		p.each(func(i int64, x float64) { got = append(got, fmt.Sprintf("%d:%g", i, x)) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %s, want %s", c.text, strings.Join(got, " "), c.want)
		}
	}
	for _, text := range []string{"a", "1x", "1x-1", "1xx2", "0x10x2y", "1e999", "1x1000000", "1x999999 1", "++1x2", "_y"} {
		if err := new(points).parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// What is wrong in a file is told with its place.
func TestMistakes(t *testing.T) {
	const head = "tests:\n- name: a\n  rule: all_zero\n"
	for _, c := range []struct{ text, want string }{
		{"", "there are no tests in it"},
		{"tests: []", "there are no tests in it"},
		{"tests:\n- rule: all_zero\n", "test 1 has no name"},
		{"tests:\n- name: a\n  series: [{name: x, values: 1}]\n", `test "a": it names no rule`},
		{"tests:\n- name: a\n  rule: al_zero\n", `unknown rule "al_zero"`},
		{"tests:\n- name: a\n  rule: all_zero:threshold=x\n  series: [{name: x, values: 1}]\n", `parameter "threshold"`},
		{"rule:\n- rule: b\n  expression: series(\"x\") > 1\ntests: []", `f.yaml:3:27: found no matching overload`},
		{head, "it needs either series, tensors and facts, or a recorded run"},
		{head + "  run: there\n  series: [{name: x, values: 1}]\n", "it needs either series, tensors and facts, or a recorded run"},
		{head + "  serie: []\n", `f.yaml:4:3: unknown field "serie"`},
		{head + "  series: [{values: 1}]\n", `series "": it has no name`},
		{head + "  series: [{name: x, values: 1y}]\n", `read values "1y"`},
		{head + "  series: [{name: x, values: {a: 1}}]\n", `values must be numbers`},
		{head + "  series: [{name: x, mode: trian, values: 1}]\n", `unknown mode "trian"`},
		{head + "  series: [{name: x, kind: wieght, values: 1}]\n", `unknown kind "wieght"`},
		{head + "  series: [{name: x, start: -1, values: 1}]\n", `start -1`},
		{head + "  tensors: [{name: x, shape: [2, 2], rows: ['1x2']}]\n", `row 1 has 3 values, its shape [2 2] has 4`},
		{head + "  tensors: [{name: x, rows: ['1 _']}]\n", `row 1: an element cannot be left out`},
		{head + "  tensors: [{name: x, rows: [{values: 1, times: 0}]}]\n", `times must be a number from 1`},
		{head + "  tensors: [{name: x, rows: [{values: 1x999, times: 2000}]}]\n", `more than 1000000 values`},
		{head + "  series: [{name: x, values: 1}]\n  status: Fine\n", `unknown status "Fine"`},
		{head + "  series: [{name: x, values: 1}]\n  expect: [{severity: bad}]\n", `unknown severity "bad"`},
		{head + "  series: &a [{name: x, values: 1}]\n  tensors: *a\n", `aliases are not supported`},
		{"config: nowhere.yaml\ntests: [{name: a}]", "read configuration"},
		{head + "  tensors: [{name: x, rows: [{value: 1}]}]\n", `unknown key "value" of a row: known are values, times`},
	} {
		_, err := parse([]byte(c.text), "f.yaml", catalogue())
		var u *config.UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Message, c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// A field that is not known names the nearest that may stand at its place.
func TestUnknownFields(t *testing.T) {
	const head = "tests:\n- name: a\n  rule: all_zero\n"
	for _, c := range []struct{ text, hint string }{
		{"test: []\n", `did you mean "tests"?`},
		{"configuration: x.yaml\ntests: []\n", `did you mean "config"?`},
		{head + "  serie: []\n", `did you mean "series"?`},
		{head + "  messages: x\n", "known are name, rule, run, series, tensors, facts, expect, status, details"},
		{head + "  series: [{name: x, valeus: 1}]\n", `did you mean "values"?`},
		{head + "  series:\n  - name: x\n    evry: 2\n    values: 1\n", `did you mean "every"?`},
		{head + "  tensors: [{name: x, module: ReLU}]\n", `did you mean "module_type"?`},
		{head + "  series: [{name: x, values: 1}]\n  expect:\n  - step: 1\n    messages: x\n", `did you mean "message"?`},
		{head + "  series: [{name: x, values: 1}]\n  expect: [{step: 1, treshold: 2}]\n", `did you mean "threshold"?`},
	} {
		_, err := parse([]byte(c.text), "f.yaml", catalogue())
		var u *config.UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Message, "unknown field") || u.Hint != c.hint {
			t.Errorf("%q: got %+v, want the hint %s", c.text, err, c.hint)
		}
	}
}

// A difference says what was missing and what came instead.
func TestDifferences(t *testing.T) {
	const text = `
rule:
- rule: high
  expression: series("loss").last() > 2
  message: loss is {observed}.
tests:
- name: as expected
  series: [{name: loss, values: 1x2 3}]
  expect: [{step: 3, subject: loss, observed: 3, threshold: 2, comparator: ">", severity: warning, mode: train}]
  status: IssuesFound
- name: another step
  rule: high:for=2
  series: [{name: loss, values: 1x2 3 3}]
  expect: [{step: 3, subject: loss}, {severity: error}]
- name: a status
  series: [{name: loss, values: 1x2}]
  status: IssuesFound
  details: gone
- name: a rule that fails
  rule: high
  series: [{name: other, values: 1x2}]
- name: in evaluation
  rule: high:mode=eval
  series: [{name: loss, values: 1x4}, {name: loss, mode: eval, start: 1, every: 2, values: 3 1 3}]
  expect: [{step: 1, mode: eval}, {step: 5, mode: EVAL}]
`
	f, err := parse([]byte(text), "f.yaml", catalogue())
	if err != nil {
		t.Fatal(err)
	}
	results, err := f.Run(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"",
		"- step=3 subject=loss\n- severity=error\n" + `+ rule=high severity=warning step=4 mode=TRAIN subject=loss message="loss is 3."`,
		"- status=IssuesFound\n+ rule=high status=NoIssuesFound\n- details=gone\n+ details=",
		"+ rule=high status=Error details=\"evaluate expression: never captured in this run: loss; `vigil show RUN` lists the names there are\"",
		"",
	} {
		if got := strings.Join(results[i].Differences, "\n"); got != want || results[i].OK != (want == "") {
			t.Errorf("%s:\n got %s\nwant %s", results[i].Name, got, want)
		}
	}
}

// A recorded run is judged by who knows how to read it.
func TestRecordedRun(t *testing.T) {
	f, err := parse([]byte("tests:\n- name: a\n  rule: all_zero\n  run: runs/there\n  expect: [{observed: .nan}]\n"), filepath.Join("dir", "f.yaml"), catalogue())
	if err != nil {
		t.Fatal(err)
	}
	results, err := f.Run(t.Context(), Options{Replay: func(path string, configs []rules.Config) ([]record.Finding, []record.RuleStatus, error) {
		if path != filepath.Join("dir", "runs", "there") || len(configs) != 1 || configs[0].Rule != "all_zero" {
			t.Errorf("asked for %q, %+v", path, configs)
		}
		return []record.Finding{{Observed: record.Number(math.NaN())}}, nil, nil
	}})
	if err != nil || !results[0].OK {
		t.Errorf("results are %+v, %v", results, err)
	}
	if _, err := f.Run(t.Context(), Options{Replay: func(string, []rules.Config) ([]record.Finding, []record.RuleStatus, error) {
		return nil, nil, os.ErrNotExist
	}}); err == nil || !strings.Contains(err.Error(), `test "a"`) {
		t.Errorf("error is %v", err)
	}
}

// No file makes the reader panic or grow without bounds.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("tests:\n- name: a\n  rule: [all_zero, 'b:expression=series(\"x\").last() > 1']\n  tensors: [{name: x, shape: [1], rows: [{values: 1, times: 3}]}]\n")
	f.Add("rule: {rule: x, expression: |\n series(\"loss\").last() > 1}\ntests: [{name: a, series: [{name: loss, values: [1, 2x3, NaN]}]}]")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := parse([]byte(text), "f.yaml", catalogue())
		var u *config.UsageError
		if err != nil && !errors.As(err, &u) {
			t.Fatalf("%q: %T: %v", text, err, err)
		}
	})
}
