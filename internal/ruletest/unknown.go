package ruletest

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/vigil-ml/vigil/internal/config"
)

// places are the fields that may stand at each place of a file.
var places = map[string]reflect.Type{
	"$":               reflect.TypeFor[document](),
	"$.tests":         reflect.TypeFor[test](),
	"$.tests.series":  reflect.TypeFor[series](),
	"$.tests.tensors": reflect.TypeFor[tensorIn](),
	"$.tests.expect":  reflect.TypeFor[expected](),
}

var index = regexp.MustCompile(`\[\d+\]`)

// meant is the field that an unknown one at this place was most likely meant
// to be, or all that may stand there; "" when the place is not found.
func meant(data []byte, at *token.Token) string {
	file, err := parser.ParseBytes(data, 0)
	if err != nil || at == nil || at.Position == nil {
		return ""
	}
	find := &finder{line: at.Position.Line, column: at.Position.Column}
	for _, d := range file.Docs {
		ast.Walk(find, d)
	}
	path := index.ReplaceAllString(find.path, "")
	of := places[strings.TrimSuffix(path, "."+at.Value)]
	if of == nil {
		return ""
	}
	return config.Suggest(at.Value, fields(of))
}

// finder looks for the key that is at a place.
type finder struct {
	line, column int
	path         string
}

// Visit is called with every node.
func (f *finder) Visit(n ast.Node) ast.Visitor {
	if v, ok := n.(*ast.MappingValueNode); ok {
		if p := v.Key.GetToken().Position; p.Line == f.line && p.Column == f.column {
			f.path = v.Key.GetPath()
		}
	}
	return f
}

// fields are the names of a struct's fields as they are written in a file.
func fields(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		field := t.Field(i)
		switch tag := field.Tag.Get("yaml"); tag {
		case "":
		case ",inline":
			out = append(out, fields(field.Type)...)
		default:
			out = append(out, tag)
		}
	}
	return out
}
