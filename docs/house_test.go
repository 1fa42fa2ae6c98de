package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vigil-ml/vigil/internal/testenv"
)

const module = "github.com/vigil-ml/vigil"

var houseRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\| (.*) \\|$")

// house is the table of architecture.md: what each package knows. The command line knows everything, so it has no list.
func house(t *testing.T) map[string][]string {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## The house\n")
	table, _, ended := strings.Cut(table, "\n## ")
	if !found || !ended {
		t.Fatal("architecture.md has no section \"The house\"")
	}
	knows := make(map[string][]string)
	for _, m := range houseRow.FindAllStringSubmatch(table, -1) {
		knows[m[1]] = nil
		for name := range strings.SplitSeq(m[2], ", ") {
			if name != "nobody" && m[1] != "cli" {
				knows[m[1]] = append(knows[m[1]], strings.Trim(name, "`"))
			}
		}
	}
	return knows
}

// TestHouse compares the table of packages with the linter's rules, which compare it with the imports, and with the folders.
func TestHouse(t *testing.T) {
	knows := house(t)
	text, err := os.ReadFile(filepath.Join(testenv.Root(), ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var linter struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						ListMode string `yaml:"list-mode"`
						Files    []string
						Allow    []string
						Deny     []struct{ Pkg string }
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &linter); err != nil {
		t.Fatal(err)
	}
	rules := linter.Linters.Settings.Depguard.Rules
	for pkg, names := range knows {
		if pkg == "cli" {
			continue
		}
		rule, found := rules[strings.TrimPrefix(pkg, "internal/")]
		if !found {
			t.Errorf(".golangci.yml: depguard has no rule for %q", pkg)
			continue
		}
		if rule.ListMode != "lax" || len(rule.Files) == 0 || rule.Files[0] != "${base-path}/"+pkg+"/**.go" || len(rule.Deny) == 0 || rule.Deny[0].Pkg != module {
			t.Errorf(".golangci.yml: depguard's rule for %q does not deny %q in all files of its folder", pkg, module)
		}
		var allowed []string
		for _, path := range rule.Allow {
			if path = strings.TrimPrefix(path, module+"/"); path != pkg {
				allowed = append(allowed, strings.TrimPrefix(path, "internal/"))
			}
		}
		slices.Sort(allowed)
		slices.Sort(names)
		if !slices.Equal(allowed, names) {
			t.Errorf("%s knows %q in architecture.md and %q in .golangci.yml", pkg, names, allowed)
		}
	}
	for _, top := range []string{"cli", "cmd", "hook", "internal", "python", "rule"} {
		err := filepath.WalkDir(filepath.Join(testenv.Root(), top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			pkg, err := filepath.Rel(testenv.Root(), filepath.Dir(path))
			if err != nil {
				return err
			}
			for in := pkg; in != "."; in = filepath.Dir(in) {
				if _, found := knows[in]; found {
					return nil
				}
			}
			t.Errorf("%s is of no package in the table of architecture.md", path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
