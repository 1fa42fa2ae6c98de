package cli

import (
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/screen"
)

var updatePictures = flag.Bool("update", false, "make the pictures of the documentation anew")

// updating tells that the pictures are made again.
func updating() bool { return *updatePictures || *recordRuns }

var (
	pictured = regexp.MustCompile(`>([^<]+)</text>`)
	number   = regexp.MustCompile(`[\d.,:-]*\d`)
)

// wordsOf are the words of a picture, with # for numbers, since times differ
// from run to run, and with them where lines are broken.
func wordsOf(svg string) []string {
	var all []string
	for _, m := range pictured.FindAllStringSubmatch(svg, -1) {
		for w := range strings.FieldsSeq(html.UnescapeString(m[1])) {
			switch w = number.ReplaceAllString(w, "#"); w {
			// Every step, or every 10 steps; a cost in steady state, or one that is too short for it: that depends on how busy the machine is.
			case "µs", "ms", "s", "step", "steps":
			case "most", "it", "start", "end,", "end;", "too", "short", "share", "steady", "state,", "budget":
			default:
				all = append(all, w)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestPictureOfAMistake compares the picture that the README begins with to what
// is printed now: a script with a mistake in it, and what Vigil says of it.
// -update makes it again.
func TestPictureOfAMistake(t *testing.T) {
	const columns = 100
	const example, command = "softmax_twice.py", "vigil run -- python softmax_twice.py"
	script, err := os.ReadFile(filepath.Join(testenv.Root(), "examples", example))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "v") // whose name is short: a long one would be broken
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, example), script, 0o644); err != nil {
		t.Fatal(err)
	}
	// Its first lines say what the mistake is.
	_, shown, found := strings.Cut(string(script), "\"\"\"\n\n")
	if !found {
		t.Fatalf("%s has no docstring", example)
	}
	p := onTerminalWith(t, []string{"VIGIL_NO_STATUS=1", "OMP_NUM_THREADS=1"}, "bash", "--norc", "-c",
		`stty cols 100; cd "$0" && vigil run -- "$1" `+example, dir, testenv.Python(t))
	if code := p.code(); code != 0 {
		t.Fatalf("%q ended with %d: %s", command, code, p.shown())
	}
	written := "\x1b[1m$ tail -n +3 " + example + "\x1b[0m\r\n" + strings.ReplaceAll(shown, "\n", "\r\n") + "\x1b[1m$ " + command + "\x1b[0m\r\n" +
		strings.ReplaceAll(p.shown(), dir, "~/try")
	got := screen.Picture(columns, written)
	compareWords(t, "mistake", "completed after", got)
}

// compareWords compares the picture of a live run with that which is there, by the
// words that are in them: times differ. On a busy machine the summary, which begins
// with a text, tells more.
func compareWords(t *testing.T, name, summary, got string) {
	t.Helper()
	path := filepath.Join(testenv.Root(), "docs", "images", name+".svg")
	if updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	is, was := wordsOf(got), wordsOf(string(want))
	judged, _, found := strings.Cut(got, summary)
	if !found {
		t.Fatalf("the run did not end as it should: %s", strings.Join(is, " "))
	}
	for _, w := range wordsOf(judged) {
		if !slices.Contains(was, w) {
			t.Errorf("%s lacks %q; go test ./cli -run TestPicture -update makes it anew", path, w)
		}
	}
	for _, w := range was {
		if !slices.Contains(is, w) {
			t.Errorf("%s has %q, which is not printed any more; go test ./cli -run TestPicture -update makes it anew", path, w)
		}
	}
}
