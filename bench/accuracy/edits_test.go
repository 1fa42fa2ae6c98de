package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const leaf = "# fault: none\n# family: cnn\n# split: held\n# needs: numpy\n# a leaf a day\nimport os\nlr = 0.1\nzero()\nstep()\n"

func TestEdited(t *testing.T) {
	cases := map[string]struct {
		base, list string
		want       []string // paths
		err        string
	}{
		"a mistake and a harmless change": {
			leaf,
			"- name: leaf_1\n  fault: zero-grad\n  cause_class: zero-grad, optimizer\n  changes:\n  - old: |\n      zero()\n    new: \"\"\n" +
				"- name: leaf_2\n  fault: none\n  split: tune\n  changes:\n  - {old: 'lr = 0.1', new: 'lr = 0.2'}\n  - {old: 'step', new: 'steps'}\n",
			[]string{"healthy/cnn/leaf.py", "faulty/cnn/leaf_1.py", "healthy/cnn/leaf_2.py"}, "",
		},
		"no list":                {leaf, "", nil, "leaf.yaml"},
		"a base with a fault":    {strings.Replace(leaf, "none", "x\n# cause_class: loss", 1), "[]", nil, "what others are made from has none"},
		"text that is not there": {leaf, "- {name: a, fault: none, changes: [{old: nowhere, new: x}]}", nil, `"nowhere" stands there 0 times`},
		"text that is there twice": {
			leaf, "- {name: a, fault: none, changes: [{old: '()', new: x}]}", nil, `"()" stands there 2 times`,
		},
		"text of the header":  {leaf, "- {name: a, fault: none, changes: [{old: '# family: cnn', new: x}]}", nil, "stands there 0 times"},
		"nothing changed":     {leaf, "- {name: a, fault: none}", nil, "changes nothing"},
		"twice":               {leaf, "- {name: a, fault: none, changes: [{old: step, new: x}]}\n- {name: a, fault: none, changes: [{old: step, new: y}]}", nil, `"a" stands there twice`},
		"name of the base":    {leaf, "- {name: leaf, fault: none, changes: [{old: step, new: x}]}", nil, `"leaf" stands there twice`},
		"a path":              {leaf, "- {name: ../a, fault: none, changes: [{old: step, new: x}]}", nil, "is no name of a program"},
		"unknown key":         {leaf, "- {name: a, fault: none, cause: loss, changes: [{old: step, new: x}]}", nil, "unknown field"},
		"unknown cause class": {leaf, "- {name: a, fault: x, cause_class: bad, changes: [{old: step, new: x}]}", nil, `unknown cause class "bad"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range []string{edited, "faulty", "healthy"} {
				if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			files := map[string]string{"leaf.py": c.base}
			if c.list != "" {
				files["leaf.yaml"] = c.list
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, edited, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			programs, err := discover(dir)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			var paths []string
			for _, p := range programs {
				paths = append(paths, p.Path)
				if !slices.Equal(p.Needs, []string{"numpy"}) {
					t.Errorf("%q needs %q", p.Path, p.Needs)
				}
			}
			if !slices.Equal(paths, c.want) {
				t.Errorf("programs %q, want %q", paths, c.want)
			}
		})
	}
}

// What is run is the program with its changes, in a file of its name.
func TestEditedScript(t *testing.T) {
	v := variant{Name: "leaf_1", Fault: "zero-grad", Causes: "zero-grad", Alarm: "no", Changes: []change{{"lr = 0.1\nzero()", "lr = 0.1"}}}
	p, err := v.apply(Program{Family: "cnn", Split: "held", Text: []byte(leaf)})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name, err := p.script("elsewhere", dir)
	if err != nil || name != filepath.Join(dir, "leaf_1.py") {
		t.Fatalf("script %q, %v", name, err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "# fault: zero-grad\n# cause_class: zero-grad\n# family: cnn\n# split: held\n# alarm: no\n# a leaf a day\nimport os\nlr = 0.1\nstep()\n"
	if string(text) != want {
		t.Errorf("program\n%s\nwant\n%s", text, want)
	}
}
