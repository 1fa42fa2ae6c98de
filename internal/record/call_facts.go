package record

import (
	"fmt"
	"path/filepath"
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

// Where is the place in the user's code that a finding is about.
type Where struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Call string `json:"call"` // the text of the line when the finding was made; "" where it could not be read
}

// String is the place for people: the name of the file, the line, its text.
func (w *Where) String() string { return w.In(filepath.Base(w.File)) }

// In is the same with another name of the file.
func (w *Where) In(file string) string {
	return strings.TrimSpace(fmt.Sprintf("%s:%d  %s", file, w.Line, w.Call))
}

// Suggestion is the edit of a script that mends what a finding is about.
type Suggestion struct {
	File string `json:"file"` // an absolute path
	Diff string `json:"diff"` // unified, with the name of the file alone; never applied by Vigil
}
