package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Program
		err        string // part of the error
	}{
		{
			name: "a faulty program",
			text: "# fault: zero-grad\n# cause_class: zero-grad, optimizer\n# family: mlp\n# split: tune\nimport os\n# fault: other\n",
			want: Program{Fault: "zero-grad", Causes: []string{"zero-grad", "optimizer"}, Family: "mlp", Split: "tune"},
		},
		{
			name: "a healthy program in another order, and its author's comment",
			text: "# split: held\n# family: cnn\n# fault: none\n# classify images: bars, crosses\nimport torch",
			want: Program{Fault: "none", Family: "cnn", Split: "held"},
		},
		{
			name: "a fault that is only worth knowing",
			text: "# fault: few\n# cause_class: epochs\n# family: mlp\n# split: tune\n# alarm: no\n",
			want: Program{Fault: "few", Causes: []string{"epochs"}, Family: "mlp", Split: "tune", Hint: true},
		},
		{
			name: "a program that needs more than PyTorch",
			text: "# fault: none\n# family: trainer\n# split: tune\n# needs: transformers, accelerate\n",
			want: Program{Fault: "none", Family: "trainer", Split: "tune", Needs: []string{"transformers", "accelerate"}},
		},
		{
			name: "a program whose author had not seen the rules",
			text: "# fault: none\n# family: mlp\n# split: tune\n# set: heron, unseen\n",
			want: Program{Fault: "none", Family: "mlp", Split: "tune", Author: "heron", Unseen: true},
		},
		{
			name: "one whose author had",
			text: "# fault: none\n# family: mlp\n# split: tune\n# set: heron, seen\n",
			want: Program{Fault: "none", Family: "mlp", Split: "tune", Author: "heron"},
		},
		{name: "an author of whom that is not known", text: "# set: heron\n", err: `set is "heron"`},
		{name: "a need that is no package", text: "# needs: pip install x\n", err: `"pip install x"`},
		{name: "no header", text: "import torch\n# fault: none\n", err: `"fault" is missing`},
		{name: "empty", err: `"fault" is missing`},
		{name: "no split", text: "# fault: none\n# family: mlp\n", err: `"split" is missing`},
		{name: "a fault without its cause", text: "# fault: a\n# family: mlp\n# split: tune\n", err: `"cause_class" is missing`},
		{name: "a cause without a fault", text: "# fault: none\n# cause_class: loss\n# family: mlp\n# split: tune\n", err: "without a fault"},
		{name: "a cause class that is not in the list", text: "# fault: a\n# cause_class: loss, magic\n", err: `unknown cause class "magic"`},
		{name: "a family that is not a word", text: "# fault: a\n# family: CNN, small\n", err: `family "CNN, small" is not one word`},
		{name: "a split that is not in the list", text: "# split: test\n", err: `unknown split "test"`},
		{name: "a key that is not in the list", text: "# colour: red\n", err: `unknown key "colour"`},
		{name: "a key twice", text: "# fault: a\n# fault: b\n", err: `"fault" stands there twice`},
		{name: "an empty value", text: "# fault:\n", err: `"fault" is empty`},
		{name: "an alarm that is asked for", text: "# alarm: yes\n", err: `"yes"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseHeader(strings.NewReader(c.text))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add("# fault: zero-grad\n# cause_class: zero-grad, loss\n# family: mlp\n# split: tune\n# alarm: no\n")
	f.Add("# fault: none\n# family: cnn\n# split: held\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseHeader(strings.NewReader(text))
		if err == nil && (p.Fault == "" || p.Family == "" || p.Split == "" || p.Healthy() != (len(p.Causes) == 0)) {
			t.Fatalf("took %q as %+v", text, p)
		}
	})
}

func TestDiscoverRefuses(t *testing.T) {
	const faulty = "# fault: a\n# cause_class: loss\n# family: mlp\n# split: tune\n"
	const sound = "# fault: none\n# family: mlp\n# split: tune\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		err   string
	}{
		{"a faulty program among the healthy ones", map[string]string{"healthy/mlp/a.py": faulty}, `"a" does not belong below healthy/`},
		{"a folder of another family", map[string]string{"faulty/cnn/a.py": faulty}, `family "mlp" does not belong into faulty/cnn/`},
		{"nothing wrong", map[string]string{"healthy/mlp/a.py": sound, "faulty/mlp/a.py": faulty}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, top := range []string{"faulty", "healthy"} {
				if err := os.Mkdir(filepath.Join(dir, top), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range c.files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := discover(dir)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
		})
	}
}

// TestSuite holds the programs that are there to what the suite promises.
func TestSuite(t *testing.T) {
	programs, err := discover(".")
	if err != nil {
		t.Fatal(err)
	}
	faults, names := map[string]int{}, map[string]string{}
	for _, p := range programs {
		if !p.Healthy() {
			faults[p.Fault]++
		}
		if other := names[runName(p, 0)]; other != "" {
			t.Errorf("%q and %q would share a run", p.Path, other)
		}
		names[runName(p, 0)] = p.Path
		script, err := p.script(".", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "SEED") {
			t.Errorf("%q takes no seed from the environment", p.Path)
		}
		if strings.Contains(strings.ToLower(string(text)), "vigil") {
			t.Errorf("%q knows of Vigil", p.Path)
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "docs", "lab", "programs.md"))
	if err != nil {
		t.Fatal(err)
	}
	for fault, n := range faults {
		if !strings.Contains(string(readme), "\n| `"+fault+"` |") {
			t.Errorf("docs/lab/programs.md does not say what the fault %q is", fault)
		}
		if n < 2 && fault != "ranks-diverge" { // two processes are slow to start
			t.Errorf("%d program has the fault %q; one program is no evidence", n, fault)
		}
	}
	if len(faults) == 0 {
		t.Error("there are no faulty programs")
	}
}
