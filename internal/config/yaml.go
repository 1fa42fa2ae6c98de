package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a configuration file.
const (
	maxFile  = 256 << 10
	maxDepth = 64
)

func readFull(r io.Reader, b []byte) (int, error) {
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// document is a configuration file that is being read.
type document struct {
	name string
	cat  Catalogue
	data []byte
}

// at is the place of a node: vigil.yaml:3:5. A mapping begins at its first key.
func (d *document) at(n ast.Node) string {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0]
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	if n == nil || n.GetToken() == nil {
		return d.name
	}
	return d.atToken(n.GetToken())
}

func (d *document) atToken(t *token.Token) string {
	if t == nil || t.Position == nil {
		return d.name
	}
	return fmt.Sprintf("%s:%d:%d", d.name, t.Position.Line, t.Position.Column)
}

func (d *document) fail(n ast.Node, hint, format string, args ...any) error {
	at := d.at(n)
	return &UsageError{Message: at + ": " + fmt.Sprintf(format, args...), What: at, Hint: hint}
}

// wrap gives an error of a value its place.
func (d *document) wrap(n ast.Node, err error) error {
	if err == nil {
		return nil
	}
	return place(err, d.at(n))
}

// parseFile reads a configuration file.
func parseFile(data []byte, name string, cat Catalogue) (l layer, err error) {
	d := &document{name, cat, data}
	if len(data) > maxFile {
		return l, d.fail(nil, "", "the file is larger than %d KiB", maxFile>>10)
	}
	root, err := d.parse(data)
	if err != nil || root == nil {
		return l, err
	}
	pairs, err := d.mapping(root, "the file")
	if err != nil {
		return l, err
	}
	if isSageMaker(pairs) {
		l.request = true
		return l, d.sageMaker(&l, pairs)
	}
	d.cat = cat.with(d.ownRules(pairs))
	all := slices.Concat(scalarKeys, listKeys, serviceKeys)
	for _, p := range pairs {
		switch {
		case slices.Contains(scalarKeys, p.key):
			var text string
			if p.key == "stop-on" || p.key == "keep" || p.key == "rules" {
				text, err = d.joined(p.value, p.key)
			} else {
				text, err = d.text(p.value, p.key)
			}
			if err == nil {
				s := setting{p.key, text, d.at(p.value) + ": " + p.key}
				if e := d.check(s); e != nil {
					return l, place(e, s.at)
				}
				l.scalars = append(l.scalars, s)
			}
		case slices.Contains(listKeys, p.key):
			err = d.list(&l, p)
		case slices.Contains(serviceKeys, p.key):
			err = d.service(&l, p)
		default:
			err = d.fail(p.keyNode, Suggest(p.key, all), "unknown key %q", p.key)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

// check parses a scalar whose value needs no other key, so that the error is
// there even when a flag overrides it.
func (d *document) check(s setting) error {
	if s.key == "stop-on" {
		return nil
	}
	r := Defaults()
	return r.set(s.key, s.text, d.cat, nil)
}

// parse gives the only document of the file, nil when the file is empty.
func (d *document) parse(data []byte) (root ast.Node, err error) {
	if deep(data) {
		return nil, d.fail(nil, "", "the file is nested too deeply")
	}
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, d.fail(nil, "check its indentation and quotes", "this is not YAML that can be read (%v)", r)
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		var y yaml.Error
		if errors.As(err, &y) {
			at := d.atToken(y.GetToken())
			return nil, &UsageError{Message: at + ": " + y.GetMessage(), What: at, Hint: "check indentation and quotes there"}
		}
		return nil, d.fail(nil, "check indentation and quotes", "%v", err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.NullType {
			continue
		}
		if root != nil {
			return nil, d.fail(doc.Body, "", "a second document begins here; only one is allowed")
		}
		root = doc.Body
	}
	return root, nil
}

// deep bounds nesting before the parser, which recurses, sees the file.
func deep(data []byte) bool {
	flow, most := 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			flow++
			most = max(most, flow)
		case ']', '}':
			flow = max(flow-1, 0)
		}
	}
	if most > 1000 {
		return true
	}
	for line := range strings.Lines(string(data)) {
		if strings.Count(line[:len(line)-len(strings.TrimLeft(line, " -?"))], "- ") > maxDepth {
			return true
		}
		if len(line)-len(strings.TrimLeft(line, " ")) > 40*maxDepth {
			return true
		}
	}
	return false
}

// pair is one key of a mapping.
type pair struct {
	key     string
	keyNode ast.Node
	value   ast.Node
}

// mapping takes a node apart that must be key: value pairs.
func (d *document) mapping(n ast.Node, what string) ([]pair, error) {
	var values []*ast.MappingValueNode
	switch m := plainNode(n).(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		return nil, d.fail(n, "", "%s must be key: value pairs, not %s", what, kindName(m))
	}
	var pairs []pair
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			return nil, d.fail(v.Key, "", "merge keys (<<) are not supported")
		}
		key, ok := scalar(v.Key)
		if !ok {
			return nil, d.fail(v.Key, "", "a key must be a word")
		}
		for _, p := range pairs {
			if p.key == key {
				return nil, d.fail(v.Key, "", "%q is given twice", key)
			}
		}
		pairs = append(pairs, pair{key, v.Key, v.Value})
	}
	return pairs, nil
}

// sequence takes a list apart; a single value counts as a list of one.
func (d *document) sequence(n ast.Node) []ast.Node {
	switch s := plainNode(n).(type) {
	case *ast.SequenceNode:
		return s.Values
	case *ast.NullNode, nil:
		return nil
	default:
		return []ast.Node{s}
	}
}

// text is the text of a scalar.
func (d *document) text(n ast.Node, key string) (string, error) {
	if s, ok := scalar(n); ok {
		return s, nil
	}
	return "", d.fail(n, "", "%s must be a single value, not %s", key, kindName(plainNode(n)))
}

// texts are the texts of a list of scalars.
func (d *document) texts(n ast.Node, key string) ([]string, error) {
	var out []string
	for _, v := range d.sequence(n) {
		s, err := d.text(v, key)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// joined is a scalar, or a list of them joined by commas.
func (d *document) joined(n ast.Node, key string) (string, error) {
	list, err := d.texts(n, key)
	return strings.Join(list, ","), err
}

// plainNode looks through anchors, aliases and tags.
func plainNode(n ast.Node) ast.Node {
	for range maxDepth {
		switch m := n.(type) {
		case *ast.AnchorNode:
			n = m.Value
		case *ast.TagNode:
			n = m.Value
		default:
			return n
		}
	}
	return nil
}

func scalar(n ast.Node) (string, bool) {
	switch m := plainNode(n).(type) {
	case *ast.StringNode:
		return m.Value, true
	case *ast.LiteralNode:
		if m.Value == nil {
			return "", false
		}
		return m.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		if t := m.GetToken(); t != nil {
			return t.Value, true
		}
	}
	return "", false
}

func kindName(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "key: value pairs"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode, nil:
		return "nothing"
	case *ast.AliasNode:
		return "an alias, which is not supported"
	}
	return "a single value"
}
