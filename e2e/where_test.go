package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// A finding names the line of the script that it is about, unless that is switched off:
// by a flag, or in the configuration that the agent of a hook reads.
func TestWhereInTheScript(t *testing.T) {
	t.Parallel()
	const hook = "import vigil.torch\nvigil.torch.Hook()\n"
	for _, tt := range []struct {
		name, before, settings string
		flags                  []string // nil: without `vigil run`
		call                   string
	}{
		{"vigil run", "", "", []string{"--name", "r"}, "loss.backward()"},
		{"a flag", "", "", []string{"--name", "r", "--no-source"}, ""},
		{"a hook", hook, "", nil, "loss.backward()"},
		{"a hook beside vigil.yaml", hook, "source: false\n", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := tt.before + gradientsKept
			for name, content := range map[string]string{"train.py": text, "vigil.yaml": tt.settings} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			command := []string{testenv.Python(t), "train.py"}
			var env []string
			if tt.flags == nil {
				env = []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}
			} else {
				command = slices.Concat([]string{binary, "run"}, tt.flags, []string{"--"}, forkedFile(t, filepath.Join(dir, "train.py")))
			}
			if o := run(t, dir, env, command...); o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			root := filepath.Join(dir, "vigil-runs")
			waitEnded(t, root)
			found := open(t, runDir(t, root)).Findings()
			i := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == "zero_grad" })
			if i < 0 {
				t.Fatalf("found %v", found)
			}
			w := found[i].Where
			if s := found[i].Suggestion; (s != nil) != (tt.call != "") {
				t.Errorf("the suggestion is %+v", s)
			}
			switch {
			case tt.call == "" && w != nil:
				t.Errorf("where is %+v", *w)
			case tt.call != "" && (w == nil || w.Call != tt.call || filepath.Base(w.File) != "train.py" || w.Line != 1+strings.Count(text[:strings.Index(text, tt.call)], "\n")):
				t.Errorf("where is %+v", w)
			}
		})
	}
}

// gradientsKept never clears its gradients.
const gradientsKept = `import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    loss.backward()
    optimizer.step()
`
