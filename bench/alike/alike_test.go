package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Scripts of the kinds that people run, which store what is trained in every common way; one of them, and all where VIGIL_TEST_LONG is set.
func TestScripts(t *testing.T) {
	python := testenv.Python(t)
	vigil := filepath.Join(t.TempDir(), "vigil")
	if err := testenv.Build(vigil); err != nil {
		t.Fatal(err)
	}
	ranks := []string{"-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"}
	for _, c := range []struct {
		script      string
		before      []string
		checkpoints int
	}{
		{"whole_model.py", nil, 3},
		{"resumed_state.py", nil, 4},
		{"averaged.py", nil, 3},
		{"gan.py", nil, 1},
		{"two_ranks.py", ranks, 8},
		{"boosted.py", nil, 2},
	} {
		t.Run(c.script, func(t *testing.T) {
			if c.script != "resumed_state.py" && os.Getenv("VIGIL_TEST_LONG") == "" {
				t.Skip("runs where VIGIL_TEST_LONG is set")
			}
			t.Parallel()
			folder := t.TempDir()
			text, err := os.ReadFile(filepath.Join("testdata", c.script))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, c.script), text, 0o644); err != nil {
				t.Fatal(err)
			}
			r := runner{folder: folder, python: python, vigil: vigil}
			found, err := alike(r, append(append([]string{python}, c.before...), c.script))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(found)
			if found.Code != 0 || len(found.Differences) > 0 || found.Checkpoints != c.checkpoints {
				t.Errorf("exit code %d, %d checkpoints (%d expected), %d differences", found.Code, found.Checkpoints, c.checkpoints, len(found.Differences))
			}
		})
	}
}

// What two bare runs agree on, the third must agree on; where they do not, it is compared less closely.
func TestDiffer(t *testing.T) {
	run := func(change func(o *outcome)) *outcome {
		o := &outcome{
			stdout:   "epoch 1 loss 0.5 took 3.1 s\nepoch 2 loss 0.25 took 3.0 s\n",
			files:    map[string]string{"model.pt": "aa", "log.txt": "bb"},
			contents: map[string]map[string]string{"model.pt": {"data/0": "11", "names in data.pkl": "torch.FloatStorage"}},
			weights:  map[string]string{"rank 0": "f00"},
		}
		if change != nil {
			change(o)
		}
		return o
	}
	same := run(nil)
	for _, c := range []struct {
		name       string
		two, vigil *outcome
		want       string // in the only difference; "": alike
	}{
		{"the same", same, same, ""},
		{"exit code", same, run(func(o *outcome) { o.code = 1 }), "exit code 1, bare 0"},
		{"another loss", same, run(func(o *outcome) { o.stdout = strings.Replace(o.stdout, "0.25", "0.26", 1) }), "0.26"},
		{"another time", same, run(func(o *outcome) { o.stdout = strings.Replace(o.stdout, "3.0 s", "9.75 s", 1) }), ""},
		{"a loss that is not steady", run(func(o *outcome) { o.stdout = strings.Replace(o.stdout, "0.25", "0.27", 1) }), run(func(o *outcome) { o.stdout = strings.Replace(o.stdout, "0.25", "0.26", 1) }), ""},
		{"a line more", same, run(func(o *outcome) { o.stdout += "a warning\n" }), "a warning"},
		{"a warning", same, run(func(o *outcome) { o.stderr = "a warning\n" }), "a warning"},
		{"a file more", same, run(func(o *outcome) { o.files["core"] = "cc" }), `files ["core"]`},
		{"a file less", same, run(func(o *outcome) { delete(o.files, "log.txt") }), `bare ["log.txt"]`},
		{"other bytes", same, run(func(o *outcome) { o.files["log.txt"] = "dd" }), "log.txt: other bytes"},
		{"other tensors", same, run(func(o *outcome) { o.files["model.pt"], o.contents["model.pt"]["data/0"] = "dd", "12" }), "data/0"},
		{"other numbers of hooks", same, run(func(o *outcome) { o.files["model.pt"] = "dd" }), ""},
		{"other weights", same, run(func(o *outcome) { o.weights["rank 0"] = "bad" }), "rank 0"},
		{"a name in a checkpoint that is not steady",
			run(func(o *outcome) { o.files["model.pt"], o.contents["model.pt"]["data/0"] = "ee", "22" }),
			run(func(o *outcome) {
				o.files["model.pt"] = "ff"
				o.contents["model.pt"] = map[string]string{"data/0": "33", "names in data.pkl": "builtins.getattr torch.FloatStorage"}
			}), "builtins.getattr"},
		{"tensors that are not steady",
			run(func(o *outcome) { o.files["model.pt"], o.contents["model.pt"]["data/0"] = "ee", "22" }),
			run(func(o *outcome) { o.files["model.pt"], o.contents["model.pt"]["data/0"] = "ff", "33" }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := differ(run(nil), c.two, c.vigil).Differences
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("differences %q, expected %q", found, c.want)
			}
		})
	}
}

func TestWithoutVigil(t *testing.T) {
	text := "a warning\nvigil: dead_relu at step 3\n  96 % are dead\n  remedy lower the rate\nmine\n  indented\n"
	if got, want := withoutVigil(text), "a warning\nmine\n  indented\n"; got != want {
		t.Errorf("withoutVigil gives %q, expected %q", got, want)
	}
}
