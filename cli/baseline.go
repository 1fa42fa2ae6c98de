package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/vigil-ml/vigil/internal/record"
)

// baseline are the findings of an earlier run that are known and accepted.
type baseline struct {
	name  string
	known map[knownFinding]bool
}

// knownFinding tells findings of two runs apart: steps and numbers differ from
// run to run, what was found does not.
type knownFinding struct {
	configuration, check, subject string
	mode                          record.Mode
}

func knownAs(f *record.Finding) knownFinding {
	return knownFinding{f.Configuration, f.Check, f.Subject, f.Mode}
}

// readBaseline reads what `vigil check --json` or `vigil findings --json`
// wrote, or the findings of a stored run.
func readBaseline(root, name string) (*baseline, error) {
	b := &baseline{name: name, known: map[knownFinding]bool{}}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return b, b.readFile()
	}
	path, _, err := findRun(root, name)
	if err != nil {
		return nil, &usage{Message: fmt.Sprintf("the baseline %q is neither a file nor a run", name), What: "--baseline",
			Hint: "create one with `vigil check RUN --json > baseline.json`"}
	}
	t, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("read baseline %q: %w", name, err)
	}
	defer t.Close()
	b.add(t.Findings())
	return b, nil
}

func (b *baseline) readFile() error {
	data, err := os.ReadFile(b.name)
	if err != nil {
		return fmt.Errorf("read baseline: %w", err)
	}
	type judged struct {
		Findings *[]record.Finding `json:"findings"`
	}
	var doc struct {
		judged
		Runs []judged `json:"runs"`
	}
	err = json.Unmarshal(data, &doc)
	if err == nil && doc.Findings == nil && doc.Runs == nil {
		err = fmt.Errorf(`it has neither "findings" nor "runs"`)
	}
	if err != nil {
		return &usage{Message: fmt.Sprintf("read baseline %q: %v", b.name, err), What: "--baseline",
			Hint: "create one with `vigil check RUN --json > baseline.json`"}
	}
	for _, j := range append(doc.Runs, doc.judged) {
		if j.Findings != nil {
			b.add(*j.Findings)
		}
	}
	return nil
}

func (b *baseline) add(list []record.Finding) {
	for i := range list {
		b.known[knownAs(&list[i])] = true
	}
}

// accepted says why a finding does not count; "" when it does.
func (b *baseline) accepted(f *record.Finding) string {
	if b == nil || !b.known[knownAs(f)] {
		return ""
	}
	return "known from the baseline " + b.name
}
