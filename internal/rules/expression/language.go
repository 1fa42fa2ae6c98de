// Package expression makes rules of expressions that a user writes in the
// configuration file: conditions over series and statistics, in the grammar
// and with the types of CEL (the Common Expression Language).
//
// The types of an expression are checked when it is loaded. What it reads is
// taken from its text, so that it is captured by itself. It is evaluated by
// this package, which bounds what a step may cost and keeps, of each series,
// no more than the longest window that the expression names.
package expression

import (
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
)

// Bounds of an expression.
const (
	maxText    = 4096 // code points
	maxDepth   = 100  // of brackets and calls within each other
	maxWindow  = 1000 // points that one function may look back on
	maxPeriods = 20   // different starts that since() names
	maxLoops   = 2    // loops within each other
	maxCost    = 10_000_000
)

// seriesType is what series() gives; periodType is what since() gives.
var (
	seriesType = cel.OpaqueType("series")
	periodType = cel.OpaqueType("period")
	manyType   = cel.ListType(seriesType)
	numbers    = cel.ListType(cel.DoubleType)
)

// language is the environment in which expressions are checked. Its functions
// are declared only: this package evaluates them.
var language = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.ParserExpressionSizeLimit(maxText),
		cel.ParserRecursionLimit(maxDepth),
		cel.Macros(cel.StandardMacros...),
		cel.Variable("step", cel.IntType),
		cel.Variable("global_step", cel.IntType),
		cel.Variable("mode", cel.StringType),
	}
	options = append(options, logic()...)
	options = append(options, arithmetic()...)
	options = append(options, readings()...)
	return cel.NewCustomEnv(options...)
})

func function(name string, overloads ...cel.FunctionOpt) cel.EnvOption {
	return cel.Function(name, overloads...)
}

// takes declares one way to call a function.
func takes(id string, result *cel.Type, args ...*cel.Type) cel.FunctionOpt {
	return cel.Overload(id, args, result)
}

func method(id string, result *cel.Type, args ...*cel.Type) cel.FunctionOpt {
	return cel.MemberOverload(id, args, result)
}

// logic is what joins conditions.
func logic() []cel.EnvOption {
	t := cel.TypeParamType("T")
	list := cel.ListType(t)
	return []cel.EnvOption{
		function(operators.LogicalAnd, takes("and", cel.BoolType, cel.BoolType, cel.BoolType)),
		function(operators.LogicalOr, takes("or", cel.BoolType, cel.BoolType, cel.BoolType)),
		function(operators.LogicalNot, takes("not", cel.BoolType, cel.BoolType)),
		function(operators.Conditional, takes("if", t, cel.BoolType, t, t)),
		// The two that the macros expand to.
		function(operators.NotStrictlyFalse, takes("not_strictly_false", cel.BoolType, cel.BoolType)),
		function(operators.Add, takes("add_list", list, list, list)),
	}
}

// arithmetic counts whole numbers and others as one kind, so that a person
// may write 3 * x.
func arithmetic() []cel.EnvOption {
	var out []cel.EnvOption
	kinds := []*cel.Type{cel.DoubleType, cel.IntType}
	pairs := func(op, id string, result func(a, b *cel.Type) *cel.Type, more ...cel.FunctionOpt) {
		for _, a := range kinds {
			for _, b := range kinds {
				more = append(more, takes(fmt.Sprintf("%s_%s_%s", id, a, b), result(a, b), a, b))
			}
		}
		out = append(out, function(op, more...))
	}
	wider := func(a, b *cel.Type) *cel.Type {
		if a == cel.IntType && b == cel.IntType {
			return cel.IntType
		}
		return cel.DoubleType
	}
	always := func(t *cel.Type) func(a, b *cel.Type) *cel.Type { return func(_, _ *cel.Type) *cel.Type { return t } }
	pairs(operators.Add, "add", wider)
	pairs(operators.Subtract, "subtract", wider)
	pairs(operators.Multiply, "multiply", wider)
	pairs(operators.Divide, "divide", always(cel.DoubleType))
	out = append(out, function(operators.Modulo, takes("modulo", cel.IntType, cel.IntType, cel.IntType)))
	out = append(out, function(operators.Negate, takes("negate_double", cel.DoubleType, cel.DoubleType), takes("negate_int", cel.IntType, cel.IntType)))
	for _, c := range []struct{ op, id string }{
		{operators.Less, "less"}, {operators.LessEquals, "less_equals"}, {operators.Greater, "greater"}, {operators.GreaterEquals, "greater_equals"},
	} {
		pairs(c.op, c.id, always(cel.BoolType))
	}
	same := takes("equals_string", cel.BoolType, cel.StringType, cel.StringType)
	pairs(operators.Equals, "equals", always(cel.BoolType), same)
	same = takes("not_equals_string", cel.BoolType, cel.StringType, cel.StringType)
	pairs(operators.NotEquals, "not_equals", always(cel.BoolType), same)

	both := func(name string) {
		out = append(out, function(name, takes(name+"_double", cel.DoubleType, cel.DoubleType), takes(name+"_int", cel.DoubleType, cel.IntType)))
	}
	for _, name := range []string{"abs", "log", "exp", "sqrt"} {
		both(name)
	}
	for _, name := range []string{"is_nan", "is_inf", "is_finite"} {
		out = append(out, function(name, takes(name, cel.BoolType, cel.DoubleType)))
	}
	return out
}

// readings are the functions that look at series.
func readings() []cel.EnvOption {
	d, i, s := cel.DoubleType, cel.IntType, cel.StringType
	out := []cel.EnvOption{
		function("series", takes("series_scalar", seriesType, s), takes("series_statistic", seriesType, s, s)),
		function("scalars", takes("scalars", manyType, s)),
		function("tensors", takes("tensors", manyType, s, s)),
		function("in_mode", method("series_in_mode", seriesType, seriesType, s), method("many_in_mode", manyType, manyType, s)),
		function("known", takes("known", cel.BoolType, seriesType)),
		function("last", method("series_last", d, seriesType)),
		function("previous", method("series_previous", d, seriesType, i)),
		function("last_step", method("series_last_step", i, seriesType)),
		function("since", method("series_since", periodType, seriesType, i)),
		function("quantile", method("series_quantile", d, seriesType, d, i), method("list_quantile", d, numbers, d)),
		function("size", takes("size_many", i, manyType), method("many_size", i, manyType), takes("size_numbers", i, numbers), method("numbers_size", i, numbers)),
		function("ratio", takes("ratio_series", d, seriesType, seriesType), takes("ratio_double", d, d, d), takes("ratio_double_int", d, d, i), takes("ratio_int_double", d, i, d)),
		function("first", method("series_first", d, seriesType), method("period_first", d, periodType)),
		function("count", method("series_count", i, seriesType), method("period_count", i, periodType)),
		function("std", method("series_std_window", d, seriesType, i)),
	}
	for _, name := range []string{"mean", "min", "max", "slope"} {
		overloads := []cel.FunctionOpt{
			method("series_"+name, d, seriesType), method("series_"+name+"_window", d, seriesType, i), method("period_"+name, d, periodType),
		}
		if name != "slope" {
			overloads = append(overloads, method("list_"+name, d, numbers))
		}
		if name == "min" || name == "max" {
			for _, a := range []*cel.Type{d, i} {
				for _, b := range []*cel.Type{d, i} {
					overloads = append(overloads, takes(fmt.Sprintf("%s_%s_%s", name, a, b), d, a, b))
				}
			}
		}
		out = append(out, function(name, overloads...))
	}
	return out
}
