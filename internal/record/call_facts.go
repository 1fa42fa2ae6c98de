package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// CallFacts are where in the script the calls come from that a hook sees
// anyway. They are shown to people; no rule judges by them.
type CallFacts struct {
	At   int64  `json:"at"`
	List []Call `json:"list"` // the first of each kind and name, at most 30
}

// Call is one place in a script.
type Call struct {
	Kind string `json:"kind"`           // backward, clip, function (that stands between the last layer and the loss), layer (where it becomes part of a model), loss, model, optimizer (where it is made), scheduler, step
	Name string `json:"name,omitempty"` // the class of what is called
	File string `json:"file"`           // an absolute path
	Line int    `json:"line"`
	Extent
}

// Extent says how far the expression of a call goes, and whether other calls like
// it come from elsewhere.
type Extent struct {
	// EndLine is the line that the expression ends on, Column and EndColumn are where
	// it begins and ends there, in bytes; EndColumn is 0 where that is not known.
	EndLine   int `json:"end_line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
	// Times is how many calls were compared, Elsewhere whether one of them came from
	// another place; 0 where that is not known.
	Times     int  `json:"times,omitempty"`
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// CellFacts are the cells of a notebook that its kernel has run, for people to find the
// places that are in them.
type CellFacts struct {
	At   int64  `json:"at"`
	List []Cell `json:"list"` // the last ones, at most 100
}

// Cell is the code of a cell.
type Cell struct {
	File   string   `json:"file"`   // what places in it have for a file; there is none
	Number int64    `json:"number"` // as the notebook shows it: 2 for In [2]
	Lines  []string `json:"lines"`  // at most 300, of at most 200 characters each
}

// Of is the cell that a place is in, nil where it is in none.
func (c *CellFacts) Of(file string) *Cell {
	if c == nil {
		return nil
	}
	if i := slices.IndexFunc(c.List, func(one Cell) bool { return one.File == file }); i >= 0 {
		return &c.List[i]
	}
	return nil
}

// Line is the text of a line, counted from 1; "" where it is not known.
func (c *Cell) Line(n int) string {
	if n < 1 || n > len(c.Lines) {
		return ""
	}
	return strings.TrimSpace(c.Lines[n-1])
}

// Where is the place in the user's code that a finding is about.
type Where struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Call string `json:"call"`           // the text of the line when the finding was made; "" where it could not be read
	Cell int64  `json:"cell,omitempty"` // of a notebook that the line is in, as the notebook numbers it
}

// String is the place for people: the name of the file or the cell, the line, its text.
func (w *Where) String() string { return w.In(filepath.Base(w.File)) }

// In is the same with another name of the file.
func (w *Where) In(file string) string {
	at := fmt.Sprintf("%s:%d", file, w.Line)
	if w.Cell > 0 {
		at = fmt.Sprintf("cell %d, line %d", w.Cell, w.Line)
	}
	return strings.TrimSpace(at + "  " + w.Call)
}

// Suggestion is the edit of a script that fixes what a finding is about.
type Suggestion struct {
	File string `json:"file"` // an absolute path
	Diff string `json:"diff"` // unified, with the name of the file alone; never applied by Vigil
}
