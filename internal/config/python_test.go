package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// withPython is the catalogue with Python classes, of which those named bad are
// wrong.
func withPython() Catalogue {
	c := catalogue
	c.Own = []Own{
		{Key: "expression", Of: "an expression", Params: []string{"expression", "for"}},
		{Key: "source", Of: "a Python class", Params: []string{"source", "class", "python", "raw", "max_seconds", "workers"}, Free: true, Paths: []string{"source", "python"}},
	}
	c.CheckOwn = func(name string, _ map[string]string) error {
		if name == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}
	return c
}

func TestPythonClassInFile(t *testing.T) {
	cat := withPython()
	cat.base = "/project"
	l, err := parseFile([]byte(`
stop-on: mine
rule:
  - rule: mine
    source: rules/my_rules.py
    class: Mine
    python: python3.11
    raw: ['^fc, or', head]
    max_seconds: 5
    parameters: {limit: 2.5, names: [a, b]}
  - rule: mine
    configuration: second
    parameters: {limit: 3}
  - rule: other
    source: /elsewhere/rules.py
    python: env/bin/python
`), "vigil.yaml", cat)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, l.rules, []RuleConfig{
		{Rule: "mine", Configuration: "mine", From: "vigil.yaml:4:5", Params: map[string]string{
			"source": "/project/rules/my_rules.py", "class": "Mine", "python": "python3.11", "raw": `["^fc, or","head"]`, "max_seconds": "5", "limit": "2.5", "names": `["a","b"]`}},
		{Rule: "mine", Configuration: "second", From: "vigil.yaml:11:5", Params: map[string]string{"limit": "3"}},
		{Rule: "other", Configuration: "other", From: "vigil.yaml:14:5", Params: map[string]string{"source": "/elsewhere/rules.py", "python": "/project/env/bin/python"}},
	})
}

func TestMistakesInPythonClasses(t *testing.T) {
	for _, c := range []struct{ name, text, message, hint string }{
		{"no name", "rule:\n  - source: a.py\n", "vigil.yaml:2:5: a Python class without a name", "a new name"},
		{"taken", "rule:\n  - rule: DeadRelu\n    source: a.py\n", `the rule "DeadRelu" already exists`, "a new name"},
		{"unknown key", "rule:\n  - rule: mine\n    source: a.py\n    clas: Mine\n", `vigil.yaml:4:5: unknown key "clas" of a rule that is a Python class`, `did you mean "class"?`},
		{"twice", "rule:\n  - rule: mine\n    source: a.py\n    class: A\n    parameters: {class: B}\n", `"class" is given twice`, "once"},
		{"wrong", "rule:\n  - rule: bad\n    source: a.py\n", "vigil.yaml:3:13: it is bad", ""},
		{"a mapping", "rule:\n  - rule: mine\n    source: a.py\n    parameters: {limit: {a: 1}}\n", "limit must be a single value", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseFile([]byte(c.text), "vigil.yaml", withPython())
			refused(t, err, c.message, c.hint)
		})
	}
}

// On the command line every word before "=" is a parameter of the class; paths
// are seen from the working directory.
func TestPythonClassAsFlag(t *testing.T) {
	cat := withPython()
	cat.base = "/here"
	rc, err := parseRule(`mine:source=my_rules.py,limit=3,name="a, b=c",max_seconds=2`, "--rule", cat)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, rc, RuleConfig{Rule: "mine", Configuration: "mine", From: "--rule", Params: map[string]string{"source": "/here/my_rules.py", "limit": "3", "name": "a, b=c", "max_seconds": "2"}})
	_, err = parseRule(`bad:source=x.py`, "--rule", cat)
	refused(t, err, "--rule: it is bad", "")
}

// A flag sets parameters of a class that the file names, and the file's paths
// are seen from the file.
func TestPythonClassOfTheFileAndAFlag(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "conf", "mine.yaml")
	text := "rule:\n  - rule: mine\n    source: my_rules.py\n    parameters: {limit: 2}\n  - rule: mine\n    configuration: second\n    parameters: {more: x}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := Resolve(Flags{Config: &file, Rule: []string{"mine:limit=5", "other:source=a.py"}}, nil, dir, withPython())
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Rule) != 3 {
		t.Fatalf("%+v", run.Rule)
	}
	equal(t, run.Rule[0].Params, map[string]string{"source": filepath.Join(dir, "conf", "my_rules.py"), "limit": "5"})
	equal(t, run.Rule[1].Params, map[string]string{"source": filepath.Join(dir, "conf", "my_rules.py"), "limit": "5", "more": "x"})
	equal(t, run.Rule[2].Params, map[string]string{"source": filepath.Join(dir, "a.py")})
}
