package trial

import (
	"github.com/vigil-ml/vigil/internal/record"
)

// Entry is one run below a root.
type Entry struct {
	Run      record.Run
	Path     string
	Findings map[record.Severity]int // without muted ones
}

// List names the runs below a root, newest first. A directory without a
// run.json is no run and left out; a root that does not exist is an error.
func List(root string) ([]Entry, error) { panic("soon") }
