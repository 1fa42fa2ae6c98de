package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how much of a name a line shows.
const longestName = 120

// printable makes a name safe for a line on a terminal: control characters and
// invalid bytes are spelled out, and a very long name is cut in the middle.
func printable(name string) string {
	bad := !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if bad {
		q := strconv.Quote(name)
		name = q[1 : len(q)-1]
	}
	if r := []rune(name); len(r) > longestName {
		return string(r[:longestName/2]) + "…" + string(r[len(r)-longestName/2+1:])
	}
	return name
}

// compact formats a value for a table.
func compact(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
