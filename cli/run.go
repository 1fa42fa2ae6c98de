package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/provenance"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/python"
)

// runCmd starts a training command, captures it and judges it live.
type runCmd struct {
	config.Flags
	Grace time.Duration `name:"grace" hidden:"" env:"VIGIL_GRACE" default:"10s" help:"Time between SIGTERM and SIGKILL when a job is stopped."`
	// output takes what the command writes, instead of our own streams; then
	// the terminal is the live view's alone. Nil for users.
	output  *os.File
	Command []string `arg:"" optional:"" passthrough:"partial" name:"command" help:"The training command with its arguments, after --."`
}

// Help teaches the command.
func (runCmd) Help() string {
	return `Examples:

    vigil run -- python train.py --lr 0.1
    vigil run --stop-on error -- torchrun --nproc-per-node 2 train.py
    vigil run --name try-3 --collect relu_output:every=50,raw -- python -m pkg.train

The script needs no change, and Vigil need not be installed in its environment. Its input, output, signals,
terminal and exit code are the same as without Vigil. Every flag can also stand in vigil.yaml, or in
the environment as VIGIL_ and its name (VIGIL_STOP_ON=error); the flag wins over the
environment, the environment over the file. VIGIL=0 starts the command without Vigil.

Exit codes: the command's own (128+N after signal N); 3 when a rule stopped the job; 125 when Vigil
could not start, 126 when the command cannot be executed, 127 when there is no such command or script.`
}

// Run starts the job and ends with its exit code.
func (c runCmd) Run(a *app) error {
	command := c.Command
	if a.dashes && len(command) > 0 {
		command = append(append(command[:len(command):len(command)], "--"), a.rest...)
	} else if a.dashes {
		command = a.rest
	}
	if len(command) == 0 {
		return &usage{Message: "no command given", What: "COMMAND",
			Hint: "put it after two dashes: vigil run -- python train.py"}
	}
	settings, err := loadSettings(c.Flags)
	if err != nil {
		return err
	}
	a.json = a.json || settings.JSON
	path, err := launch.Lookup(command[0])
	if err != nil {
		return startFailure(err)
	}
	o := &launch.Options{
		Command: command, Path: path, Environ: os.Environ(), Grace: c.Grace, Began: began,
		Stdin: a.stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	if c.output != nil {
		o.Stdout, o.Stderr = c.output, c.output
	}
	if why := inert(); why != "" {
		if why != offSwitch && !settings.Quiet && !settings.JSON {
			fmt.Fprintf(a.stderr, "vigil: %s; this `vigil run` only starts the command\n", why)
		}
		o.Inert = true
		return a.start(o)
	}
	if err := launch.Supported(); err != nil {
		return &usage{Message: err.Error(), What: "vigil run", Hint: "reading, judging and showing runs works here"}
	}
	if err := launch.MissingScript(command); err != nil {
		return startFailure(err)
	}
	if err := settings.MissingSecrets(); err != nil {
		return err
	}
	if err := c.prepare(o, settings); err != nil {
		return err
	}
	o.Screen = launch.NewScreen(os.Stderr)
	view := live.NewView(viewOptions(settings, o.Screen, c.output != nil))
	go view.Keep()
	defer view.Close()
	o.Event, o.Suspended, o.Resumed = view.Event, view.Suspend, view.Resume
	for _, w := range settings.Warnings {
		view.Event(live.Event{Time: time.Now().UTC(), Notice: &live.Notice{Level: "warning", Text: w}})
	}
	return a.start(o)
}

// start runs the job and turns its end into ours.
func (a *app) start(o *launch.Options) error {
	code, err := launch.Run(o)
	if err != nil {
		return startFailure(err)
	}
	if code == 0 {
		return nil
	}
	return exit(code, nil)
}

// startFailure gives an error of the launcher the exit code it stands for.
func startFailure(err error) error {
	var s *launch.StartError
	if errors.As(err, &s) {
		return exit(s.Code, &usage{Message: s.Message, What: s.What, Hint: s.Hint})
	}
	return exit(launch.ExitCannotStart, err)
}

// began is when this program started.
var began = time.Now()

// offSwitch is the reason that needs no words: the user wrote it.
const offSwitch = "VIGIL=0"

// inert says why nothing is to be captured, or is empty.
func inert() string {
	if os.Getenv("VIGIL") == "0" {
		return offSwitch
	}
	// Below another run the outer one captures. A variable that outlived its
	// run (in a terminal multiplexer, say) is told by the missing socket.
	if os.Getenv("VIGIL_LAUNCH") != "" {
		if _, err := os.Stat(os.Getenv("VIGIL_SOCKET")); err == nil {
			return fmt.Sprintf("already inside the run %s", os.Getenv("VIGIL_RUN"))
		}
	}
	return ""
}

// prepare fills in what capture needs: the Python files, the agent's command
// and settings, and how the run's directory is made.
func (c runCmd) prepare(o *launch.Options, settings config.Run) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the vigil program itself: %w", err)
	}
	boot, lib, err := extractPython()
	if err != nil {
		return err
	}
	directory, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	root, err := filepath.Abs(settings.Dir)
	if err != nil {
		return fmt.Errorf("find the root of the runs: %w", err)
	}
	host, _ := os.Hostname()
	started := time.Now()
	settings.Dir = root
	o.PythonPath = []string{boot, lib}
	o.Agent = []string{self, "agent"}
	if settings.UI {
		o.Dashboard = []string{self, "ui", root, "--beside", "--json"}
	}
	o.Settings = agent.Settings{
		Name: settings.Name, Dir: root, Command: o.Command, Directory: directory, Script: agent.Script(o.Command),
		Host: host, Started: started.UTC(), Config: settings, Vigil: version(), Created: true,
		Python: agent.Python{Interpreter: interpreter(o.Command), Lib: lib, Program: self},
	}
	if settings.Resume != "" {
		return c.resumes(o, settings)
	}
	if settings.ResumeStep != nil {
		return &usage{Message: "--resume-step needs --resume", What: "--resume-step", Hint: "write --resume RUN --resume-step N"}
	}
	o.Claim = func(socket string) (string, func(), error) {
		run := record.Run{
			Format: record.RunFormat, Command: provenance.Redact(o.Command), Directory: directory, Host: host, Started: started.UTC(),
			Status: record.Running, Steps: map[string]int64{}, Dropped: map[string]int64{},
			Workers: []record.Worker{}, Plan: []record.PlanChange{},
			Launcher: launch.Self(), Control: socket, Vigil: version(), Profiler: provenance.Profiler(settings.Profiler),
		}
		path, err := claim(root, settings.Name, agent.RunName(started, o.Command), run)
		if err != nil {
			return "", nil, err
		}
		o.Settings.Name = filepath.Base(path)
		return path, func() { os.RemoveAll(path) }, nil
	}
	return nil
}

// claim makes the run's directory. A name that the user chose must be free; a
// default name gets a number when another run of the same second has it.
func claim(root, name, otherwise string, run record.Run) (string, error) {
	for try := 1; ; try++ {
		run.Name = name
		if name == "" {
			run.Name = otherwise
			if try > 1 {
				run.Name += "-" + strconv.Itoa(try)
			}
		}
		w, err := store.Create(vfs.OS, root, run.Name, run)
		switch {
		case err == nil:
			path := w.Path()
			return path, w.Close()
		case errors.Is(err, store.ErrExists) && name == "" && try < 1000:
		case errors.Is(err, store.ErrExists):
			return "", &usage{Message: fmt.Sprintf("a run %q already exists in %q", name, root), What: "--name",
				Hint: "choose another name, or leave it out to have one made from time and script"}
		default:
			return "", &usage{Message: fmt.Sprintf("make the run %q: %v", run.Name, err), What: "--dir " + root,
				Hint: "--dir or VIGIL_DIR selects another place for runs"}
		}
	}
}

// extractPython puts the Python files where the training finds them: in the
// user's cache, or in a private temporary place where there is none.
func extractPython() (boot, lib string, err error) {
	var first error
	for _, base := range cacheDirs() {
		boot, lib, err := python.Extract(base)
		if err == nil {
			return boot, lib, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", "", &usage{Message: fmt.Sprintf("unpack the Python files: %v", first), What: "cache directory",
		Hint: "XDG_CACHE_HOME selects another place"}
}

func cacheDirs() []string {
	var dirs []string
	if d, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(d, "vigil"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "vigil-"+strconv.Itoa(os.Getuid())))
}

// viewOptions say how the job is shown while it runs; alone says that the job's
// output goes elsewhere.
func viewOptions(settings config.Run, screen *launch.Screen, alone bool) live.Options {
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return live.Options{
		Out: screen, Terminal: terminal, Alone: alone,
		InPlace: !settings.NoStatus && live.InPlace(terminal, os.Getenv),
		Size:    screen.Size, Free: screen.Free, Leave: screen.Leave,
		Style:   live.StyleFor(terminal, settings.NoColor),
		Explain: explain, Quiet: settings.Quiet, JSON: settings.JSON,
	}
}
