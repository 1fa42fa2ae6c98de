package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// A validation loss is seen that a function of PyTorch gives. One that is
// computed outside of PyTorch is not: the run says which lines to add, and with
// them the loss is there. They do nothing where Vigil is not installed.
func TestValidationLoss(t *testing.T) {
	t.Parallel()
	const advice = `if vigil: vigil.log({"loss": value})`
	const imports = "try: import vigil\nexcept ImportError: vigil = None"
	for _, tt := range []struct {
		name, before, value, call string
		want                      int // losses in EVAL
	}{
		{"by a function", "", "functional.cross_entropy(model(x), y).item()", "pass", 4},
		{"by numpy", "", byNumpy, "pass", 0},
		{"by numpy, as advised", imports, byNumpy, advice, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := strings.NewReplacer("BEFORE", tt.before, "VALUE", tt.value, "CALL", tt.call).Replace(functionalValidation)
			path := filepath.Join(dir, "train.py")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--"}, forkedFile(t, path)...)...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			if said := strings.Contains(o.stderr, advice); said != (tt.want == 0) {
				t.Errorf("advice given: %v\n%s", said, o.stderr)
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			if n := tr.Run().Steps["EVAL"]; n != 4 {
				t.Errorf("%d steps of evaluation, want 4", n)
			}
			if tt.want == 0 {
				return
			}
			if steps, _, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Eval}); err != nil || len(steps) != tt.want {
				t.Errorf("validation losses at steps %v, want %d; %v", steps, tt.want, err)
			}
		})
	}
}

const byNumpy = "-float(functional.log_softmax(model(x), 1).numpy()[range(64), y.numpy()].mean())"

// functionalValidation trains with a loss that is a function, and validates.
const functionalValidation = `import torch
from torch import nn
from torch.nn import functional

BEFORE
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
for epoch in range(2):
    model.train()
    for i in range(15):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for i in range(2):
            value = VALUE
            CALL
`
