package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/record"
)

// Entry is one run below a root.
type Entry struct {
	Run      record.Run
	Path     string
	Findings map[record.Severity]int // without muted ones
	Found    map[string]int          // the same by rule, by configuration, and by rule/check
	Tally    record.Tally            // the findings by root cause
	Muted    int                     // findings that do not count
	Rules    []record.RuleStatus
}

// List names the runs below a root, newest first. A directory that holds no
// run is left out; a root that does not exist is an error.
func List(root string) ([]Entry, error) {
	dirs, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Entry
	for _, d := range dirs {
		path := filepath.Join(root, d.Name())
		t, err := Open(path)
		if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
		e := Entry{Run: t.Run(), Path: path, Findings: map[record.Severity]int{record.Error: 0, record.Warning: 0, record.Info: 0}}
		for _, f := range t.Findings() {
			if f.Muted {
				e.Muted++
				continue
			}
			e.Findings[f.Severity]++
			e.found(f)
		}
		e.Tally, e.Rules = record.Count(t.Groups()), t.Statuses()
		if len(e.Tally.Roots) == 0 { // not grouped yet, or never
			e.Tally.Roots = e.Findings
		}
		list = append(list, e)
	}
	newestFirst(list)
	return list, nil
}

// found counts a finding under each name that it goes by.
func (e *Entry) found(f record.Finding) {
	if e.Found == nil {
		e.Found = map[string]int{}
	}
	e.Found[f.Rule]++
	e.Found[f.Rule+"/"+f.Check]++
	if f.Configuration != f.Rule {
		e.Found[f.Configuration]++
	}
}

// isNotDir reports whether an error says that a path leads through a file.
func isNotDir(err error) bool {
	var e *fs.PathError
	return errors.As(err, &e) && errors.Is(e.Err, errNotDir)
}
