package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// plainName leaves names as they are.
func plainName(name string) string { return name }

// saysEvidence reports whether a finding has all that the words of its check need.
func saysEvidence(f *record.Finding) error {
	d, ok := rule.Find(rules.Catalogue(), f.Rule)
	if !ok {
		return nil // a rule of a test
	}
	c, ok := d.Check(f.Check)
	if !ok {
		return nil // Indexed says so
	}
	_, err := f.Evidence(c.Evidence, plainName)
	return err
}

// Every check says what it measured in words of its own. The findings are of runs, and of the tests
// of the rules; the sentences are there to be read.
func TestEvidenceOfEveryCheck(t *testing.T) {
	b, err := os.ReadFile("testdata/evidence.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string][]*record.Finding{}
	for line := range strings.Lines(string(b)) {
		f := &record.Finding{}
		if err := json.Unmarshal([]byte(line), f); err != nil {
			t.Fatal(err)
		}
		id := f.Rule + "/" + f.Check
		examples[id] = append(examples[id], f)
	}
	var out strings.Builder
	for _, d := range rules.Catalogue() {
		for _, c := range d.Checks {
			if c.Evidence == "" {
				t.Errorf("%s has no words for its evidence", c.ID)
			}
			if len(examples[c.ID]) == 0 {
				t.Errorf("%s has no example in testdata/evidence.jsonl", c.ID)
			}
			fmt.Fprintln(&out, c.ID)
			for _, f := range examples[c.ID] {
				text, err := f.Evidence(c.Evidence, plainName)
				if err != nil {
					t.Error(err)
				}
				fmt.Fprintln(&out, "  "+text)
			}
			delete(examples, c.ID)
		}
	}
	for id := range examples {
		t.Errorf("testdata/evidence.jsonl has findings of %s, which is no check", id)
	}
	const golden = "testdata/evidence.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != out.String() {
		t.Errorf("%s holds other sentences; -update writes these:\n%s", golden, out.String())
	}
}
