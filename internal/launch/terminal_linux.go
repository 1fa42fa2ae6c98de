package launch

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// placement says where the command stands towards the terminal.
type placement int

const (
	// detached: a process group of its own without the terminal; every signal
	// sent to the launcher is passed on.
	detached placement = iota
	// foreground: a process group of its own that the terminal belongs to.
	foreground
	// shared: the launcher's own process group, because others are in it (a
	// pipeline, a script, make): the terminal's signals must reach all of them
	// as always, and they reach the command without the launcher.
	shared
)

// place decides for a command that is about to start. Only a launcher that
// leads the terminal's foreground group, alone, may hand the terminal on.
func place(stdin, stdout, stderr *os.File) placement {
	group := unix.Getpgrp()
	tty := terminalOf(stdin)
	if tty < 0 {
		// No terminal to read from. When there is one all the same and it is
		// ours, Ctrl-C comes to the whole group.
		if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
			defer f.Close()
			if owner, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP); err == nil && owner == group {
				return shared
			}
		}
		return detached
	}
	owner, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	switch {
	case err != nil: // not our controlling terminal
		return detached
	case group != os.Getpid() || isPipe(stdout) || isPipe(stderr):
		return shared
	case owner == group:
		return foreground
	}
	return detached // a background job of a shell
}

// terminalOf is the descriptor of f when f is a terminal, else -1.
func terminalOf(f *os.File) int {
	if f == nil {
		return -1
	}
	fd := int(f.Fd())
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
		return -1
	}
	return fd
}

func isPipe(f *os.File) bool {
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// terminal is the terminal that a foreground command has.
type terminal struct {
	fd    int
	own   int // the launcher's process group
	child int // the command's
	modes *unix.Termios
}

// owner is the process group the terminal belongs to; 0 when it is gone.
func (t *terminal) owner() int {
	g, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return g
}

// give hands the terminal to a process group. The launcher may be in the
// background when it does so, which asks for SIGTTOU to be blocked; it is not
// ignored, because ignored signals stay ignored in the programs we start.
func (t *terminal) give(group int) {
	unblock, err := blockTTOU()
	if err != nil {
		return
	}
	defer unblock()
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
}

// save keeps the terminal's modes as a stopped command left them.
func (t *terminal) save() {
	if m, err := unix.IoctlGetTermios(t.fd, unix.TCGETS); err == nil {
		t.modes = m
	}
}

// restore gives a continued command its modes back.
func (t *terminal) restore() {
	if t.modes == nil {
		return
	}
	unblock, err := blockTTOU()
	if err != nil {
		return
	}
	defer unblock()
	_ = unix.IoctlSetTermios(t.fd, unix.TCSETSW, t.modes)
}

// blockTTOU keeps SIGTTOU from this thread until the function it returns is
// called.
func blockTTOU() (unblock func(), err error) {
	runtime.LockOSThread()
	var block, old unix.Sigset_t
	block.Val[0] = 1 << (uint(syscall.SIGTTOU) - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &block, &old); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("block SIGTTOU: %w", err)
	}
	return func() {
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
		runtime.UnlockOSThread()
	}, nil
}
