package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// answer is what Vigil said of one run of a program, as it is kept to compare
// later versions with.
type answer struct {
	Program string     `json:"program"`
	Seed    int        `json:"seed"`
	Fault   string     `json:"fault"`
	Failed  string     `json:"failed,omitempty"` // why the run could not be scored
	First   string     `json:"first,omitempty"`  // cause class of the first alarm
	Right   bool       `json:"right,omitempty"`  // it is one of the program's
	Groups  []reported `json:"groups,omitempty"` // in the order in which they are shown
}

// reported is one group: its root, and what is reported as a consequence.
type reported struct {
	Check      string          `json:"check"` // RULE/CHECK
	Severity   record.Severity `json:"severity"`
	CauseClass string          `json:"cause_class,omitempty"`
	Step       int64           `json:"step"`
	Symptoms   []reported      `json:"symptoms,omitempty"`
}

// UnmarshalJSON reads what was kept, under the names that checks have today.
func (r *reported) UnmarshalJSON(js []byte) error {
	type kept reported
	if err := json.Unmarshal(js, (*kept)(r)); err != nil {
		return fmt.Errorf("read a finding: %w", err)
	}
	r.Check = record.CheckIDNow(r.Check)
	return nil
}

// alarmed reports whether the answer has a warning or an error.
func (a answer) alarmed() bool {
	for _, g := range a.Groups {
		for _, f := range append([]reported{g}, g.Symptoms...) {
			if f.Severity == record.Warning || f.Severity == record.Error {
				return true
			}
		}
	}
	return false
}

// answerOf is what the verdict of a run rests on.
func answerOf(v verdict) answer {
	a := answer{Program: v.Program.Path, Seed: v.Seed, Fault: v.Program.Fault, Failed: v.Failed, First: v.First, Right: v.Right}
	if a.Failed == "" && v.NotRun != "" {
		a.Failed = v.NotRun
	}
	for _, g := range v.Groups {
		r := reportedOf(g.Root)
		for _, s := range g.Symptoms {
			r.Symptoms = append(r.Symptoms, reportedOf(s))
		}
		a.Groups = append(a.Groups, r)
	}
	return a
}

func reportedOf(f record.Finding) reported {
	check := f.Configuration
	if f.Check != "" && f.Check != f.Configuration {
		check += "/" + f.Check
	}
	return reported{Check: check, Severity: f.Severity, CauseClass: f.CauseClass, Step: f.Step}
}

// writeAnswers keeps the answers, one line of JSON for each run; compressed if
// the name ends with .gz.
func writeAnswers(name string, verdicts []verdict) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("keep answers: %w", err)
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("keep answers: %w", e)
		}
	}()
	w := io.WriteCloser(f)
	if filepath.Ext(name) == ".gz" {
		w = gzip.NewWriter(f)
	}
	lines := json.NewEncoder(w)
	for _, v := range verdicts {
		if err := lines.Encode(answerOf(v)); err != nil {
			return fmt.Errorf("keep answers: %w", err)
		}
	}
	if w != io.WriteCloser(f) {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("keep answers: %w", err)
	}
	return nil
}

// readAnswers reads what writeAnswers kept.
func readAnswers(name string) ([]answer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	defer f.Close()
	r := io.Reader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("read answers %q: %w", name, err)
		}
	}
	var list []answer
	for lines := json.NewDecoder(bufio.NewReader(r)); ; {
		var a answer
		switch err := lines.Decode(&a); err {
		case nil:
			list = append(list, a)
		case io.EOF:
			return list, nil
		default:
			return nil, fmt.Errorf("read answers %q, entry %d: %w", name, len(list)+1, err)
		}
	}
}
