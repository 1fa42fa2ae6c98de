package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vigil-ml/vigil/internal/testenv"
)

var link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)]*)?\)`)

// pages are all pages of documentation, by their paths.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "bench/*/README.md", "python/README.md"} {
		found, err := filepath.Glob(filepath.Join(testenv.Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Fatalf("there is no page %s", pattern)
		}
		all = append(all, found...)
	}
	return all
}

// TestLinks follows every link to a file of the repository, and to a heading in it.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			switch _, err := os.Stat(target); {
			case err != nil:
				t.Errorf("%s: the link to %q leads nowhere", name(page), m[1])
			case m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2][1:]):
				t.Errorf("%s: there is no heading for the link to %q", name(page), m[1]+m[2])
			}
		}
	}
}

func TestAnchors(t *testing.T) {
	for heading, want := range map[string]string{
		"# Performance":                        "performance",
		"### Where goals are missed, and why":  "where-goals-are-missed-and-why",
		"## `vigil run`: the [flags](run.md) ": "vigil-run-the-flags",
		"## loss_not_decreasing":               "loss_not_decreasing",
		"text":                                 "",
		"```sh\n# a comment\n```":              "",
	} {
		if got := strings.Join(anchors(heading+"\n"), " "); got != want {
			t.Errorf("anchors of %q: got %q, want %q", heading, got, want)
		}
	}
}

var (
	block   = regexp.MustCompile("(?ms)^```.*?^```$")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// anchors are the names by which a page's headings are linked to.
func anchors(page string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		words := strings.ToLower(strings.TrimSpace(linked.ReplaceAllString(m[1], "$1")))
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return r
			}
			return -1
		}, words))
	}
	return all
}

// name is how a page is called in a message: its path below the top of the checkout.
func name(page string) string {
	rel, err := filepath.Rel(testenv.Root(), page)
	if err != nil {
		return page
	}
	return rel
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
