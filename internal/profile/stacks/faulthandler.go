package stacks

import (
	"regexp"
	"strconv"
	"strings"
)

// Lines that Python's faulthandler writes.
var (
	threadLine = regexp.MustCompile(`^(?:Current thread|Thread) (0x[0-9a-fA-F]+)(?: \[(.*)\])? \(most recent call first\):$`)
	frameLine  = regexp.MustCompile(`^  File "(.*)", line (\?\?\?|[0-9]+) in (.*)$`)
)

// most bounds what is taken of a text.
const most = 10_000

// ParseFaulthandler reads what Python's faulthandler writes of one process. Lines
// that it does not know, as of a text that is cut, are left out. The threads of
// Vigil are left out, too. The oldest thread, which faulthandler writes last, is the
// main one.
func ParseFaulthandler(text string) []Thread {
	threads := []Thread{}
	frames := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := threadLine.FindStringSubmatch(line); m != nil {
			name := m[2]
			if name == "" {
				name = "thread " + m[1]
			}
			if len(threads) == most {
				break
			}
			threads = append(threads, Thread{Name: name, Frames: []Frame{}})
			continue
		}
		m := frameLine.FindStringSubmatch(line)
		if m == nil || len(threads) == 0 || frames == most {
			continue
		}
		frames++
		n, _ := strconv.Atoi(m[2]) // "???" is a line that is not known: 0
		t := &threads[len(threads)-1]
		t.Frames = append(t.Frames, Frame{File: unescape(m[1]), Line: n, Function: unescape(m[3])})
	}
	if n := len(threads); n > 0 {
		threads[n-1].Main, threads[n-1].Name = true, "MainThread"
	}
	kept := threads[:0]
	for _, t := range threads {
		if !ours(t.Frames) {
			kept = append(kept, t)
		}
	}
	return kept
}

// Dumps counts the processes, or the moments of one, in what faulthandler wrote: each
// has one current thread.
func Dumps(text string) int { return strings.Count(text, "Current thread 0x") }

// unescape turns the escapes that faulthandler writes for characters beyond ASCII
// back into these.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i+1]]; n > 0 && i+2+n <= len(s) {
				if v, err := strconv.ParseUint(s[i+2:i+2+n], 16, 32); err == nil {
					b.WriteRune(rune(v))
					i += 1 + n
					continue
				}
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
