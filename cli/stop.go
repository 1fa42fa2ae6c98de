package cli

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// stopCmd stops a running job.
type stopCmd struct {
	runArg
	Wait time.Duration `name:"wait" default:"60s" placeholder:"TIME" help:"How long to wait for the job to end (default 60s); 0: do not wait."`
	JSON bool          `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (stopCmd) Help() string {
	return `Examples:

    vigil stop
    vigil stop latest --wait 5m

The run may be left out when exactly one job is running.

Every process of the job gets SIGTERM, and SIGKILL when it is still there 10 s later, torchrun's
workers included. What was captured is kept, and the run is finished as after any end.

Exit codes: 0 when the job has ended, 1 when there is no such run, it does not run, or it could not be stopped.`
}

// Run asks the run's agent to stop the job; without one it does so itself.
func (c stopCmd) Run(a *app) error {
	path, name, err := c.which()
	if err != nil {
		return err
	}
	c.Name = name
	run, err := control.Run{Path: path, Name: c.Name}.Stop(c.Wait)
	if err != nil {
		return err
	}
	return c.say(a, run.Name, run.Status)
}

func (c stopCmd) say(a *app, name, status string) error {
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"run": name, "status": status})
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n", name, status)
	return err
}

// which is the run that is named, or the only one that is running.
func (c stopCmd) which() (path, name string, err error) {
	if c.Name == "" {
		return onlyRunning(c.root())
	}
	return findRun(c.root(), c.Name)
}

// readRun reads run.json as it is now.
func readRun(path string) (record.Run, error) {
	t, err := trial.Open(path)
	if err != nil {
		return record.Run{}, err
	}
	defer t.Close()
	return t.Run(), nil
}
