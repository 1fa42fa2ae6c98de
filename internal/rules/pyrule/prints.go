package pyrule

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
)

// Bounds of what a rule may print.
const (
	maxPrinted = 1 << 20 // bytes at one step
	maxLine    = 1000    // characters that are shown of a line
)

// prints takes what the process writes to its standard output and error.
type prints struct {
	said    func(line string)
	flooded func()

	mu   sync.Mutex
	size int    // since the last step
	last string // line on standard error
}

// turn begins the next step.
func (p *prints) turn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = 0
}

func (p *prints) read(from io.Reader, isError bool) {
	r := bufio.NewReaderSize(from, 64<<10)
	told := false
	for {
		line, err := r.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		p.mu.Lock()
		p.size += len(line)
		flood := p.size > maxPrinted
		text := cut(strings.TrimRight(string(line[:min(len(line), 4*maxLine)]), "\r\n"), maxLine)
		if isError && strings.TrimSpace(text) != "" {
			p.last = text
		}
		p.mu.Unlock()
		switch {
		case flood && !told:
			told = true
			p.flooded()
		case !told && p.said != nil && text != "":
			p.said(text)
		}
		if err != nil && !full {
			return
		}
	}
}

// lastWords is the last line on standard error, for a message.
func (p *prints) lastWords() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == "" {
		return ""
	}
	return "; its last output was: " + p.last
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
