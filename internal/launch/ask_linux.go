package launch

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// askTime is how long an agent may take to answer; it answers from memory.
const askTime = 5 * time.Second

// RequestStop makes a running job end: it asks the agent, which has the
// launcher stop every process of the job, and the run is finished in order.
// When no agent answers, or the launcher is gone, it ends the processes of the
// job itself.
func RequestStop(run record.Run) error {
	launcher := 0
	if l := run.Launcher; l != nil && proc.Alive(proc.ID{PID: l.PID, Start: l.Start}) {
		launcher = l.PID
	}
	asked := errors.New("its launcher has ended")
	if launcher != 0 || run.Launcher == nil {
		if asked = ask(run.Control, "stop"); asked == nil {
			return nil
		}
	}
	if host, err := os.Hostname(); err == nil && run.Host != "" && host != run.Host {
		return fmt.Errorf("it runs on host %q, this is %q", run.Host, host)
	}
	agent := 0
	if run.Agent != nil {
		agent = run.Agent.PID
	}
	refused := error(nil)
	s := stopper{grace: DefaultGrace, poll: 20 * time.Millisecond,
		kill: func(pid int, sig syscall.Signal) {
			if err := syscall.Kill(pid, sig); errors.Is(err, syscall.EPERM) {
				refused = err
			}
		},
		members: func() []proc.ID {
			if launcher == 0 {
				return Left(run)
			}
			// A process that the launcher started and that is not the agent is
			// the command; orphans are told by the agent's mark.
			return job(proc.Table(), launcher, 0, agent, proc.StartedByAgent)
		}}
	if len(s.members()) == 0 {
		return asked
	}
	if !s.run() {
		return errors.Join(errors.New("processes of the job are still there"), refused)
	}
	return nil
}

// Left are the living processes of a job whose launcher is gone.
func Left(run record.Run) []proc.ID {
	if run.Control == "" {
		return nil
	}
	l := proc.Carrying("VIGIL_SOCKET=" + run.Control)
	return slices.DeleteFunc(l, func(id proc.ID) bool { return run.Agent != nil && id.PID == run.Agent.PID })
}

// ask sends one command to an agent and returns nil when it says that it
// obeys.
func ask(socket, command string) error {
	return Ask(socket, capture.Control{Cmd: command}, nil)
}

// Ask sends a request to the agent that listens on a socket, and reads its
// answer into answer, which may be nil. A refusal is an error.
func Ask(socket string, request capture.Control, answer any) error {
	return AskWithin(askTime, socket, request, answer)
}

// AskWithin is Ask with the time that the agent may take to answer.
func AskWithin(limit time.Duration, socket string, request capture.Control, answer any) error {
	if socket == "" {
		return errors.New("the run has no agent")
	}
	c, err := net.DialTimeout("unix", socket, askTime)
	if err != nil {
		return fmt.Errorf("reach the agent: %w", err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(limit)); err != nil {
		return fmt.Errorf("reach the agent: %w", err)
	}
	b, err := capture.AppendMessage(nil, capture.TypeControl, request)
	if err != nil {
		return fmt.Errorf("ask the agent: %w", err)
	}
	if _, err := c.Write(b); err != nil {
		return fmt.Errorf("ask the agent: %w", err)
	}
	m, err := capture.ReadMessage(c)
	if err != nil {
		return fmt.Errorf("hear the agent's answer: %w", err)
	}
	var verdict struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if err := m.Decode(&verdict); err != nil {
		return fmt.Errorf("read the agent's answer: %w", err)
	}
	if !verdict.OK {
		return fmt.Errorf("the agent refused: %s", verdict.Error)
	}
	if answer == nil {
		return nil
	}
	if err := m.Decode(answer); err != nil {
		return fmt.Errorf("read the agent's answer: %w", err)
	}
	return nil
}
