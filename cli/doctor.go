package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/doctor"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/record"
)

// doctorCmd reports what works here and why nothing was captured.
type doctorCmd struct {
	rootFlag
	Target string `arg:"" optional:"" name:"run" placeholder:"RUN" help:"A run, by its name, the beginning of one, latest, or a path: why it contains what it contains."`
	JSON   bool   `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (doctorCmd) Help() string {
	return `Examples:

    vigil doctor                       this machine and the python in PATH
    vigil doctor -- python train.py    the interpreter of this command
    vigil doctor latest                why the newest run contains what it contains

With a command, its interpreter is started and examined; the script is not run.

Exit codes: 0 when capture works, also with warnings; 1 when there is a failure, which keeps it from working,
or when the run holds nothing.`
}

// Run makes the checks and prints them.
func (c doctorCmd) Run(a *app) error {
	if c.Target != "" && a.dashes {
		return &usage{Message: "name a run or a command, not both", What: c.Target,
			Hint: "vigil doctor RUN, or vigil doctor -- COMMAND"}
	}
	var checks []doctor.Check
	if c.Target != "" {
		run, err := c.readRun()
		if err != nil {
			return err
		}
		checks = doctor.Run(run)
	} else {
		checks = append(doctor.Machine(c.root()), doctor.Look(looks()))
		checks = append(checks, pythonChecks(a.rest)...)
	}
	if err := c.print(a, checks); err != nil {
		return err
	}
	if doctor.Failed(checks) {
		return exit(1, nil)
	}
	return nil
}

// looks reports whether environment and configuration let facts of a training be read.
func looks() bool {
	run, err := config.Resolve(config.Flags{}, os.Environ(), "", agent.Known())
	return err != nil || !run.NoLook
}

func (c doctorCmd) readRun() (record.Run, error) {
	path, _, err := findRun(c.root(), c.Target)
	if err != nil {
		return record.Run{}, err
	}
	run, err := readRun(path)
	if err != nil {
		return run, fmt.Errorf("read run %q: %w", c.Target, err)
	}
	return run, nil
}

// pythonChecks looks at the interpreter of a command, or at that of PATH.
func pythonChecks(command []string) []doctor.Check {
	p, err := doctor.FindPython(command)
	if err != nil {
		state := doctor.Warning
		var refused *launch.StartError
		if errors.As(err, &refused) {
			state = doctor.Failure
		}
		return []doctor.Check{{Name: "python", State: state, Text: err.Error(), Hint: "`vigil doctor -- python train.py` checks one interpreter"}}
	}
	boot, lib, err := extractPython()
	if err != nil {
		return []doctor.Check{{Name: "python", State: doctor.Failure, Text: err.Error()}}
	}
	checks := doctor.Python(context.Background(), p, boot, lib)
	var missing *launch.StartError
	if errors.As(launch.MissingScript(command), &missing) {
		checks = append(checks, doctor.Check{Name: "script", State: doctor.Warning, Text: missing.Message + ": `vigil run` does not start this command", Hint: missing.Hint})
	}
	return checks
}

func (c doctorCmd) print(a *app, checks []doctor.Check) error {
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"works": !doctor.Failed(checks), "checks": checks})
	}
	p := a.page()
	for _, k := range checks {
		mark := fmt.Sprintf("%-8s", k.State)
		switch k.State {
		case doctor.Failure:
			mark = p.Severity(record.Error, mark)
		case doctor.Warning:
			mark = p.Severity(record.Warning, mark)
		case doctor.OK:
			mark = p.Good(mark)
		}
		if _, err := fmt.Fprintln(a.stdout, p.Hang(fmt.Sprintf("%s %-13s ", mark, k.Name), plain(k.Text))); err != nil {
			return err
		}
		if k.Hint != "" {
			fmt.Fprintln(a.stdout, p.Dim(p.Hang(strings.Repeat(" ", 23), plain(k.Hint))))
		}
	}
	return nil
}
