package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// A loss that is a sum of two calls of one loss module, or that a module makes of
// others, is judged like any: what backward was called on is the loss. Its sound
// twin has no alarm, and what is not judged says why.
func TestLossOfParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, loss, harm, root string
		unjudged               string
	}{
		{"two calls, weights thrown away", twoCalls, "-60", "learning_rate/exploded", ""},
		{"two calls", twoCalls, "1", "", ""},
		{"nested, weights thrown away", nestedCalls, "-60", "learning_rate/exploded", ""},
		{"multiplied by 0", "0.0 * pair(good, bad)", "1", "not_updated/zero_gradients", ""},
		{"two calls, of which one is subtracted", strings.Replace(twoCalls, "+", "- 3 *", 1), "1", "", "the loss is below zero at times, so its level says nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "train.py")
			if err := os.WriteFile(path, []byte(strings.NewReplacer("LOSS", tt.loss, "HARM", tt.harm).Replace(pairwise)), 0o644); err != nil {
				t.Fatal(err)
			}
			o := run(t, dir, nil, append([]string{binary, "run", "--name", "r", "--every", "5", "--"}, forkedFile(t, path)...)...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			root := ""
			if groups := view.FindingsOf(tr).Groups; len(groups) > 0 && groups[0].Root.Severity != record.Info {
				root = groups[0].Root.Rule + "/" + groups[0].Root.Check
			}
			if root != tt.root {
				t.Errorf("the root is %q, want %q\n%s", root, tt.root, o.stderr)
			}
			if said := strings.Contains(strings.Join(strings.Fields(o.stderr), " "), "is multiplied by 0."); said != (tt.root == "not_updated/zero_gradients") {
				t.Errorf("a factor of 0 is named: %t\n%s", said, o.stderr)
			}
			for _, s := range tr.Statuses() {
				if s.Configuration == "loss_spike" && s.NotJudged != tt.unjudged {
					t.Errorf("loss_spike is not judged: %q, want %q", s.NotJudged, tt.unjudged)
				}
			}
		})
	}
}

// pairwise learns to tell two kinds of samples apart.
const pairwise = `import torch
from torch import nn

torch.manual_seed(0)
scorer = nn.Linear(8, 1)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(scorer.parameters(), lr=0.1)


class PairLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = criterion

    def forward(self, good, bad):
        return self.inner(good, torch.ones_like(good)) + self.inner(bad, torch.zeros_like(bad))


pair = PairLoss()
for step in range(200):
    good, bad = scorer(torch.randn(32, 8) + 0.3), scorer(torch.randn(32, 8) - 0.3)
    loss = LOSS
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 120:
        with torch.no_grad():
            scorer.weight.mul_(HARM)
`

const (
	twoCalls    = "criterion(good, torch.ones(32, 1)) + criterion(bad, torch.zeros(32, 1))"
	nestedCalls = "pair(good, bad)"
)
