package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/logfile"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// Descriptors of the agent beyond the standard three.
const (
	agentEvents   = 3 // it writes live.Event values here, one JSON object per line
	agentListener = 4 // the socket, listening
)

// maxStarts is how many agents may be started within startWindow before the
// launcher gives up and lets the training go on alone.
const (
	maxStarts   = 10
	startWindow = time.Minute
	// endStarts is how many agents may try to finish a run whose command has
	// ended.
	endStarts = 3
	// saidDeaths is how many deaths are told one by one.
	saidDeaths = 3
)

// supervisor keeps one agent running.
type supervisor struct {
	reaper   *reaper
	command  []string
	environ  []string
	settings agent.Settings
	socket   *listener
	logPath  string
	log      *logfile.File
	logFrom  int64 // where the log of the living agent begins
	event    func(live.Event)

	mu     sync.Mutex
	pid    int      // of the living agent; 0 between two
	stdin  *os.File // of the living agent
	ended  *agent.Ended
	stopAt time.Time // when to leave the agent alone; zero: never

	over    chan struct{} // closed when the job has ended
	summary bool          // the last event came
	done    chan struct{} // closed when no agent runs and none will
}

// newSupervisor prepares an agent; go s.run() starts it.
func newSupervisor(r *reaper, o *Options, settings agent.Settings, l *listener, run string, event func(live.Event)) (*supervisor, error) {
	s := &supervisor{
		reaper: r, command: o.Agent, settings: settings, socket: l, event: event,
		environ: with(o.Environ, map[string]string{proc.Agent: fmt.Sprint(os.Getpid())}),
		over:    make(chan struct{}), done: make(chan struct{}),
	}
	// What an agent writes on its standard error when it dies is in the log
	// of the run, among what it says of itself.
	var err error
	for _, path := range []string{filepath.Join(run, filepath.FromSlash(layout.AgentLog)), filepath.Join(l.dir, "agent.log")} {
		s.logPath = path
		if s.log, err = logfile.Open(path); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("make the agent's log: %w", err)
}

// run starts agents until one has finished the run, or it makes no sense to go
// on.
func (s *supervisor) run() {
	defer close(s.done)
	defer s.log.Close()
	var starts []time.Time
	deaths, afterEnd := 0, 0
	pause := 50 * time.Millisecond
	for {
		now := time.Now()
		for len(starts) > 0 && now.Sub(starts[0]) > startWindow {
			starts = starts[1:]
		}
		if s.hasEnded() {
			afterEnd++
		}
		if len(starts) >= maxStarts || afterEnd > endStarts {
			s.event(notice("error", "what was captured so far is kept; `vigil check` judges it later",
				"the agent crashed %d times and is not restarted%s", deaths, s.lastWords()))
			return
		}
		starts = append(starts, now)
		status, err := s.once()
		if err != nil {
			s.event(notice("error", "training continues without Vigil", "cannot start the agent: %v", err))
			return
		}
		if s.finished(status) {
			return
		}
		if deaths++; deaths <= saidDeaths {
			s.event(notice("warning", "", "the agent crashed (%s)%s; it is restarted, and training continues", deathOf(status), s.lastWords()))
		}
		s.settings.Takeover = true
		if time.Since(now) > startWindow {
			pause = 50 * time.Millisecond
		}
		s.rest(pause)
		pause = min(2*pause, 2*time.Second)
	}
}

// rest waits before the next agent is started, but not beyond the job's end.
func (s *supervisor) rest(d time.Duration) {
	if s.hasEnded() {
		return
	}
	select {
	case <-time.After(d):
	case <-s.over:
	}
}

// finished reports whether the agent that ended with status was the last one.
func (s *supervisor) finished(status syscall.WaitStatus) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		return false
	}
	return status.Exited() && status.ExitStatus() == 0 || s.summary || !s.stopAt.IsZero()
}

// once runs one agent from its start to its end.
func (s *supervisor) once() (syscall.WaitStatus, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	stdin, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	read, events, err := os.Pipe()
	if err != nil {
		write.Close()
		return 0, err
	}
	s.settings.ListenFD = agentListener
	first, err := json.Marshal(s.settings)
	if err != nil {
		return 0, errors.Join(err, write.Close(), read.Close(), events.Close())
	}
	if st, err := os.Stat(s.logPath); err == nil {
		s.logFrom = st.Size()
	}
	pid, states, err := s.reaper.start(func() (int, error) {
		return syscall.ForkExec(s.command[0], s.command, &syscall.ProcAttr{
			Env:   s.environ,
			Files: []uintptr{stdin.Fd(), null.Fd(), s.log.File().Fd(), events.Fd(), s.socket.file.Fd()},
			// A session of its own: nothing the terminal does reaches the agent.
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
	})
	events.Close()
	stdin.Close() // the agent alone reads it, so that a write to a dead one fails
	if err != nil {
		return 0, errors.Join(err, write.Close(), read.Close())
	}
	told := make(chan struct{})
	go func() { s.listen(read); close(told) }()
	// Settings are larger than a pipe's buffer at times: the agent reads while
	// we write. An agent that dies meanwhile is seen below.
	_, _ = write.Write(append(first, '\n'))
	s.mu.Lock()
	s.pid, s.stdin = pid, write
	if s.ended != nil {
		s.sayEnded()
	}
	s.mu.Unlock()
	var last syscall.WaitStatus
	for status := range states {
		last = status
	}
	s.mu.Lock()
	s.pid, s.stdin = 0, nil
	s.mu.Unlock()
	write.Close()
	<-told
	return last, nil
}

// listen hands on what an agent says until it ends.
func (s *supervisor) listen(from *os.File) {
	defer from.Close()
	d := json.NewDecoder(from)
	for {
		var e live.Event
		err := d.Decode(&e)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				s.event(notice("warning", "", "the agent sent an unknown event: %v", err))
				_, _ = io.Copy(io.Discard, from)
			}
			return
		}
		if e.Summary != nil {
			s.mu.Lock()
			s.summary = true
			s.mu.Unlock()
		}
		s.event(e)
	}
}

// end tells the agent, and each one that may follow, that the job is over.
func (s *supervisor) end(e agent.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = &e
	close(s.over)
	if s.stdin != nil {
		s.sayEnded()
	}
}

// sayEnded needs s.mu. Its line is short: the pipe takes it at once.
func (s *supervisor) sayEnded() {
	b, err := json.Marshal(map[string]any{"ended": s.ended})
	if err == nil {
		_, _ = s.stdin.Write(append(b, '\n'))
		s.stdin.Close()
	}
}

// hasEnded reports whether the job is over.
func (s *supervisor) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended != nil
}

// abandon kills the agent and starts no other.
func (s *supervisor) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopAt = time.Now()
	if s.pid != 0 {
		_ = syscall.Kill(s.pid, syscall.SIGKILL)
	}
}

// living is the agent's pid, 0 when there is none just now.
func (s *supervisor) living() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// lastWords is the last line that agents wrote on their standard error.
func (s *supervisor) lastWords() string {
	b, err := os.ReadFile(s.logPath)
	if err != nil || len(b) == 0 {
		return ""
	}
	if s.logFrom < int64(len(b)) {
		b = b[s.logFrom:]
	}
	text := withoutNotes(string(b[max(0, len(b)-64<<10):]))
	if text == "" {
		return ""
	}
	// A panic's first line says more than the last frame of its stack.
	if i := strings.LastIndex(text, "\npanic: "); i >= 0 {
		text = text[i+1:]
		line, _, _ := strings.Cut(text, "\n")
		return ": " + line
	}
	if strings.HasPrefix(text, "panic: ") {
		line, _, _ := strings.Cut(text, "\n")
		return ": " + line
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return ": " + strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "vigil: ")
}

// withoutNotes leaves out the lines that the agent has written itself.
func withoutNotes(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		when, _, _ := strings.Cut(line, " ")
		if _, err := time.Parse(layout.LogTime, when); err != nil {
			out.WriteString(line)
		}
	}
	return strings.TrimSpace(out.String())
}

// deathOf says how a process ended.
func deathOf(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal " + status.Signal().String()
	}
	return fmt.Sprintf("exit code %d", status.ExitStatus())
}
