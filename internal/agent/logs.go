package agent

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/logfile"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// logs are kept with the run: what the agent did, what rules print, the
// exceptions that ended processes. Where one cannot be written, nobody is
// disturbed by it.
type logs struct {
	run   string // its directory
	agent *logfile.File

	mu     sync.Mutex // taken last of all, and for writing only
	others map[string]*logfile.File
	closed bool
}

// openLogs makes the agent's log of a run.
func openLogs(run string) *logs {
	l := &logs{run: run, others: map[string]*logfile.File{}}
	l.agent, _ = logfile.Open(filepath.Join(run, filepath.FromSlash(layout.AgentLog)))
	return l
}

// say adds a line to the agent's log.
func (l *logs) say(format string, args ...any) {
	if l != nil && l.agent != nil {
		fmt.Fprintf(l.agent, "%s %s\n", time.Now().UTC().Format(layout.LogTime), fmt.Sprintf(format, args...))
	}
}

// event adds what the user is shown, or would be.
func (l *logs) event(e live.Event) {
	switch {
	case e.Notice != nil && e.Notice.Hint != "":
		l.say("%s: %s; %s", e.Notice.Level, e.Notice.Text, e.Notice.Hint)
	case e.Notice != nil:
		l.say("%s: %s", e.Notice.Level, e.Notice.Text)
	case e.Said != nil:
		l.say("%s: %s", e.Said.Worker, e.Said.Text)
	case e.Finding != nil:
		l.say("%s of %s at step %d: %s", e.Finding.Severity, e.Finding.Configuration, e.Finding.Step, e.Finding.Message)
	case e.Stop != nil:
		l.say("stop, asked for by %s: %s", nameOr(e.Stop.Configuration, "a person"), e.Stop.Message)
	case e.Summary != nil:
		l.say("the run is %s", e.Summary.Run.Status)
	}
}

func nameOr(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// maxLogs bounds how many files there are.
const maxLogs = 1000

// to adds text to another log of the run.
func (l *logs) to(rel, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, there := l.others[rel]
	if !there && !l.closed && len(l.others) < maxLogs {
		f, _ = logfile.Open(filepath.Join(l.run, filepath.FromSlash(rel)))
		l.others[rel] = f
	}
	fmt.Fprint(f, text)
}

func (l *logs) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, f := range l.others {
		f.Close()
	}
	l.agent.Close()
}

// Traceback keeps the exception that ended a worker's process.
func (w *worker) Traceback(t capture.Traceback) {
	w.job.keepTraceback(fmt.Sprintf("%s (process %d)", w.name, w.s.Peer.PID), t.Text)
}

func (j *job) keepTraceback(who, text string) {
	if text != "" {
		j.setException(text)
		j.logs.to(layout.TracebackLog, fmt.Sprintf("%s, %s\n%s\n", who, time.Now().UTC().Format(layout.LogTime), text))
	}
}

// mostException bounds the line of an exception in run.json, in bytes.
const mostException = 300

// setException keeps the last line of the first traceback: those of other processes
// are mostly its consequence.
func (j *job) setException(traceback string) {
	lines := strings.Split(strings.TrimSpace(traceback), "\n")
	j.cmu.Lock()
	defer j.cmu.Unlock()
	if j.exception == "" {
		j.exception = cut(strings.TrimSpace(lines[len(lines)-1]), mostException)
	}
}

// raised is that line; "" where no process ended with an exception.
func (j *job) raised() string {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	return j.exception
}
