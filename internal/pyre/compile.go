package pyre

import "fmt"

// code is the kind of an instruction.
type code uint8

const (
	iLiteral code = iota
	iFoldLiteral
	iSet
	iNotNewline
	iAny
	iAt
	iSplit // go on; x: where else
	iJump  // x
	iSave  // x: register
	iRef   // x: group
	iCond  // x: group, y: where when it is unset
	iOne   // repeat the single item at pc+1; go on at x
	iLoop  // x: exit, y: register of the count; the next holds the start of the last round
	iLoopLazy
	iLoopMore // second way of a lazy loop
	iInit     // y: register of the count
	iMark     // x: register for the height of the stack
	iCut      // x: same register
	iLookMark // x: register of the height; the next holds the position
	iLookEnd
	iNotMark // x: register, y: where to go on when the body fails
	iNotEnd
	iBack // x: how far
	iMatch
)

// inst is one instruction.
type inst struct {
	code     code
	at       at
	how      how
	fold     fold
	flags    flags
	x, y     int32
	r        rune
	min, max int64
	set      *charset
}

type compiler struct {
	re     *Regexp
	widths []*span
}

func compile(pattern string, tree seq, p *parser) (*Regexp, error) {
	re := &Regexp{pattern: pattern, groups: len(p.widths) - 1}
	re.regs = 2 * len(p.widths)
	c := &compiler{re, p.widths}
	if err := c.seq(tree, p.flags); err != nil {
		return nil, err
	}
	c.emit(inst{code: iMatch})
	re.prefilter(tree, p.flags)
	return re, nil
}

func (c *compiler) emit(in inst) int {
	c.re.prog = append(c.re.prog, in)
	return len(c.re.prog) - 1
}

func (c *compiler) here() int32 { return int32(len(c.re.prog)) }

func (c *compiler) reg(n int) int32 {
	r := c.re.regs
	c.re.regs += n
	return int32(r)
}

func (c *compiler) seq(q seq, f flags) error {
	for _, n := range q {
		if err := c.node(n, f); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) node(n *node, f flags) error {
	if in, ok := single(n, f); ok {
		c.emit(in)
		return nil
	}
	switch n.op {
	case opAt:
		c.emit(inst{code: iAt, at: n.at, flags: f})
	case opBranch:
		return c.branch(n, f)
	case opGroup:
		if n.group > 0 {
			c.emit(inst{code: iSave, x: int32(2 * n.group)})
		}
		if err := c.seq(n.subs[0], f.with(n.add, n.del)); err != nil {
			return err
		}
		if n.group > 0 {
			c.emit(inst{code: iSave, x: int32(2*n.group + 1)})
		}
	case opRepeat:
		return c.repeat(n, f)
	case opRef:
		c.emit(inst{code: iRef, x: int32(n.group), fold: foldOf(f)})
	case opCond:
		return c.cond(n, f)
	case opLook:
		return c.look(n, f)
	case opAtomic:
		return c.atomic(func() error { return c.seq(n.subs[0], f) })
	}
	return nil
}

// single is the instruction for a node that matches exactly one code point.
func single(n *node, f flags) (inst, bool) {
	fo := foldOf(f)
	switch n.op {
	case opLiteral:
		if fo == foldNone {
			return inst{code: iLiteral, r: n.r}, true
		}
		return inst{code: iFoldLiteral, r: n.r, fold: fo}, true
	case opSet:
		return inst{code: iSet, set: newCharset(n.items, n.negate, f)}, true
	case opAny:
		if f&flagS != 0 {
			return inst{code: iAny}, true
		}
		return inst{code: iNotNewline}, true
	}
	return inst{}, false
}

func (c *compiler) branch(n *node, f flags) error {
	var ends []int
	for i, q := range n.subs {
		last := i == len(n.subs)-1
		split := 0
		if !last {
			split = c.emit(inst{code: iSplit})
		}
		if err := c.seq(q, f); err != nil {
			return err
		}
		if !last {
			ends = append(ends, c.emit(inst{code: iJump}))
			c.re.prog[split].x = c.here()
		}
	}
	for _, e := range ends {
		c.re.prog[e].x = c.here()
	}
	return nil
}

func (c *compiler) atomic(body func() error) error {
	reg := c.reg(1)
	c.emit(inst{code: iMark, x: reg})
	if err := body(); err != nil {
		return err
	}
	c.emit(inst{code: iCut, x: reg})
	return nil
}

func (c *compiler) repeat(n *node, f flags) error {
	body := n.subs[0]
	if len(body) == 1 {
		if in, ok := single(body[0], f); ok {
			i := c.emit(inst{code: iOne, how: n.how, min: n.min, max: n.max})
			c.emit(in)
			c.re.prog[i].x = c.here()
			return nil
		}
	}
	if n.how == possessive {
		// Each round is atomic, and so is the whole.
		return c.atomic(func() error {
			return c.loop(n, func() error { return c.atomic(func() error { return c.seq(body, f) }) })
		})
	}
	return c.loop(n, func() error { return c.seq(body, f) })
}

func (c *compiler) loop(n *node, body func() error) error {
	reg := c.reg(2)
	c.emit(inst{code: iInit, y: reg})
	in := inst{code: iLoop, y: reg, min: n.min, max: n.max}
	if n.how == lazy {
		in.code = iLoopLazy
	}
	top := c.emit(in)
	if n.how == lazy {
		in.code = iLoopMore
		c.emit(in)
	}
	if err := body(); err != nil {
		return err
	}
	c.emit(inst{code: iJump, x: int32(top)})
	c.re.prog[top].x = c.here()
	return nil
}

func (c *compiler) cond(n *node, f flags) error {
	i := c.emit(inst{code: iCond, x: int32(n.group)})
	if err := c.seq(n.subs[0], f); err != nil {
		return err
	}
	if n.noElse {
		c.re.prog[i].y = c.here()
		return nil
	}
	j := c.emit(inst{code: iJump})
	c.re.prog[i].y = c.here()
	if err := c.seq(n.subs[1], f); err != nil {
		return err
	}
	c.re.prog[j].x = c.here()
	return nil
}

func (c *compiler) look(n *node, f flags) error {
	reg := c.reg(2)
	start, end := iLookMark, iLookEnd
	if n.negate {
		start, end = iNotMark, iNotEnd
	}
	i := c.emit(inst{code: start, x: reg})
	if n.behind {
		w := n.subs[0].width(c.widths)
		if w.lo != w.hi {
			return &Error{c.re.pattern, "look-behind requires fixed-width pattern", -1}
		}
		if w.lo > 1<<31-1 {
			return &Error{c.re.pattern, fmt.Sprintf("looks too much behind: %d", w.lo), -1}
		}
		c.emit(inst{code: iBack, x: int32(w.lo)})
	}
	if err := c.seq(n.subs[0], f); err != nil {
		return err
	}
	c.emit(inst{code: end, x: reg})
	c.re.prog[i].y = c.here()
	return nil
}
