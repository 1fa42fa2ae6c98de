package config

import (
	"fmt"
	"slices"
	"strings"
)

// Catalogue is what config must know of the rules to check names.
type Catalogue struct {
	// Names are the canonical names, for suggestions.
	Names []string
	// Lookup finds a rule by any of its spellings and gives its canonical name
	// and the names of its parameters.
	Lookup func(name string) (canonical string, params []string, ok bool)
	// Expression are the names of the parameters that a rule takes which is
	// an expression; empty: there are no such rules.
	Expression []string
	// CheckExpression refuses such a rule when it is wrong; an error that has
	// a Position says where in the expression.
	CheckExpression func(name string, params map[string]string) error

	own []string // rules of the file that are expressions
}

// with is the catalogue and the rules that the user has written.
func (c Catalogue) with(names ...string) Catalogue {
	c.own = slices.Concat(c.own, names)
	c.Names = slices.Concat(c.Names, names)
	return c
}

func (c Catalogue) lookup(name string) (string, []string, bool) {
	if slices.Contains(c.own, name) {
		return name, c.Expression, true
	}
	return c.builtin(name)
}

func (c Catalogue) builtin(name string) (string, []string, bool) {
	if c.Lookup == nil {
		return "", nil, false
	}
	return c.Lookup(name)
}

// expressionKey is the parameter that makes a rule of an expression.
const expressionKey = "expression"

// configurationKey may be given to every rule besides its parameters: the name
// of this configuration, so that a rule can run twice.
const configurationKey = "configuration"

// RuleConfig is one rule that was asked for by name.
type RuleConfig struct {
	Rule          string            `json:"rule"`          // canonical name
	Configuration string            `json:"configuration"` // name of this configuration; the rule's own unless said
	Params        map[string]string `json:"params,omitempty"`
	From          string            `json:"from"` // where it was written: "--rule", "VIGIL_RULE", "vigil.yaml:3:5"
}

func (c Catalogue) unknown(name, at string) error {
	return &UsageError{Message: fmt.Sprintf("%s: there is no rule %q", at, name), What: name, Hint: suggest(name, c.Names)}
}

// parseRule reads a --rule SPEC.
func parseRule(spec, at string, cat Catalogue) (RuleConfig, error) {
	canonical, own := "", false
	name, kv, err := ParseSpec(spec, func(name string) ([]string, error) {
		c, params, ok := cat.lookup(name)
		if !ok && len(cat.Expression) > 0 && strings.Contains(spec, expressionKey+"=") {
			c, params, ok = name, cat.Expression, true
			own = true
		}
		if !ok {
			return nil, cat.unknown(name, at)
		}
		canonical = c
		return append(slices.Clone(params), configurationKey, actionJSON), nil
	})
	if err != nil {
		return RuleConfig{}, err
	}
	rc := RuleConfig{Rule: canonical, Configuration: canonical, From: at}
	for _, p := range kv {
		if p.Key == configurationKey {
			if strings.TrimSpace(p.Value) == "" {
				return rc, &UsageError{Message: fmt.Sprintf("%s: the configuration of %q has no name", at, name), What: spec}
			}
			rc.Configuration = p.Value
			continue
		}
		if rc.Params == nil {
			rc.Params = map[string]string{}
		}
		rc.Params[p.Key] = p.Value
	}
	if own {
		if err := cat.CheckExpression(canonical, rc.Params); err != nil {
			return rc, &UsageError{Message: fmt.Sprintf("%s: %v", at, err), What: spec, cause: err}
		}
	}
	return rc, nil
}

// addRule adds a configuration or, when one of its name is there, sets its
// parameters.
func addRule(list []RuleConfig, rc RuleConfig) ([]RuleConfig, error) {
	for i := range list {
		old := &list[i]
		if old.Configuration != rc.Configuration {
			continue
		}
		if old.Rule != rc.Rule {
			msg := fmt.Sprintf("%s: configuration %q is of rule %q in %s, of rule %q here", rc.From, rc.Configuration, old.Rule, old.From, rc.Rule)
			return nil, &UsageError{Message: msg, What: rc.Configuration, Hint: "use another configuration name"}
		}
		for k, v := range rc.Params {
			if old.Params == nil {
				old.Params = map[string]string{}
			}
			old.Params[k] = v
		}
		old.From += ", " + rc.From
		return list, nil
	}
	return append(list, rc), nil
}
