package expression

import (
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// number compiles what gives a number of either kind.
func (c *compiler) number(e ast.Expr) number {
	switch e.Kind() {
	case ast.LiteralKind:
		switch x := e.AsLiteral().(type) {
		case types.Int:
			return func(*frame) float64 { return float64(x) }
		case types.Double:
			return func(*frame) float64 { return float64(x) }
		}
	case ast.IdentKind:
		switch e.AsIdent() {
		case "step":
			return func(f *frame) float64 { return float64(f.modeStep) }
		case "global_step":
			return func(f *frame) float64 { return float64(f.step) }
		}
	case ast.CallKind:
		name, args := call(e)
		if len(args) > 0 && (c.is(args[0], seriesType) || c.is(args[0], periodType)) {
			if name == "ratio" {
				return c.ratio(c.lastOf(args[0]), c.lastOf(args[1]))
			}
			return c.reading(e, name, args)
		}
		if f := c.operation(e, name, args); f != nil {
			return f
		}
	}
	c.refuse(e, "this is not supported where a number is expected")
	return nil
}

// lastOf is the value of a series at this very step.
func (c *compiler) lastOf(e ast.Expr) number {
	s := c.one(e)
	return func(f *frame) float64 {
		got := f.read(s(f), 1)
		if got == nil {
			return 0
		}
		if got.here != f.step {
			f.err = errNoData
		}
		return got.last()
	}
}

// ratio passes over what has no ratio; / is strict.
func (c *compiler) ratio(a, b number) number {
	return func(f *frame) float64 {
		x, y := a(f), b(f)
		if f.err == nil && y == 0 {
			f.err = errZero
			return 0
		}
		return x / y
	}
}

func (c *compiler) operation(e ast.Expr, name string, args []ast.Expr) number {
	if len(args) > 0 && c.kind(args[0]) == types.ListKind {
		return c.ofList(name, args)
	}
	var of []number
	if name != operators.Conditional {
		for _, a := range args {
			of = append(of, c.number(a))
		}
	}
	two := func(g func(a, b float64) float64) number {
		a, b := of[0], of[1]
		return func(f *frame) float64 { x := a(f); return g(x, b(f)) }
	}
	single := func(g func(float64) float64) number {
		a := of[0]
		return func(f *frame) float64 { return g(a(f)) }
	}
	switch name {
	case operators.Add:
		return two(func(a, b float64) float64 { return a + b })
	case operators.Subtract:
		return two(func(a, b float64) float64 { return a - b })
	case operators.Multiply:
		return two(func(a, b float64) float64 { return a * b })
	case "min":
		return two(math.Min)
	case "max":
		return two(math.Max)
	case operators.Negate:
		return single(func(a float64) float64 { return -a })
	case "abs":
		return single(math.Abs)
	case "log":
		return single(math.Log)
	case "exp":
		return single(math.Exp)
	case "sqrt":
		return single(math.Sqrt)
	case "ratio":
		return c.ratio(of[0], of[1])
	case operators.Divide, operators.Modulo:
		divide := func(a, b float64) float64 { return a / b }
		if name == operators.Modulo {
			divide = math.Mod
		}
		a, b := of[0], of[1]
		zero := c.fail(e, "division by zero")
		return func(f *frame) float64 {
			x, y := a(f), b(f)
			if f.err == nil && y == 0 {
				f.err = zero
				return 0
			}
			return divide(x, y)
		}
	case operators.Conditional:
		which, a, b := c.truth(args[0]), c.number(args[1]), c.number(args[2])
		return func(f *frame) float64 {
			x := which(f)
			switch {
			case f.err != nil:
				return 0
			case x:
				return a(f)
			}
			return b(f)
		}
	}
	return nil
}

// ofList compiles what makes one number of a list.
func (c *compiler) ofList(name string, args []ast.Expr) number {
	if c.is(args[0], manyType) {
		if name != "size" {
			return nil
		}
		l := c.many(args[0])
		return func(f *frame) float64 { return float64(len(l(f))) }
	}
	l := c.list(args[0])
	if name == "size" {
		return func(f *frame) float64 { return float64(len(l(f))) }
	}
	var of func(f *frame, v []float64) float64
	switch name {
	case "mean":
		of = func(_ *frame, v []float64) float64 { return mean(v) }
	case "min":
		of = func(_ *frame, v []float64) float64 { return least(v) }
	case "max":
		of = func(_ *frame, v []float64) float64 { return most(v) }
	case "quantile":
		q := c.share(args[1])
		of = func(f *frame, v []float64) float64 { return quantileOf(v, q, &f.scratch) }
	default:
		return nil
	}
	return func(f *frame) float64 {
		v := l(f)
		if f.err == nil && len(v) == 0 {
			f.err = errNoData
		}
		if f.err != nil {
			return 0
		}
		return of(f, v)
	}
}

// share is a quantile that is written out.
func (c *compiler) share(e ast.Expr) float64 {
	if e.Kind() == ast.LiteralKind {
		if q, ok := e.AsLiteral().(types.Double); ok && q >= 0 && q <= 1 {
			return float64(q)
		}
	}
	c.refuse(e, "the quantile must be a literal number from 0.0 to 1.0")
	return 0
}

// reading compiles what is asked of a series or a period.
func (c *compiler) reading(e ast.Expr, name string, args []ast.Expr) number {
	switch {
	case c.is(args[0], periodType):
		_, from := call(args[0])
		at := c.period(args[0], int64(c.whole(from[1], 0, 1<<53, "the step")))
		return c.overPeriod(e, name, c.one(from[0]), at)
	case name == "quantile":
		q, n := c.share(args[1]), c.window(args[2])
		return c.overWindow(args[0], n, func(f *frame, v []float64, _ []int64) (float64, bool) { return quantileOf(v, q, &f.scratch), true })
	case name == "previous":
		n := c.whole(args[1], 0, maxWindow-1, "the number of points back")
		c.out.window = max(c.out.window, n+1)
		return c.overWindow(args[0], n+1, func(_ *frame, v []float64, _ []int64) (float64, bool) { return v[0], true })
	case len(args) == 2:
		of := map[string]func(v []float64, steps []int64) (float64, bool){
			"mean": func(v []float64, _ []int64) (float64, bool) { return mean(v), true },
			"min":  func(v []float64, _ []int64) (float64, bool) { return least(v), true },
			"max":  func(v []float64, _ []int64) (float64, bool) { return most(v), true },
			"std":  func(v []float64, _ []int64) (float64, bool) { return deviation(v), true }, "slope": slope,
		}[name]
		if of == nil {
			break
		}
		return c.overWindow(args[0], c.window(args[1]), func(_ *frame, v []float64, steps []int64) (float64, bool) { return of(v, steps) })
	case name == "last":
		s := c.one(args[0])
		return func(f *frame) float64 {
			if got := f.read(s(f), 1); got != nil {
				return got.last()
			}
			return 0
		}
	case name == "last_step":
		s := c.one(args[0])
		return func(f *frame) float64 {
			if got := f.read(s(f), 1); got != nil {
				return float64(got.at)
			}
			return 0
		}
	default:
		return c.overPeriod(e, name, c.one(args[0]), c.period(e, 0))
	}
	c.refuse(e, "%s() is not supported here", name)
	return nil
}

// overWindow looks at the last n points; with fewer nothing is said.
func (c *compiler) overWindow(e ast.Expr, n int, of func(f *frame, v []float64, steps []int64) (float64, bool)) number {
	s := c.one(e)
	return func(f *frame) float64 {
		got := f.read(s(f), n)
		if got == nil {
			return 0
		}
		v, steps, ok := got.tail(n)
		x := 0.0
		if ok {
			x, ok = of(f, v, steps)
		}
		if !ok {
			f.err = errNoData
		}
		return x
	}
}

// overPeriod looks at all points from a step on.
func (c *compiler) overPeriod(e ast.Expr, name string, s one, at int) number {
	of := map[string]func(p *period) (float64, bool){
		"first": func(p *period) (float64, bool) { return p.First, p.N > 0 },
		"count": func(p *period) (float64, bool) { return float64(p.N), true },
		"mean":  func(p *period) (float64, bool) { return p.Sum / float64(p.N), p.N > 0 },
		"min":   func(p *period) (float64, bool) { return p.Min, p.N > 0 },
		"max":   func(p *period) (float64, bool) { return p.Max, p.N > 0 },
		"slope": (*period).slope,
	}[name]
	if of == nil {
		c.refuse(e, "%s() is not supported here", name)
	}
	return func(f *frame) float64 {
		got := f.read(s(f), 1)
		if got == nil {
			return 0
		}
		x, ok := of(&got.periods[at])
		if !ok {
			f.err = errNoData
		}
		return x
	}
}
