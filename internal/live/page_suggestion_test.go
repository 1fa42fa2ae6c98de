package live

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

const (
	putIn = "--- a/train.py\n+++ b/train.py\n@@ -11,2 +11,3 @@\n     loss = criterion(model(x), y)\n+    optimizer.zero_grad()\n     loss.backward()\n"
	apart = "--- a/train.py\n+++ b/train.py\n@@ -11,2 +11,3 @@\n     right = 0\n+    model.eval()\n     with torch.no_grad():\n" +
		"@@ -15,2 +16,3 @@\n             right += model(x)\n+    model.train()\n     return right\n"
	moved    = "--- a/train.py\r\n+++ b/train.py\n@@ -11,4 +11,4 @@\n     loss = f(x)\r\n+    o.zero_grad()\r\n     loss.backward()\r\n-    o.zero_grad()\r\n     o.step()\r\n"
	replaced = "--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n-\tmodel = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4), nn.Softmax(dim=1))\n+\tmodel = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))\n \n\\ No newline at end of file\n"
)

// A finding with a suggestion: what goes and what comes, below where.
func TestFindingWithSuggestion(t *testing.T) {
	for _, c := range []struct {
		name string
		page Page
		diff string
		want string // from the edit on
	}{
		{"put in", Page{}, putIn, `
  edit      train.py:12
              loss = criterion(model(x), y)
            + optimizer.zero_grad()
              loss.backward()
  explain   vigil rules describe zero_grad/kept`},
		{"in two places", Page{Width: 80}, apart, `
  edit      train.py:12
              right = 0
            + model.eval()
              with torch.no_grad():
            line 16
                      right += model(x)
            + model.train()
              return right
  explain   vigil rules describe zero_grad/kept`},
		{"moved", Page{Width: 80}, moved, `
  edit      train.py:12
            + o.zero_grad()
              loss.backward()
            - o.zero_grad()
  explain   vigil rules describe zero_grad/kept`},
		{"replaced, 80 columns", Page{Width: 80}, replaced, `
  edit      train.py:1
            - model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32,
              4), nn.Softmax(dim=1))
            + model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32,
              4))
  explain   vigil rules describe zero_grad/kept`},
		{"replaced, 160 columns", Page{Width: 160}, replaced, `
  edit      train.py:1
            - model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4), nn.Softmax(dim=1))
            + model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
  explain   vigil rules describe zero_grad/kept`},
		{"colours", Page{Width: 80, Style: Style{Color: true}}, moved, "\n" +
			"  \x1b[2medit     \x1b[0m train.py:12\n" +
			"            \x1b[32m+ o.zero_grad()\x1b[0m\n" +
			"              \x1b[2mloss.backward()\x1b[0m\n" +
			"            \x1b[31m- o.zero_grad()\x1b[0m\n" +
			"  \x1b[2mexplain  \x1b[0m vigil rules describe zero_grad/kept"},
		{"escapes of the script's", Page{}, "--- a/train.py\n+++ b/train.py\n@@ -1,1 +1,1 @@\n-print('\x1b[2J')\n+print()\n", `
  edit      train.py:1
            - print('\x1b[2J')
            + print()
  explain   vigil rules describe zero_grad/kept`},
		{"no diff", Page{}, "", "\n  explain   vigil rules describe zero_grad/kept"},
	} {
		c.page.Explain = func(f *record.Finding) string { return "vigil rules describe " + f.Rule + "/" + f.Check }
		f := record.Finding{Rule: "zero_grad", Check: "kept", Severity: record.Error, Remedy: "call it", Suggestion: &record.Suggestion{File: "train.py", Diff: c.diff}}
		_, got, _ := strings.Cut(c.page.Finding(&f), "call it")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s\n%q", c.name, got, c.want, got)
		}
		f.OutweighedBy = "learning_rate/too_low"
		if got := c.page.Finding(&f); strings.Contains(got, "edit") {
			t.Errorf("%s: a finding that another outweighs:\n%s", c.name, got)
		}
	}
}
