package cli

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/testenv"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// oldRuns unpacks the recorded runs into a directory of runs, and gives its path.
func oldRuns(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vigil-runs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(testenv.Root(), "cli", "testdata", "runs-a11050b.tar.gz")
	if out, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack %s: %v\n%s", archive, err, out)
	}
	return dir
}

// printed is what a command prints on a terminal of so many columns.
func printed(t *testing.T, columns int, environ []string, argv ...string) string {
	t.Helper()
	p := onTerminalWith(t, environ, append([]string{"sh", "-c", `stty cols "$0" && exec "$@"`, fmt.Sprint(columns), vigil(t)}, argv...)...)
	p.code()
	return strings.ReplaceAll(p.shown(), "\r\n", "\n")
}

// letters counts what is no blank.
func letters(text string) map[rune]int {
	n := map[rune]int{}
	for _, r := range text {
		if r > ' ' {
			n[r]++
		}
	}
	return n
}

// Commands that print after a run fit the terminal, whatever its width; NO_COLOR
// takes the colours and nothing else; and in a file stands what is on a terminal.
func TestPagesOnTerminals(t *testing.T) {
	dir := oldRuns(t)
	for _, c := range []struct {
		args  []string
		whole bool // nothing is cut or left out on a terminal
	}{
		{[]string{"findings", "pytorch", "--dir", dir}, true},
		{[]string{"findings", "pytorch", "--rules", "--dir", dir}, true},
		{[]string{"check", "pytorch", "--rules", "default", "--statuses", "--dir", dir}, true},
		{[]string{"check", "pytorch", "--rule", `mine:expression=series("nothing that was captured").last() > 1`, "--dir", dir}, true},
		{[]string{"show", "pytorch", "--why", "--dir", dir}, true},
		{[]string{"show", "two-ranks", "--dir", dir}, true},
		{[]string{"plan", "pytorch", "--why", "--dir", dir}, true},
		{[]string{"ls", dir}, true},
		{[]string{"doctor", "pytorch", "--dir", dir}, true},
		{[]string{"rules", "describe", "dead_relu"}, true},
		{[]string{"rules", "describe", "zero_grad/kept"}, true},
		{[]string{"values", "pytorch", "loss", "--table", "--dir", dir}, true},
		{[]string{"values", "pytorch", "loss", "--dir", dir}, false},
		{[]string{"rules", "list"}, false},
		{[]string{"tail", "pytorch", "--dir", dir}, false},
	} {
		name := strings.Join(c.args[:min(2, len(c.args))], " ")
		plain := printed(t, 0, []string{"NO_COLOR=1"}, append([]string{}, c.args...)...)
		for _, columns := range []int{80, 100, 160} {
			text := printed(t, columns, []string{"NO_COLOR=1"}, c.args...)
			if strings.Contains(text, "\x1b") {
				t.Errorf("%s: escape sequences in spite of NO_COLOR: %q", name, text)
			}
			if columns == 80 {
				if bare := escapes.ReplaceAllString(printed(t, columns, nil, c.args...), ""); bare != text {
					t.Errorf("%s: in colour\n%s\nwithout\n%s", name, bare, text)
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > columns && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, dir) {
					t.Errorf("%s: a line of %d on a terminal of %d columns: %s", name, n, columns, line)
				}
			}
			if c.whole && !maps.Equal(letters(plain), letters(text)) {
				t.Errorf("%s at %d columns\n%s\nelsewhere\n%s", name, columns, text, plain)
			}
		}
	}
}

// A finding looks the same wherever it is printed. A run keeps the words that it was told with; check finds today's.
func TestOneLookOfAFinding(t *testing.T) {
	dir := oldRuns(t)
	const stored = `✖ error output_activation at step 9
  The softmax layer 3 gives cross_entropy probabilities, and cross_entropy
  applies softmax again: no class can get more than 0.731, so the loss cannot
  fall far and gradients are small.
  cause     an activation at the end of the model that the loss applies itself
  remedy    remove it: cross_entropy wants the raw outputs of the last layer and
            applies log_softmax itself
  explain   `
	const judged = `✖ error output_activation at step 9
  The softmax layer 3 passes probabilities to cross_entropy, which applies
  softmax again: no class can get a probability above 0.731, so the loss cannot
  fall far and gradients are small.
  cause     an activation at the end of the model that the loss applies itself
  remedy    remove it: cross_entropy expects raw outputs (logits) and applies
            log_softmax itself
  explain   `
	for command, look := range map[string]string{"findings": stored, "tail": stored, "check": judged} {
		if text := printed(t, 80, []string{"NO_COLOR=1"}, command, "pytorch", "--dir", dir); !strings.Contains(text, look) {
			t.Errorf("%s shows\n%s\nwant\n%s", command, text, look)
		}
	}
}

// On a terminal a curve is drawn; its last line has the numbers.
func TestCurveOnATerminal(t *testing.T) {
	dir := oldRuns(t)
	text := printed(t, 80, []string{"NO_COLOR=1"}, "values", "pytorch", "loss", "--dir", dir)
	for _, want := range []string{"loss, TRAIN, worker_0\n", "┤", "└──", "step 0 ", "· least "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there:\n%s", want, text)
		}
	}
	if table := printed(t, 80, nil, "values", "pytorch", "loss", "--table", "--dir", dir); !strings.Contains(table, "         0  ") {
		t.Errorf("--table prints no table:\n%s", table)
	}
}
