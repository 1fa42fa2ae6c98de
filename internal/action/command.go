package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 64 << 10

// command runs one program with the finding, or the document of the change of
// status, one JSON object, on its standard input. The program does not take part in the job: it is not captured.
func (r *Runner) command(c Command, a entry) {
	defer r.running.Done()
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(r.ctx, timeout)
	defer cancel()
	in, err := []byte(a.Event), error(nil)
	if a.Change == nil {
		in, err = json.Marshal(a.Finding)
	}
	out := &limited{}
	begun := time.Now()
	if err == nil {
		cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(in, '\n')), out, out
		cmd.Env = r.environment()
		cmd.WaitDelay = time.Second
		ownGroup(cmd)
		err = cmd.Run()
		if cmd.ProcessState != nil {
			code := cmd.ProcessState.ExitCode()
			a.ExitCode = &code
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("run command %q: it was killed after %s", c.Argv[0], timeout)
	case ctx.Err() != nil:
		err = fmt.Errorf("run command %q: it was killed at the end of the job", c.Argv[0])
	case err != nil:
		err = fmt.Errorf("run command %q: %w", c.Argv[0], err)
	}
	a.Event = nil // it is not needed any more
	a.State, a.Time, a.Seconds, a.Output = record.Done, r.opts.Now().UTC(), time.Since(begun).Seconds(), out.String()
	if err != nil {
		a.State, a.Error = record.Undone, err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(a)
}

// environment is the user's, without what would attach the command to the job.
func (r *Runner) environment() []string {
	base := r.opts.Env
	if base == nil {
		base = os.Environ()
	}
	var env []string
	for _, e := range base {
		name, _, _ := strings.Cut(e, "=")
		if name != "VIGIL_SOCKET" && name != "VIGIL_LAUNCH" && name != "VIGIL_RUN" {
			env = append(env, e)
		}
	}
	return append(env, "VIGIL_RUN="+r.opts.Run)
}

// limited keeps the beginning of what is written to it. The process's two
// streams share it, so one goroutine writes at a time.
type limited struct {
	buf  bytes.Buffer
	more bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := maxOutput - l.buf.Len()
	l.more = l.more || len(p) > room
	l.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

func (l *limited) String() string {
	s := strings.ToValidUTF8(l.buf.String(), "\uFFFD")
	if l.more {
		s += "\n… (more output was dropped)"
	}
	return s
}
