package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vigil-ml/vigil/internal/testenv"
)

const (
	mostWords     = 33_000 // on all pages written by hand, without blocks of commands, output and code
	mostParagraph = 120    // words of one paragraph, of one item of a list, of one row of a table
)

// handwritten are the pages that people write for readers: not those made from the code, which say so at their
// beginning, and not the notebooks of measurements.
func handwritten(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, page := range append(pages(t), globbed(t, "examples/*/README.md")...) {
		if filepath.Base(filepath.Dir(page)) != "lab" && !isGenerated(read(t, page)) {
			all = append(all, page)
		}
	}
	return all
}

func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(testenv.Root(), pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isGenerated reports whether a page's first lines have the comment of a page that is made from something, not to be edited.
func isGenerated(page string) bool {
	head := strings.Join(strings.SplitN(page, "\n", 6)[:min(5, strings.Count(page, "\n"))], "\n")
	return strings.Contains(head, "<!-- Made from ") && strings.Contains(head, "Do not edit. -->")
}

// words counts what is separated by white space and has a letter or a digit.
func words(text string) int {
	n := 0
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// beginning is that of a paragraph: of a heading, of an item of a list, of a row of a table.
var beginning = regexp.MustCompile(`^\s*(#+ |[*-] |\d+\. |\||<)`)

// paragraphs are the pieces of a page between blank lines, without blocks of code; each item of a list and each row
// of a table is one.
func paragraphs(page string) []string {
	var all []string
	begins := true
	for line := range strings.Lines(block.ReplaceAllString(page, "")) {
		switch {
		case strings.TrimSpace(line) == "":
			begins = true
			continue
		case begins || beginning.MatchString(line):
			all = append(all, "")
		}
		all[len(all)-1] += line
		begins = strings.HasPrefix(line, "#")
	}
	return all
}

func TestParagraphs(t *testing.T) {
	page := "# A title\nOne two\nthree.\n\n* an item\n  of two lines\n* another\n\n| a | b |\n| 1 | 2 |\n\n```\nnot this\n```\nlast\n"
	var counts []int
	for _, p := range paragraphs(page) {
		counts = append(counts, words(p))
	}
	if want := []int{2, 3, 5, 1, 2, 2, 1}; !slices.Equal(counts, want) {
		t.Errorf("words of the paragraphs: got %v, want %v", counts, want)
	}
}

// TestWords keeps the pages short enough to be read: all of them together, and each paragraph.
// What is counted can be seen with -v.
func TestWords(t *testing.T) {
	total, prose := 0, 0
	for _, page := range handwritten(t) {
		text := read(t, page)
		total += words(text)
		prose += words(block.ReplaceAllString(text, ""))
		for _, p := range paragraphs(text) {
			if n := words(p); n > mostParagraph {
				t.Errorf("%s: a paragraph of %d words, more than %d: %.80s…", name(page), n, mostParagraph, strings.TrimSpace(p))
			}
		}
	}
	t.Logf("%d words on %d pages, %d with blocks of code", prose, len(handwritten(t)), total)
	if prose > mostWords {
		t.Errorf("the pages written by hand have %d words, %d is the most", prose, mostWords)
	}
}

// TestEveryPageIsListed: each page of the documentation is linked from its first page.
func TestEveryPageIsListed(t *testing.T) {
	listed := map[string]bool{"docs/README.md": true}
	for _, m := range link.FindAllStringSubmatch(read(t, "README.md"), -1) {
		listed[filepath.Join("docs", m[1])] = true
	}
	for _, page := range pages(t) {
		rel := name(page)
		if strings.HasPrefix(rel, "docs/") && !listed[rel] {
			t.Errorf("docs/README.md has no link to %s", rel)
		}
	}
}
