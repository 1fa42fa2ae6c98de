package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// added are the rules that the program brings along besides the built-in ones.
var added []*rule.Definition

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Add puts rules into the catalogue, after the built-in ones. It is called
// before anything else of the package, by a program that has rules of its own.
// The error reports which rule lacks what; then none is added.
func Add(defs ...*rule.Definition) error {
	all := Catalogue()
	for i, d := range defs {
		if d == nil {
			return fmt.Errorf("add rule: number %d is nil", i+1)
		}
		if err := lacks(d); err != nil {
			return fmt.Errorf("add rule %q: %w", d.Name, err)
		}
		for _, name := range d.Spellings() {
			if other, taken := rule.Find(all, name); taken {
				return fmt.Errorf("add rule %q: the name %q is taken by the rule %s; choose another", d.Name, name, other.Name)
			}
		}
		all = append(all, d)
	}
	added = slices.Concat(added, defs)
	return nil
}

// lacks reports what is wrong with a definition.
func lacks(d *rule.Definition) error {
	switch {
	case !snakeCase.MatchString(d.Name):
		return fmt.Errorf("Name must be in snake_case, such as \"large_bias\"")
	case d.Class == "":
		return fmt.Errorf("Class is empty; it is the name in CamelCase")
	case d.Summary == "":
		return fmt.Errorf("Summary is empty; it is one sentence that says what the rule detects")
	case d.Family != rule.Tensors && d.Family != rule.Metrics:
		return fmt.Errorf("Family %q is unknown; use rule.Tensors or rule.Metrics", d.Family)
	case d.Severity != rule.Info && d.Severity != rule.Warning && d.Severity != rule.Error:
		return fmt.Errorf("Severity %q is unknown; use rule.Info, rule.Warning or rule.Error", d.Severity)
	case !slices.Contains(rule.CauseClasses, d.CauseClass):
		return fmt.Errorf("CauseClass %q is unknown; it is one of %s", d.CauseClass, strings.Join(rule.CauseClasses, ", "))
	case d.New == nil:
		return fmt.Errorf("New is nil; it makes the rule from its parameters")
	}
	for i := range d.Checks {
		if c := &d.Checks[i]; c.ID != d.Name+"/"+c.Name() || !snakeCase.MatchString(c.Name()) {
			return fmt.Errorf("Checks: the ID %q is not the rule's name, a slash and a name in snake_case, such as \"%s/large\"", c.ID, d.Name)
		}
	}
	if _, err := d.Parse(d.Example); err != nil {
		return fmt.Errorf("its own defaults cannot be used: %w", err)
	}
	if d.Default != nil {
		if _, err := d.Parse(d.Default.Params); err != nil {
			return fmt.Errorf("its configuration in the default set cannot be used: %w", err)
		}
	}
	return nil
}
