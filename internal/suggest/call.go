package suggest

import (
	"slices"
	"strings"
)

// call is a call in a script: the tokens of its statement from the first of what is
// called to the bracket that closes it.
type call struct {
	script      *script
	index       int // of the statement
	begin, open int
	close       int
}

// argument is one of a call: its tokens, without the keyword.
type argument struct {
	keyword    string
	star       bool
	begin, end int // end is the token behind it
}

func (c *call) statement() *statement { return &c.script.statements[c.index] }

// whole reports whether the statement is this call and nothing else, on one line.
func (c *call) whole() bool {
	s := c.statement()
	return s.plain() && c.begin == 0 && c.close == len(s.tokens)-1
}

// callee is what is called, if that is a name with dots; "" otherwise.
func (c *call) callee() string { return dotted(c.statement().tokens[c.begin:c.open]) }

// target is the name that a statement assigns its call to; "" where it does something
// else.
func (c *call) target() string {
	t := c.statement().tokens
	if c.begin < 2 || c.close != len(t)-1 || !t[c.begin-1].is("=") {
		return ""
	}
	return dotted(t[:c.begin-1])
}

// arguments of the call; nothing where they are not all clear.
func (c *call) arguments() ([]argument, bool) {
	var list []argument
	t := c.statement().tokens
	for i := c.open + 1; i < c.close; {
		a := argument{begin: i}
		end := i
		for depth := 0; end < c.close && (depth > 0 || !t[end].is(",")); end++ {
			if t[end].kind == operator && strings.Contains("([{", t[end].text) {
				depth++
			} else if t[end].kind == operator && strings.Contains(")]}", t[end].text) {
				depth--
			}
		}
		a.end = end
		if a.star = has(t[i:i+1], "*", "**"); !a.star && end-i > 2 && t[i].kind == name && t[i+1].is("=") {
			a.keyword, a.begin = t[i].text, i+2
		}
		if a.begin >= a.end || has(t[a.begin:a.end], keywords...) {
			return nil, false
		}
		list = append(list, a)
		i = end + 1
	}
	return list, true
}

// argument is the one at a place, or with this keyword.
func (c *call) argument(at int, keyword string) (argument, bool) {
	list, ok := c.arguments()
	if !ok || slices.ContainsFunc(list, func(a argument) bool { return a.star }) {
		return argument{}, false
	}
	if i := slices.IndexFunc(list, func(a argument) bool { return a.keyword == keyword }); keyword != "" && i >= 0 {
		return list[i], true
	}
	if at >= 0 && at < len(list) && list[at].keyword == "" {
		return list[at], true
	}
	return argument{}, false
}

func (c *call) textOf(a argument) string {
	t := c.statement().tokens
	return c.script.text[t[a.begin].at:t[a.end-1].end]
}

// primary reports whether an argument is a name, a call or an entry of one: what may be
// followed by a dot.
func (c *call) primary(a argument) bool {
	depth := 0
	for i, t := range c.statement().tokens[a.begin:a.end] {
		switch {
		case t.kind == operator && strings.Contains("([{", t.text):
			if i == 0 {
				return false
			}
			depth++
		case t.kind == operator && strings.Contains(")]}", t.text):
			depth--
		case depth > 0 || t.is("."):
		case t.kind != name || has([]token{t}, "not", "and", "or", "in", "is"):
			return false
		}
	}
	return true
}

// oneLine reports whether tokens of the statement stand on one line, and which.
func (c *call) oneLine(begin, end int) (int, bool) {
	t := c.statement().tokens
	line := c.script.lineOf(t[begin].at)
	return line, c.script.lineOf(t[end-1].end-1) == line
}

// spanned is the call whose expression begins and ends there.
func (s *script) spanned(begin, end int) *call {
	index := s.at(s.lineOf(begin))
	if index < 0 {
		return nil
	}
	t := s.statements[index].tokens
	first := slices.IndexFunc(t, func(t token) bool { return t.at == begin })
	last := slices.IndexFunc(t, func(t token) bool { return t.end == end })
	if first < 0 || last <= first || first > 0 && t[first-1].is(".") {
		return nil
	}
	return called(s, index, first, last)
}

// only is the one call of a statement where it makes no other.
func (s *script) only(line int) *call {
	index := s.at(line)
	if index < 0 {
		return nil
	}
	var found *call
	for i, t := range s.statements[index].tokens {
		if !t.is("(") || i == 0 || !follows(s.statements[index].tokens[i-1]) {
			continue
		}
		if found != nil {
			return nil
		}
		found = s.opened(index, i)
	}
	return found
}

// named are the calls of a statement to what has this last name.
func (s *script) named(index int, last string) []*call {
	var list []*call
	for i, t := range s.statements[index].tokens {
		if t.is("(") && i > 0 && s.statements[index].tokens[i-1].is(last) {
			if c := s.opened(index, i); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// opened is the call of a dotted name whose bracket is this token.
func (s *script) opened(index, open int) *call {
	t := s.statements[index].tokens
	first := open - 1
	for first >= 2 && t[first].kind == name && t[first-1].is(".") && t[first-2].kind == name {
		first -= 2
	}
	if t[first].kind != name || first > 0 && t[first-1].is(".") {
		return nil
	}
	depth := 0
	for i := open; i < len(t); i++ {
		if t[i].kind == operator && strings.Contains("([{", t[i].text) {
			depth++
		} else if t[i].kind == operator && strings.Contains(")]}", t[i].text) {
			if depth--; depth == 0 {
				return called(s, index, first, i)
			}
		}
	}
	return nil
}

// called is the call whose expression these tokens are; nil where they are none.
func called(s *script, index, first, last int) *call {
	t := s.statements[index].tokens
	if !t[last].is(")") {
		return nil
	}
	depth := 0
	for i := last; i > first; i-- {
		if t[i].kind == operator && strings.Contains(")]}", t[i].text) {
			depth++
		} else if t[i].kind == operator && strings.Contains("([{", t[i].text) {
			if depth--; depth == 0 {
				if i == 0 || !follows(t[i-1]) {
					return nil
				}
				return &call{s, index, first, i, last}
			}
		}
	}
	return nil
}

// follows reports whether a bracket behind this token makes a call.
func follows(t token) bool {
	return t.kind == name && !slices.Contains(keywords, t.text) && !has([]token{t}, "in", "is", "not", "and", "or") || t.is(")") || t.is("]")
}
