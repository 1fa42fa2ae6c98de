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
	// figure is a number with its unit.
	figure = regexp.MustCompile(`\d(?:[\d.,]*\d)?(?:(?:x| µs| ms| s| MB)\b| %)?`)

	// ratio is one in a table, with its interval in the next column.
	ratio = regexp.MustCompile(`\| \d\.\d+x \| \d\.\d+–\d\.\d+ \|`)

	// aside is what holds no figures: blocks, code, and where a link leads.
	aside = regexp.MustCompile("(?ms)^```.*?^```$|`[^`]*`|\\]\\([^)]*\\)")
)

func figures(text string) []string {
	return figure.FindAllString(aside.ReplaceAllString(text, " "), -1)
}

func TestFigures(t *testing.T) {
	for text, want := range map[string]string{
		"| defaults | 1.043x | 1.000–1.091 | 0.988x |":      "1.043x; 1.000; 1.091; 0.988x",
		"1.043x (1.000–1.091), 57 µs, 4 MB or 2 %.":         "1.043x; 1.000; 1.091; 57 µs; 4 MB; 2 %",
		"1,000 tensors, the 3rd of `--every 10` [a](b1.md)": "1,000; 3",
	} {
		if got := strings.Join(figures(text), "; "); got != want {
			t.Errorf("figures of %q: got %q, want %q", text, got, want)
		}
	}
}

// section is what stands under a heading of the README.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, filepath.Join(testenv.Root(), "README.md")), "\n## "+heading+"\n")
	text, _, ended := strings.Cut(text, "\n## ")
	if !found || !ended {
		t.Fatalf("README.md has no section %q", heading)
	}
	return text
}

// TestFiguresAreMeasured compares what users are told of cost and accuracy with the pages and the notebook of
// measurements: every figure of the page on cost stands there, ratios beside their intervals, and
// every figure of the README on its page.
func TestFiguresAreMeasured(t *testing.T) {
	page, notebook := read(t, "performance.md"), read(t, filepath.Join("lab", "performance.md"))
	for _, told := range []struct{ where, text, from, source string }{
		{"performance.md", page, "lab/performance.md", notebook},
		{"README.md", section(t, "What it costs"), "performance.md", page},
		{"README.md", section(t, "How often it is right"), "accuracy.md", read(t, "accuracy.md")},
	} {
		known := figures(told.source)
		if len(figures(told.text)) == 0 {
			t.Errorf("%s tells no figure of %s", told.where, told.from)
		}
		for _, f := range figures(told.text) {
			if !slices.Contains(known, f) {
				t.Errorf("%s says %q, and %s does not", told.where, f, told.from)
			}
		}
	}
	ratios := ratio.FindAllString(page, -1)
	if len(ratios) == 0 {
		t.Error("performance.md has no table of ratios")
	}
	for _, r := range ratios {
		if !strings.Contains(notebook, r) {
			t.Errorf("performance.md has the ratio %q, and lab/performance.md has not", r)
		}
	}
}
