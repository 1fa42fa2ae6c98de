package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// own reads {rule, expression, …} or {rule, source, …}: a rule that the user
// has written. Its parameters are next to the key of its kind, or under
// parameters.
func (d *document) own(l *layer, item ast.Node, pairs []pair, kind *Own) error {
	rc := RuleConfig{From: d.at(item), Params: map[string]string{}}
	var nameNode, keyNode ast.Node
	for _, p := range pairs {
		var err error
		switch {
		case p.key == "rule":
			nameNode = p.value
			rc.Rule, err = d.text(p.value, p.key)
		case p.key == "configuration":
			if rc.Configuration, err = d.text(p.value, p.key); err == nil && notEmpty(rc.Configuration) != nil {
				err = d.fail(p.value, "", "the configuration has no name")
			}
		case p.key == "parameters":
			err = d.more(&rc, p, kind)
		case slices.Contains(kind.Params, p.key):
			err = d.one(&rc, p)
		default:
			known := append([]string{"rule", "configuration", "parameters"}, kind.Params...)
			err = d.unknown(p, "a rule that is "+kind.Of, known...)
			if u := (*UsageError)(nil); kind.Free && errors.As(err, &u) && u.Hint == "" {
				u.Hint = "its parameters belong under parameters:"
			}
			return err
		}
		if err != nil {
			return err
		}
		if p.key == kind.Key {
			keyNode = p.value
		}
	}
	if nameNode == nil {
		return d.fail(item, "write rule: NAME with a new name", "%s without a name", kind.Of)
	}
	if _, _, taken := d.cat.builtin(rc.Rule); taken {
		return d.fail(nameNode, "give it a new name", "the rule %q already exists", rc.Rule)
	}
	if rc.Configuration == "" {
		rc.Configuration = rc.Rule
	}
	text := rc.Params[kind.Key]
	if err := d.cat.place(kind, rc.Params); err != nil {
		return d.wrap(keyNode, err)
	}
	if err := d.cat.CheckOwn(rc.Rule, rc.Params); err != nil {
		return d.misplaced(keyNode, text, err)
	}
	for _, o := range l.rules {
		if o.Configuration == rc.Configuration {
			return d.fail(nameNode, "use another configuration name", "the configuration %q already exists in %s", rc.Configuration, o.From)
		}
	}
	l.rules = append(l.rules, rc)
	return nil
}

// ownKind is the kind of a rule that the user has written; nil for others.
func (d *document) ownKind(pairs []pair) *Own {
	return d.cat.kind(func(key string) bool { return slices.ContainsFunc(pairs, func(p pair) bool { return p.key == key }) })
}

// ownRules are the rules of the file that the user has written, so that the
// rest of it may speak of them.
func (d *document) ownRules(pairs []pair) map[string]*Own {
	names := map[string]*Own{}
	for _, p := range pairs {
		if p.key != "rule" {
			continue
		}
		for _, item := range d.sequence(p.value) {
			keys, err := d.mapping(item, "a rule")
			if err != nil {
				continue // a SPEC, or a mistake that is told later
			}
			for _, k := range keys {
				if kind := d.ownKind(keys); k.key == "rule" && kind != nil {
					if name, _ := scalar(k.value); name != "" {
						names[name] = kind
					}
				}
			}
		}
	}
	return names
}

// more reads what is under parameters.
func (d *document) more(rc *RuleConfig, p pair, kind *Own) error {
	params, err := d.parameters(p.value, rc.Rule, kind.Params, kind.Free)
	if err != nil {
		return err
	}
	for k, v := range params {
		if _, twice := rc.Params[k]; twice {
			return d.fail(p.value, "give it once", "%q is given twice, also under parameters", k)
		}
		rc.Params[k] = v
	}
	return nil
}

func (d *document) one(rc *RuleConfig, p pair) (err error) {
	if _, twice := rc.Params[p.key]; twice {
		return d.fail(p.keyNode, "give it once", "%q is given twice, also under parameters", p.key)
	}
	if p.key == "workers" {
		rc.Params[p.key], err = d.joined(p.value, p.key)
	} else {
		rc.Params[p.key], err = d.listOrText(p.value, p.key)
	}
	return err
}

// positioned is an error that knows its place in the expression.
type positioned interface {
	Position() (line, column int, message string)
}

// misplaced gives a mistake in an expression its place in the file.
func (d *document) misplaced(n ast.Node, text string, err error) error {
	var p positioned
	if !errors.As(err, &p) {
		return d.wrap(n, err)
	}
	line, column, message := p.Position()
	if l, c, ok := d.origin(n, text); ok {
		if line == 1 {
			c++
		} else {
			c = d.indent(n) + 1
		}
		at := fmt.Sprintf("%s:%d:%d", d.name, l+line-1, c+column-1)
		return &UsageError{Message: at + ": " + message, What: at, Hint: hintOf(err), cause: err}
	}
	at := d.at(n)
	return &UsageError{Message: fmt.Sprintf("%s: line %d, column %d of the expression: %s", at, line, column, message), What: at, cause: err}
}

// origin is where the text of a node begins: its line, and how many
// characters stand before it. ok is false when the file does not hold the text
// as it is, because quotes or folded lines changed it.
func (d *document) origin(n ast.Node, text string) (line, before int, ok bool) {
	lines := strings.Split(string(d.data), "\n")
	n = plainNode(n)
	if lit, is := n.(*ast.LiteralNode); is {
		if lit.Start == nil || lit.Start.Position == nil || !strings.HasPrefix(lit.Start.Value, "|") {
			return 0, 0, false
		}
		return lit.Start.Position.Line + 1, d.indent(n), true
	}
	t := n.GetToken()
	if t == nil || t.Position == nil || t.Position.Line > len(lines) || strings.Contains(text, "\n") {
		return 0, 0, false
	}
	at := strings.Index(lines[t.Position.Line-1], text)
	if at < 0 {
		return 0, 0, false
	}
	return t.Position.Line, len([]rune(lines[t.Position.Line-1][:at])), true
}

// indent is that of a block of lines.
func (d *document) indent(n ast.Node) int {
	lit, is := plainNode(n).(*ast.LiteralNode)
	if !is || lit.Start == nil || lit.Start.Position == nil {
		return 0
	}
	for i, line := range strings.Split(string(d.data), "\n") {
		if i >= lit.Start.Position.Line && strings.TrimSpace(line) != "" {
			return len(line) - len(strings.TrimLeft(line, " "))
		}
	}
	return 0
}
