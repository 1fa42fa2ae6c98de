package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// healthy are the training scripts that must end well, with the same weights
// as without Vigil and without a word from the default rules.
var healthy = []struct {
	name  string
	modes map[string]int64 // mode steps that must be there, at least
	env   []string
	since int    // first major version of PyTorch that has what the script uses; 0: all
	info  string // rule that may say something of severity info
	needs string // what the environments of old releases have not, as VIGIL_TEST_WITHOUT names it
	own   bool   // under Vigil it is a Python of its own, whose beginning and processes are part of what is shown
}{
	{name: "mlp", own: true, modes: map[string]int64{"TRAIN": 20}},
	{name: "cnn_bn", modes: map[string]int64{"TRAIN": 20}},
	{name: "lstm", modes: map[string]int64{"TRAIN": 20}},
	{name: "transformer", modes: map[string]int64{"TRAIN": 20}},
	{name: "gan", modes: map[string]int64{"TRAIN": 20}},
	{name: "accumulate", modes: map[string]int64{"TRAIN": 20}},
	{name: "amp", modes: map[string]int64{"TRAIN": 20}},
	{name: "lbfgs", modes: map[string]int64{"TRAIN": 20}},
	{name: "handloss", modes: map[string]int64{"TRAIN": 20}},
	{name: "handupdate", modes: map[string]int64{"TRAIN": 19}},
	{name: "validation", modes: map[string]int64{"TRAIN": 20, "EVAL": 2}},
	{name: "frozen", modes: map[string]int64{"TRAIN": 20}},
	{name: "shared", modes: map[string]int64{"TRAIN": 20}},
	{name: "teacher", modes: map[string]int64{"TRAIN": 20}},
	{name: "fork", own: true, modes: map[string]int64{"TRAIN": 20}},
	{name: "loader_workers", own: true, modes: map[string]int64{"TRAIN": 20}},
	{name: "own_sitecustomize/train", own: true, modes: map[string]int64{"TRAIN": 20}, env: []string{
		"OWN_SITECUSTOMIZE=was asked for", "PYTHONPATH=" + filepath.Join(testenv.Root(), "e2e/scripts/own_sitecustomize/site")}},
	{name: "notebook", own: true, modes: map[string]int64{"TRAIN": 50}},
	{name: "compiled", own: true, modes: map[string]int64{"TRAIN": 20}, since: 2},
	{name: "hf_trainer", own: true, modes: map[string]int64{"TRAIN": 40, "EVAL": 8}, info: "clipping", needs: "trainers"},
	{name: "lightning_trainer", own: true, modes: map[string]int64{"TRAIN": 96, "EVAL": 12}, needs: "trainers"},
}

// TestHealthyScripts runs each script bare and under vigil run.
func TestHealthyScripts(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	major := torchMajor(t, python)
	for _, tt := range healthy {
		if major < tt.since || without(tt.needs) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bareOut, out := filepath.Join(dir, "bare"), filepath.Join(dir, "watched")
			var bare outcome
			if env := append(tt.env, "VIGIL_E2E_OUT="+bareOut); tt.env != nil { // what Python itself begins with
				bare = run(t, dir, env, python, script(tt.name))
			} else {
				bare = runBare(t, dir, env, script(tt.name))
			}
			if bare.code != 0 {
				t.Fatalf("bare script ended with %d: %s", bare.code, bare.stderr)
			}
			training := []string{python, script(tt.name)}
			if !tt.own {
				training = forked(t, tt.name)
			}
			watched := run(t, dir, append(tt.env, "VIGIL_E2E_OUT="+out), append([]string{binary, "run", "--dir", filepath.Join(dir, "runs"), "--"}, training...)...)
			if watched.code != 0 {
				t.Fatalf("watched script ended with %d: %s", watched.code, watched.stderr)
			}
			if watched.stdout != bare.stdout {
				t.Errorf("standard output differs:\nbare:    %q\nwatched: %q", bare.stdout, watched.stdout)
			}
			if want, got := read(t, bareOut), read(t, out); want != got {
				t.Errorf("weights differ: bare %q, watched %q", want, got)
			}
			tr := open(t, runDir(t, filepath.Join(dir, "runs")))
			r := tr.Run()
			if r.Status != record.Completed {
				t.Errorf("status is %q", r.Status)
			}
			for mode, n := range tt.modes {
				if r.Steps[mode] < n {
					t.Errorf("%d steps of mode %s, want at least %d; all: %v", r.Steps[mode], mode, n, r.Steps)
				}
			}
			for _, f := range tr.Findings() {
				if f.Rule == tt.info && f.Severity == record.Info {
					continue
				}
				t.Errorf("finding in a healthy run: %s %s: %s", f.Severity, f.Rule, f.Message)
			}
			// A machine that is held up for a tenth of a second may cost a frame;
			// that is counted and shown, and more must not be lost.
			for name, n := range r.Dropped {
				if n > 64 {
					t.Errorf("dropped %d values: %s", n, name)
				}
				if n == 0 {
					continue
				}
				if o := run(t, dir, nil, binary, "show", tr.Path()); !strings.Contains(o.stdout, "dropped: ") {
					t.Errorf("nobody says that %d values were dropped (%s): %s", n, name, o.stdout)
				}
			}
			if d := tr.Damage(); len(d) > 0 {
				t.Errorf("damaged: %v", d)
			}
			if r.Said == "" || !strings.Contains(watched.stderr, r.Said) {
				t.Errorf("what was understood was not said: %q\n%s", r.Said, watched.stderr)
			}
			kinds := map[record.Kind]int{}
			for _, info := range tr.Tensors() {
				kinds[info.Kind]++
			}
			for _, k := range []record.Kind{record.Loss, record.Weight, record.Gradient} {
				if kinds[k] == 0 {
					t.Errorf("no tensor of kind %s: %v", k, kinds)
				}
			}
			if !slices.ContainsFunc(tr.Tensors(), func(i record.TensorInfo) bool { return i.Name == "loss" }) {
				t.Error("there is no series called loss")
			}
		})
	}
}

func torchMajor(t *testing.T, python string) int {
	t.Helper()
	o := run(t, t.TempDir(), nil, python, "-c", "import importlib.metadata; print(importlib.metadata.version('torch').split('.')[0])")
	major, err := strconv.Atoi(strings.TrimSpace(o.stdout))
	if err != nil {
		t.Fatalf("ask for PyTorch's version: %v; %s", err, o.stderr)
	}
	return major
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
