package launch

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Screen is the stream that a job is shown on while it runs. When it is a
// terminal, the command writes there too, and the terminal may belong to it.
type Screen struct {
	file    *os.File
	command atomic.Int64 // its process group; 0: not started

	mu   sync.Mutex
	lock *os.File // the terminal once more, locked; nil: not ours to draw on
}

// NewScreen shows on f.
func NewScreen(f *os.File) *Screen { return &Screen{file: f} }

// Write writes to a terminal that may belong to another process group without
// being stopped for it (SIGTTOU under `stty tostop`).
func (s *Screen) Write(p []byte) (n int, err error) {
	unblock, err := blockTTOU()
	if err != nil {
		return 0, err
	}
	defer unblock()
	return s.file.Write(p)
}

// Size is the terminal's size, 0 when it has none.
func (s *Screen) Size() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(s.file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// Free reports whether something may be drawn: the terminal is the command's or
// ours, not a shell's that runs us in the background, no other run draws there,
// and its modes are those for lines. A program that draws for itself (an
// editor, a debugger's prompt) or asks for a password changes them. No other
// run draws from then on, until Leave.
func (s *Screen) Free() bool {
	fd := int(s.file.Fd())
	owner, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || owner != unix.Getpgrp() && owner != int(s.command.Load()) {
		return false
	}
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	const lines = unix.ICANON | unix.ECHO
	return err == nil && modes.Lflag&lines == lines && s.take()
}

// take keeps other runs from drawing here (a script may start several at once),
// and reports whether none does. The kernel gives the lock back when we die.
func (s *Screen) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		return true
	}
	// Locks belong to what was opened, and the stream was opened by a shell
	// for all that it starts.
	path := fmt.Sprintf("/proc/self/fd/%d", s.file.Fd())
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		f.Close()
		return false
	}
	s.lock = f
	return true
}

// Leave lets another run draw.
func (s *Screen) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
}
