package docs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// TestLinterVets: the linter runs what go vet runs, on tests too, so that the test command needs no go vet of its own. Its own choice
// of analyzers has all of go vet's; what they find in assembly it drops, and the test command asks go vet for that.
func TestLinterVets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testenv.Root(), ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var linter struct {
		Run     struct{ Tests *bool }
		Linters struct {
			Default         string
			Enable, Disable []string
			Settings        map[string]any
			Exclusions      struct {
				Paths []string
				Rules []struct{ Linters []string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &linter); err != nil {
		t.Fatal(err)
	}
	l := linter.Linters
	if l.Default != "standard" && !slices.Contains(l.Enable, "govet") || slices.Contains(l.Disable, "govet") {
		t.Error("govet is not enabled")
	}
	if l.Settings["govet"] != nil {
		t.Errorf("govet has settings of its own: %v", l.Settings["govet"])
	}
	if linter.Run.Tests != nil && !*linter.Run.Tests {
		t.Error("tests are left out")
	}
	for _, r := range l.Exclusions.Rules {
		if slices.Contains(r.Linters, "govet") {
			t.Errorf("govet does not see all: %v", r)
		}
	}
	if len(l.Exclusions.Paths) > 0 {
		t.Errorf("govet does not see %v", l.Exclusions.Paths)
	}
}
