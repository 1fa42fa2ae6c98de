package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// plainRun is a command that records an ordinary training under a name, so that the commands below it have something to read.
var plainRun = regexp.MustCompile(`^vigil run(?: --quiet)? --name (\S+)((?: --stop-on \w+)?) -- python (\w+\.py)$`)

// recordings are the trainings of such commands. Each is made once: on the next page it is a copy, as its author would have made it
// before. Where a page records the same again, the second one is made.
type recordings struct {
	dir  string              // of the recorded runs
	runs map[string]recorded // by what is trained
}

type recorded struct{ path, out string }

func newRecordings(t *testing.T) *recordings {
	return &recordings{dir: t.TempDir(), runs: map[string]recorded{}}
}

// has puts the run of a command into a page's directory, if it was recorded, and the page has not used it before. It returns what the
// command printed.
func (r *recordings) has(t *testing.T, dir, command string, used map[string]bool) (string, bool) {
	t.Helper()
	what, name := trained(t, dir, command)
	run, ok := r.runs[what]
	if !ok || used[what] {
		return "", false
	}
	used[what] = true
	if err := os.CopyFS(filepath.Join(dir, "vigil-runs", name), os.DirFS(run.path)); err != nil {
		t.Fatal(err)
	}
	return run.out, true
}

// keep keeps the run that a command has made.
func (r *recordings) keep(t *testing.T, dir, command, out string, used map[string]bool) {
	t.Helper()
	what, name := trained(t, dir, command)
	if _, ok := r.runs[what]; ok || what == "" {
		return
	}
	used[what] = true
	to := filepath.Join(r.dir, fmt.Sprint(len(r.runs)))
	if err := os.CopyFS(to, os.DirFS(filepath.Join(dir, "vigil-runs", name))); err != nil {
		t.Fatal(err)
	}
	r.runs[what] = recorded{to, out}
}

// trained is what makes one training another than the others, and the run's name; "" for all other commands.
func trained(t *testing.T, dir, command string) (what, name string) {
	t.Helper()
	m := plainRun.FindStringSubmatch(command)
	if m == nil {
		return "", ""
	}
	if _, err := os.Stat(filepath.Join(dir, "vigil.yaml")); err == nil {
		return "", "" // settings of the page
	}
	script, err := os.ReadFile(filepath.Join(dir, m[3]))
	if err != nil {
		t.Fatal(err)
	}
	return m[2] + "\n" + string(script), m[1]
}
