package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/provenance"
)

var codeName = regexp.MustCompile("`([A-Z0-9_]+)`")

// TestVariables: the page lists the environment variables that are stored, all of them and no others.
func TestVariables(t *testing.T) {
	text, err := os.ReadFile("provenance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "These environment variables are stored, and no others:\n")
	list, _, ended := strings.Cut(list, "\n## ")
	if !found || !ended {
		t.Fatal("provenance.md has no list of environment variables")
	}
	var names []string
	for _, m := range codeName.FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	if d := cmp.Diff(provenance.Variables, names); d != "" {
		t.Errorf("provenance.md (-stored +listed):\n%s", d)
	}
	if !slices.IsSorted(provenance.Variables) {
		t.Error("the variables are not in order")
	}
}
