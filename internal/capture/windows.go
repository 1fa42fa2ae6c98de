package capture

import (
	"errors"
	"fmt"
	"time"
)

// Kinds of messages to a hook about its stacks.
const (
	TypeStand  = "stand"  // where do your threads stand?
	TypeWindow = "window" // note for a while where the training stands
)

// Stand asks a hook where its threads stand. It answers with a control message on
// a connection of its own.
type Stand struct {
	Ask uint64 `json:"ask"`
}

// Window asks a hook for samples of its stacks: from a TRAIN step to another, or for
// a time. Zero values are left out.
type Window struct {
	Number    int     `json:"number"`               // within the run, from 1
	FirstStep *int64  `json:"first_step,omitempty"` // begins with this TRAIN step
	EndStep   *int64  `json:"end_step,omitempty"`   // ends before this TRAIN step
	Steps     int64   `json:"steps,omitempty"`      // from the step under way, so many
	Seconds   float64 `json:"seconds,omitempty"`    // its longest length
	After     float64 `json:"after,omitempty"`      // seconds from now to its beginning
}

// WindowRequest asks the agent for a window that begins now.
type WindowRequest struct {
	Steps   int64   `json:"steps,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Why     string  `json:"why"` // the words of who asked
}

// welcomeTime is how long a hook may be on its way to its welcome.
const welcomeTime = time.Second

// errNotReady: the hook has not been welcomed.
var errNotReady = errors.New("the hook is not connected yet")

// Tell sends the hook a message besides the plan. Any goroutine may; it waits for
// the peer as long as a write may take.
func (s *Session) Tell(kind string, v any) error {
	for end := time.Now().Add(welcomeTime); !s.welcomed.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errNotReady
		}
	}
	b, err := AppendMessage(nil, kind, v)
	if err == nil {
		err = s.conn.write(b)
	}
	if err != nil {
		return fmt.Errorf("tell process %d: %w", s.Peer.PID, err)
	}
	return nil
}
