// Package rules holds the engine that runs rules over the complete steps of a
// run, the catalogue of the built-in ones, and the completer that decides when
// a step is complete.
package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/rules/builtin"
	"github.com/vigil-ml/vigil/internal/rules/expression"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/rule"
)

// Config is one configuration of a rule, as the user or a set gives it.
type Config struct {
	Rule          string            // any spelling of its name
	Configuration string            // name of this configuration; "" means the rule's
	Params        map[string]string // as written
	Checks        string            // which of its checks count: SettledChecks, ExperimentalChecks or EveryCheck
}

// Catalogue gives the built-in rules in the order of the documentation, then
// those that were added.
func Catalogue() []*rule.Definition { return slices.Concat(builtin.All(), added) }

// Lookup finds a rule of the catalogue by any spelling of its name.
func Lookup(name string) (*rule.Definition, bool) { return rule.Find(Catalogue(), name) }

// Notice says what a rule of the catalogue is here of a name that it has elsewhere,
// "" of other names.
func Notice(name string) string {
	name = strings.TrimSpace(name)
	if d, ok := Lookup(name); ok {
		return d.Notices[name]
	}
	return ""
}

// Resolve gives the definition of a configuration: a rule of the catalogue, or
// what its expression or its Python class makes. The error is an
// *UnknownRuleError or a *rule.ParamError, or wraps an *expression.Error.
func Resolve(c Config) (*rule.Definition, error) { return resolve(c, Catalogue()) }

func resolve(c Config, defs []*rule.Definition) (*rule.Definition, error) {
	isExpression, isPython := expression.Is(c.Params), pyrule.Is(c.Params)
	if d, ok := rule.Find(defs, c.Rule); ok {
		switch {
		case isExpression:
			return nil, &rule.ParamError{Rule: c.Rule, What: expression.Key, Message: fmt.Sprintf("the rule %q already exists", c.Rule), Hint: "give the expression another name"}
		case isPython:
			return nil, &rule.ParamError{Rule: c.Rule, What: pyrule.Key, Message: fmt.Sprintf("the rule %q already exists", c.Rule), Hint: "give the Python class another name as a rule"}
		}
		return d, nil
	}
	switch {
	case isExpression && isPython:
		return nil, &rule.ParamError{Rule: c.Rule, What: pyrule.Key, Message: "it has an expression and a source", Hint: "give it one of the two: a rule is an expression or a Python class"}
	case isExpression:
		return expression.Define(c.Rule, c.Params)
	case isPython:
		return pyrule.Define(c.Rule, c.Params)
	}
	return nil, unknownRule(c.Rule, defs)
}

// ExpressionParameters are the names of the parameters that a rule which is an
// expression takes.
func ExpressionParameters() []string { return expression.Parameters() }

// PythonParameters are the names of the parameters that a rule which is a
// Python class takes besides those of the class.
func PythonParameters() []string { return pyrule.Parameters() }

// IsPython reports whether a configuration is a Python class: code that is not
// ours, and is only run when the user asks for it.
func IsPython(c Config) bool { return pyrule.Is(c.Params) }

// UnknownRuleError names the rule that is nearest.
type UnknownRuleError struct{ Name, Nearest string }

func (e *UnknownRuleError) Error() string {
	if why := Foreign(e.Name); why != "" {
		return fmt.Sprintf("find rule: %q is unknown: %s", e.Name, why)
	}
	return fmt.Sprintf("find rule: %q is unknown; did you mean %q?", e.Name, e.Nearest)
}

func unknownRule(name string, defs []*rule.Definition) error {
	var names []string
	for _, d := range defs {
		names = append(names, d.Spellings()...)
	}
	e := &UnknownRuleError{Name: name, Nearest: rule.Nearest(name, names)}
	if d, ok := rule.Find(defs, e.Nearest); ok {
		e.Nearest = d.Name
	}
	return e
}

// Parameters gives the names that a rule's parameters answer to, for parsing a
// specification such as NAME:key=value,key=value.
func Parameters(name string) ([]string, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, unknownRule(name, Catalogue())
	}
	out := []string{}
	for _, p := range d.AllParameters() {
		out = append(append(append(out, p.Name), p.Aliases...), p.Formerly...)
		for i := 0; i < 10 && p.Numbered != ""; i++ {
			out = append(out, fmt.Sprintf("%s%d", p.Numbered, i))
		}
	}
	return out, nil
}

// Check parses one configuration without running it; the error is as that of
// Resolve.
func Check(c Config) error {
	d, err := Resolve(c)
	if err != nil {
		return err
	}
	p, err := d.Parse(c.Params)
	if err != nil {
		return err
	}
	r, err := d.New(p)
	if err != nil {
		return err
	}
	for _, sel := range r.Select() {
		for _, pattern := range sel.Regex {
			if _, err := pyre.Compile(pattern); err != nil {
				return badPattern(d, p, pattern, err)
			}
		}
	}
	return nil
}

// badPattern names the parameter that a pattern came from.
func badPattern(d *rule.Definition, p rule.Params, pattern string, err error) error {
	reason := err.Error()
	var wrong *pyre.Error
	if errors.As(err, &wrong) {
		reason = wrong.Text()
	}
	e := &rule.ParamError{Rule: d.Name, What: pattern, Message: fmt.Sprintf("%q is not a regular expression: %s", pattern, reason), Hint: "patterns are those of Python's re module"}
	for _, x := range d.AllParameters() {
		if p.String(x.Name) == pattern || slices.Contains(p.List(x.Name), pattern) {
			e.What = x.Name
			e.Message = fmt.Sprintf("parameter %q: ", x.Name) + e.Message
			break
		}
	}
	return e
}

// Merge adds what the user asked for to a set. A rule that the user names
// takes the place of the set's configuration of it: then the rule's own
// defaults hold, not the set's. A rule named twice runs twice, the second
// time as NAME_2.
func Merge(set, user []Config) []Config {
	named := map[string]bool{}
	for i := range user {
		if d, ok := Lookup(user[i].Rule); ok {
			named[d.Name] = true
		}
	}
	var out []Config
	for _, c := range set {
		if d, ok := Lookup(c.Rule); !ok || !named[d.Name] {
			out = append(out, c)
		}
	}
	for _, c := range user {
		out = append(out, Named(c))
	}
	return distinct(out)
}

// distinct names the configurations that have no name, or one that is taken.
func distinct(cs []Config) []Config {
	taken := map[string]bool{}
	out := make([]Config, len(cs))
	for i, c := range cs {
		base := c.Configuration
		if base == "" {
			base = c.Rule
			if d, ok := Lookup(c.Rule); ok {
				base = d.Name
			}
		}
		c.Configuration = base
		for n := 2; taken[c.Configuration]; n++ {
			c.Configuration = fmt.Sprintf("%s_%d", base, n)
		}
		taken[c.Configuration] = true
		out[i] = c
	}
	return out
}
