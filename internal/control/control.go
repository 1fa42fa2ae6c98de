// Package control is what a person does with a run: stop its job, change its plan,
// ask it for a window of detail or its stacks, write a report, tags and a note,
// remove it. Command line and dashboard do it the same way.
package control

import (
	"fmt"
	"os"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

type usage = config.UsageError

// Conflict is the error of what a run's state does not allow: it has ended, it runs
// elsewhere, or its agent refused.
type Conflict struct{ *config.UsageError }

// Unwrap gives the words for a person.
func (c *Conflict) Unwrap() error { return c.UsageError }

func conflict(what, hint, format string, args ...any) error {
	return &Conflict{&usage{Message: fmt.Sprintf(format, args...), What: what, Hint: hint}}
}

// Run is a run that something is done with: where it lies, and what it is called in
// messages.
type Run struct{ Path, Name string }

// Read reads run.json as it is now.
func (r Run) Read() (record.Run, error) {
	t, err := trial.Open(r.Path)
	if err != nil {
		return record.Run{}, fmt.Errorf("read run %q: %w", r.Name, err)
	}
	defer t.Close()
	return t.Run(), nil
}

// Running is Read of a run that has to run; hint reports what is missing otherwise.
func (r Run) Running(hint string) (record.Run, error) {
	run, err := r.Read()
	if err != nil {
		return run, err
	}
	if run.Status != record.Running {
		return run, conflict(r.Name, hint, "run %q has already ended (%s)", r.Name, run.Status)
	}
	return run, nil
}

// Reachable says why a run cannot be asked for anything from here; "" when it can,
// or when only trying tells.
func Reachable(path string, run *record.Run) string {
	host, err := os.Hostname()
	orphans := run.Status == record.Lost && len(launch.Left(*run)) > 0
	switch {
	case run.Status != record.Running && !orphans:
		return "it has already ended (" + run.Status + ")"
	case err == nil && run.Host != "" && run.Host != host:
		return fmt.Sprintf("it runs on host %q, this is %q: `vigil ui` there can control it", run.Host, host)
	}
	return foreign(path)
}
