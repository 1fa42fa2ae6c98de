package words

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

var update = flag.Bool("update", false, "write the lists of texts anew")

// sources are the folders whose texts users read.
var sources = []string{"cli", "hook", "internal", "rule", "python/vigil"}

// longest is the most words that a text has. What explains, and is read at
// leisure, may be longer: fields and paragraphs of explanations.
const longest = 40

var explanations = []string{"Why", "DefaultWhy", "help"}

// plain says what to write instead of words that trainers of models do not use.
var plain = []struct{ words, instead string }{
	{`\b(told|said)\b`, "reported"},
	{`(^|[.:;,] |\band )[Ww]ho\b`, "a sentence about what is done"},
	{`\b(of|on) (one's|its|his|their|your|a user's|my) own\b`, "own or custom, before the noun"},
	{`\bforet(ell|old)`, "predict"},
	{`\bby heart\b`, "memorised"},
	{`\b(a|the) guess('s)? (has|lies|loss)\b|\ba guess's\b|where a guess\b`, "baseline, or chance level"},
	{`\bconstant prediction\b`, "constant predictor"},
	{`\bwho knows only\b`, "baseline"},
	{`\bwithout a word\b`, "silently"},
	{`\blogarithms? of (the )?probabilit`, "log-probabilities"},
	{`\b([Aa]|[Hh]as|with) deviations?( of)?\b|\bdeviation of [0-9%]`, "std"},
	{`\bin place of\b`, "instead of"},
	{`\b(made|make|makes|begin|begins) anew\b`, "re-created"},
	{`\b(stand|stands|stood) still\b`, "is flat, or does not change"},
	{`\bleaps?\b|\bleapt\b`, "spikes"},
	{`\b(comes?|came|coming) (up|back) to no\b|\b(has|had|have) come down\b|\bcomes? down\b`, "falls"},
	{`\bupside down\b|\bwrong way round\b`, "inverted, or swapped"},
	{`(%[qrs]|\bit|\b[Tt]hat) is no (%|[a-z])`, "is not a"},
	{`\bought\b`, "should"},
	{`\bwhat is meant\b`, "what is intended"},
}

func read(t *testing.T) []Text {
	t.Helper()
	texts, err := Collect(testenv.Root(), sources...)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(texts, func(x Text) bool { return strings.HasPrefix(x.File, "internal/testenv/") })
}

// All texts that a user may read stand together in testdata, a file for each
// folder, so that a change of words is seen, and they can be read in one sitting.
func TestTexts(t *testing.T) {
	groups := Groups(read(t))
	if *update {
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	known := make(map[string]bool)
	for _, folder := range slices.Sorted(maps.Keys(groups)) {
		file := filepath.Join("testdata", strings.ReplaceAll(folder, "/", "_")+".txt")
		known[file] = true
		want := strings.Join(groups[folder], "\n") + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("texts of %s: %v (write them with -update)", folder, err)
			continue
		}
		if d := cmp.Diff(string(got), want); d != "" {
			t.Errorf("%s is not what the sources in %s say (write it with -update): %s", file, folder, d)
		}
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !known[file] {
			t.Errorf("%s is of no folder with texts", file)
		}
	}
}

// Texts use the words of the field.
func TestPlainWords(t *testing.T) {
	texts := read(t)
	for _, p := range plain {
		pattern := regexp.MustCompile(p.words)
		for _, x := range texts {
			if found := pattern.FindString(x.Value); found != "" {
				t.Errorf("%s:%d: %q: write %s: %s", x.File, x.Line, found, p.instead, x.Value)
			}
		}
	}
}

func TestShortTexts(t *testing.T) {
	for _, x := range read(t) {
		n := len(strings.Fields(x.Value))
		if n > longest && !slices.Contains(explanations, x.Field) && !strings.Contains(x.Value, "\n") {
			t.Errorf("%s:%d: %d words, %d is the most: %s", x.File, x.Line, n, longest, x.Value)
		}
	}
}

// What a text is, in the two languages.
func TestCollect(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{
		"a.go": `package a

type flags struct {
	Dir string ` + "`name:\"dir\" help:\"Root of the runs.\"`" + `
}

func f(x string) error {
	v.Cause = "a cause " + "in two parts"
	g(finding{Remedy: fmt.Sprintf("call %s first", x)})
	return fmt.Errorf("read " + x + ": nothing is there")
}

const name, pattern = "worker_0", ` + "`^\\w+ .*$`" + `
`,
		"a_test.go": "package a\n\nconst x = \"a text of a test\"\n",
		"b.py": `"""A module that explains itself."""

def f(x):
    'A function does, too.'
    warn("it's a text, "
         f"of {x} parts")  # a comment "with words"
    return x['key of it'], '''and
another "one"'''
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Collect(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []Text{
		{"a.go", 4, "help", "Root of the runs."},
		{"a.go", 8, "Cause", "a cause in two parts"},
		{"a.go", 9, "Remedy", "call %s first"},
		{"a.go", 10, "", "read …: nothing is there"},
		{"b.py", 5, "", "it's a text, of {x} parts"},
		{"b.py", 7, "", "key of it"},
		{"b.py", 7, "", "and\nanother \"one\""},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
