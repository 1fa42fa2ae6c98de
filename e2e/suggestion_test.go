package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/suggest"
)

// Each program of testdata/suggestions has one fault, named by its file: rule, check, and
// a word where a check has several. Vigil finds it and suggests an edit; patch and git
// apply it; then the program runs, and Vigil finds nothing wrong with it any more. The
// file of the user is left alone.
func TestSuggestedEditsMendTheScript(t *testing.T) {
	if without("columns") {
		t.Skip("VIGIL_TEST_WITHOUT names columns: Python tells no columns of calls, and where a line has several there is no edit")
	}
	t.Parallel()
	programs, err := filepath.Glob(filepath.Join("testdata", "suggestions", "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	missing := suggest.Checks()
	for _, program := range programs {
		words := strings.Split(strings.TrimSuffix(filepath.Base(program), ".py"), ".")
		rule, check := words[0], words[1]
		missing = slices.DeleteFunc(missing, func(id string) bool { return id == rule+"/"+check })
		t.Run(strings.Join(words, "/"), func(t *testing.T) {
			t.Parallel()
			dir, text := t.TempDir(), read(t, program)
			train := filepath.Join(dir, "train.py")
			write(t, train, text)
			found := judged(t, dir, "before")
			i := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == rule && f.Check == check })
			if i < 0 || found[i].Suggestion == nil {
				t.Fatalf("found %+v", found)
			}
			s := found[i].Suggestion
			if s.File != train || read(t, train) != text {
				t.Fatalf("the suggestion is for %s; the script is now\n%s", s.File, read(t, train))
			}
			write(t, filepath.Join(dir, "edit.diff"), s.Diff)
			applied := 0
			for _, by := range [][]string{{"patch", "-p1", "-i", "edit.diff"}, {"git", "apply", "edit.diff"}} {
				if _, err := exec.LookPath(by[0]); err != nil {
					continue
				}
				write(t, train, text)
				if o := run(t, dir, nil, by...); o.code != 0 {
					t.Fatalf("%q: %s%s\n%s", by, o.stdout, o.stderr, s.Diff)
				}
				applied++
			}
			if applied == 0 {
				t.Skip("neither patch nor git is there")
			}
			// Judged again when the script is another one, the run gives the same.
			again := run(t, dir, nil, binary, "check", filepath.Join("before", "r"), "--json", "--fail-on", "never")
			if spelt, err := json.Marshal(s); err != nil || !strings.Contains(again.stdout, string(spelt)) {
				t.Errorf("vigil check prints another suggestion than %s (%v):\n%s%s", spelt, err, again.stdout, again.stderr)
			}
			for _, f := range judged(t, dir, "after") {
				if f.Rule == rule && f.Check == check || f.Severity != record.Info {
					t.Errorf("after\n%s\nVigil finds %s/%s: %s", s.Diff, f.Rule, f.Check, f.Message)
				}
			}
		})
	}
	if len(missing) > 0 {
		t.Errorf("no program has a fault of %v", missing)
	}
}

// judged are the findings of a run of train.py.
func judged(t *testing.T, dir, name string) []record.Finding {
	t.Helper()
	argv := append([]string{binary, "run", "--quiet", "--dir", name, "--name", "r", "--"}, forkedFile(t, filepath.Join(dir, "train.py"))...)
	if o := run(t, dir, nil, argv...); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	return open(t, filepath.Join(dir, name, "r")).Findings()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
