package expression

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// The loops there are.
const (
	everyOne = iota // all
	anyOne          // exists
	justOne         // exists_one
	filters         // filter
	maps            // map
)

// loop is one of the loops over a list of series.
type loop struct {
	kind  int
	over  many
	slot  int
	test  truth  // nil: none
	value number // of maps
}

// each calls do with the variable set to each of the series, until do says no.
func (l *loop) each(f *frame, do func(*series) bool) {
	list := l.over(f)
	if f.err != nil {
		return
	}
	for _, s := range list {
		f.vars[l.slot] = s
		if !f.pay(1) || !do(s) {
			return
		}
	}
}

// loop reads a loop out of what the macro made of it: a start, a step, and a
// variable that collects.
func (c *compiler) loop(e ast.Expr) (*loop, bool) {
	if e.Kind() != ast.ComprehensionKind {
		return nil, false
	}
	k := e.AsComprehension()
	if !c.is(k.IterRange(), manyType) || k.HasIterVar2() {
		c.refuse(e, "loops go over series: write tensors(…) or scalars(…) before the dot")
	}
	if c.loops == maxLoops {
		c.refuse(e, "loops may not be nested deeper than %d", maxLoops)
	}
	l := &loop{over: c.many(k.IterRange()), slot: c.out.vars}
	c.out.vars++
	c.loops++
	c.scope = append(c.scope, variable{k.IterVar(), l.slot})
	defer func() {
		c.loops--
		c.scope = c.scope[:len(c.scope)-1]
	}()
	name, args := call(k.LoopStep())
	var test, item ast.Expr
	switch name {
	case operators.LogicalAnd:
		l.kind, test = everyOne, args[1]
	case operators.LogicalOr:
		l.kind, test = anyOne, args[1]
	case operators.Conditional:
		test = args[0]
		_, sum := call(args[1])
		if c.kind(e) != types.ListKind {
			l.kind = justOne
		} else {
			item = sum[1].AsList().Elements()[0]
		}
	default: // accumulator + [item]
		item = args[1].AsList().Elements()[0]
	}
	if test != nil {
		l.test = c.truth(test)
	}
	if item != nil {
		l.kind = maps
		if c.is(e, manyType) {
			l.kind = filters
			if l.test == nil || item.Kind() != ast.IdentKind {
				c.refuse(e, "map() must give numbers")
			}
			return l, true
		}
		if !c.isNumber(item) {
			c.refuse(item, "map() must give numbers")
		}
		l.value = c.number(item)
	}
	return l, true
}

// decide compiles a loop that says true or false. As with && and ||, what
// cannot be judged of one series is no matter when another one decides.
func (c *compiler) decide(e ast.Expr) truth {
	l, ok := c.loop(e)
	if !ok || l.test == nil {
		c.refuse(e, "this is not supported where a condition is expected")
	}
	if l.kind == justOne {
		return func(f *frame) bool {
			n := 0
			l.each(f, func(*series) bool {
				if l.test(f) {
					n++
				}
				return f.err == nil
			})
			return n == 1
		}
	}
	deciding := l.kind == anyOne // the answer that ends the loop
	return func(f *frame) bool {
		var open error
		decided := false
		l.each(f, func(*series) bool {
			x := l.test(f)
			switch {
			case f.err != nil:
				if !f.passing() {
					return false
				}
				open, f.err = f.err, nil
			case x == deciding:
				decided = true
				return false
			}
			return true
		})
		if decided {
			return deciding
		}
		if f.err == nil {
			f.err = open
		}
		return !deciding
	}
}
