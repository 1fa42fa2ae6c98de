package cli

import (
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/launch"
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
	run, err := readRun(path)
	if err != nil {
		return fmt.Errorf("read run %q: %w", c.Name, err)
	}
	orphans := run.Status == record.Lost && len(launch.Left(run)) > 0
	switch {
	case run.Status == record.Running, orphans:
	case run.Status == record.Lost:
		return &usage{Message: fmt.Sprintf("run %q is not running: its processes are gone", c.Name), What: c.Name,
			Hint: "it was cut off; what was captured is kept: vigil show " + c.Name}
	default:
		ended := ""
		if run.Ended != nil {
			ended = " since " + run.Ended.Local().Format("2006-01-02 15:04:05")
		}
		return &usage{Message: fmt.Sprintf("run %q is not running: it is %s%s", c.Name, run.Status, ended), What: c.Name}
	}
	if err := launch.RequestStop(run); err != nil {
		return &usage{Message: fmt.Sprintf("stop run %q: %v", c.Name, err), What: c.Name,
			Hint: "stop it on the run's host, as the user that started it"}
	}
	if orphans { // they have ended, and nobody is left to finish the run
		return c.say(a, run.Name, run.Status)
	}
	if c.Wait <= 0 {
		return c.say(a, run.Name, "asked to stop")
	}
	for deadline := time.Now().Add(c.Wait); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if run, err = readRun(path); err == nil && run.Status != record.Running {
			return c.say(a, run.Name, run.Status)
		}
	}
	return &usage{Message: fmt.Sprintf("run %q has not ended within %v of the request", c.Name, c.Wait), What: c.Name,
		Hint: "`vigil doctor " + c.Name + "` shows why; --wait waits longer"}
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
