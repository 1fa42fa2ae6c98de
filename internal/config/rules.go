package config

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// ParseRules reads the rule key of a document in the form of vigil.yaml, and
// nothing else of it. name is how errors call the document.
func ParseRules(data []byte, name string, cat Catalogue) ([]RuleConfig, error) {
	cat.base = filepath.Dir(name)
	d := &document{name: name, cat: cat, data: data}
	root, err := d.parse(data)
	if err != nil || root == nil {
		return nil, err
	}
	if n := alias(root); n != nil {
		return nil, d.fail(n, "write it out", "aliases are not supported")
	}
	pairs, err := d.mapping(root, "the file")
	if err != nil {
		return nil, err
	}
	d.cat = cat.with(d.ownRules(pairs))
	var l layer
	for _, p := range pairs {
		if p.key == "rule" {
			if err := d.list(&l, p); err != nil {
				return nil, err
			}
		}
	}
	rules := distinct(l.rules)
	inherit(rules, d.cat)
	return rules, nil
}

// ownOf are the rules among configurations that the user has written.
func (c Catalogue) ownOf(list []RuleConfig) map[string]*Own {
	out := map[string]*Own{}
	for _, rc := range list {
		if kind := c.kind(func(key string) bool { return rc.Params[key] != "" }); kind != nil {
			if _, _, builtin := c.builtin(rc.Rule); !builtin {
				out[rc.Rule] = kind
			}
		}
	}
	return out
}

// aliases finds the first alias of a tree.
type aliases struct{ first ast.Node }

// Visit is called for each node.
func (a *aliases) Visit(n ast.Node) ast.Visitor {
	if _, is := n.(*ast.AliasNode); is && a.first == nil {
		a.first = n
	}
	return a
}

func alias(root ast.Node) ast.Node {
	var a aliases
	ast.Walk(&a, root)
	return a.first
}

// ParseRule reads a SPEC. Where it names one of the known configurations, or
// the rule of one, it sets parameters of that one.
func ParseRule(spec, at string, cat Catalogue, known []RuleConfig) (RuleConfig, error) {
	cat = cat.with(cat.ownOf(known))
	for _, k := range known {
		if k.Configuration == spec {
			return k, nil
		}
	}
	rc, err := parseRule(spec, at, cat)
	if err != nil {
		return rc, err
	}
	i := slices.IndexFunc(known, func(k RuleConfig) bool {
		return k.Rule == rc.Rule && (k.Configuration == rc.Configuration || rc.Configuration == rc.Rule)
	})
	if i < 0 {
		return rc, nil
	}
	merged := known[i]
	merged.Params = map[string]string{}
	maps.Copy(merged.Params, known[i].Params)
	maps.Copy(merged.Params, rc.Params)
	return merged, nil
}
