package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/rule"
)

// Error is a mistake in an expression and its place, both counted from 1.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d of the expression: %s", e.Line, e.Column, e.Message)
}

// Position gives the place, for who knows where the expression begins.
func (e *Error) Position() (line, column int, message string) { return e.Line, e.Column, e.Message }

// source is what an expression reads: a scalar or a statistic of a tensor by
// name, or all that match a pattern.
type source struct {
	name, pattern string
	stat          string // "": a scalar
	mode          string // "": the rule's
}

func (s source) String() string {
	text := s.name
	if s.pattern != "" {
		text = fmt.Sprintf("pattern %q", s.pattern)
	}
	if s.stat != "" {
		text = s.stat + " of " + text
	}
	if s.mode != "" {
		text += " in " + strings.ToUpper(s.mode)
	}
	return text
}

// program is an expression that is ready to be evaluated.
type program struct {
	holds   truth
	sources []source
	since   []int64 // starts of periods
	window  int     // points that have to be kept
	vars    int     // variables of loops
}

// The parts of a program. A part that cannot say anything sets frame.err.
type (
	truth  func(*frame) bool
	number func(*frame) float64
	one    func(*frame) *series
	many   func(*frame) []*series
	list   func(*frame) []float64
	text   func(*frame) string
)

// compiler turns a checked tree into functions.
type compiler struct {
	tree  *ast.AST
	out   program
	scope []variable
	loops int
}

type variable struct {
	name string
	slot int
}

// compile checks an expression; the error is an *Error.
func compile(source string) (p *program, err error) {
	env, err := language()
	if err != nil {
		return nil, fmt.Errorf("set up expressions: %w", err)
	}
	if strings.TrimSpace(source) == "" {
		return nil, &Error{1, 1, "the expression is empty"}
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		e := issues.Errors()[0]
		return nil, &Error{max(1, e.Location.Line()), max(0, e.Location.Column()) + 1, plainly(e.Message)}
	}
	c := &compiler{tree: checked.NativeRep(), out: program{window: 1}}
	if checked.OutputType() != cel.BoolType {
		return nil, c.fail(c.tree.Expr(), "it gives %s, but must give true or false: compare it with something", checked.OutputType())
	}
	defer func() {
		if r := recover(); r != nil {
			e, ours := r.(*Error)
			if !ours {
				panic(r)
			}
			p, err = nil, e
		}
	}()
	c.out.holds = c.truth(c.tree.Expr())
	if len(c.out.sources) == 0 {
		return nil, &Error{1, 1, `it reads nothing: name what to read, such as series("loss")`}
	}
	return &c.out, nil
}

// misplaced is what the parser says of a word that cannot follow, with all that
// could.
var misplaced = regexp.MustCompile(`^(?:mismatched|extraneous) input '(.*)' expecting `)

// plainly turns the checker's words into the language's own.
func plainly(message string) string {
	message = strings.TrimPrefix(message, "Syntax error: ")
	if m := misplaced.FindStringSubmatch(message); m != nil {
		if m[1] == "<EOF>" {
			return "the expression ends too early"
		}
		return fmt.Sprintf("unexpected '%s'", m[1])
	}
	for op, sign := range map[string]string{
		"_&&_": "&&", "_||_": "||", "!_": "!", "-_": "-", "_+_": "+", "_-_": "-", "_*_": "*", "_/_": "/", "_%_": "%",
		"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "_==_": "==", "_!=_": "!=", "_?_:_": "? :", "_[_]": "[ ]", "@in": "in",
	} {
		message = strings.ReplaceAll(message, "'"+op+"'", "'"+sign+"'")
	}
	return strings.ReplaceAll(message, " (in container '')", "")
}

func (c *compiler) fail(e ast.Expr, format string, args ...any) *Error {
	at := c.tree.SourceInfo().GetStartLocation(e.ID())
	return &Error{max(1, at.Line()), max(0, at.Column()) + 1, fmt.Sprintf(format, args...)}
}

// refuse ends the compilation.
func (c *compiler) refuse(e ast.Expr, format string, args ...any) {
	panic(c.fail(e, format, args...))
}

func (c *compiler) kind(e ast.Expr) types.Kind { return c.tree.GetType(e.ID()).Kind() }

// isNumber reports whether a part gives a number of either kind.
func (c *compiler) isNumber(e ast.Expr) bool {
	k := c.kind(e)
	return k == types.IntKind || k == types.DoubleKind
}

func (c *compiler) is(e ast.Expr, t *cel.Type) bool { return c.tree.GetType(e.ID()).IsExactType(t) }

// call takes a call apart; the receiver is the first of the arguments.
func call(e ast.Expr) (name string, args []ast.Expr) {
	if e.Kind() != ast.CallKind {
		return "", nil
	}
	k := e.AsCall()
	args = k.Args()
	if k.IsMemberFunction() {
		args = append([]ast.Expr{k.Target()}, args...)
	}
	return k.FunctionName(), args
}

// word is an argument that has to be written out, because what is captured
// depends on it.
func (c *compiler) word(e ast.Expr) string {
	if e.Kind() == ast.LiteralKind {
		if s, ok := e.AsLiteral().(types.String); ok {
			return string(s)
		}
	}
	c.refuse(e, "a name in quotes is expected here")
	return ""
}

func (c *compiler) whole(e ast.Expr, least, most int64, what string) int {
	if e.Kind() == ast.LiteralKind {
		if n, ok := e.AsLiteral().(types.Int); ok && int64(n) >= least && int64(n) <= most {
			return int(n)
		}
	}
	c.refuse(e, "%s must be a literal number from %d to %d", what, least, most)
	return 0
}

// window is a number of points, which have to be kept then.
func (c *compiler) window(e ast.Expr) int {
	n := c.whole(e, 1, maxWindow, "the number of points")
	c.out.window = max(c.out.window, n)
	return n
}

// period gives the place of a start among those that are kept.
func (c *compiler) period(e ast.Expr, from int64) int {
	i := slices.Index(c.out.since, from)
	if i < 0 {
		if len(c.out.since) == maxPeriods {
			c.refuse(e, "since() names more than %d steps", maxPeriods)
		}
		i = len(c.out.since)
		c.out.since = append(c.out.since, from)
	}
	return i
}

// source gives the place of what a call of series, scalars or tensors reads.
func (c *compiler) source(e ast.Expr, name string, args []ast.Expr, mode string) int {
	s := source{mode: mode}
	if len(args) > 1 {
		s.stat = c.word(args[1])
		if err := checkStatistic(s.stat); err != nil {
			c.refuse(args[1], "%v", err)
		}
	}
	if name == "series" {
		s.name = c.word(args[0])
	} else {
		s.pattern = c.word(args[0])
		if _, err := pyre.Compile(s.pattern); err != nil {
			c.refuse(args[0], "pattern %q: %v", s.pattern, err)
		}
	}
	if s.name == "" && s.pattern == "" {
		c.refuse(args[0], "the name is empty")
	}
	if i := slices.Index(c.out.sources, s); i >= 0 {
		return i
	}
	c.out.sources = append(c.out.sources, s)
	return len(c.out.sources) - 1
}

var modes = []string{"train", "eval", "predict", "global"}

// reads looks through in_mode for the source that a call names.
func (c *compiler) reads(e ast.Expr) (at int, ok bool) {
	name, args := call(e)
	mode := ""
	if name == "in_mode" {
		mode = strings.ToLower(c.word(args[1]))
		if !slices.Contains(modes, mode) {
			c.refuse(args[1], "unknown mode %q; did you mean %q? Known: %s", mode, rule.Nearest(mode, modes), strings.Join(modes, ", "))
		}
		name, args = call(args[0])
	}
	switch name {
	case "series", "scalars", "tensors":
		return c.source(e, name, args, mode), true
	}
	if mode != "" {
		c.refuse(e, "in_mode() must follow series(), scalars() or tensors() directly")
	}
	return 0, false
}

// one compiles what gives a series.
func (c *compiler) one(e ast.Expr) one {
	if at, ok := c.reads(e); ok {
		return func(f *frame) *series { return f.single(at) }
	}
	if e.Kind() == ast.IdentKind {
		for i := len(c.scope) - 1; i >= 0; i-- {
			if v := c.scope[i]; v.name == e.AsIdent() {
				return func(f *frame) *series { return f.vars[v.slot] }
			}
		}
	}
	if name, args := call(e); name == operators.Conditional {
		which, a, b := c.truth(args[0]), c.one(args[1]), c.one(args[2])
		return func(f *frame) *series {
			if which(f) {
				return a(f)
			}
			return b(f)
		}
	}
	c.refuse(e, "this is not supported where a series is expected")
	return nil
}

// many compiles what gives several series.
func (c *compiler) many(e ast.Expr) many {
	if at, ok := c.reads(e); ok {
		return func(f *frame) []*series { return f.several(at) }
	}
	l, ok := c.loop(e)
	if !ok || l.kind != filters {
		c.refuse(e, "this is not supported where a list of series is expected")
	}
	return func(f *frame) []*series {
		var out []*series
		l.each(f, func(s *series) bool {
			if l.test(f) && f.err == nil {
				out = append(out, s)
			}
			return f.err == nil
		})
		return out
	}
}

// list compiles what gives a list of numbers.
func (c *compiler) list(e ast.Expr) list {
	l, ok := c.loop(e)
	if !ok || l.kind != maps {
		c.refuse(e, "this is not supported where a list of numbers is expected: write tensors(…).map(t, …)")
	}
	return func(f *frame) []float64 {
		var out []float64
		l.each(f, func(*series) bool {
			if l.test == nil || l.test(f) {
				if x := l.value(f); f.err == nil {
					out = append(out, x)
				}
			}
			return f.err == nil
		})
		return out
	}
}

func (c *compiler) text(e ast.Expr) text {
	switch {
	case e.Kind() == ast.LiteralKind:
		s := c.word(e)
		return func(*frame) string { return s }
	case e.Kind() == ast.IdentKind && e.AsIdent() == "mode":
		return func(f *frame) string { return f.mode }
	}
	c.refuse(e, "this is not supported where a text is expected")
	return nil
}
