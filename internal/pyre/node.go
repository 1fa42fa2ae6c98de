package pyre

// op is the kind of a node of the parsed pattern.
type op uint8

const (
	opLiteral op = iota
	opSet
	opAny
	opAt
	opBranch
	opGroup // capturing or not, with scoped flags
	opRepeat
	opRef
	opCond
	opLook
	opAtomic
)

// flags of a pattern or of a part of it.
type flags uint8

const (
	flagI flags = 1 << iota
	flagL
	flagM
	flagS
	flagX
	flagA
	flagU

	typeFlags = flagA | flagL | flagU
)

// with applies the flags of a scoped group.
func (f flags) with(add, del flags) flags {
	if add&typeFlags != 0 {
		f &^= typeFlags
	}
	return (f | add) &^ del
}

// at is a place in the string that a node asserts.
type at uint8

const (
	atStart at = iota // ^
	atEnd             // $
	atStringStart
	atStringEnd
	atBoundary
	atNotBoundary
)

// how a repeat chooses.
type how uint8

const (
	greedy how = iota
	lazy
	possessive
)

// unbounded is the maximum of a repeat without one, and the first number that
// a pattern may not name.
const unbounded = 4294967295

type seq []*node

// node is one item of a parsed pattern.
type node struct {
	op       op
	r        rune      // opLiteral
	items    []setItem // opSet
	negate   bool      // opSet, opLook
	at       at
	how      how
	min, max int64
	group    int // opGroup (0: not capturing), opRef, opCond
	add, del flags
	behind   bool  // opLook
	subs     []seq // alternatives, bodies
	noElse   bool  // opCond
}

// plainGroup reports a group that neither captures nor changes flags.
func (n *node) plainGroup() bool {
	return n.op == opGroup && n.group == 0 && n.add == 0 && n.del == 0
}

// span is the number of code points that something can match.
type span struct{ lo, hi uint64 }

const widthCap = 1 << 62

func satAdd(a, b uint64) uint64 {
	if a+b > widthCap {
		return widthCap
	}
	return a + b
}

func satMul(a, b uint64) uint64 {
	if b != 0 && a > widthCap/b {
		return widthCap
	}
	return a * b
}

func (s span) plus(t span) span { return span{satAdd(s.lo, t.lo), satAdd(s.hi, t.hi)} }

func (s span) or(t span) span { return span{min(s.lo, t.lo), max(s.hi, t.hi)} }

// width computes what a sequence can match; groups holds the widths of the
// groups closed so far, which backreferences take over.
func (q seq) width(groups []*span) span {
	var w span
	for _, n := range q {
		w = w.plus(n.width(groups))
	}
	return w
}

func (n *node) width(groups []*span) span {
	switch n.op {
	case opLiteral, opSet, opAny:
		return span{1, 1}
	case opBranch:
		w := n.subs[0].width(groups)
		for _, q := range n.subs[1:] {
			w = w.or(q.width(groups))
		}
		return w
	case opGroup, opAtomic:
		return n.subs[0].width(groups)
	case opRepeat:
		w := n.subs[0].width(groups)
		w.lo = satMul(w.lo, uint64(n.min))
		w.hi = satMul(w.hi, uint64(n.max))
		if n.max == unbounded && w.hi > 0 {
			w.hi = widthCap
		}
		return w
	case opRef:
		if g := groups[n.group]; g != nil {
			return *g
		}
		return span{0, widthCap}
	case opCond:
		w := n.subs[0].width(groups)
		if n.noElse {
			return span{0, w.hi}
		}
		return w.or(n.subs[1].width(groups))
	}
	return span{}
}
