package config

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// ParseRules reads the rule key of a document in the form of vigil.yaml, and
// nothing else of it. name is how errors call the document.
func ParseRules(data []byte, name string, cat Catalogue) ([]RuleConfig, error) {
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
	d.cat = cat.with(d.ownRules(pairs)...)
	var l layer
	for _, p := range pairs {
		if p.key == "rule" {
			if err := d.list(&l, p); err != nil {
				return nil, err
			}
		}
	}
	return l.rules, nil
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
	for _, k := range known {
		if _, _, builtin := cat.lookup(k.Rule); !builtin {
			cat = cat.with(k.Rule)
		}
	}
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
