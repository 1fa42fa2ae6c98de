package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answer is what a shell gets for the words of a command line.
func answer(t *testing.T, words ...string) (kind string, list []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(append([]string{"complete", "--"}, words...), nil, &stdout, &stderr); code != 0 || stderr.Len() != 0 {
		t.Fatalf("complete %q ended with %d: %s", words, code, &stderr)
	}
	lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	for _, line := range lines[1:] {
		text, _, _ := strings.Cut(line, "\t")
		list = append(list, text)
	}
	return lines[0], list
}

func TestComplete(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, env := range []string{"VIGIL_DIR", "VIGIL_CONFIG"} {
		t.Setenv(env, "")
	}
	for _, run := range []string{"vigil-runs/first", "vigil-runs/second", "elsewhere/third"} {
		if err := os.MkdirAll(filepath.Join(dir, run), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, run, "run.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		line string // a blank at the end: the next word is still empty
		kind string
		with string // some that are there
		not  string // some that are not
	}{
		{"", "words", "demo run ls rules help completion version", "agent feed demo-train complete list"},
		{"ru", "words", "run rules", ""},
		{"rules ", "words", "list describe test", "run"},
		{"help ", "words", "run rules", "agent"},
		{"help rules ", "words", "list describe", "run"},
		{"completion ", "words", "bash zsh fish", ""},
		{"version ", "words", "", "run"},
		{"run --", "words", "--dir --rules --rule --stop-on --no-look --json", "--look --grace"},
		{"run --json --rule dead_relu --", "words", "--rule --quiet", "--json"},
		{"run --dir ", "dirs", "", ""},
		{"run --config ", "files", "", ""},
		{"run --config=", "files", "", ""},
		{"run --rules ", "words", "default experimental all none", ""},
		{"run --rules default,", "words", "default,experimental default,all", "default,default"},
		{"run --rules=de", "words", "--rules=default", "default"},
		{"run --stop-on ", "words", "error warning never vanishing_gradient", ""},
		{"run --stop-on error,van", "words", "error,vanishing_gradient", "error,error"},
		{"run --rule ", "words", "dead_relu vanishing_gradient", "error"},
		{"run --rule dead_relu:", "words", "dead_relu:threshold_inactivity= dead_relu:every=", "dead_relu"},
		{"run --rule dead_relu:every=5,", "words", "dead_relu:every=5,threshold_inactivity=", ""},
		{"run --collect ", "words", "weights gradients losses", ""},
		{"run --nonsense=", "words", "", "error"},
		{"run -- ", "command 2", "", ""},
		{"run --quiet -- python tr", "command 3", "", ""},
		{"run --quiet python tr", "command 2", "", ""},
		{"doctor -- python ", "command 2", "", ""},
		{"rules describe ", "words", "labels_fit dead_relu", ""},
		{"rules describe labels_fit/", "words", "labels_fit/broadcast", "labels_fit broadcast"},
		{"check ", "words", "first second latest", "third"},
		{"compare first ", "words", "second", "first third"},
		{"ls --status ", "words", "completed lost", ""},
		{"ls --status failed,", "words", "failed,lost", "failed,failed"},
		{"ls --sort ", "words", "name findings", ""},
		{"ls --finding ", "words", "dead_relu", ""},
		{"check --dir elsewhere ", "words", "third", "first"},
		{"check ./", "dirs", "", "first"},
		{"check first --fail-on ", "words", "error warning info never", ""},
		{"values first loss --mode ", "words", "TRAIN EVAL PREDICT GLOBAL", ""},
		{"values first loss --format ", "words", "csv json npy", ""},
		{"values nowhere ", "words", "", "first"},
		{"ls ", "dirs", "", ""},
		{"demo --fault ", "words", "vanishing none", ""},
		{"nonsense ", "words", "", "nonsense"},
	} {
		words := strings.Split(tt.line, " ")
		kind, list := answer(t, words...)
		if kind != tt.kind {
			t.Errorf("%q: got %q, want %q", tt.line, kind, tt.kind)
		}
		for _, w := range strings.Fields(tt.with) {
			if !slices.Contains(list, w) {
				t.Errorf("%q: %q is not in %q", tt.line, w, list)
			}
		}
		for _, w := range strings.Fields(tt.not) {
			if slices.Contains(list, w) {
				t.Errorf("%q: %q is in %q", tt.line, w, list)
			}
		}
	}
}
