package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

// longestName is how much of a name a line shows.
const longestName = 120

// plain makes text safe for a line on a terminal: control characters and
// invalid bytes are spelled out.
func plain(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	q := strconv.Quote(text)
	return q[1 : len(q)-1]
}

// printable is plain for a name: a very long one is cut in the middle.
func printable(name string) string {
	name = plain(name)
	if r := []rune(name); len(r) > longestName {
		return string(r[:longestName/2]) + "…" + string(r[len(r)-longestName/2+1:])
	}
	return name
}

// compact formats a value for a table.
func (a *app) compact(v float64) string {
	if _, terminal := a.terminal(); terminal {
		return record.Digits(v)
	}
	return strconv.FormatFloat(v, 'g', 7, 64)
}
