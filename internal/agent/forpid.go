package agent

import (
	"context"
	"errors"
	"io"
)

// ForPID starts from a hook that found no agent (`vigil agent --for-pid`).
type ForPID struct {
	PID     int    // the training process
	Dir     string // root of the runs; empty: the configured one
	Name    string // of the run; empty: made from time and script
	Vigil   string // version
	Script  string // empty: read from the process
	WorkDir string // directory to read vigil.yaml in; empty: the process's
}

// Address is what the agent of a hook prints on its standard output once it
// listens.
type Address struct {
	Socket string `json:"socket"`
	Run    string `json:"run"`
}

// RunForPID is `vigil agent --for-pid`: it makes its own settings, hands the
// address to ready once it listens, and works until every worker has said bye
// or died. Events are written to events, which may be io.Discard.
func RunForPID(ctx context.Context, f ForPID, ready func(Address) error, events io.Writer) error {
	return errors.New("agent: not wired up")
}
