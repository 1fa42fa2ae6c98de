package control

import (
	"time"

	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/record"
)

// Asked is the status of a job that was asked to end and was not waited for.
const Asked = "asked to stop"

// Stop asks the run's agent to stop the job; without one it does so itself. It waits
// for the end, or not when wait is 0, and gives the run as it is then, with the
// status Asked when it was not waited for.
func (r Run) Stop(wait time.Duration) (run record.Run, err error) {
	if run, err = r.Read(); err != nil {
		return run, err
	}
	orphans := run.Status == record.Lost && len(launch.Left(run)) > 0
	switch {
	case run.Status == record.Running, orphans:
	case run.Status == record.Lost:
		return run, conflict(r.Name, "it was cut off; what was captured is kept: vigil show "+r.Name, "run %q is not running: its processes are gone", r.Name)
	default:
		ended := ""
		if run.Ended != nil {
			ended = " " + run.Ended.Local().Format("2006-01-02 15:04:05")
		}
		return run, conflict(r.Name, "", "run %q has already ended (%s%s)", r.Name, run.Status, ended)
	}
	if err := launch.RequestStop(run); err != nil {
		return run, conflict(r.Name, "stop it on the run's host, as the user that started it", "stop run %q: %v", r.Name, err)
	}
	if orphans { // they have ended, and nobody is left to finish the run
		return run, nil
	}
	if wait <= 0 {
		run.Status = Asked
		return run, nil
	}
	for deadline := time.Now().Add(wait); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if run, err = r.Read(); err == nil && run.Status != record.Running {
			return run, nil
		}
	}
	return run, conflict(r.Name, "`vigil doctor "+r.Name+"` shows why; --wait waits longer", "run %q has not ended within %v of the request", r.Name, wait)
}
