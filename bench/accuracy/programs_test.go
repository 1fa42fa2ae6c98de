package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// mostFiles is how large the suite may be: what is read, kept in step and run.
const mostFiles = 250

func TestSuiteIsSmall(t *testing.T) {
	n := 0
	if err := filesBelow(".", func(string) { n++ }); err != nil {
		t.Fatal(err)
	}
	if n > mostFiles {
		t.Errorf("the suite has %d files, more than %d; write mistakes as edits of a program that is there", n, mostFiles)
	}
}

func filesBelow(dir string, f func(name string)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.Name() == "__pycache__":
		case e.IsDir():
			if err := filesBelow(name, f); err != nil {
				return err
			}
		default:
			f(name)
		}
	}
	return nil
}

// Every check of the default diagnosis is right on three programs of the suite,
// or the README says on how many.
func TestChecksHavePrograms(t *testing.T) {
	programs, err := discover(".")
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]Program{}
	for _, p := range programs {
		byPath[p.Path] = p
	}
	answers, err := readAnswers("testdata/answers.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	right, answered := map[string]int{}, map[string]bool{}
	for _, a := range answers {
		p, ok := byPath[a.Program]
		if !ok {
			t.Errorf("answers are kept of %q, which the suite has not", a.Program)
		}
		answered[a.Program] = true
		seen := map[string]bool{}
		for _, g := range a.Groups {
			for _, f := range append([]reported{g}, g.Symptoms...) {
				alarm := f.Severity == record.Warning || f.Severity == record.Error || p.Hint
				if alarm && !seen[f.Check] && slices.Contains(p.Causes, f.CauseClass) {
					seen[f.Check] = true
					right[f.Check]++
				}
			}
		}
	}
	for path := range byPath {
		if !answered[path] {
			t.Errorf("no answer is kept of %q; run the suite with -answers", path)
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "docs", "lab", "programs.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, few, _ := strings.Cut(string(readme), "\n## Checks with few programs\n")
	for _, d := range rules.Catalogue() {
		if d.Default == nil {
			continue
		}
		for _, c := range d.Checks {
			if c.IsExperimental() {
				continue
			}
			row, listed := fmt.Sprintf("\n| `%s` | %d |", c.ID, right[c.ID]), strings.Contains(few, "\n| `"+c.ID+"` |")
			switch {
			case right[c.ID] < enoughPrograms && !strings.Contains(few, row):
				t.Errorf("%s is right on %d programs of the suite; write more (edited/), or add this row to docs/lab/programs.md: %s", c.ID, right[c.ID], strings.TrimSpace(row))
			case right[c.ID] >= enoughPrograms && listed:
				t.Errorf("%s is right on %d programs of the suite; its row in docs/lab/programs.md goes", c.ID, right[c.ID])
			}
		}
	}
}
