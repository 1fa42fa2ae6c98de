package pyre

import "unicode"

// fold is how IGNORECASE compares: by lower case, of ASCII letters only under
// the ASCII flag, else of all letters, and then with letters that share an
// upper case (s and ſ, µ and μ) counted as equal where the pattern names one.
type fold uint8

const (
	foldNone fold = iota
	foldASCII
	foldUnicode
)

func foldOf(f flags) fold {
	switch {
	case f&flagI == 0:
		return foldNone
	case f&flagA != 0:
		return foldASCII
	}
	return foldUnicode
}

func (f fold) lower(r rune) rune {
	switch {
	case f == foldNone:
		return r
	case r < 128 || f == foldASCII:
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// twins are lower-case letters with one upper case that Unicode's simple
// folding does not join.
var twins = map[rune]rune{
	'i': 'ı', 'ı': 'i',
	0x0390: 0x1fd3, 0x1fd3: 0x0390,
	0x03b0: 0x1fe3, 0x1fe3: 0x03b0,
	0xfb05: 0xfb06, 0xfb06: 0xfb05,
}

// equal reports whether x, already lower case, is matched by a pattern that
// names c.
func (f fold) equal(x, c rune) bool {
	l := f.lower(c)
	if x == l {
		return true
	}
	if f != foldUnicode {
		return false
	}
	if twins[l] == x && x != 0 {
		return true
	}
	for y := unicode.SimpleFold(l); y != l; y = unicode.SimpleFold(y) {
		if y == x {
			return unicode.ToLower(y) == y
		}
	}
	return false
}

// inRange reports whether x, already lower case, is matched by a pattern that
// names lo to hi.
func (f fold) inRange(x, lo, hi rune) bool {
	if lo == hi {
		return f.equal(x, lo)
	}
	if lo <= x && x <= hi {
		return true
	}
	if f == foldNone {
		return false
	}
	if f == foldASCII {
		up := x - 'a' + 'A'
		return x >= 'a' && x <= 'z' && lo <= up && up <= hi
	}
	has := func(c rune) bool { return lo <= c && c <= hi && f.equal(x, c) }
	for y := unicode.SimpleFold(x); y != x; y = unicode.SimpleFold(y) {
		if has(y) {
			return true
		}
	}
	if t := twins[x]; t != 0 && (has(t) || has(unicode.ToUpper(t))) {
		return true
	}
	return (x == 'i' || x == 'ı') && has('İ')
}
