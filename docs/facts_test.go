package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

var update = flag.Bool("update", false, "write docs/formats/facts.md anew")

// TestFactsPage compares the page on the facts of a training with the types that they are read into: every type that
// Facts leads to has a table with all of its fields.
func TestFactsPage(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Root(), "internal", "record", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	types := make(map[string]*ast.TypeSpec)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					s := spec.(*ast.TypeSpec)
					if s.Doc == nil {
						s.Doc = d.Doc
					}
					types[s.Name.Name] = s
				}
			}
		}
	}
	page := (&factsPage{types: types}).String()
	if *update {
		if err := os.WriteFile(filepath.Join("formats", "facts.md"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(page, read(t, filepath.Join("formats", "facts.md"))); d != "" {
		t.Errorf("docs/formats/facts.md is not what the types say (write it with -update): %s", d)
	}
}

// factsPage writes the page: Facts first, then each type in the order in which it is first named.
type factsPage struct {
	types map[string]*ast.TypeSpec
	queue []string
	text  strings.Builder
}

func (p *factsPage) String() string {
	p.text.WriteString("# The facts of a training\n\n" +
		"<!-- Made from the types in internal/record by \"go test ./docs -run TestFactsPage -update\". Do not edit. -->\n\n" +
		"The field `facts` of [`run.json`](json.md), as `vigil show RUN --json` prints it: what the hook read of a training in its first steps.\n" +
		"`at` is the first global step at which rules know a section. A field that is left out was not seen, or is zero.\n")
	p.queue = []string{"Facts"}
	for i := 0; i < len(p.queue); i++ {
		p.section(p.queue[i])
	}
	return p.text.String()
}

func (p *factsPage) section(name string) {
	spec := p.types[name]
	fields := p.fields(spec)
	keys := make(map[string]string) // of the fields, by their names in Go
	for _, f := range fields {
		if key := jsonKey(f); key != "" {
			for _, n := range f.Names {
				keys[n.Name] = key
			}
		}
	}
	fmt.Fprintf(&p.text, "\n## %s\n\n%s\n\n| field | type | meaning |\n| --- | --- | --- |\n", name, p.sentence(spec.Doc.Text(), keys))
	for _, f := range fields {
		key := jsonKey(f)
		if key == "" {
			continue
		}
		comment := f.Doc.Text()
		if comment == "" {
			comment = f.Comment.Text()
		}
		fmt.Fprintf(&p.text, "| `%s` | %s | %s |\n", key, p.kind(f.Type), p.sentence(comment, keys))
	}
}

// fields of a type, those of the types that it embeds among them.
func (p *factsPage) fields(spec *ast.TypeSpec) (list []*ast.Field) {
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		name, named := f.Type.(*ast.Ident)
		if len(f.Names) == 0 && named && p.types[name.Name] != nil {
			list = append(list, p.fields(p.types[name.Name])...)
			continue
		}
		list = append(list, f)
	}
	return list
}

// jsonKey is the name of a field in JSON; "" of one that is not written.
func jsonKey(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return strings.Trim(key, "-")
}

var identifier = regexp.MustCompile(`\b[A-Z][A-Za-z]*\b`)

// sentence is a comment on one line, in which the fields of the type have the names that they have in JSON.
func (p *factsPage) sentence(comment string, keys map[string]string) string {
	text := strings.NewReplacer("|", `\|`, "<", "&lt;", "; nil ", "; left out ", " nil unless", " Left out unless", "Nil otherwise", "Left out otherwise").Replace(strings.Join(strings.Fields(comment), " "))
	return identifier.ReplaceAllStringFunc(text, func(word string) string {
		if key, known := keys[word]; known {
			return "`" + key + "`"
		}
		return word
	})
}

// kind is a type in the words of JSON; of an object a link to its table.
func (p *factsPage) kind(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return p.kind(e.X)
	case *ast.ArrayType:
		return "list of " + p.kind(e.Elt)
	case *ast.MapType:
		return "object of " + p.kind(e.Value)
	case *ast.Ident:
		if spec, known := p.types[e.Name]; known {
			if _, isStruct := spec.Type.(*ast.StructType); isStruct {
				if !slices.Contains(p.queue, e.Name) {
					p.queue = append(p.queue, e.Name)
				}
				return fmt.Sprintf("[%s](#%s)", e.Name, strings.ToLower(e.Name))
			}
			return p.kind(spec.Type)
		}
		if kind, known := kinds[e.Name]; known {
			return kind
		}
		panic(fmt.Sprintf("no word for the type %s; there are %s", e.Name, slices.Sorted(maps.Keys(kinds))))
	default: // json.RawMessage
		return "any"
	}
}

var kinds = map[string]string{"string": "text", "bool": "true or false", "int": "number", "int64": "number", "float64": "number", "any": "any"}
