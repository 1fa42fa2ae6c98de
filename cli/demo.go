package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/demo"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// demoCmd trains a small network with a planted fault under vigil run.
type demoCmd struct {
	rootFlag
	Go      bool    `name:"go" help:"Train the Go network even if PyTorch is installed."`
	Torch   bool    `name:"torch" help:"Train in PyTorch, and fail if it is not installed."`
	Fault   string  `name:"fault" default:"vanishing" placeholder:"NAME" help:"What is wrong with the training: vanishing, exploding, dead-relu, plateau, or none."`
	Seconds float64 `name:"seconds" hidden:"" help:"Longest time of training."`
	NoColor bool    `name:"no-color" help:"No colours; NO_COLOR is honoured too."`
}

// Help teaches the command.
func (demoCmd) Help() string {
	var faults strings.Builder
	for _, name := range demo.Faults() {
		f, err := demo.Lookup(name)
		if err == nil {
			fmt.Fprintf(&faults, "    %-10s %s\n", name, f.About)
		}
	}
	return "Examples:\n\n    vigil demo\n    vigil demo --fault exploding --go\n\nFaults:\n\n" + faults.String() +
		"\nIt is a real training, captured and judged like any other; it needs no Python. Exit codes: 0, or 1 when it did not work."
}

// Run trains, lets the rules stop it, writes the report and says what to try
// next.
func (c demoCmd) Run(a *app) error {
	fault, err := demo.Lookup(c.Fault)
	if err != nil {
		return &usage{Message: fmt.Sprintf("there is no fault %q", c.Fault), What: "--fault", Hint: nearest(c.Fault, demo.Faults(), "known: "+strings.Join(demo.Faults(), ", "))}
	}
	if c.Go && c.Torch {
		return &usage{Message: "--go and --torch exclude each other", What: "--go", Hint: "leave both out to use PyTorch if it is installed"}
	}
	if c.Seconds == 0 {
		c.Seconds = 25 // the faults are found in a few seconds; a healthy training has to be watched for a while
		if fault.Name == "none" {
			c.Seconds = 12
		}
	}
	dir, err := os.MkdirTemp("", "vigil-demo-")
	if err != nil {
		return fmt.Errorf("make directory for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	command, what, err := c.training(fault, dir)
	if err != nil {
		return err
	}

	name := "demo-" + fault.Name + "-" + time.Now().Format("20060102-150405")
	fmt.Fprintf(a.stderr, "Training %s, %s.\nPlanted: %s.\n\n", what, length(c.Seconds), fault.About)
	path := filepath.Join(c.root(), name)
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return fmt.Errorf("make a file for the training's output: %w", err)
	}
	defer output.Close()
	code, err := c.watch(a, name, command, output)
	if err != nil {
		return err
	}
	if code != 0 && code != launch.ExitStopped {
		if text, err := os.ReadFile(output.Name()); err == nil {
			_, _ = a.stderr.Write(text)
		}
		return &usage{Message: fmt.Sprintf("the demo's training ended with exit code %d", code), What: strings.Join(command, " "), Hint: "`vigil doctor` tells what works here"}
	}
	return c.conclude(a, fault, name, path)
}

// watch runs the training as `vigil run` would, and gives its exit code. What
// the training prints goes to output, so that the live view has the terminal.
func (c demoCmd) watch(a *app, name string, command []string, output *os.File) (int, error) {
	stop, root, noColor := "warning", c.root(), c.NoColor
	run := runCmd{Flags: config.Flags{Dir: &root, Name: &name, StopOn: &stop, NoColor: &noColor}, Grace: launch.DefaultGrace, output: output}
	a.rest, a.dashes = command, true
	err := run.Run(a)
	var e *exitError
	if errors.As(err, &e) && e.err == nil {
		return e.code, nil
	}
	if errors.As(err, &e) {
		return 0, e.err
	}
	return 0, err
}

// conclude writes the report and prints the three commands to try next.
func (c demoCmd) conclude(a *app, fault demo.Fault, name, path string) error {
	out, err := writeReport(path, "")
	if err != nil {
		return err
	}
	t, err := openRun(name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	alarms := 0
	for _, f := range t.Findings() {
		if f.Severity != record.Info && !f.Muted {
			alarms++
		}
	}
	dir := ""
	if c.Dir != "" {
		dir = " --dir " + c.Dir
	}
	fmt.Fprintf(a.stdout, "\nThe report is in %s\n\nTry next:\n", out)
	fmt.Fprintf(a.stdout, "  %s findings%s %s\n", live.Program(), dir, name)
	fmt.Fprintf(a.stdout, "  %s values%s %s loss\n", live.Program(), dir, name)
	fmt.Fprintf(a.stdout, "  %s run -- python train.py      your own script, unchanged\n", live.Program())
	switch {
	case fault.Name == "none" && alarms > 0:
		return &usage{Message: "the healthy training raised an alarm", What: name, Hint: "please report it with the run's findings"}
	case fault.Name != "none" && alarms == 0:
		return &usage{Message: fmt.Sprintf("the planted fault %q was not recognised", fault.Name), What: name, Hint: "please report it with the output of `vigil doctor`"}
	}
	return nil
}

// training is the command to watch, and in words what it trains.
func (c demoCmd) training(fault demo.Fault, dir string) (command []string, what string, err error) {
	seconds := strconv.FormatFloat(c.Seconds, 'g', -1, 64)
	if !c.Go {
		python, why := pythonWithTorch()
		if python != "" {
			script := filepath.Join(dir, "demo.py")
			if err := os.WriteFile(script, demo.Script, 0o644); err != nil {
				return nil, "", fmt.Errorf("write the demo's script: %w", err)
			}
			return []string{python, script, fault.Name, seconds}, "a small PyTorch network", nil
		}
		if c.Torch {
			return nil, "", &usage{Message: "PyTorch cannot be imported: " + why, What: "--torch", Hint: "leave --torch out: the demo then trains a network written in Go"}
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, "", fmt.Errorf("find this program: %w", err)
	}
	return []string{self, "demo-train", "--fault", fault.Name, "--seconds", seconds}, "a small network written in Go", nil
}

// pythonWithTorch is the interpreter that `python` or `python3` means here, if
// it can import PyTorch.
func pythonWithTorch() (python, why string) {
	why = "there is no python on the PATH"
	for _, name := range []string{"python", "python3"} {
		p, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		cmd := exec.CommandContext(ctx, p, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)")
		err = cmd.Run()
		cancel()
		if err == nil {
			return p, ""
		}
		why = p + " has no torch"
	}
	return "", why
}

func length(seconds float64) string { return fmt.Sprintf("at most %.0f s", seconds) }

// demoTrainCmd is the Go training that demo starts.
type demoTrainCmd struct {
	Fault   string  `name:"fault" required:""`
	Seconds float64 `name:"seconds" required:""`
}

// Run trains until the time is over or a signal comes.
func (c demoTrainCmd) Run(a *app) error {
	fault, err := demo.Lookup(c.Fault)
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	return demo.Train(ctx, fault, time.Duration(c.Seconds*float64(time.Second)), a.stdout)
}
