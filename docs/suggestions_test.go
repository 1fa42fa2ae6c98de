package docs

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/suggest"
)

// The page on findings names every check that has a suggested edit, and each of them is
// a check.
func TestSuggestedEdits(t *testing.T) {
	text, err := os.ReadFile("findings.md")
	if err != nil {
		t.Fatal(err)
	}
	var checks []string
	for _, d := range rules.Catalogue() {
		for _, c := range d.Checks {
			checks = append(checks, c.ID)
		}
	}
	for _, id := range suggest.Checks() {
		if !strings.Contains(string(text), "`"+id+"`") {
			t.Errorf("findings.md does not name %s", id)
		}
		if !slices.Contains(checks, id) {
			t.Errorf("there is no check %s", id)
		}
	}
}
