package suggest

import (
	"slices"
	"strings"
)

// script is a file of Python, split into statements. Nothing is understood of it but
// what is needed to be sure where a call begins and ends.
type script struct {
	text       string
	lines      []int // where each begins
	statements []statement
}

// statement is a logical line: several lines where brackets or backslashes join them.
type statement struct {
	first, last int    // lines, from 1
	indent      string // blanks that it begins with
	tokens      []token
}

type token struct {
	kind    kind
	text    string
	at, end int // in the text of the script
}

type kind int

const (
	name kind = iota
	number
	text // a string
	operator
)

// keywords that no statement may have that is edited: it would be more than an
// expression, or an assignment of one.
var keywords = []string{
	"as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
	"if", "import", "lambda", "nonlocal", "pass", "raise", "return", "try", "while", "with", "yield",
}

// operators of more than one character, longest first.
var operators = []string{"**=", "//=", ">>=", "<<=", "...", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "==", "!=", "<=", ">=", "<<", ">>", "**", "//"}

// parse splits a script. What is no Python that it knows is refused as a whole.
func parse(source string) (*script, bool) {
	p := &parser{s: &script{text: source, lines: []int{0}}}
	for i := range len(source) {
		switch {
		case source[i] == '\n':
			p.s.lines = append(p.s.lines, i+1)
		case source[i] == '\r' && !strings.HasPrefix(source[i+1:], "\n"), source[i] == '\f', source[i] == 0:
			return nil, false // lines are counted otherwise by Python, or are none
		}
	}
	if strings.HasPrefix(source, "\ufeff") {
		p.at = len("\ufeff")
	}
	for p.at < len(source) {
		if !p.next() {
			return nil, false
		}
	}
	p.ends()
	return p.s, len(p.open) == 0
}

type parser struct {
	s    *script
	at   int
	line int // from 0
	open []byte
	now  *statement // nil between statements
}

// next goes on by one token, or by what is between two.
func (p *parser) next() bool {
	src := p.s.text
	switch c := src[p.at]; {
	case c == '\n':
		p.at++
		if len(p.open) == 0 {
			p.ends()
		}
	case c == ' ' || c == '\t' || c == '\r':
		p.at++
	case c == '#':
		for p.at < len(src) && src[p.at] != '\n' {
			p.at++
		}
	case c == '\\':
		rest := strings.TrimPrefix(src[p.at+1:], "\r")
		if !strings.HasPrefix(rest, "\n") || p.now == nil {
			return false
		}
		p.at = len(src) - len(rest) + 1
	case c == '"' || c == '\'':
		return p.string(p.at, "")
	case letter(c):
		end := p.at
		for end < len(src) && (letter(src[end]) || digit(src[end])) {
			end++
		}
		word := src[p.at:end]
		if end < len(src) && (src[end] == '"' || src[end] == '\'') && prefix(word) {
			return p.string(end, strings.ToLower(word))
		}
		p.take(name, end)
	case digit(c) || c == '.' && p.at+1 < len(src) && digit(src[p.at+1]):
		end := p.at + 1
		for end < len(src) && (letter(src[end]) || digit(src[end]) || src[end] == '.' || exponent(src, p.at, end)) {
			end++
		}
		p.take(number, end)
	default:
		return p.operator()
	}
	return true
}

func (p *parser) operator() bool {
	src := p.s.text
	for _, o := range operators {
		if strings.HasPrefix(src[p.at:], o) {
			p.take(operator, p.at+len(o))
			return true
		}
	}
	c := src[p.at]
	switch c {
	case '(', '[', '{':
		p.open = append(p.open, c)
	case ')', ']', '}':
		last := len(p.open) - 1
		if last < 0 || p.open[last] != opening(c) {
			return false
		}
		p.open = p.open[:last]
	default:
		if !strings.ContainsRune("+-*/%@&|^~<>=.,:;", rune(c)) {
			return false
		}
	}
	p.take(operator, p.at+1)
	return true
}

func (p *parser) string(quote int, prefix string) bool {
	end, ok := stringEnd(p.s.text, quote, strings.ContainsAny(prefix, "ft"), 0)
	if !ok {
		return false
	}
	p.take(text, end)
	return true
}

func (p *parser) take(k kind, end int) {
	if p.now == nil {
		line := p.lineOf(p.at)
		begin := p.s.lines[line]
		if begin == 0 && strings.HasPrefix(p.s.text, "\ufeff") {
			begin = len("\ufeff")
		}
		p.now = &statement{first: line + 1, indent: p.s.text[begin:p.at]}
	}
	p.now.tokens = append(p.now.tokens, token{k, p.s.text[p.at:end], p.at, end})
	p.now.last = p.lineOf(end-1) + 1
	p.at = end
}

// lineOf goes forwards only.
func (p *parser) lineOf(at int) int {
	for p.line+1 < len(p.s.lines) && p.s.lines[p.line+1] <= at {
		p.line++
	}
	return p.line
}

func (p *parser) ends() {
	if p.now != nil {
		p.s.statements = append(p.s.statements, *p.now)
		p.now = nil
	}
}

// deepest is how far strings may stand in one another.
const deepest = 20

// stringEnd is where a string ends whose first quote is there. In a formatted one
// expressions have strings of their own.
func stringEnd(src string, at int, formatted bool, depth int) (int, bool) {
	if depth > deepest {
		return 0, false
	}
	quote := src[at : at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(src[at:], three) {
		quote = three
	}
	for i := at + len(quote); i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], quote):
			return i + len(quote), true
		case src[i] == '\\':
			i += 2
		case src[i] == '\n' && len(quote) == 1:
			return 0, false
		case formatted && strings.HasPrefix(src[i:], "{{"):
			i += 2
		case formatted && src[i] == '{':
			end, ok := fieldEnd(src, i, depth+1)
			if !ok {
				return 0, false
			}
			i = end
		default:
			i++
		}
	}
	return 0, false
}

// fieldEnd is where a field of a formatted string ends that begins with the brace there.
func fieldEnd(src string, at, depth int) (int, bool) {
	var open []byte
	for i := at; i < len(src); {
		switch c := src[i]; c {
		case '"', '\'':
			before := i
			for before > at && letter(src[before-1]) {
				before--
			}
			end, ok := stringEnd(src, i, strings.ContainsAny(strings.ToLower(src[before:i]), "ft"), depth)
			if !ok {
				return 0, false
			}
			i = end
			continue
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			last := len(open) - 1
			if open[last] != opening(c) {
				return 0, false
			}
			if open = open[:last]; len(open) == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return 0, false
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func opening(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

func prefix(word string) bool {
	return slices.Contains([]string{"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"}, strings.ToLower(word))
}

// exponent reports whether a sign belongs to a number that begins at from.
func exponent(src string, from, at int) bool {
	hex := strings.HasPrefix(strings.ToLower(src[from:at]), "0x")
	return (src[at] == '+' || src[at] == '-') && src[at-1]|0x20 == 'e' && !hex
}

// at is the index of the statement that a line belongs to, -1 without one.
func (s *script) at(line int) int {
	i, _ := slices.BinarySearchFunc(s.statements, line, func(one statement, line int) int { return one.last - line })
	if i < len(s.statements) && s.statements[i].first <= line {
		return i
	}
	return -1
}

// offset is where a column of a line stands, -1 where there is none.
func (s *script) offset(line, column int) int {
	if line < 1 || line > len(s.lines) || column < 0 || s.lines[line-1]+column > len(s.text) {
		return -1
	}
	return s.lines[line-1] + column
}

// lineOf is the line of a place, from 1.
func (s *script) lineOf(at int) int {
	i, found := slices.BinarySearch(s.lines, at)
	if found {
		return i + 1
	}
	return i
}

// line is the text of a line with its end.
func (s *script) line(n int) string {
	if n < len(s.lines) {
		return s.text[s.lines[n-1]:s.lines[n]]
	}
	return s.text[s.lines[n-1]:]
}

// is reports whether a token is this name or operator.
func (t token) is(what string) bool { return t.kind != text && t.text == what }

// has reports whether one of the tokens is one of these names or operators.
func has(list []token, what ...string) bool {
	return slices.ContainsFunc(list, func(t token) bool { return t.kind != text && slices.Contains(what, t.text) })
}

// simple reports whether a statement is an expression or an assignment of one and alone
// on its lines.
func (o *statement) simple() bool {
	if has(o.tokens, keywords...) || has(o.tokens, ";") || o.tokens[0].is("@") {
		return false
	}
	depth := 0
	for _, t := range o.tokens {
		switch {
		case t.kind != operator:
		case strings.Contains("([{", t.text):
			depth++
		case strings.Contains(")]}", t.text):
			depth--
		case t.text == ":" && depth == 0:
			return false
		}
	}
	return true
}

// plain tells the same of one that is a single line.
func (o *statement) plain() bool { return o.first == o.last && o.simple() }

// heads reports whether a statement is the head of a block, and one of these.
func (o *statement) heads(what ...string) bool {
	return o.tokens[len(o.tokens)-1].is(":") && slices.ContainsFunc(what, o.tokens[0].is)
}

// dotted is the text of tokens that are names with dots between them; "" for others.
func dotted(list []token) string {
	var b strings.Builder
	for i, t := range list {
		if i%2 == 0 && (t.kind != name || slices.Contains(keywords, t.text)) || i%2 == 1 && !t.is(".") {
			return ""
		}
		b.WriteString(t.text)
	}
	if len(list)%2 == 0 {
		return ""
	}
	return b.String()
}

// split takes the last name of a dotted one apart.
func split(path string) (rest, last string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// root is the first name of a dotted one.
func root(path string) string {
	first, _, _ := strings.Cut(path, ".")
	return first
}

// binds reports whether tokens give a name another value, or may do it.
func binds(list []token, path string) bool {
	names := strings.Count(path, ".")*2 + 1
	for i := range list {
		if list[i].kind != name || i > 0 && list[i-1].is(".") {
			continue
		}
		if i > 0 && has(list[i-1:i], "for", "as", "del", "global", "nonlocal", "import", "def", "class") && list[i].text == root(path) {
			return true
		}
		for n := 1; n <= names && i+n < len(list); n += 2 { // the name itself, or what it is an attribute of
			if got := dotted(list[i : i+n]); got != path && !strings.HasPrefix(path, got+".") {
				continue
			}
			if next := list[i+n]; has([]token{next}, "=", ":=", "+=", "-=", "*=", "/=", "@=", ",") && !inBrackets(list[:i]) || next.is(":=") {
				return true
			}
		}
		if last := i > 0 && list[i-1].is(",") && list[i].text == root(path) && !inBrackets(list[:i]); last {
			return true
		}
	}
	return false
}

// inBrackets reports whether brackets are open after these tokens.
func inBrackets(list []token) bool {
	depth := 0
	for _, t := range list {
		if t.kind == operator && strings.Contains("([{", t.text) {
			depth++
		} else if t.kind == operator && strings.Contains(")]}", t.text) {
			depth--
		}
	}
	return depth > 0
}
