package record

import "strings"

// StackDetail are the Facts of a DetailEvent named "stacks": where a process was
// while its stacks were sampled.
type StackDetail struct {
	Samples int64   `json:"samples"`
	Seconds float64 `json:"seconds"` // that they stand for, of the main thread
	// Stacks are the heaviest ones, the heaviest first; Rest are the seconds of
	// all others.
	Stacks []StackShare `json:"stacks"`
	Rest   float64      `json:"rest,omitempty"`
}

// StackShare is one stack.
type StackShare struct {
	Thread  string  `json:"thread"`         // "main", "worker" (a process of a loader), or "other"
	Part    string  `json:"part,omitempty"` // of the step that was under way; "" where that is not known
	Seconds float64 `json:"seconds"`
	Samples int64   `json:"samples"`
	// Python are the seconds in which the innermost call was carrying out Python's
	// own instructions, and not inside a function written in C.
	Python float64 `json:"python,omitempty"`
	// Call is the function without a frame, such as one that is written in C, that the
	// innermost call of the user's own was carrying out, as it is spelt there; "" where
	// there is none, or it is not known.
	Call string `json:"call,omitempty"`
	// Graph: a model had returned what backward was still to come to.
	Graph  bool    `json:"graph,omitempty"`
	Frames []Frame `json:"frames"` // the innermost first
}

// Frame is one call on a stack.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// Library reports whether a file is not the user's own: it is installed, or belongs to
// Python, to the interpreter or to the hook.
func Library(file string) bool {
	return strings.HasPrefix(file, "<") || strings.Contains(file, "/site-packages/") || strings.Contains(file, "/dist-packages/") ||
		strings.Contains(file, "/lib/python3") || strings.Contains(file, "/lib64/python3") || strings.Contains(file, "/vigil/_")
}
