package launch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// Supported reports whether jobs can be captured on this system.
func Supported() error { return nil }

// Run starts the command and returns its exit code, or ExitStopped when a rule
// stopped it. An error means that nothing was started; a *StartError carries
// the exit code.
func Run(o *Options) (int, error) {
	l := &launcher{o: o, reaper: newReaper(), stop: make(chan live.Stop, 1), kills: newOOMKills(groupKills("/"))}
	if o.Inert {
		if err := l.startCommand(o.Environ); err != nil {
			return ExitCannotStart, err
		}
		return exitCode(l.attend()), nil
	}
	socket, err := listen()
	if err != nil {
		return ExitCannotStart, err
	}
	defer socket.close()
	run, release, err := o.Claim(socket.path)
	if err != nil {
		return ExitCannotStart, err
	}
	settings := o.Settings
	settings.Socket = socket.path
	settings.Launcher = Self()
	l.agent, err = newSupervisor(l.reaper, o, settings, socket, run, l.tell)
	if err != nil {
		release()
		return ExitCannotStart, err
	}
	if keepsOutput(settings.Config.KeepOutput, o.Stdout) {
		kept, out, errs, err := keepOutput(run, o.Stdout, o.Stderr)
		if err != nil {
			release()
			return ExitCannotStart, err
		}
		l.output = kept
		l.streams = []*os.File{o.Stdin, out, errs}
		defer kept.finish()
	}
	id := fmt.Sprintf("%d-%016x", os.Getpid(), rand.Uint64())
	l.start = &live.Start{Name: filepath.Base(run), Path: run, Resumed: settings.Resume != nil}
	if err := l.startCommand(training(o.Environ, o, socket.path, run, id)); err != nil {
		release()
		return ExitCannotStart, err
	}
	if !o.Began.IsZero() {
		l.before = time.Since(o.Began)
	}
	go l.agent.run()
	if len(o.Dashboard) > 0 {
		d := l.startDashboard()
		defer d.end()
	}
	status := l.attend()
	if l.output != nil {
		l.output.finish()
	}
	return l.finish(status), nil
}

// launcher is one job from start to end.
type launcher struct {
	o        *Options
	reaper   *reaper
	agent    *supervisor // nil: inert
	pid      int         // of the command
	states   <-chan syscall.WaitStatus
	where    placement
	terminal *terminal // nil unless where is foreground
	signals  chan os.Signal
	start    *live.Start // nil: inert
	kills    *oomKills
	output   *output       // nil: it is not kept
	streams  []*os.File    // of the command; nil: ours
	before   time.Duration // from our own start to the command's

	telling sync.Mutex
	stop    chan live.Stop // the first stop an agent asked for
	stopped *live.Stop     // the stop that is under way; attend's
	killing sync.WaitGroup
}

// tell hands an event on, one at a time, and keeps a stop for attend.
func (l *launcher) tell(e live.Event) {
	l.telling.Lock()
	defer l.telling.Unlock()
	if l.o.Event != nil {
		l.o.Event(e)
	}
	if e.Stop != nil {
		select {
		case l.stop <- *e.Stop:
		default:
		}
	}
}

// passed are the signals the launcher hands on to the command.
var passed = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT,
}

// startCommand starts the command with the terminal as it has to be.
func (l *launcher) startCommand(environ []string) error {
	o := l.o
	l.where = place(o.Stdin, o.Stdout, o.Stderr)
	streams := l.streams
	if streams == nil {
		streams = []*os.File{o.Stdin, o.Stdout, o.Stderr}
	}
	attr := &syscall.ProcAttr{
		Env:   environ,
		Files: []uintptr{streams[0].Fd(), streams[1].Fd(), streams[2].Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: l.where != shared},
	}
	if l.where == foreground {
		l.terminal = &terminal{fd: terminalOf(o.Stdin), own: syscall.Getpgrp()}
		attr.Sys.Foreground = true
		attr.Sys.Ctty = l.terminal.fd
	}
	l.listenSignals()
	if l.start != nil { // before the first word of the command
		l.tell(live.Event{Time: time.Now().UTC(), Start: l.start})
	}
	pid, states, err := l.reaper.start(func() (int, error) {
		return syscall.ForkExec(o.Path, o.Command, attr)
	})
	if l.output != nil {
		if l.where == shared {
			l.output.started(pid)
		} else {
			l.output.started(-pid)
		}
	}
	if err != nil {
		if l.terminal != nil {
			l.terminal.give(l.terminal.own)
		}
		signal.Stop(l.signals)
		return startError(o.Path, err)
	}
	l.pid, l.states = pid, states
	if o.Screen != nil {
		o.Screen.command.Store(int64(pid))
	}
	if l.terminal != nil {
		l.terminal.child = pid
	}
	return nil
}

// listenSignals catches what is to be handed on. A signal that was ignored
// when we started (nohup, a background job of a script) stays so.
func (l *launcher) listenSignals() {
	l.signals = make(chan os.Signal, 64)
	for _, s := range passed {
		if !signal.Ignored(s) {
			signal.Notify(l.signals, s)
		}
	}
	if !signal.Ignored(syscall.SIGPIPE) {
		// Asked for only so that a closed standard error does not end us.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(l.signals, syscall.SIGTSTP)
	}
}

// startError explains why the kernel refused to execute a file.
func startError(path string, err error) error {
	e := &StartError{Code: ExitNotExecutable, What: path, Message: fmt.Sprintf("cannot execute %q: %v", path, err)}
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		e.Hint = "it is neither a program nor a script with a #! line; start it with its interpreter, as in `vigil run -- bash " + path + "`"
	case errors.Is(err, syscall.ENOENT):
		e.Code = ExitNotFound
		e.Hint = "the file exists, so the interpreter in its #! line is missing"
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN):
		e.Code = ExitCannotStart
	}
	return e
}

// attend waits for the command's end and meanwhile hands on signals, follows
// job control and carries out a stop.
func (l *launcher) attend() syscall.WaitStatus {
	defer l.takeTerminal()
	look := time.NewTicker(oomEvery)
	defer look.Stop()
	var last syscall.WaitStatus
	for {
		select {
		case status, ok := <-l.states:
			if !ok {
				return last
			}
			last = status
			if status.Stopped() {
				l.commandStopped(status.StopSignal())
			}
		case <-look.C:
			l.kills.look()
		case s := <-l.signals:
			l.handOn(s.(syscall.Signal))
		case stop := <-l.stop:
			if l.stopped == nil {
				l.stopped = &stop
				l.killing.Add(1)
				go l.kill()
			}
		}
	}
}

// handOn gives a signal that was sent to the launcher to the command.
func (l *launcher) handOn(s syscall.Signal) {
	switch s {
	case syscall.SIGTSTP, syscall.SIGCONT:
		switch {
		case l.where != shared:
			_ = syscall.Kill(-l.pid, s)
		case s == syscall.SIGTSTP:
			// The terminal has stopped the others of the group already.
			l.pause()
		}
		return
	case syscall.SIGINT, syscall.SIGQUIT:
		// In a shared group the terminal has sent it to the command already.
		if l.where == shared {
			return
		}
	}
	_ = syscall.Kill(l.pid, s)
}

// kill ends every process of the job.
func (l *launcher) kill() {
	defer l.killing.Done()
	s := stopper{grace: l.o.Grace, poll: 20 * time.Millisecond,
		kill: func(pid int, sig syscall.Signal) { _ = syscall.Kill(pid, sig) },
		members: func() []proc.ID {
			return job(proc.Table(), os.Getpid(), l.pid, l.agent.living(), proc.StartedByAgent)
		}}
	if s.grace <= 0 {
		s.grace = DefaultGrace
	}
	if !s.run() {
		l.tell(notice("warning", "it is blocked in the kernel; `ps` shows it in state D", "a process of the job survived SIGKILL"))
	}
}

// finish lets the agent finish the run and gives the exit code.
func (l *launcher) finish(status syscall.WaitStatus) int {
	code, ended := exitCode(status), agent.Ended{StartSeconds: l.before.Seconds()}
	ended.OutOfMemory = code == 128+int(syscall.SIGKILL) && l.stopped == nil && l.kills.lately()
	l.killing.Wait()
	ended.Status = record.Completed
	if code != 0 {
		ended.Status = record.Failed
	}
	if l.stopped != nil {
		ended.Status, ended.StoppedBy = record.Stopped, l.stopped.Rule
		if l.stopped.Rule != "" {
			code = ExitStopped
		}
	}
	ended.ExitCode = code
	l.agent.end(ended)

	patience := time.NewTimer(3 * time.Second)
	defer patience.Stop()
	asked := false
	for {
		select {
		case <-l.agent.done:
			return code
		case <-patience.C:
			l.tell(notice("info", "Ctrl-C skips this; what was captured is kept", "the command has ended; still storing and judging its last steps"))
		case s := <-l.signals:
			if s == syscall.SIGCONT || s == syscall.SIGTSTP {
				continue
			}
			if asked {
				l.agent.abandon()
				continue
			}
			asked = true
			l.tell(notice("warning", "once more skips this; what was captured is kept", "got %v while the run is being finished", s))
		}
	}
}
