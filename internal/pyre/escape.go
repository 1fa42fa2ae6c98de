package pyre

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var simpleEscapes = map[rune]rune{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}

var places = map[rune]at{'A': atStringStart, 'b': atBoundary, 'B': atNotBoundary, 'Z': atStringEnd}

// code reads \x, \u, \U after their letter was taken. A surrogate never
// matches anything that is valid UTF-8.
func (p *parser) code(c rune) (r rune, done bool, err error) {
	n := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c]
	if n == 0 {
		return 0, false, nil
	}
	hex, err := p.digits(n, 16)
	if err != nil {
		return 0, true, err
	}
	text := `\` + string(c) + hex
	if len(hex) != n {
		return 0, true, p.fail("incomplete escape "+text, len(text))
	}
	v, _ := strconv.ParseUint(hex, 16, 32)
	if v > utf8.MaxRune {
		return 0, true, p.fail("bad escape "+text, len(text))
	}
	return rune(v), true, nil
}

// named refuses \N{...} with a message of our own.
func (p *parser) named() error {
	ok, err := p.match('{')
	if err != nil {
		return err
	}
	if !ok {
		return p.fail("missing {", 0)
	}
	name, err := p.until('}', "character name")
	if err != nil {
		return err
	}
	return p.fail("named character "+quote(name)+" is not supported; write \\uXXXX", utf8.RuneCountInString(name)+4)
}

func (p *parser) octal(text string) (rune, error) {
	v, _ := strconv.ParseUint(text[1:], 8, 32)
	if v > 0o377 {
		return 0, p.fail("octal escape value "+text+" outside of range 0-0o377", len(text))
	}
	return rune(v), nil
}

// letterEscape ends the reading of an escape that has no special meaning.
func (p *parser) letterEscape(c rune) (rune, error) {
	if c < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", c) || digit(c, 10) {
		return 0, p.fail(`bad escape \`+string(c), 2)
	}
	return c, nil
}

// classEscape reads an escape inside [...], of which the letter was taken.
func (p *parser) classEscape(c rune) (setItem, error) {
	if r, ok := simpleEscapes[c]; ok {
		return literalItem(r), nil
	}
	if cat, ok := categories[c]; ok {
		return setItem{cat: cat}, nil
	}
	if r, ok, err := p.code(c); ok {
		return literalItem(r), err
	}
	switch {
	case c == 'N':
		return setItem{}, p.named()
	case digit(c, 8):
		more, err := p.digits(2, 8)
		if err != nil {
			return setItem{}, err
		}
		r, err := p.octal(`\` + string(c) + more)
		return literalItem(r), err
	}
	r, err := p.letterEscape(c)
	return literalItem(r), err
}

// escape reads an escape outside of sets, of which the letter was taken.
func (p *parser) escape(c rune) (*node, error) {
	if a, ok := places[c]; ok {
		return &node{op: opAt, at: a}, nil
	}
	if cat, ok := categories[c]; ok {
		return &node{op: opSet, items: []setItem{{cat: cat}}}, nil
	}
	if r, ok := simpleEscapes[c]; ok {
		return &node{op: opLiteral, r: r}, nil
	}
	if r, ok, err := p.code(c); ok {
		return &node{op: opLiteral, r: r}, err
	}
	switch {
	case c == 'N':
		return nil, p.named()
	case c == '0':
		more, err := p.digits(2, 8)
		if err != nil {
			return nil, err
		}
		r, err := p.octal(`\0` + more)
		return &node{op: opLiteral, r: r}, err
	case digit(c, 10):
		return p.numbered(c)
	}
	r, err := p.letterEscape(c)
	return &node{op: opLiteral, r: r}, err
}

// numbered reads \1 to \99 as a backreference, three octal digits as a
// character.
func (p *parser) numbered(c rune) (*node, error) {
	text := `\` + string(c)
	second, err := p.digits(1, 10)
	if err != nil {
		return nil, err
	}
	text += second
	if second != "" && digit(c, 8) && digit(rune(second[0]), 8) && !p.escaped && digit(p.next, 8) {
		third, err := p.digits(1, 8)
		if err != nil {
			return nil, err
		}
		r, err := p.octal(text + third)
		return &node{op: opLiteral, r: r}, err
	}
	group, _ := strconv.Atoi(text[1:])
	if group >= len(p.widths) {
		return nil, p.fail(fmt.Sprintf("invalid group reference %d", group), len(text)-1)
	}
	if !p.closed(group) {
		return nil, p.fail("cannot refer to an open group", len(text))
	}
	return &node{op: opRef, group: group}, p.lookbehindRef(group)
}
