package platforms_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/platforms"
)

// planted are files with a mistake that are added to package tensor, and the platforms on which it is found.
var planted = []struct {
	name, text string
	on         func(goos, goarch string) bool
}{
	{"planted_windows.go", "package tensor\n\nvar _ int = `text`\n", func(goos, _ string) bool { return goos == "windows" }},
	{"planted_darwin.go", "package tensor\n\nvar _ int = `text`\n", func(goos, _ string) bool { return goos == "darwin" }},
	{"planted_arm64.go", "package tensor\n\nfunc planted() { undeclared() }\n", func(_, goarch string) bool { return goarch == "arm64" }},
	{"planted_other.go", "//go:build !linux\n\npackage tensor\n\nimport _ `no/such/package`\n", func(goos, _ string) bool { return goos != "linux" }},
	{"planted_unix.go", "//go:build unix && !amd64\n\npackage tensor\n\nfunc inAssembly()\n", func(goos, goarch string) bool { return goos != "windows" && goarch != "amd64" }},
	{"planted_c.go", "package tensor\n\nimport `C`\n\nvar _ int = `text`\n", func(_, _ string) bool { return false }},
}

// The programs have no mistake on any platform that is released, but those that are planted, each of which is found where it is built.
// No file of their packages is left out on all of the platforms.
func TestPlatforms(t *testing.T) {
	root := testenv.Root()
	released, err := platforms.Released(root)
	if err != nil || !slices.Contains(released, "linux/amd64") {
		t.Fatalf("released for %q, %v", released, err)
	}
	overlay := map[string][]byte{}
	for _, p := range planted {
		overlay[filepath.Join(root, "internal", "tensor", p.name)] = []byte(p.text)
	}
	seen := map[string]bool{} // files
	for _, platform := range released {
		goos, goarch, _ := strings.Cut(platform, "/")
		checked, err := platforms.Check(root, platform, overlay)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{} // of what is planted
		for _, e := range checked.Errors {
			if name := mistake.FindString(e); name != "" {
				found[name] = true
			} else {
				t.Errorf("%s: %s", platform, e)
			}
		}
		for _, p := range planted {
			if found[p.name] != p.on(goos, goarch) {
				t.Errorf("%s: the mistake in %s is found: %v", platform, p.name, found[p.name])
			}
		}
		for _, f := range checked.Files {
			seen[f] = true
		}
	}
	for _, f := range leftOut(t, seen) {
		t.Errorf("%s is in no program of any platform", f)
	}
}

var mistake = regexp.MustCompile(`planted_\w+\.go`)

// elsewhere finds the files that are made for no platform: other programs' and those for the race detector.
var elsewhere = regexp.MustCompile(`(?m)^//go:build (race|ignore)\b`)

// leftOut are the files next to those that were seen, and which were not.
func leftOut(t *testing.T, seen map[string]bool) []string {
	t.Helper()
	folders := map[string]bool{}
	for f := range seen {
		folders[filepath.Dir(f)] = true
	}
	var out []string
	for folder := range folders {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			path := filepath.Join(folder, f.Name())
			source := strings.HasSuffix(path, ".s") || strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
			if !source || seen[path] {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !elsewhere.Match(text) {
				out = append(out, path)
			}
		}
	}
	return out
}
