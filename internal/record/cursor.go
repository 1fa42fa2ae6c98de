package record

import "maps"

// Cursor says how far an evaluator of complete steps and windows of time has come,
// so that a later one can go on from there without reading what was before.
type Cursor struct {
	// Step is the global step of the complete step handed out last; -1 before
	// the first.
	Step int64 `json:"step"`
	// ModeSteps are the highest mode steps handed out, by mode.
	ModeSteps map[Mode]int64 `json:"mode_steps"`
	// Next is, by worker, a global step before which it left no part that
	// still has to be looked at.
	Next map[string]int64 `json:"next"`
	// Window is the index of the window to come next, and Rows are how many rows of
	// each source the windows before it have.
	Window int64 `json:"window,omitempty"`
	Rows   Rows  `json:"rows,omitempty"`
}

// NewCursor is where every evaluator begins.
func NewCursor() Cursor {
	return Cursor{Step: -1, ModeSteps: map[Mode]int64{}, Next: map[string]int64{}}
}

// Clone is a copy that shares nothing.
func (c Cursor) Clone() Cursor {
	d := NewCursor()
	d.Step, d.Window, d.Rows = c.Step, c.Window, c.Rows.Clone()
	maps.Copy(d.ModeSteps, c.ModeSteps)
	maps.Copy(d.Next, c.Next)
	return d
}

// Decided reports whether the step that a part belongs to, or a later one of its
// mode, was handed out.
func (c Cursor) Decided(p *Step) bool {
	n, ok := c.ModeSteps[p.Mode]
	return ok && p.ModeStep <= n
}
