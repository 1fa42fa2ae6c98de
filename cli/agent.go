package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/vigil-ml/vigil/internal/agent"
)

// agentCmd is the capturing process. It is no command for people: run starts
// it, or a hook that found no run does.
type agentCmd struct {
	ForPID  int    `name:"for-pid" placeholder:"PID" help:"Serve this training process, without a launcher."`
	Dir     string `name:"dir" placeholder:"DIR" help:"Root of the runs."`
	Name    string `name:"name" placeholder:"NAME" help:"The run's name."`
	Script  string `name:"script" placeholder:"FILE" help:"The training script."`
	WorkDir string `name:"workdir" placeholder:"DIR" help:"Directory whose vigil.yaml counts."`
	Python  string `name:"python" placeholder:"FILE" help:"The interpreter of the training, for rules in Python."`
}

// eventsFD is the descriptor on which the launcher reads live.Event values as
// JSON lines.
const eventsFD = 3

// Run works until the job has ended.
func (c agentCmd) Run(a *app) error {
	// The launcher decides when the agent ends; a Ctrl-C that reaches it all
	// the same, or a launcher that died and closed our pipes, must not cut a
	// run off.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(context.Background())
	if c.ForPID > 0 {
		ctx, cancel = signal.NotifyContext(ctx, syscall.SIGTERM)
	} else {
		// A cluster that ends a job signals all its processes; the training may
		// use its time to end well, and we stay with it. Handled and not
		// ignored, because what is ignored is inherited by actions.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
	}
	defer cancel()

	if c.ForPID > 0 {
		f := agent.ForPID{PID: c.ForPID, Dir: c.Dir, Name: c.Name, Vigil: version(), Script: c.Script, WorkDir: c.WorkDir, Python: c.python()}
		return agent.RunForPID(ctx, f, func(addr agent.Address) error {
			if err := json.NewEncoder(a.stdout).Encode(addr); err != nil {
				return fmt.Errorf("tell the hook where the agent listens: %w", err)
			}
			return nil
		}, io.Discard)
	}
	events := os.NewFile(eventsFD, "events")
	if _, err := events.Stat(); err != nil {
		return &usage{Message: "the agent is started by `vigil run` or by a hook, not by hand", What: "vigil agent",
			Hint: "start a training with `vigil run -- COMMAND`"}
	}
	closeOnExec(eventsFD)
	return agent.Run(ctx, a.stdin, events)
}

// python is what rules in Python run with. Without it they say so; nothing else
// is harmed.
func (c agentCmd) python() agent.Python {
	_, lib, err := extractPython()
	self, selfErr := os.Executable()
	if err != nil || selfErr != nil {
		return agent.Python{}
	}
	if c.Python == "" {
		c.Python = interpreter(nil)
	}
	return agent.Python{Interpreter: c.Python, Lib: lib, Program: self}
}
