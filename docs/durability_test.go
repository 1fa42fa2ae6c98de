package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// named is a test that the notebook on durability names: its package or file, its name.
var named = regexp.MustCompile("`([a-z0-9_/.]+) ((?:Test|test_)[A-Za-z0-9_]+)`")

// TestPromises holds every promise on durability in its notebook to a test that exists.
func TestPromises(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("lab", "durability.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| what is promised | shown by |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	promises := 0
	for row := range strings.Lines(table) {
		promises++
		tests := named.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test shows: %s", row)
		}
		for _, m := range tests {
			if !hasTest(t, filepath.Join(testenv.Root(), m[1]), m[2]) {
				t.Errorf("there is no test %s in %s", m[2], m[1])
			}
		}
	}
	if promises < 10 {
		t.Errorf("%d promises found", promises)
	}
}

// hasTest looks for a test in the Go package or in the Python file at path.
func hasTest(t *testing.T, path, name string) bool {
	t.Helper()
	files, word := []string{path}, "def "
	if !strings.HasSuffix(path, ".py") {
		var err error
		if files, err = filepath.Glob(filepath.Join(path, "*_test.go")); err != nil {
			t.Fatal(err)
		}
		word = "func "
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Error(err)
		} else if strings.Contains("\n"+string(b), "\n"+word+name+"(") {
			return true
		}
	}
	return false
}
