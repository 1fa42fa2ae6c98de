package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// However a training ends, it ends as it would without Vigil, and the run says
// how and has what was captured up to there.
func TestEndings(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	for _, tt := range []struct {
		name   string
		code   int
		status string
		stderr string
		steps  int64
	}{
		{"raises", 1, record.Failed, "ValueError: the script's own error", 25},
		{"os_exit", 9, record.Failed, "", 25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			// Quiet: Python writes a traceback in pieces, and what Vigil says meanwhile would stand between two of them.
			o := run(t, dir, nil, binary, "run", "--quiet", "--name", "r", "--", python, script(tt.name))
			if o.code != tt.code {
				t.Errorf("exit code %d, want %d\n%s", o.code, tt.code, o.stderr)
			}
			if !strings.Contains(o.stderr, tt.stderr) {
				t.Errorf("standard error lacks %q: %s", tt.stderr, o.stderr)
			}
			r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run()
			if r.Status != tt.status || r.ExitCode == nil || *r.ExitCode != tt.code {
				t.Errorf("status %q with exit code %v, want %q with %d", r.Status, r.ExitCode, tt.status, tt.code)
			}
			if r.Exception != tt.stderr {
				t.Errorf("the run says that it ended by %q, want %q", r.Exception, tt.stderr)
			}
			if r.Steps["TRAIN"] != tt.steps {
				t.Errorf("%d steps stored, want %d", r.Steps["TRAIN"], tt.steps)
			}
		})
	}
}

// Ctrl-C reaches the script, which ends in its own way.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("endless"))
	var out, errOut lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the first steps", func() bool { return strings.Contains(out.String(), "step 20 ") })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, errOut.String())
	}
	if !strings.Contains(out.String(), "interrupted after") {
		t.Errorf("the script did not see the interrupt: %s", out.String())
	}
	if r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run(); r.Steps["TRAIN"] < 20 || r.Status != record.Failed {
		t.Errorf("run has %v steps, status %q", r.Steps, r.Status)
	}
}

// The script's standard input is its own.
func TestInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := command(ctx, dir, nil, binary, "run", "--name", "r", "--", testenv.Python(t), script("input_script"))
	cmd.Stdin = strings.NewReader("30\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "steps? ") || !strings.Contains(string(out), "loss ") {
		t.Fatalf("%v: %s", err, out)
	}
	if r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run(); r.Steps["TRAIN"] != 30 {
		t.Errorf("%d steps, want 30", r.Steps["TRAIN"])
	}
}

// A job of several processes by torchrun is one run with one worker a rank.
func TestTwoRanks(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	dir := t.TempDir()
	argv := []string{python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", script("ddp")}
	bare := run(t, dir, []string{"VIGIL_E2E_OUT=" + filepath.Join(dir, "bare")}, argv...)
	if bare.code != 0 {
		t.Fatalf("bare torchrun ended with %d: %s", bare.code, bare.stderr)
	}
	o := run(t, dir, []string{"VIGIL_E2E_OUT=" + filepath.Join(dir, "watched")}, append([]string{binary, "run", "--name", "r", "--"}, argv...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	if want, got := read(t, filepath.Join(dir, "bare")), read(t, filepath.Join(dir, "watched")); want != got {
		t.Errorf("weights differ: bare %q, watched %q", want, got)
	}
	tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
	if got := strings.Join(tr.Workers(), " "); got != "worker_0 worker_1" {
		t.Errorf("workers %q", got)
	}
	for _, worker := range []string{"worker_0", "worker_1"} {
		steps, _, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train, Worker: worker})
		if err != nil || len(steps) < 20 {
			t.Errorf("%s has %d losses, %v", worker, len(steps), err)
		}
	}
	for _, f := range tr.Findings() {
		t.Errorf("finding in a healthy run: %s: %s", f.Rule, f.Message)
	}
}

// However a training is started, below the command it is found and captured.
func TestLaunchers(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	torchrun := []string{filepath.Join(filepath.Dir(python), "torchrun")}
	if _, err := os.Stat(torchrun[0]); err != nil {
		torchrun = []string{python, "-m", "torch.distributed.run"}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		argv  []string
	}{
		{
			name: "package",
			files: map[string]string{
				"trainer/__init__.py": "",
				"trainer/net.py":      "from torch import nn\n\n\ndef build():\n    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))\n",
				"trainer/__main__.py": packageMain,
			},
			argv: []string{python, "-m", "trainer"},
		},
		{
			name:  "shell script",
			files: map[string]string{"job.sh": "set -e\necho begin\n'" + python + "' '" + script("mlp") + "'\necho end\n"},
			argv:  []string{"bash", "job.sh"},
		},
		{
			name: "torchrun",
			argv: append(torchrun, "--standalone", "--nproc_per_node", "1", script("mlp")),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--"}, tt.argv...)...)
			if o.code != 0 || !strings.Contains(o.stdout, "loss ") {
				t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
			}
			r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run()
			if r.Steps["TRAIN"] < 20 || r.Status != record.Completed || r.ExitCode == nil || *r.ExitCode != 0 {
				t.Errorf("steps %v, status %q, exit code %v", r.Steps, r.Status, r.ExitCode)
			}
		})
	}
}

// packageMain is the __main__.py of a package that trains.
const packageMain = `import torch
from torch import nn

from .net import build

torch.manual_seed(0)
model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
for i in range(30):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
`

// A rule that fires stops every process of the job, also torchrun's workers in
// sessions of their own, and the launcher says so by exit code 3.
func TestStopByRule(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	diverges := filepath.Join(testenv.Root(), "e2e", "scripts", "stop", "diverges.py")
	for _, tt := range []struct {
		name string
		argv []string
	}{
		{"python", []string{python, diverges}},
		{"shell", []string{"bash", "-c", "'" + python + "' '" + diverges + "'; echo never"}},
		{"torchrun", []string{python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", diverges}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pids := filepath.Join(dir, "pids")
			hook := filepath.Join(dir, "finding.json")
			config := "actions:\n  - command: [sh, -c, 'cat >> " + hook + "']\n    on: error\n"
			if err := os.WriteFile(filepath.Join(dir, "vigil.yaml"), []byte(config), 0o644); err != nil {
				t.Fatal(err)
			}
			o := run(t, dir, []string{"PIDS=" + pids}, append([]string{binary, "run", "--name", "r", "--stop-on", "error", "--"}, tt.argv...)...)
			if o.code != 3 {
				t.Fatalf("exit code %d, want 3\n%s", o.code, o.stderr)
			}
			if strings.Contains(o.stdout, "never") {
				t.Error("the shell went on")
			}
			for _, line := range strings.Fields(read(t, pids)) {
				var pid int
				fmt.Sscan(line, &pid)
				if alive(pid) {
					t.Errorf("process %d of the job is still there", pid)
				}
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			if r := tr.Run(); r.Status != record.Stopped || r.StoppedBy == "" {
				t.Errorf("status %q, stopped by %q", r.Status, r.StoppedBy)
			}
			if f := read(t, hook); !strings.Contains(f, `"rule"`) || strings.Count(f, `"message"`) != 1 && len(tr.Findings()) == 1 {
				t.Errorf("the command got %q", f)
			}
		})
	}
}

// alive tells a running process from one that is gone or waits to be reaped.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(b, ')')
	return i < 0 || i+2 >= len(b) || b[i+2] != 'Z'
}

// The two lines of control work under vigil run, without it (the hook starts
// the agent), with VIGIL=0, and where there is no vigil at all.
func TestControl(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	lib := "PYTHONPATH=" + filepath.Join(testenv.Root(), "python")
	noVigil := "PATH=/usr/bin:/bin"
	check := func(t *testing.T, path string) {
		t.Helper()
		tr := open(t, path)
		if r := tr.Run(); r.Steps["TRAIN"] < 20 || r.Steps["EVAL"] < 1 || r.Status != record.Completed {
			t.Errorf("steps %v, status %q", r.Steps, r.Status)
		}
		if raw := tr.RawSteps("Sequential_0.weight", record.Train, ""); len(raw) < 4 {
			t.Errorf("raw values of the collection at steps %v", raw)
		}
		if raw := tr.RawSteps("logits", record.Train, ""); len(raw) != 1 || raw[0] != 3 {
			t.Errorf("the saved tensor is at steps %v, want 3", raw)
		}
		if steps, _, err := tr.Series(trial.Query{Tensor: "scalar/accuracy", Mode: record.Train}); err != nil || len(steps) != 1 || steps[0] != 3 {
			t.Errorf("the saved scalar is at steps %v, want 3 (%v)", steps, err)
		}
	}
	t.Run("under run", func(t *testing.T) {
		dir := t.TempDir()
		if o := run(t, dir, nil, binary, "run", "--name", "r", "--", python, script("control")); o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		check(t, filepath.Join(dir, "vigil-runs", "r"))
	})
	t.Run("alone", func(t *testing.T) {
		dir := t.TempDir()
		if o := run(t, dir, []string{lib, noVigil, "VIGIL_BIN=" + binary}, python, script("control")); o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		root := filepath.Join(dir, "vigil-runs")
		waitEnded(t, root)
		check(t, runDir(t, root))
	})
	t.Run("off", func(t *testing.T) {
		dir := t.TempDir()
		if o := run(t, dir, []string{lib, "VIGIL_BIN=" + binary, "VIGIL=0"}, python, script("control")); o.code != 0 || o.stderr != "" {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "vigil-runs")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something was written: %v", err)
		}
	})
	t.Run("no program", func(t *testing.T) {
		dir := t.TempDir()
		o := run(t, dir, []string{lib, noVigil}, python, script("control"))
		if o.code != 0 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "vigil") {
			t.Errorf("exit code %d, standard error %q; want 0 and one line", o.code, o.stderr)
		}
	})
}

// A script whose hook started the agent loses its connection for longer than
// the agent takes to end a run, goes on, and ends well: so does the run.
func TestLostConnectionAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}
	if o := run(t, dir, env, testenv.Python(t), script("lost_connection")); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	root := filepath.Join(dir, "vigil-runs")
	waitEnded(t, root)
	if r := open(t, runDir(t, root)).Run(); r.Status != record.Completed || r.Steps["GLOBAL"]+r.Steps["TRAIN"] != 10 {
		t.Errorf("status %q, %v steps", r.Status, r.Steps)
	}
}

// A real notebook kernel: cells run one by one, and the run ends with it.
func TestNotebookKernel(t *testing.T) {
	if without("jupyter") {
		t.Skip("VIGIL_TEST_WITHOUT names jupyter")
	}
	t.Parallel()
	python := testenv.Python(t)
	if _, err := exec.Command(python, "-c", "import nbclient, ipykernel").Output(); err != nil && os.Getenv("VIGIL_TEST_LONG") != "" {
		t.Log("this environment is an old PyTorch without the notebook packages; the newest one has them")
		return
	}
	dir := t.TempDir()
	o := run(t, dir, []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}, python,
		filepath.Join(testenv.Root(), "e2e", "scripts", "notebook", "execute.py"))
	if o.code != 0 {
		t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	root := filepath.Join(dir, "vigil-runs")
	waitEnded(t, root)
	r := open(t, runDir(t, root)).Run()
	if r.Steps["TRAIN"] != 40 {
		t.Errorf("%d steps, want 40", r.Steps["TRAIN"])
	}
	if !strings.HasSuffix(r.Name, "-Fit-a-line") {
		t.Errorf("the run is called %q, not after its notebook", r.Name)
	}
}

// vigil.ui() in a real notebook kernel: a cell shows the dashboard, which ends with the kernel.
func TestNotebookShowsTheDashboard(t *testing.T) {
	if without("jupyter") {
		t.Skip("VIGIL_TEST_WITHOUT names jupyter")
	}
	t.Parallel()
	python := testenv.Python(t)
	if _, err := exec.Command(python, "-c", "import nbclient, ipykernel").Output(); err != nil && os.Getenv("VIGIL_TEST_LONG") != "" {
		t.Log("this environment is an old PyTorch without the notebook packages; the newest one has them")
		return
	}
	o := run(t, t.TempDir(), []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}, python,
		filepath.Join(testenv.Root(), "e2e", "scripts", "notebook", "dashboard.py"))
	if o.code != 0 {
		t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// A process makes one run: who opens a hook after its end is told that nothing
// is captured.
func TestHookAfterItsEnd(t *testing.T) {
	t.Parallel()
	o := run(t, t.TempDir(), []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}, testenv.Python(t),
		"-c", "import vigil.torch as vg; vg.Hook().close(); vg.Hook()")
	if o.code != 0 || !strings.Contains(o.stderr, "nothing is captured: the hook of this process was closed") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// A notebook without a line for Vigil, executed as a command, is captured like a script.
func TestNotebookUnderRun(t *testing.T) {
	if without("jupyter") {
		t.Skip("VIGIL_TEST_WITHOUT names jupyter")
	}
	t.Parallel()
	jupyter := filepath.Join(filepath.Dir(testenv.Python(t)), "jupyter")
	if _, err := os.Stat(jupyter); err != nil && os.Getenv("VIGIL_TEST_LONG") != "" {
		t.Log("this environment is an old PyTorch without the notebook packages; the newest one has them")
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "train.ipynb"), []byte(notebook), 0o644); err != nil {
		t.Fatal(err)
	}
	// "jupyter execute" looks for its part on the PATH.
	o := run(t, dir, []string{"PATH=" + filepath.Dir(jupyter) + ":" + os.Getenv("PATH")}, binary, "run", "--name", "r", "--", jupyter, "execute", "train.ipynb")
	if o.code != 0 {
		t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run(); r.Steps["TRAIN"] != 40 || r.Status != record.Completed {
		t.Errorf("%d steps, want 40; status %q", r.Steps["TRAIN"], r.Status)
	}
}

// notebook is one of two cells that trains.
const notebook = `{"cells": [
  {"cell_type": "code", "id": "a", "execution_count": null, "metadata": {}, "outputs": [],
   "source": "import torch\nfrom torch import nn\nmodel = nn.Linear(8, 1)\noptimiser = torch.optim.SGD(model.parameters(), lr=0.05)"},
  {"cell_type": "code", "id": "b", "execution_count": null, "metadata": {}, "outputs": [],
   "source": "for _ in range(40):\n    x = torch.randn(32, 8)\n    optimiser.zero_grad()\n    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()\n    optimiser.step()"}
 ], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`

// A process that logs a few numbers and ends at once leaves all of them.
func TestShortRuns(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	dir := t.TempDir()
	log := "import vigil\nfor i in range(50):\n    vigil.log({'a': i, 'b': -i, 'c': 0.5}, step=i)\n"
	for i := range 20 {
		name := fmt.Sprint("r", i)
		if o := run(t, dir, nil, binary, "run", "--quiet", "--name", name, "--", python, "-c", log); o.code != 0 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		tr := open(t, filepath.Join(dir, "vigil-runs", name))
		for _, series := range []string{"a", "b", "c"} {
			if steps, _, err := tr.Series(trial.Query{Tensor: series, Mode: record.Global}); err != nil || len(steps) != 50 {
				t.Fatalf("run %d: %q has %d values, %v; %+v", i, series, len(steps), err, tr.Run().NotCaptured)
			}
		}
	}
}
