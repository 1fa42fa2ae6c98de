// Package launch starts a training command under Vigil and stays out of its
// way: the command has the terminal, standard streams, signals and exit code it
// would have without us. Next to it the launcher keeps an agent running, starts
// it again when it dies, and stops every process of the job when a rule says
// so. The launcher does nothing else, so that it can hardly fail.
package launch

import (
	"fmt"
	"os"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/live"
)

// Exit codes of `vigil run` that are not the command's own.
const (
	ExitStopped       = 3   // a rule stopped the job
	ExitCannotStart   = 125 // Vigil could not start; the command was not run
	ExitNotExecutable = 126 // the command is there but cannot be executed
	ExitNotFound      = 127 // there is no such command
)

// DefaultGrace is how long processes have between SIGTERM and SIGKILL.
const DefaultGrace = 10 * time.Second

// Options say what to start and whom to tell.
type Options struct {
	// Command is the training command with its arguments; its first word is
	// looked up in PATH.
	Command []string
	// Path is the file that Lookup found for it.
	Path string
	// Environ is the environment of the command before Vigil adds its own.
	Environ []string
	// Stdin, Stdout and Stderr are handed to the command as they are.
	Stdin, Stdout, Stderr *os.File

	// Began is when this program started; what went by until the command did is
	// told to the agent. Zero: it is not.
	Began time.Time

	// Inert starts the command with nothing of Vigil next to it.
	Inert bool
	// Settings go to the agent. Socket, ListenFD, Launcher and Takeover are
	// filled in here.
	Settings agent.Settings
	// Agent is the command line of the agent: this program and "agent".
	Agent []string
	// PythonPath is what goes in front of the user's PYTHONPATH: the
	// directories of the boot file and of the package.
	PythonPath []string
	// Dashboard is the command line of the dashboard that runs next to the job;
	// nil: there is none. It ends when its standard input does.
	Dashboard []string
	// Claim makes the run's directory and returns it. It is called once,
	// just before the command starts, with the socket's path; release undoes it
	// when the command could not be started.
	Claim func(socket string) (run string, release func(), err error)
	// Grace is the time between SIGTERM and SIGKILL; zero means DefaultGrace.
	Grace time.Duration

	// Screen is what the job is shown on; nil when it is not shown.
	Screen *Screen
	// Event is told what the agent says, one event at a time.
	Event func(live.Event)
	// Suspended and Resumed are called around the time that the job is stopped
	// by job control (Ctrl-Z); they may be nil.
	Suspended, Resumed func()
}

// StartError is a command that could not be started.
type StartError struct {
	Code    int    // exit code it stands for
	Message string // one sentence
	What    string // the command
	Hint    string // what to do; may be empty
}

func (e *StartError) Error() string { return e.Message }

// notice is an event of the launcher itself.
func notice(level, hint, format string, args ...any) live.Event {
	return live.Event{Time: time.Now().UTC(), Notice: &live.Notice{Level: level, Text: fmt.Sprintf(format, args...), Hint: hint}}
}
