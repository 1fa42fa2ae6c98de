// Package cli is Vigil's command line, for the program vigil itself and for
// programs that add rules of their own to it.
//
// Each subcommand lives in a file of its own. This file holds the root of the
// command line: it parses, calls the command, and turns every error into one
// clear message and an exit code.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// commands is the whole command line. A command is a field here and a struct with a
// Run(*app) error method, and a Help() string method with an example and the
// exit codes, in a file of its own.
type commands struct {
	Version bool `name:"version" help:"Print the version and exit."`

	Demo     demoCmd     `cmd:"" name:"demo" help:"Train a small network with a planted fault under the real capture path."`
	Run      runCmd      `cmd:"" name:"run" help:"Start a training command, capture and judge it live."`
	Ls       lsCmd       `cmd:"" name:"ls" help:"List runs: name, framework, status, steps, findings."`
	Show     showCmd     `cmd:"" name:"show" help:"What was captured, and what was not and why."`
	Values   valuesCmd   `cmd:"" name:"values" help:"Print the values of a tensor or series."`
	Findings findingsCmd `cmd:"" name:"findings" help:"What the rules found, and the status of each rule."`
	Check    checkCmd    `cmd:"" name:"check" help:"Judge a finished (or running) run; exit code for CI."`
	Report   reportCmd   `cmd:"" name:"report" help:"Write one self-contained HTML file about a run."`
	UI       uiCmd       `cmd:"" name:"ui" help:"The dashboard: everything about the runs in a browser."`
	Top      topCmd      `cmd:"" name:"top" help:"Live: phases, ranks, cores, GPUs, memory."`
	Trace    traceCmd    `cmd:"" name:"trace" help:"Write steps, parts, machine and findings of all workers on one time axis."`
	Tail     tailCmd     `cmd:"" name:"tail" help:"Follow a live run: steps, losses, findings as they come."`
	Compare  compareCmd  `cmd:"" name:"compare" help:"Show how runs differ, and their curves side by side."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Tools for coding assistants, over the Model Context Protocol."`
	Logs     logsCmd     `cmd:"" name:"logs" help:"Print the output of the job, what the agent did, or what a rule printed."`
	Rules    rulesCmd    `cmd:"" name:"rules" help:"The catalogue of rules and their parameters."`

	Plan    planCmd    `cmd:"" name:"plan" help:"Show or change what a running job captures."`
	Stacks  stacksCmd  `cmd:"" name:"stacks" help:"The Python stacks of every process of a running job, now."`
	Profile profileCmd `cmd:"" name:"profile" help:"Record, show or export where the time of a job goes, by line of code."`
	Stop    stopCmd    `cmd:"" name:"stop" help:"Stop a running job."`
	Fsck    fsckCmd    `cmd:"" name:"fsck" help:"Check that a run is complete and undamaged, or name what is damaged."`
	Tag     tagCmd     `cmd:"" name:"tag" help:"Write tags and a note on a run."`
	Rm      rmCmd      `cmd:"" name:"rm" help:"Remove runs; asks before it does."`
	Doctor  doctorCmd  `cmd:"" name:"doctor" help:"Show what works here, and why nothing was captured."`

	Completion completionCmd `cmd:"" name:"completion" help:"Print the script that completes commands, flags, runs and rules in a shell."`
	HelpCmd    helpCmd       `cmd:"" name:"help" help:"Show the help of a command."`
	Complete   completeCmd   `cmd:"" name:"complete" hidden:"" help:"What may come next on a command line (called by the shell)."`

	VersionCmd versionCmd   `cmd:"" name:"version" help:"Print the version, the platform and how it was built."`
	DemoTrain  demoTrainCmd `cmd:"" name:"demo-train" hidden:"" help:"The training that demo starts."`
	Agent      agentCmd     `cmd:"" name:"agent" hidden:"" help:"The capturing process (started by run or by a hook)."`
	Feed       feedCmd      `cmd:"" name:"feed" hidden:"" help:"Reads a run for Python's create_trial."`
}

// app is what every command gets: its streams and the words after "--".
type app struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	// rest is what stood after the first "--", which kong never sees; dashes
	// reports whether there was one.
	rest   []string
	dashes bool
	// json is set when --json is on the command line, so that errors found
	// before the flags are parsed are JSON too.
	json bool
}

const description = "Vigil watches machine-learning training: " +
	"it captures losses, weights and gradients of an unchanged script, judges them while it runs, " +
	"stops a broken job, and explains what went wrong."

const afterHelp = `
Start here:
  vigil demo                       watch a small network go wrong, be stopped and explained
  vigil run -- python train.py     the same for your own script, unchanged
  vigil doctor                     what works on this machine

Exit codes: 0, or 1 for a usage error or a failure; "vigil run --help" and "vigil check --help" list theirs.`

// Main is the program vigil with further rules: it runs the command line of the
// process and ends it. The rules are like those that come with Vigil: they are
// listed, described, configured by their names, and run live and on stored runs. One whose name is
// taken, or whose definition lacks something, ends the program with a message.
func Main(own ...*rule.Definition) {
	if err := rules.Add(own...); err != nil {
		(&app{stdout: os.Stdout, stderr: os.Stderr}).report(err)
		os.Exit(failureCode(os.Args[1:]))
	}
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs one command line and returns its exit code. It never panics: a
// bug becomes one line and how to report it.
func execute(args []string, stdin *os.File, stdout, stderr io.Writer) (code int) {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	words := a.split(args)
	defer func() {
		if r := recover(); r != nil {
			a.report(bug(r))
			code = failureCode(words)
		}
	}()

	if len(args) == 0 {
		words = []string{"--help"}
	}
	var c commands
	left := -1 // kong's exit request: after --help
	parser, err := kong.New(&c,
		kong.Name("vigil"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { left = code }),
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Bind(a),
	)
	if err != nil {
		a.report(fmt.Errorf("build the command line: %w", err))
		return 1
	}
	if len(words) == 1 && words[0] == "--version" {
		words = []string{"version"}
	}
	ctx, err := parser.Parse(words)
	if left >= 0 {
		return left
	}
	if err != nil {
		a.report(parseError(err, parser.Model, words))
		return failureCode(words)
	}
	return a.finish(ctx.Run(a), failureCode(words))
}

// finish reports err and gives the exit code it stands for.
func (a *app) finish(err error, failure int) int {
	if err == nil {
		return 0
	}
	var e *exitError
	if errors.As(err, &e) {
		if e.err != nil {
			a.report(e.err)
		}
		return e.code
	}
	a.report(err)
	return failure
}

// split takes what is after the first "--" away from the words kong
// parses: the user's command is not for us to read.
func (a *app) split(args []string) []string {
	words := args
	for i, w := range args {
		if w == "--" {
			words, a.rest, a.dashes = args[:i:i], args[i+1:], true
			break
		}
	}
	for _, w := range words {
		if w == "--json" || w == "--json=true" {
			a.json = true
		}
	}
	return words
}

// failureCode is the exit code of a usage error or failure of Vigil itself:
// 125 for run, so that it cannot be taken for the command's own, else 1.
func failureCode(words []string) int {
	if command(words) == "run" {
		return 125
	}
	return 1
}

// command is the first word that is no flag.
func command(words []string) string {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			return w
		}
	}
	return ""
}

// help prints kong's help, and for the root the way in.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if ctx.Selected() == nil {
		fmt.Fprintln(ctx.Stdout, afterHelp)
	}
	return nil
}

// bug is the error for a panic: no traceback unless VIGIL_TRACE asks for it.
func bug(r any) error {
	hint := "please report it with the command line and the output of `vigil version` at https://github.com/vigil-ml/vigil/issues; VIGIL_TRACE=1 prints the stack"
	if os.Getenv("VIGIL_TRACE") == "1" {
		hint = string(debug.Stack())
	}
	return &usage{Message: fmt.Sprintf("internal error: %v", r), What: "vigil " + version(), Hint: hint}
}
