package pyre

import (
	"fmt"
	"strings"
	"unicode"
)

// Error is a pattern that Python's re.compile refuses. Msg and Pos are
// Python's.
type Error struct {
	Pattern string
	Msg     string // as re.error.msg
	Pos     int    // in code points; -1 when Python gives none
}

func (e *Error) Error() string {
	return fmt.Sprintf("compile regular expression %q: %s", e.Pattern, e.Text())
}

// Text is the message with its place, as str(re.error) has it.
func (e *Error) Text() string {
	if e.Pos < 0 {
		return e.Msg
	}
	at := fmt.Sprintf("%s at position %d", e.Msg, e.Pos)
	if strings.Contains(e.Pattern, "\n") {
		line, col := 1, 1
		for i, r := range []rune(e.Pattern) {
			if i == e.Pos {
				break
			}
			col++
			if r == '\n' {
				line, col = line+1, 1
			}
		}
		at += fmt.Sprintf(" (line %d, column %d)", line, col)
	}
	return at
}

// quote spells a string as Python's repr does.
func quote(s string) string {
	q := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		q = '"'
	}
	var b strings.Builder
	b.WriteRune(q)
	for _, r := range s {
		switch {
		case r == q || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(q)
	return b.String()
}
