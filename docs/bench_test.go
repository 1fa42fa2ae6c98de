package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

var (
	benchmark = regexp.MustCompile("go run \\./bench/([a-z]+)([^`\n#]*)")
	given     = regexp.MustCompile(`[ \[]-([a-z][a-z-]*)`)
	declared  = regexp.MustCompile(`flag\.\w+\((?:&[^,]+, )?"([^"]+)"`)
	row       = regexp.MustCompile("(?m)^\\| (`-[^|]*) \\|")
)

// flags are those that a benchmark has.
func flags(t *testing.T, name string) []string {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(testenv.Root(), "bench", name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) == 0 {
		t.Errorf("there is no benchmark %q", name)
	}
	var all []string
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(read(t, source), -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// TestBenchmarks looks for the flags of every command that a page shows of a
// benchmark. They are not run: they take minutes to hours.
func TestBenchmarks(t *testing.T) {
	commands := 0
	for _, page := range pages(t) {
		for _, m := range benchmark.FindAllStringSubmatch(read(t, page), -1) {
			commands++
			own, _, _ := strings.Cut(m[2], " -- ")
			for _, f := range given.FindAllStringSubmatch(own, -1) {
				if !slices.Contains(flags(t, m[1]), f[1]) {
					t.Errorf("%s: bench/%s has no flag -%s", name(page), m[1], f[1])
				}
			}
		}
	}
	if commands < 20 {
		t.Errorf("found %d commands of benchmarks on all pages", commands)
	}
}

// TestAccuracyFlags compares the table of flags with the flags.
func TestAccuracyFlags(t *testing.T) {
	var told []string
	for _, m := range row.FindAllStringSubmatch(read(t, filepath.Join(testenv.Root(), "bench/accuracy/README.md")), -1) {
		for _, f := range regexp.MustCompile("`-([a-z-]+)").FindAllStringSubmatch(m[1], -1) {
			told = append(told, f[1])
		}
	}
	have := flags(t, "accuracy")
	slices.Sort(told)
	slices.Sort(have)
	if told = slices.Compact(told); !slices.Equal(told, have) {
		t.Errorf("the table has the flags %q, the program %q", told, have)
	}
}
