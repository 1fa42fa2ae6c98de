// Package screen is a terminal for tests: what is written to it becomes what a
// person would see, and what has scrolled away above it.
package screen

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// Screen is a terminal's screen with all that has scrolled off it. Its methods
// may be called from several goroutines.
type Screen struct {
	mu      sync.Mutex
	vt      vt10x.Terminal
	rest    []byte // the beginning of a character
	last    rune
	history []string
}

// New is an empty screen.
func New(columns, rows int) *Screen {
	return &Screen{vt: vt10x.New(vt10x.WithSize(columns, rows))}
}

// Write is what programs print, as the terminal driver passes it on.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, p...)
	for len(s.rest) > 0 && utf8.FullRune(s.rest) {
		r, n := utf8.DecodeRune(s.rest)
		s.put(r, s.rest[:n])
		s.rest = s.rest[n:]
	}
	return len(p), nil
}

// Print is what a program prints on a terminal whose driver makes a line feed
// a new line.
func (s *Screen) Print(text string) {
	_, _ = s.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
}

// wrapPending is the cursor's state behind the last column.
const wrapPending = 2

func (s *Screen) put(r rune, bytes []byte) {
	at := s.vt.Cursor()
	mayScroll := r == '\n' || r == 'D' && s.last == '\x1b' || r >= ' ' && at.State&wrapPending != 0
	s.last = r
	if !mayScroll || at.Y == 0 {
		_, _ = s.vt.Write(bytes)
		return
	}
	first, second, here := s.row(0), s.row(1), s.row(at.Y)
	_, _ = s.vt.Write(bytes)
	if s.vt.Cursor().Y == at.Y && s.row(0) == second && s.row(at.Y-1) == here {
		s.history = append(s.history, first)
	}
}

func (s *Screen) row(y int) string {
	columns, _ := s.vt.Size()
	row := make([]rune, columns)
	for x := range row {
		row[x] = max(s.vt.Cell(x, y).Char, ' ')
	}
	return strings.TrimRight(string(row), " ")
}

func (s *Screen) rows() []string {
	_, rows := s.vt.Size()
	list := make([]string, rows)
	for y := range list {
		list[y] = s.row(y)
	}
	return list
}

// Rows are what is on the screen, without blanks at the ends.
func (s *Screen) Rows() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows()
}

// Last is the last row.
func (s *Screen) Last() string {
	rows := s.Rows()
	return rows[len(rows)-1]
}

// Above are all rows but the last one, with those that have scrolled away
// before them and without empty ones at the end.
func (s *Screen) Above() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.rows()
	return trim(append(append([]string(nil), s.history...), rows[:len(rows)-1]...))
}

// All are all rows, with those that have scrolled away before them and without
// empty ones at the end.
func (s *Screen) All() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return trim(append(append([]string(nil), s.history...), s.rows()...))
}

func trim(rows []string) []string {
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// Resize gives the screen another size, as a window does.
func (s *Screen) Resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if over := s.vt.Cursor().Y - rows + 1; over > 0 {
		s.history = append(s.history, s.rows()[:over]...)
	}
	s.vt.Resize(columns, rows)
}

// Size is the screen's.
func (s *Screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vt.Size()
}

// Title is the window's title.
func (s *Screen) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vt.Title()
}

// Region is the last row of the scroll region, counted from one: that row in
// which a line feed leaves the cursor where it is and moves the rows above. It
// destroys what is on the screen.
func (s *Screen) Region() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, rows := s.vt.Size()
	_, _ = s.vt.Write([]byte("\x1b[H" + strings.Repeat("\n", 2*rows)))
	return s.vt.Cursor().Y + 1
}
