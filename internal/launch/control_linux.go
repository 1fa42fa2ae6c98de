package launch

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/proc"
)

// commandStopped follows the command into job control: the shell must see us
// stop too, and when it continues us, the command continues.
func (l *launcher) commandStopped(by syscall.Signal) {
	if l.where == shared {
		return // the terminal has stopped the whole group, and asked us as well
	}
	if by == syscall.SIGSTOP || l.fetchTerminal(by) {
		return // whoever sent SIGSTOP to the command alone wants just that
	}
	l.pause()
	_ = syscall.Kill(-l.pid, syscall.SIGCONT)
}

// pause stops the launcher until its shell continues it, with the terminal as
// the shell wants it meanwhile and as the command left it afterwards.
func (l *launcher) pause() {
	if l.o.Suspended != nil {
		l.o.Suspended()
	}
	// A command that stops in the background has a shell's modes before it.
	if l.terminal != nil && l.terminal.owner() == l.pid {
		l.terminal.save()
		l.terminal.give(l.terminal.own)
	}
	l.stopSelf()
	if l.terminal != nil && l.terminal.owner() == l.terminal.own {
		l.terminal.restore()
		l.terminal.give(l.pid)
	}
	if l.o.Resumed != nil {
		l.o.Resumed()
	}
}

// fetchTerminal serves a command that was stopped because it wanted the
// terminal while it was in the background, when the shell has since given the
// terminal to us (`fg` on a job that runs).
func (l *launcher) fetchTerminal(by syscall.Signal) bool {
	if by != syscall.SIGTTIN && by != syscall.SIGTTOU {
		return false
	}
	fd := terminalOf(l.o.Stdin)
	if fd < 0 {
		return false
	}
	t := l.terminal
	if t == nil {
		t = &terminal{fd: fd, own: syscall.Getpgrp(), child: l.pid}
	}
	if t.owner() != t.own {
		return false
	}
	l.terminal, l.where = t, foreground
	t.give(l.pid)
	_ = syscall.Kill(-l.pid, syscall.SIGCONT)
	return true
}

// stopSelf stops the launcher, for its shell to see, and returns when it has
// been continued. In an orphaned process group nobody would continue it; the
// kernel lets Ctrl-Z stop nothing there, so it returns at once and the command
// goes on, as it would never have stopped without us.
func (l *launcher) stopSelf() {
	if orphaned() || l.continuedAlready() {
		return
	}
	// SIGSTOP, because the Go runtime keeps a handler on SIGTSTP once it was
	// asked for.
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	deadline := time.After(100 * time.Millisecond)
	for {
		select {
		case s := <-l.signals:
			if s == syscall.SIGCONT {
				return
			}
			l.handOn(s.(syscall.Signal)) // stays pending until the command goes on
		case <-deadline:
			return
		}
	}
}

// continuedAlready: the shell saw others of the group stop and has continued all of it, while
// the launcher was still about to stop itself. Nobody would continue it once more.
func (l *launcher) continuedAlready() bool {
	for {
		select {
		case s := <-l.signals:
			switch s {
			case syscall.SIGCONT:
				return true
			case syscall.SIGTSTP: // it is about to stop
			default:
				l.handOn(s.(syscall.Signal))
			}
		default:
			return false
		}
	}
}

// orphaned tells that no shell watches our process group: the first of our
// ancestors that is not in the group is of another session.
func orphaned() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return true
	}
	for parent := syscall.Getppid(); parent > 0; {
		session, err := unix.Getsid(parent)
		if err != nil || session != own {
			return true
		}
		if group, err := unix.Getpgid(parent); err != nil || group != unix.Getpgrp() {
			return err != nil
		}
		p, err := proc.Read(parent)
		if err != nil {
			return true
		}
		parent = p.Parent
	}
	return true
}

// takeTerminal takes the terminal back from a command that ended, unless the
// shell has given it to somebody else meanwhile.
func (l *launcher) takeTerminal() {
	if l.terminal == nil {
		return
	}
	if owner := l.terminal.owner(); owner == l.terminal.child || owner == 0 {
		l.terminal.give(l.terminal.own)
	}
}
