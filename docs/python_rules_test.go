package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// TestPythonRulesPage holds the page and the examples together: what the page
// shows is the example's, each rule is tested, every setting is explained, and
// the script reads a run.
func TestPythonRulesPage(t *testing.T) {
	examples := filepath.Join(testenv.Root(), "examples")
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page := text("python-rules.md")
	classes, settings, tests := text(filepath.Join(examples, "my_rules.py")), text(filepath.Join(examples, "my_rules.yaml")), text(filepath.Join(examples, "my_rules_test.yaml"))
	blocks := func(language string) (out []string) {
		for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(page, -1) {
			out = append(out, m[1])
		}
		return out
	}
	python := blocks("python")
	if len(python) != 2 || !strings.Contains(classes, python[0]) {
		t.Errorf("the example does not hold\n%s", python[0])
	}
	for _, b := range blocks("yaml") {
		if !strings.Contains(settings, b) {
			t.Errorf("the example does not hold\n%s", b)
		}
	}
	list, err := config.ParseRules([]byte(settings), filepath.Join(examples, "my_rules.yaml"), agent.Known())
	if err != nil {
		t.Fatal(err)
	}
	for _, rc := range list {
		if !strings.Contains(tests, "rule: "+rc.Rule) {
			t.Errorf("rule %s has no test", rc.Rule)
		}
	}
	for _, key := range rules.PythonParameters() {
		if !strings.Contains(page, "`"+key+"`") {
			t.Errorf("the page does not explain %q", key)
		}
	}

	dir := t.TempDir()
	bin := program(t)
	env := append(testenv.Environ(nil),
		"PYTHONPATH="+filepath.Join(testenv.Root(), "python"), "VIGIL_BIN="+bin)
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, out)
		}
		return string(out)
	}
	run(bin, "run", "--name", "first", "--rules", "none", "--", testenv.Python(t), filepath.Join(examples, "train.py"))
	out := run(testenv.Python(t), "-c", python[1])
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[2], "499 ") {
		t.Errorf("the script prints\n%s", out)
	}
}
