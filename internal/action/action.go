// Package action does what the user wants done when a rule fires: stop the
// job, or run a command with the finding on its standard input.
package action

import (
	"context"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Command is a program that is run once for each firing.
type Command struct {
	Argv    []string      `json:"argv"`
	On      string        `json:"on"` // severity, or rule and configuration names between commas; "" means warning
	Timeout time.Duration `json:"timeout"`
}

// State is where the runner keeps what it has begun and done; the store's
// SaveState and LoadState fit.
type State interface {
	SaveState(name string, data []byte) error
	LoadState(name string) ([]byte, error)
}

// Options of a runner.
type Options struct {
	// StopOn is a severity (that or a more serious one stops), rule or
	// configuration names between commas, or "never" ("" is the same).
	StopOn   string
	Commands []Command
	// Stop asks for the job to be stopped. It must return at once.
	Stop func(record.Finding)
	// Record writes one attempt to the run.
	Record func(any) error
	State  State
	Run    string // path of the run, VIGIL_RUN in the command's environment
	Env    []string
	Now    func() time.Time
}

// Attempt is the record of one action.
type Attempt struct {
	Time     time.Time      `json:"time"`
	Action   string         `json:"action"` // "stop" or "command"
	Command  []string       `json:"command,omitempty"`
	Key      string         `json:"key"`
	Finding  record.Finding `json:"finding"`
	State    string         `json:"state"` // "begun", "done", "failed", "unknown"
	ExitCode *int           `json:"exit_code,omitempty"`
	Seconds  float64        `json:"seconds,omitempty"`
	Output   string         `json:"output,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// Runner performs actions, each once per firing, also across restarts.
type Runner struct{}

// NewRunner checks the options and reads back what was done before a restart.
func NewRunner(o Options) (*Runner, error) { return &Runner{}, nil }

// Fire performs what the finding calls for. It returns once the intent is on
// record; commands run on.
func (r *Runner) Fire(f record.Finding) {}

// Close waits for running commands until the context ends.
func (r *Runner) Close(ctx context.Context) error { return nil }
