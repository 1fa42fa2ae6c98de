package expression

import (
	"errors"
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// comparators are the comparisons of numbers.
var comparators = map[string]struct {
	sign string
	f    func(a, b float64) bool
}{
	operators.Less:          {"<", func(a, b float64) bool { return a < b }},
	operators.LessEquals:    {"<=", func(a, b float64) bool { return a <= b }},
	operators.Greater:       {">", func(a, b float64) bool { return a > b }},
	operators.GreaterEquals: {">=", func(a, b float64) bool { return a >= b }},
	operators.Equals:        {"==", func(a, b float64) bool { return a == b }},
	operators.NotEquals:     {"!=", func(a, b float64) bool { return a != b }},
}

// truth compiles what gives true or false.
func (c *compiler) truth(e ast.Expr) truth {
	switch e.Kind() {
	case ast.LiteralKind:
		if b, ok := e.AsLiteral().(types.Bool); ok {
			return func(*frame) bool { return bool(b) }
		}
	case ast.ComprehensionKind:
		return c.decide(e)
	case ast.CallKind:
		return c.condition(e)
	}
	c.refuse(e, "this is not supported where a condition is expected")
	return nil
}

func (c *compiler) condition(e ast.Expr) truth {
	name, args := call(e)
	if cmp, ok := comparators[name]; ok {
		if c.isNumber(args[0]) {
			return c.compare(cmp.sign, cmp.f, c.number(args[0]), c.number(args[1]))
		}
		a, b, same := c.text(args[0]), c.text(args[1]), name == operators.Equals
		return func(f *frame) bool { return (a(f) == b(f)) == same }
	}
	switch name {
	case operators.LogicalAnd:
		return join(c.truth(args[0]), c.truth(args[1]), false)
	case operators.LogicalOr:
		return join(c.truth(args[0]), c.truth(args[1]), true)
	case operators.LogicalNot:
		a := c.truth(args[0])
		return func(f *frame) bool { return !a(f) }
	case operators.Conditional:
		which, a, b := c.truth(args[0]), c.truth(args[1]), c.truth(args[2])
		return func(f *frame) bool {
			x := which(f)
			if f.err != nil {
				return false
			}
			if x {
				return a(f)
			}
			return b(f)
		}
	case "known":
		s := c.one(args[0])
		return func(f *frame) bool {
			got := s(f)
			if errors.Is(f.err, errNoData) {
				f.err = nil
				return false
			}
			return got != nil
		}
	case "is_nan", "is_inf", "is_finite":
		a := c.number(args[0])
		test := map[string]func(float64) bool{
			"is_nan": math.IsNaN, "is_inf": func(x float64) bool { return math.IsInf(x, 0) },
			"is_finite": func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) },
		}[name]
		return func(f *frame) bool {
			f.begin()
			x := a(f)
			f.compared(x, 0, "")
			return test(x)
		}
	}
	c.refuse(e, "this is not supported where a condition is expected")
	return nil
}

// compare makes a comparison that leaves its evidence in the frame.
func (c *compiler) compare(sign string, holds func(a, b float64) bool, a, b number) truth {
	return func(f *frame) bool {
		f.begin()
		x := a(f)
		if f.err != nil {
			return false
		}
		y := b(f)
		if f.err != nil {
			return false
		}
		f.compared(x, y, sign)
		return holds(x, y)
	}
}

// join makes && and ||: one side that decides is enough, even when the other
// cannot be judged.
func join(a, b truth, deciding bool) truth {
	return func(f *frame) bool {
		x := a(f)
		if f.err == nil && x == deciding {
			return deciding
		}
		if f.err != nil && !f.passing() {
			return false
		}
		open := f.err
		f.err = nil
		y := b(f)
		if f.err == nil && y == deciding {
			return deciding
		}
		if f.err == nil {
			f.err = open
		}
		return !deciding
	}
}
