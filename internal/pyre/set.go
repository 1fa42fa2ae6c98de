package pyre

import "unicode"

// category is a class of characters such as \d.
type category uint8

const (
	catDigit category = iota + 1
	catNotDigit
	catSpace
	catNotSpace
	catWord
	catNotWord
)

var categories = map[rune]category{
	'd': catDigit, 'D': catNotDigit, 's': catSpace, 'S': catNotSpace, 'w': catWord, 'W': catNotWord,
}

// setItem is one member of [...]: a range (a literal is a range of one) or a
// category.
type setItem struct {
	lo, hi rune
	cat    category
}

func literalItem(r rune) setItem { return setItem{lo: r, hi: r} }

func isSpace(r rune, ascii bool) bool {
	switch {
	case r == ' ' || r >= '\t' && r <= '\r':
		return true
	case ascii:
		return false
	}
	return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r)
}

func isDigit(r rune, ascii bool) bool {
	if r < 128 || ascii {
		return r >= '0' && r <= '9'
	}
	return unicode.Is(unicode.Nd, r)
}

func isWord(r rune, ascii bool) bool {
	if r < 128 || ascii {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func (c category) has(r rune, ascii bool) bool {
	switch c {
	case catDigit:
		return isDigit(r, ascii)
	case catNotDigit:
		return !isDigit(r, ascii)
	case catSpace:
		return isSpace(r, ascii)
	case catNotSpace:
		return !isSpace(r, ascii)
	case catWord:
		return isWord(r, ascii)
	}
	return !isWord(r, ascii)
}

// set reads [...] of which the bracket, at start, was taken.
func (p *parser) set(start int) (*node, error) {
	n := &node{op: opSet}
	var err error
	if n.negate, err = p.match('^'); err != nil {
		return nil, err
	}
	for {
		pos := p.tell()
		c, escaped, err := p.get()
		switch {
		case err != nil:
			return nil, err
		case c == none:
			return nil, p.fail("unterminated character set", p.tell()-start)
		case c == ']' && !escaped && len(n.items) > 0:
			return n, nil
		}
		item := literalItem(c)
		if escaped {
			if item, err = p.classEscape(c); err != nil {
				return nil, err
			}
		}
		dash, err := p.match('-')
		if err != nil {
			return nil, err
		}
		if !dash {
			n.items = append(n.items, item)
			continue
		}
		done, err := p.setRange(n, item, start, pos, escaped)
		if err != nil || done {
			return n, err
		}
	}
}

// setRange reads what follows a dash; done when that was the end of the set.
func (p *parser) setRange(n *node, from setItem, start, pos int, fromEscaped bool) (done bool, err error) {
	second := p.tell()
	c, escaped, err := p.get()
	switch {
	case err != nil:
		return false, err
	case c == none:
		return false, p.fail("unterminated character set", p.tell()-start)
	case c == ']' && !escaped:
		n.items = append(n.items, from, literalItem('-'))
		return true, nil
	}
	to := literalItem(c)
	if escaped {
		if to, err = p.classEscape(c); err != nil {
			return false, err
		}
	}
	if from.cat != 0 || to.cat != 0 || to.lo < from.lo {
		// Python shows the first token of each side only.
		a, b := tokenText(p.pattern, pos, fromEscaped), tokenText(p.pattern, second, escaped)
		return false, p.fail("bad character range "+a+"-"+b, len([]rune(a))+1+len([]rune(b)))
	}
	n.items = append(n.items, setItem{lo: from.lo, hi: to.lo})
	return false, nil
}

func tokenText(pattern []rune, pos int, escaped bool) string {
	if escaped {
		return string(pattern[pos : pos+2])
	}
	return string(pattern[pos : pos+1])
}

// charset is a compiled set. The first 128 code points are decided by bits.
type charset struct {
	ascii  [2]uint64
	items  []setItem
	negate bool
	fold   fold
	asciiC bool // categories are ASCII
}

func newCharset(items []setItem, negate bool, f flags) *charset {
	c := &charset{items: items, negate: negate, fold: foldOf(f), asciiC: f&flagA != 0}
	for r := rune(0); r < 128; r++ {
		if c.slow(r) {
			c.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return c
}

func (c *charset) has(r rune) bool {
	if r < 128 {
		return c.ascii[r>>6]>>(r&63)&1 == 1
	}
	return c.slow(r)
}

func (c *charset) slow(r rune) bool {
	r = c.fold.lower(r)
	for _, it := range c.items {
		if it.cat != 0 && it.cat.has(r, c.asciiC) || it.cat == 0 && c.fold.inRange(r, it.lo, it.hi) {
			return !c.negate
		}
	}
	return c.negate
}
