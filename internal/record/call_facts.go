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
	List []Call `json:"list"` // the first of each kind and name, at most 20
}

// Call is one place in a script.
type Call struct {
	Kind string `json:"kind"`           // backward, clip, loss, model, optimizer (where it is made), scheduler, step
	Name string `json:"name,omitempty"` // the class of what is called
	File string `json:"file"`           // an absolute path
	Line int    `json:"line"`
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
