package pyre

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// maxGroups is where Python stops to count groups: 2^30 on 64-bit machines.
const maxGroups = 1 << 30

func (p *parser) closed(group int) bool { return group < len(p.widths) && p.widths[group] != nil }

// lookbehindRef refuses, inside a look-behind, references whose width is not
// known yet.
func (p *parser) lookbehindRef(group int) error {
	if p.behind == 0 {
		return nil
	}
	if !p.closed(group) {
		return p.fail("cannot refer to an open group", 0)
	}
	if group >= p.behind {
		return p.fail("cannot refer to group defined in the same lookbehind subpattern", 0)
	}
	return nil
}

// close takes the closing parenthesis of the group that began at start.
func (p *parser) close(start int) error {
	ok, err := p.match(')')
	if err != nil {
		return err
	}
	if !ok {
		return p.fail("missing ), unterminated subpattern", p.tell()-start)
	}
	return nil
}

// group reads everything after an opening parenthesis. global reports that it
// was a setting of global flags; a comment gives no node.
func (p *parser) group(start int, verbose bool) (n *node, global bool, err error) {
	ext, err := p.match('?')
	if err != nil {
		return nil, false, err
	}
	if !ext {
		n, err = p.capture(start, verbose, "")
		return n, false, err
	}
	c, escaped, err := p.get()
	if err != nil {
		return nil, false, err
	}
	if c == none {
		return nil, false, p.fail("unexpected end of pattern", 0)
	}
	if escaped {
		return nil, false, p.fail(`unknown extension ?\`+string(c), 3)
	}
	switch c {
	case 'P':
		n, err = p.pythonGroup(start, verbose)
	case ':', '>':
		n, err = p.body(start, verbose, &node{op: opGroup})
		if n != nil && c == '>' {
			n.op = opAtomic
		}
	case '#':
		err = p.inlineComment(start)
	case '=', '!':
		n, err = p.look(start, verbose, c, false)
	case '<':
		if c, escaped, err = p.get(); err != nil {
			return nil, false, err
		}
		switch {
		case c == none:
			return nil, false, p.fail("unexpected end of pattern", 0)
		case escaped:
			return nil, false, p.fail(`unknown extension ?<\`+string(c), 4)
		case c != '=' && c != '!':
			return nil, false, p.fail("unknown extension ?<"+string(c), 3)
		}
		n, err = p.look(start, verbose, c, true)
	case '(':
		n, err = p.conditional(start, verbose)
	default:
		if _, ok := flagLetters[c]; !ok && c != '-' {
			return nil, false, p.fail("unknown extension ?"+string(c), 2)
		}
		var add, del flags
		if add, del, global, err = p.readFlags(c); err != nil || global {
			return nil, global, err
		}
		n, err = p.body(start, (verbose || add&flagX != 0) && del&flagX == 0, &node{op: opGroup, add: add, del: del})
	}
	return n, false, err
}

// body reads the content of a group into n.
func (p *parser) body(start int, verbose bool, n *node) (*node, error) {
	q, err := p.alternatives(verbose, false)
	if err != nil {
		return nil, err
	}
	n.subs = []seq{q}
	return n, p.close(start)
}

// capture reads a capturing group; name may be empty.
func (p *parser) capture(start int, verbose bool, name string) (*node, error) {
	gid := len(p.widths)
	if gid >= maxGroups {
		return nil, p.fail("too many groups", 0)
	}
	if name != "" {
		if old, ok := p.names[name]; ok {
			msg := fmt.Sprintf("redefinition of group name %s as group %d; was group %d", quote(name), gid, old)
			return nil, p.fail(msg, utf8.RuneCountInString(name)+1)
		}
		p.names[name] = gid
	}
	p.widths = append(p.widths, nil)
	n, err := p.body(start, verbose, &node{op: opGroup, group: gid})
	if err != nil {
		return nil, err
	}
	w := n.subs[0].width(p.widths)
	p.widths[gid] = &w
	return n, nil
}

// pythonGroup reads (?P<name>...) and (?P=name).
func (p *parser) pythonGroup(start int, verbose bool) (*node, error) {
	if ok, err := p.match('<'); ok || err != nil {
		if err != nil {
			return nil, err
		}
		name, err := p.until('>', "group name")
		if err == nil {
			err = p.groupName(name)
		}
		if err != nil {
			return nil, err
		}
		return p.capture(start, verbose, name)
	}
	if ok, err := p.match('='); ok || err != nil {
		if err != nil {
			return nil, err
		}
		name, err := p.until(')', "group name")
		if err == nil {
			err = p.groupName(name)
		}
		if err != nil {
			return nil, err
		}
		gid, known := p.names[name]
		if !known {
			return nil, p.fail("unknown group name "+quote(name), utf8.RuneCountInString(name)+1)
		}
		if !p.closed(gid) {
			return nil, p.fail("cannot refer to an open group", utf8.RuneCountInString(name)+1)
		}
		return &node{op: opRef, group: gid}, p.lookbehindRef(gid)
	}
	c, escaped, err := p.get()
	switch {
	case err != nil:
		return nil, err
	case c == none:
		return nil, p.fail("unexpected end of pattern", 0)
	case escaped:
		return nil, p.fail(`unknown extension ?P\`+string(c), 4)
	}
	return nil, p.fail("unknown extension ?P"+string(c), 3)
}

func (p *parser) inlineComment(start int) error {
	for {
		if p.next == none {
			return p.fail("missing ), unterminated comment", p.tell()-start)
		}
		c, escaped, err := p.get()
		if err != nil || c == ')' && !escaped {
			return err
		}
	}
}

// look reads a look-ahead or look-behind.
func (p *parser) look(start int, verbose bool, c rune, behind bool) (*node, error) {
	outer := p.behind
	if behind && outer == 0 {
		p.behind = len(p.widths)
	}
	q, err := p.alternatives(verbose, false)
	if err != nil {
		return nil, err
	}
	p.behind = outer
	return &node{op: opLook, behind: behind, negate: c == '!', subs: []seq{q}}, p.close(start)
}

// conditional reads (?(group)yes|no).
func (p *parser) conditional(start int, verbose bool) (*node, error) {
	name, err := p.until(')', "group name")
	if err != nil {
		return nil, err
	}
	size := utf8.RuneCountInString(name)
	group, numeric := groupNumber(name)
	if numeric {
		if group == 0 {
			return nil, p.fail("bad group number", size+1)
		}
		if group >= maxGroups {
			return nil, p.fail("invalid group reference "+name, size+1)
		}
		if _, seen := p.condRefs[group]; !seen {
			p.condRefs[group] = p.tell() - size - 1
			p.condOrder = append(p.condOrder, group)
		}
	} else {
		if err := p.groupName(name); err != nil {
			return nil, err
		}
		known := false
		if group, known = p.names[name]; !known {
			return nil, p.fail("unknown group name "+quote(name), size+1)
		}
	}
	if err := p.lookbehindRef(group); err != nil {
		return nil, err
	}
	if p.nesting++; p.nesting > MaxNesting {
		return nil, p.fail("groups are nested too deeply", 0)
	}
	defer func() { p.nesting-- }()
	yes, err := p.sequence(verbose, false)
	if err != nil {
		return nil, err
	}
	n := &node{op: opCond, group: group, subs: []seq{yes, nil}, noElse: true}
	if more, err := p.match('|'); more || err != nil {
		if err != nil {
			return nil, err
		}
		if n.subs[1], err = p.sequence(verbose, false); err != nil {
			return nil, err
		}
		if p.is('|') {
			return nil, p.fail("conditional backref with more than two branches", 0)
		}
		n.noElse = false
	}
	return n, p.close(start)
}

func groupNumber(s string) (int, bool) {
	v := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		if v = v*10 + int(c-'0'); v > maxGroups {
			v = maxGroups
		}
	}
	return v, true
}

var flagLetters = map[rune]flags{'i': flagI, 'L': flagL, 'm': flagM, 's': flagS, 'x': flagX, 'a': flagA, 'u': flagU}

// readFlags reads (?flags) and (?flags-flags: from their first letter.
func (p *parser) readFlags(c rune) (add, del flags, global bool, err error) {
	fail := func(msg string, offset int) (flags, flags, bool, error) {
		return 0, 0, false, p.fail(msg, offset)
	}
	escaped := false
	// next takes a letter; when it is not a flag and not in stop, it says what is missing.
	next := func(stop, missing string) (bool, error) {
		if c, escaped, err = p.get(); err != nil {
			return false, err
		}
		size := 1
		if escaped {
			size = 2
		}
		switch {
		case c == none:
			return false, p.fail(missing, 0)
		case !escaped && stop != "" && containsRune(stop, c):
			return true, nil
		case escaped || flagLetters[c] == 0:
			if !escaped && unicode.IsLetter(c) {
				missing = "unknown flag"
			}
			return false, p.fail(missing, size)
		}
		return false, nil
	}
	if c != '-' {
		for {
			f := flagLetters[c]
			if c == 'L' {
				return fail("bad inline flags: cannot use 'L' flag with a str pattern", 0)
			}
			add |= f
			if f&typeFlags != 0 && add&typeFlags != f {
				return fail("bad inline flags: flags 'a', 'u' and 'L' are incompatible", 0)
			}
			stop, err := next(")-:", "missing -, : or )")
			if err != nil {
				return 0, 0, false, err
			}
			if stop {
				break
			}
		}
	}
	if c == ')' {
		p.flags |= add
		return 0, 0, true, nil
	}
	if c == '-' {
		if _, err := next("", "missing flag"); err != nil {
			return 0, 0, false, err
		}
		for {
			if flagLetters[c]&typeFlags != 0 {
				return fail("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", 0)
			}
			del |= flagLetters[c]
			stop, err := next(":", "missing :")
			if err != nil {
				return 0, 0, false, err
			}
			if stop {
				break
			}
		}
	}
	if add&del != 0 {
		return fail("bad inline flags: flag turned on and off", 1)
	}
	return add, del, false, nil
}

func containsRune(s string, r rune) bool {
	for _, c := range s {
		if c == r {
			return true
		}
	}
	return false
}
