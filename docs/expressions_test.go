package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/ruletest"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// TestRecipes holds the page, the example and its tests together: every
// recipe of the page is the example's, and each of the example is tested.
func TestRecipes(t *testing.T) {
	examples := filepath.Join(testenv.Root(), "examples")
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page, example, tests := text("expressions.md"), text(filepath.Join(examples, "own_rules.yaml")), text(filepath.Join(examples, "own_rules_test.yaml"))
	list, err := config.ParseRules([]byte(example), "own_rules.yaml", agent.Known())
	if err != nil {
		t.Fatal(err)
	}
	_, recipes, _ := strings.Cut(page, "\n## Recipes\n")
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllStringSubmatch(recipes, -1)
	if len(blocks) == 0 {
		t.Error("the page has no recipe")
	}
	for _, b := range blocks {
		if !strings.Contains(example, b[1]) {
			t.Errorf("the example does not hold the recipe\n%s", b[1])
		}
	}
	for _, rc := range list {
		if !strings.Contains(tests, "rule: "+rc.Rule+"\n") {
			t.Errorf("recipe %s has no test", rc.Rule)
		}
	}
	runRuleTests(t, filepath.Join(examples, "own_rules_test.yaml"))
}

// TestRuleTestsPage runs the file of tests that the page shows.
func TestRuleTestsPage(t *testing.T) {
	page, err := os.ReadFile("rule-tests.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(testenv.Root(), "examples", "own_rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindStringSubmatch(string(page))
	dir := t.TempDir()
	for name, text := range map[string]string{"vigil.yaml": string(example), "loss_test.yaml": block[1]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runRuleTests(t, filepath.Join(dir, "loss_test.yaml"))
}

// runRuleTests runs all tests of a file; each has to pass.
func runRuleTests(t *testing.T, path string) {
	t.Helper()
	f, err := ruletest.Load(path, agent.Known())
	if err != nil {
		t.Fatal(err)
	}
	results, err := f.Run(t.Context(), ruletest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.OK {
			t.Errorf("%s:\n  %s", r.Name, strings.Join(r.Differences, "\n  "))
		}
	}
}
