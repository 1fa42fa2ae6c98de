// Package pyre runs regular expressions with the semantics of Python 3's re
// module, so that a pattern written for a Python tool selects the same tensors
// here: look-around, backreferences, conditionals, possessive and atomic parts.
//
// Every search is bounded by a number of steps, not by time: a hostile pattern
// gives the same verdict on every machine.
package pyre

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSteps is returned by Search when the step limit was reached before the
// pattern was decided.
var ErrSteps = errors.New("match regular expression: step limit reached")

// Error is a pattern that Python's re.compile refuses. Its text is Python's.
type Error struct {
	Pattern string
	Msg     string // as re.error.msg
	Pos     int    // in code points; -1 when the message has none
}

func (e *Error) Error() string {
	if e.Pos < 0 {
		return fmt.Sprintf("compile regular expression %q: %s", e.Pattern, e.Msg)
	}
	at := fmt.Sprintf("%s at position %d", e.Msg, e.Pos)
	if strings.Contains(e.Pattern, "\n") {
		before := []rune(e.Pattern)[:e.Pos]
		line, col := 1, 1
		for _, r := range before {
			col++
			if r == '\n' {
				line++
				col = 1
			}
		}
		at += fmt.Sprintf(" (line %d, column %d)", line, col)
	}
	return fmt.Sprintf("compile regular expression %q: %s", e.Pattern, at)
}
