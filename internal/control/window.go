package control

import (
	"fmt"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
)

// WindowSeconds is the length of a window of detail when none is given.
const WindowSeconds = 5

// CheckWindow says what is wrong with a window that is asked for; flag spells a
// setting as it was written.
func CheckWindow(seconds *float64, steps *int64, flag func(string) string) error {
	switch {
	case seconds != nil && steps != nil:
		return &usage{Message: flag("seconds") + " and " + flag("steps") + " both say how long the window is", What: flag("steps"), Hint: "give one of them"}
	case seconds != nil && !(*seconds > 0 && *seconds <= config.MaxWindowSeconds):
		return &usage{Message: fmt.Sprintf("%s %v: a window is longer than 0 and at most %d seconds long", flag("seconds"), *seconds, config.MaxWindowSeconds), What: flag("seconds")}
	case steps != nil && *steps < 1:
		return &usage{Message: fmt.Sprintf("%s %d is below 1", flag("steps"), *steps), What: flag("steps")}
	}
	return nil
}

// Profile asks the agent of a running job for a window of detail, and gives its
// number. by is who asks.
func Profile(run *record.Run, name, by string, seconds *float64, steps *int64, flag func(string) string) (number int, err error) {
	request := capture.WindowRequest{Seconds: WindowSeconds, Why: by}
	if seconds != nil {
		request.Seconds = *seconds
		request.Why += fmt.Sprintf(" %s %v", flag("seconds"), *seconds)
	}
	if steps != nil {
		request.Seconds, request.Steps = 0, *steps
		request.Why += fmt.Sprintf(" %s %d", flag("steps"), *steps)
	}
	var asked struct {
		Number int `json:"number"`
	}
	if err := launch.Ask(run.Control, capture.Control{Cmd: "profile", Window: &request}, &asked); err != nil {
		return 0, ProfileFailed(name, err)
	}
	return asked.Number, nil
}

// ProfileFailed is the error of a window that could not be recorded.
func ProfileFailed(name string, err error) error {
	return conflict(name, "", "profile run %q: %s", name, strings.TrimPrefix(err.Error(), "the agent refused: "))
}

// WindowState is how far a window is that was asked for.
func WindowState(run *record.Run, number int) (state agent.WindowState, err error) {
	return state, launch.Ask(run.Control, capture.Control{Cmd: "window", Number: number}, &state)
}

// stackTime is how long the agent may take: it waits for processes that do not answer.
const stackTime = 15 * time.Second

// Stacks is where the processes of a job stand.
type Stacks struct {
	Time      time.Time        `json:"time"`
	Processes []stacks.Process `json:"processes"`
}

// Stacks asks the agent where the processes of a running job stand.
func (r Run) Stacks() (record.Run, Stacks, error) {
	var s Stacks
	run, err := r.Running("its stacks are gone with its processes")
	if err != nil {
		return run, s, err
	}
	if err := launch.AskWithin(stackTime, run.Control, capture.Control{Cmd: "stacks"}, &s); err != nil {
		return run, s, conflict(r.Name, "`vigil doctor "+r.Name+"` shows whether its agent works", "read the stacks of run %q: %v", r.Name, err)
	}
	if s.Processes == nil {
		s.Processes = []stacks.Process{}
	}
	return run, s, nil
}
