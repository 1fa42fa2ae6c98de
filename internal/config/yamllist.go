package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/vigil-ml/vigil/internal/record"
)

// list reads one of the keys that hold lists.
func (d *document) list(l *layer, p pair) error {
	if p.key == "tag" {
		return d.readTags(l, p)
	}
	for _, item := range d.sequence(p.value) {
		var err error
		switch p.key {
		case "rule":
			err = d.rule(l, item)
		case "collect":
			err = d.collect(l, item)
		case "mute":
			err = d.mute(l, item)
		case "actions":
			err = d.action(l, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unknown refuses a key that an item of a list does not have.
func (d *document) unknown(p pair, of string, known ...string) error {
	return d.fail(p.keyNode, Suggest(p.key, known), "unknown key %q of %s", p.key, of)
}

// rule reads a SPEC or {rule, configuration, parameters}.
func (d *document) rule(l *layer, item ast.Node) error {
	at := d.at(item)
	if spec, ok := scalar(item); ok {
		rc, err := parseRule(spec, at, d.cat)
		if err != nil {
			return d.wrap(item, err)
		}
		l.rules = append(l.rules, rc)
		return nil
	}
	pairs, err := d.mapping(item, "a rule")
	if err != nil {
		return err
	}
	if kind := d.ownKind(pairs); kind != nil {
		return d.own(l, item, pairs, kind)
	}
	if err := d.ruleKeys(pairs); err != nil {
		return err
	}
	rc := RuleConfig{From: at}
	var params ast.Node
	var known []string
	var free bool
	for _, p := range pairs {
		switch p.key {
		case "rule":
			name, err := d.text(p.value, p.key)
			if err != nil {
				return err
			}
			var ok bool
			if rc.Rule, known, free, ok = d.cat.lookup(name); !ok {
				return d.cat.unknown(name, d.at(p.value))
			}
			d.cat.notice(name, d.at(p.value))
		case "configuration":
			if rc.Configuration, err = d.text(p.value, p.key); err != nil {
				return err
			}
			if notEmpty(rc.Configuration) != nil {
				return d.fail(p.value, "", "the configuration has no name")
			}
		case "parameters":
			params = p.value
		}
	}
	if rc.Rule == "" {
		return d.fail(item, "write rule: NAME", "a rule without a name")
	}
	if rc.Configuration == "" {
		rc.Configuration = rc.Rule
	}
	if rc.Params, err = d.parameters(params, rc.Rule, known, free); err != nil {
		return err
	}
	l.rules = append(l.rules, rc)
	return nil
}

// ruleKeys refuses keys that a rule does not have. That comes before its name is
// looked up: with a key that is misspelt nobody knows what it is of. Of several
// the one is named that is nearest to a known one.
func (d *document) ruleKeys(pairs []pair) error {
	keys := []string{"rule", "configuration", "parameters"}
	for _, o := range d.cat.Own {
		keys = append(keys, o.Key)
	}
	var wrong []pair
	var params []string
	for _, p := range pairs {
		if !slices.Contains(keys, p.key) {
			wrong = append(wrong, p)
		} else if name, err := d.text(p.value, p.key); p.key == "rule" && err == nil {
			_, params, _, _ = d.cat.lookup(name)
		}
	}
	for _, p := range wrong {
		if Nearest(p.key, keys) != "" {
			return d.unknown(p, "a rule", keys...)
		}
	}
	for _, p := range wrong {
		if name := Nearest(p.key, params); name != "" {
			return d.fail(p.keyNode, fmt.Sprintf("parameters belong under parameters: did you mean %q there?", name), "unknown key %q of a rule", p.key)
		}
	}
	if len(wrong) > 0 {
		return d.unknown(wrong[0], "a rule", keys...)
	}
	return nil
}

// parameters reads the parameters of a rule as text; a list becomes a JSON
// array, which every list parameter reads. With free there may be others than
// those known.
func (d *document) parameters(n ast.Node, rule string, known []string, free bool) (map[string]string, error) {
	if n == nil {
		return nil, nil
	}
	pairs, err := d.mapping(n, "parameters")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, p := range pairs {
		if p.key != actionJSON && !ofTrials(p.key) && !free && !slices.Contains(known, p.key) {
			return nil, d.fail(p.keyNode, Suggest(p.key, known), "rule %q has no parameter %q", rule, p.key)
		}
		if out[p.key], err = d.listOrText(p.value, p.key); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listOrText is the text of a scalar, or a list as a JSON array.
func (d *document) listOrText(n ast.Node, key string) (string, error) {
	if _, isList := plainNode(n).(*ast.SequenceNode); !isList {
		return d.text(n, key)
	}
	list, err := d.texts(n, key)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "", d.wrap(n, err)
	}
	return string(b), nil
}

// collect reads a SPEC or its keys written out.
func (d *document) collect(l *layer, item ast.Node) error {
	at := d.at(item)
	if spec, ok := scalar(item); ok {
		c, err := ParseCollect(spec, at)
		if err != nil {
			return d.wrap(item, err)
		}
		l.collect = append(l.collect, c)
		return nil
	}
	pairs, err := d.mapping(item, "a collection")
	if err != nil {
		return err
	}
	var c collection
	c.By = []string{at}
	for _, p := range pairs {
		if err := d.collectKey(&c, p); err != nil {
			return err
		}
	}
	if c.Name == "" {
		return d.fail(item, "write name: NAME", "a collection without a name")
	}
	if len(c.ModuleTypes) > 0 && c.Side == "" {
		c.Side = record.Output
	}
	if err := c.finish(); err != nil {
		return d.wrap(item, err)
	}
	l.collect = append(l.collect, c.Collection)
	return nil
}

func (d *document) collectKey(c *collection, p pair) (err error) {
	switch p.key {
	case "name":
		if c.Name, err = d.text(p.value, p.key); err == nil {
			err = d.wrap(p.value, notEmpty(c.Name))
		}
	case "names":
		c.Names, err = d.texts(p.value, p.key)
	case "include":
		c.Collections, err = d.texts(p.value, p.key)
	case "module-types":
		c.ModuleTypes, err = d.texts(p.value, p.key)
	case "side":
		var side string
		if side, err = d.text(p.value, p.key); err == nil {
			side, err = oneOf(side, string(record.Input), string(record.Output))
			c.Side, err = record.Kind(side), d.wrap(p.value, err)
		}
	case "steps", "mode":
		var text string
		if text, err = d.joined(p.value, p.key); err == nil {
			err = d.wrap(p.value, c.set(p.key, text))
		}
	case "regex":
		for _, v := range d.sequence(p.value) {
			text, err := d.text(v, p.key)
			if err == nil {
				err = d.wrap(v, c.set(p.key, text))
			}
			if err != nil {
				return err
			}
		}
	default:
		if !slices.Contains(collectKeys, p.key) {
			return d.unknown(p, "a collection", append([]string{"name", "names", "include", "module-types", "side"}, collectKeys...)...)
		}
		var text string
		if text, err = d.text(p.value, p.key); err == nil {
			err = d.wrap(p.value, c.set(p.key, text))
		}
	}
	return err
}

func (d *document) mute(l *layer, item ast.Node) error {
	pairs, err := d.mapping(item, "a mute")
	if err != nil {
		return err
	}
	var m Mute
	for _, p := range pairs {
		text, err := d.text(p.value, p.key)
		if err != nil {
			return err
		}
		switch p.key {
		case "rule":
			name, _, _, ok := d.cat.lookup(text)
			if !ok {
				return d.cat.unknown(text, d.at(p.value))
			}
			m.Rule = name
		case "tensor":
			if err := checkRegex(text); err != nil {
				return d.wrap(p.value, err)
			}
			m.Tensor = text
		case "reason":
			m.Reason = text
		default:
			return d.unknown(p, "a mute", "rule", "tensor", "reason")
		}
	}
	switch {
	case m.Rule == "" && m.Tensor == "":
		return d.fail(item, "name a rule, a tensor pattern, or both", "a mute that hides every finding")
	case notEmpty(m.Reason) != nil:
		return d.fail(item, "add reason: why these findings do not count", "a mute without a reason")
	}
	l.mutes = append(l.mutes, m)
	return nil
}
