// Package pyre runs regular expressions with the semantics of Python 3's re
// module on str, so that a pattern written for a Python tool selects the same
// tensors here: look-around, backreferences, conditionals, possessive and
// atomic parts, scoped flags.
//
// It accepts what any Python from 3.8 to 3.13 accepts, except named characters
// (\N{...}), for which it has no table.
//
// Every search is bounded by a number of steps, not by time, so a hostile
// pattern gives the same verdict on every machine. Pattern size, nesting and
// memory are bounded too.
package pyre

import (
	"errors"
	"unicode/utf8"
)

// Bounds of one pattern and one search.
const (
	MaxSteps   = 1_000_000 // instructions of one search, over all start positions
	MaxStack   = 1 << 20   // backtracking entries of 16 bytes
	MaxPattern = 1 << 16   // code points of a pattern
	MaxNesting = 400       // nested groups
)

// ErrSteps is returned by Search when a bound was reached before the pattern
// was decided.
var ErrSteps = errors.New("match regular expression: step limit reached")

// Regexp is a compiled pattern. It may be used by several goroutines.
type Regexp struct {
	pattern  string
	prog     []inst
	groups   int // capturing groups, without the whole match
	regs     int
	required []string // literals that every match contains
	dotStar  bool     // begins with .* : only the starts of lines are tried
	dotAll   bool     // and its dot matches newlines: only position 0 is tried
	anchored bool     // begins with \A, or ^ without MULTILINE
}

// Compile parses a pattern as re.compile does. A bad pattern gives an *Error
// with Python's message and position.
func Compile(pattern string) (*Regexp, error) {
	if utf8.RuneCountInString(pattern) > MaxPattern {
		return nil, &Error{Pattern: pattern[:64] + "...", Msg: "pattern is too long", Pos: -1}
	}
	tree, st, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	return compile(pattern, tree, st)
}

// MustCompile is Compile for patterns in the program; it panics on a bad one.
func MustCompile(pattern string) *Regexp {
	re, err := Compile(pattern)
	if err != nil {
		panic(err)
	}
	return re
}

// String is the pattern.
func (re *Regexp) String() string { return re.pattern }

// Search reports whether the pattern matches anywhere in s, as re.search. The
// error is ErrSteps when a bound was reached; callers count that as no match
// and report it. Bytes that are not UTF-8 count as U+FFFD.
func (re *Regexp) Search(s string) (bool, error) {
	spans, err := re.find(s)
	return spans != nil, err
}
