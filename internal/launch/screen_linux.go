package launch

import (
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Screen is the stream that a job is shown on while it runs. When it is a
// terminal, the command writes there too, and the terminal may belong to it.
type Screen struct {
	file    *os.File
	command atomic.Int64 // its process group; 0: not started
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

// Free tells whether something may be drawn: the terminal is the command's or
// ours, not a shell's that runs us in the background, and its modes are those
// for lines. A program that draws for itself (an editor, a debugger's prompt)
// or asks for a password changes them.
func (s *Screen) Free() bool {
	fd := int(s.file.Fd())
	owner, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || owner != unix.Getpgrp() && owner != int(s.command.Load()) {
		return false
	}
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	const lines = unix.ICANON | unix.ECHO
	return err == nil && modes.Lflag&lines == lines
}
