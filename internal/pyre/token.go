package pyre

import "unicode"

// none is the token at the end of the pattern.
const none = rune(-1)

// tokens walks over a pattern. A token is one code point, or a backslash and
// the code point after it.
type tokens struct {
	src     string
	pattern []rune
	index   int  // after the current token
	next    rune // the token; none at the end
	escaped bool // the token is a backslash and next
}

func newTokens(src string) (*tokens, error) {
	t := &tokens{src: src, pattern: []rune(src)}
	return t, t.advance()
}

func (t *tokens) advance() error {
	t.escaped = false
	if t.index >= len(t.pattern) {
		t.next = none
		return nil
	}
	c := t.pattern[t.index]
	if c == '\\' {
		if t.index+1 >= len(t.pattern) {
			return &Error{t.src, "bad escape (end of pattern)", len(t.pattern) - 1}
		}
		t.index++
		c, t.escaped = t.pattern[t.index], true
	}
	t.index++
	t.next = c
	return nil
}

// is reports whether the current token is the plain code point c.
func (t *tokens) is(c rune) bool { return t.next == c && !t.escaped }

// match takes the token when it is the plain code point c.
func (t *tokens) match(c rune) (bool, error) {
	if !t.is(c) {
		return false, nil
	}
	return true, t.advance()
}

// get takes a token: the code point (none at the end) and whether it was
// escaped.
func (t *tokens) get() (r rune, escaped bool, err error) {
	r, escaped = t.next, t.escaped
	return r, escaped, t.advance()
}

// tell is the position of the current token.
func (t *tokens) tell() int {
	switch {
	case t.next == none:
		return t.index
	case t.escaped:
		return t.index - 2
	}
	return t.index - 1
}

func (t *tokens) seek(pos int) error {
	t.index = pos
	return t.advance()
}

// fail makes an error that points offset code points back.
func (t *tokens) fail(msg string, offset int) error {
	return &Error{t.src, msg, t.tell() - offset}
}

// digits takes up to n tokens that are digits of the base.
func (t *tokens) digits(n int, base rune) (string, error) {
	var s []rune
	for len(s) < n && !t.escaped && digit(t.next, base) {
		s = append(s, t.next)
		if err := t.advance(); err != nil {
			return "", err
		}
	}
	return string(s), nil
}

func digit(r, base rune) bool {
	switch {
	case r >= '0' && r <= '9':
		return r-'0' < base
	case base == 16:
		return r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
	}
	return false
}

// until takes everything up to the terminator. name says what is read, for
// messages.
func (t *tokens) until(end rune, name string) (string, error) {
	var s []rune
	for {
		c, escaped, err := t.get()
		if err != nil {
			return "", err
		}
		switch {
		case c == none:
			if len(s) == 0 {
				return "", t.fail("missing "+name, 0)
			}
			return "", t.fail("missing "+string(end)+", unterminated name", len(s))
		case c == end && !escaped:
			if len(s) == 0 {
				return "", t.fail("missing "+name, 1)
			}
			return string(s), nil
		}
		if escaped {
			s = append(s, '\\')
		}
		s = append(s, c)
	}
}

// groupName refuses names that are no Python identifiers.
func (t *tokens) groupName(name string) error {
	if identifier(name) {
		return nil
	}
	return t.fail("bad character in group name "+quote(name), len([]rune(name))+1)
}

func identifier(s string) bool {
	for i, r := range []rune(s) {
		start := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		more := i > 0 && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		if !start && !more {
			return false
		}
	}
	return s != ""
}
