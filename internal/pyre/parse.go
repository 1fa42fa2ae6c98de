package pyre

import (
	"errors"
	"strings"
)

// parser holds what is known while a pattern is read.
type parser struct {
	*tokens
	flags     flags // global ones
	names     map[string]int
	widths    []*span     // by group; nil while open
	behind    int         // groups open when the outermost look-behind began; 0 outside
	condRefs  map[int]int // conditionals on groups by number, and where
	condOrder []int
	nesting   int
}

// errVerbose asks for a second reading: VERBOSE was switched on inside.
var errVerbose = errors.New("verbose flag inside the pattern")

func parse(pattern string) (seq, *parser, error) {
	p, tree, err := parseOnce(pattern, 0)
	if errors.Is(err, errVerbose) {
		p, tree, err = parseOnce(pattern, flagX)
	}
	return tree, p, err
}

func parseOnce(pattern string, initial flags) (*parser, seq, error) {
	t, err := newTokens(pattern)
	if err != nil {
		return nil, nil, err
	}
	p := &parser{tokens: t, flags: initial, names: map[string]int{}, widths: []*span{nil}, condRefs: map[int]int{}}
	tree, err := p.alternatives(initial&flagX != 0, true)
	if err != nil {
		return nil, nil, err
	}
	if p.flags&flagA != 0 && p.flags&flagU != 0 {
		return nil, nil, &Error{pattern, "ASCII and UNICODE flags are incompatible", -1}
	}
	if p.next != none {
		return nil, nil, p.fail("unbalanced parenthesis", 0)
	}
	for _, g := range p.condOrder {
		if g >= len(p.widths) {
			return nil, nil, &Error{pattern, "invalid group reference " + itoa(g), p.condRefs[g]}
		}
	}
	return p, tree, nil
}

// alternatives reads a|b|c.
func (p *parser) alternatives(verbose, top bool) (seq, error) {
	if p.nesting++; p.nesting > MaxNesting {
		return nil, p.fail("groups are nested too deeply", 0)
	}
	defer func() { p.nesting-- }()
	var subs []seq
	for {
		q, err := p.sequence(verbose, top && len(subs) == 0)
		if err != nil {
			return nil, err
		}
		subs = append(subs, q)
		more, err := p.match('|')
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if top {
			verbose = p.flags&flagX != 0
		}
	}
	if len(subs) == 1 {
		return subs[0], nil
	}
	return seq{{op: opBranch, subs: subs}}, nil
}

// sequence reads items up to | or ) or the end. first marks the very first
// sequence of the pattern, where global flags belong.
func (p *parser) sequence(verbose, first bool) (seq, error) {
	var q seq
	for p.next != none && !p.is('|') && !p.is(')') {
		start := p.tell()
		c, escaped, err := p.get()
		if err != nil {
			return nil, err
		}
		if escaped {
			n, err := p.escape(c)
			if err != nil {
				return nil, err
			}
			q = append(q, n)
			continue
		}
		if verbose {
			if strings.ContainsRune(" \t\n\r\v\f", c) {
				continue
			}
			if c == '#' {
				if err := p.comment(); err != nil {
					return nil, err
				}
				continue
			}
		}
		switch c {
		case '[':
			n, err := p.set(start)
			if err != nil {
				return nil, err
			}
			q = append(q, n)
		case '*', '+', '?', '{':
			if q, err = p.repeat(q, c); err != nil {
				return nil, err
			}
		case '.':
			q = append(q, &node{op: opAny})
		case '^':
			q = append(q, &node{op: opAt, at: atStart})
		case '$':
			q = append(q, &node{op: opAt, at: atEnd})
		case '(':
			n, global, err := p.group(start, verbose)
			if err != nil {
				return nil, err
			}
			if global {
				if p.flags&flagX != 0 && !verbose {
					if !first || len(q) > 0 {
						return nil, errVerbose
					}
					verbose = true
				}
				continue
			}
			if n != nil {
				q = append(q, n)
			}
		default:
			q = append(q, &node{op: opLiteral, r: c})
		}
	}
	return q.unpack(), nil
}

// unpack replaces groups that only hold things together by their content.
func (q seq) unpack() seq {
	var out seq
	for _, n := range q {
		if n.plainGroup() {
			out = append(out, n.subs[0]...)
		} else {
			out = append(out, n)
		}
	}
	return out
}

// comment skips a # comment of a verbose pattern.
func (p *parser) comment() error {
	for {
		c, escaped, err := p.get()
		if err != nil || c == none || c == '\n' && !escaped {
			return err
		}
	}
}

// repeat reads the rest of a quantifier and puts it round the last item.
func (p *parser) repeat(q seq, c rune) (seq, error) {
	here := p.tell()
	n := &node{op: opRepeat, max: unbounded}
	switch c {
	case '?':
		n.max = 1
	case '+':
		n.min = 1
	case '{':
		ok, err := p.bounds(n, here)
		if err != nil {
			return nil, err
		}
		if !ok { // Python takes the brace literally
			return append(q, &node{op: opLiteral, r: '{'}), nil
		}
	}
	back := p.tell() - here + 1
	if len(q) == 0 || q[len(q)-1].op == opAt {
		return nil, p.fail("nothing to repeat", back)
	}
	item := q[len(q)-1]
	if item.op == opRepeat {
		return nil, p.fail("multiple repeat", back)
	}
	n.subs = []seq{{item}}
	if item.plainGroup() {
		n.subs = item.subs
	}
	if ok, err := p.match('?'); ok || err != nil {
		n.how = lazy
		q[len(q)-1] = n
		return q, err
	}
	if ok, err := p.match('+'); ok || err != nil {
		n.how = possessive
		q[len(q)-1] = n
		return q, err
	}
	q[len(q)-1] = n
	return q, nil
}

// bounds reads {m,n} after its brace; false when it is no quantifier.
func (p *parser) bounds(n *node, here int) (bool, error) {
	if p.is('}') {
		return false, nil
	}
	lo, err := p.digits(len(p.pattern), 10)
	if err != nil {
		return false, err
	}
	hi := lo
	comma, err := p.match(',')
	if err != nil {
		return false, err
	}
	if comma {
		if hi, err = p.digits(len(p.pattern), 10); err != nil {
			return false, err
		}
	}
	end, err := p.match('}')
	if err != nil {
		return false, err
	}
	if !end {
		return false, p.seek(here)
	}
	if lo != "" {
		if n.min = bound(lo); n.min >= unbounded {
			return false, &Error{p.src, "the repetition number is too large", -1}
		}
	}
	if hi != "" {
		if n.max = bound(hi); n.max >= unbounded {
			return false, &Error{p.src, "the repetition number is too large", -1}
		}
		if n.max < n.min {
			return false, p.fail("min repeat greater than max repeat", p.tell()-here)
		}
	}
	return true, nil
}

// bound reads a decimal number, at most unbounded.
func bound(s string) int64 {
	var v int64
	for _, c := range s {
		if v = v*10 + int64(c-'0'); v >= unbounded {
			return unbounded
		}
	}
	return v
}
