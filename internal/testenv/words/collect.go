// Package words collects the texts that a user may read: the constant strings
// of the Go and Python sources that are made of words.
package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Text is a constant text of a source file. What is computed in it is "…".
type Text struct {
	File  string // relative to the root
	Line  int
	Field string // the field that it is given to, such as "Remedy"; "" elsewhere
	Value string
}

// Collect gives the texts of all sources below folders of root, tests and their data left out.
func Collect(root string, folders ...string) ([]Text, error) {
	var out []Text
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if entry.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return fmt.Errorf("collect texts: %w", err)
			}
			var found []Text
			switch {
			case strings.HasSuffix(name, "_test.go"):
			case strings.HasSuffix(name, ".go"):
				found, err = ofGo(name)
			case strings.HasSuffix(name, ".py"):
				found, err = ofPython(name)
			}
			for _, t := range found {
				if isText(t.Value) {
					t.File = filepath.ToSlash(rel)
					out = append(out, t)
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("collect texts: %w", err)
		}
	}
	return out, nil
}

// Groups orders texts by the folder of their file, each text once, with the
// field before it.
func Groups(texts []Text) map[string][]string {
	out := make(map[string][]string)
	for _, t := range texts {
		line := strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`, "\x1b", `\x1b`).Replace(t.Value)
		if t.Field != "" {
			line = t.Field + ": " + line
		}
		out[path.Dir(t.File)] = append(out[path.Dir(t.File)], line)
	}
	for folder, lines := range out {
		slices.Sort(lines)
		out[folder] = slices.Compact(lines)
	}
	return out
}

var (
	twoWords = regexp.MustCompile("[A-Za-z]{2,}[,;:.]? [A-Za-z%{(\"'`]")
	code     = regexp.MustCompile(`^\s*(<|import |[A-Za-z]+=)|\bimport \w+ as |^Content-|/[A-Z]+ `)
)

// isText tells texts from patterns, markup, code and names.
func isText(s string) bool { return twoWords.MatchString(s) && !code.MatchString(s) }

func ofGo(name string) ([]Text, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	var out []Text
	field := ""
	var visit func(n ast.Node) bool
	within := func(name string, n ast.Node) bool {
		before := field
		field = name
		ast.Inspect(n, visit)
		field = before
		return false
	}
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag == nil {
				return true
			}
			if tag, err := strconv.Unquote(n.Tag.Value); err == nil {
				out = append(out, Text{Line: files.Position(n.Pos()).Line, Field: "help", Value: reflect.StructTag(tag).Get("help")})
			}
			return false
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				return within(key.Name, n.Value)
			}
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Lhs) == 1 {
				return within(to.Sel.Name, n.Rhs[0])
			}
		case *ast.FuncDecl:
			if n.Name.Name == "Help" && n.Recv != nil {
				return within("help", n.Body)
			}
		case ast.Expr:
			if value, ok := constant(n); ok {
				out = append(out, Text{Line: files.Position(n.Pos()).Line, Field: field, Value: value})
				return false
			}
		}
		return true
	}
	ast.Inspect(f, visit)
	return out, nil
}

// constant spells a string, or a sum of strings of which at least one is
// written out.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, left := constant(e.X)
		y, right := constant(e.Y)
		if e.Op != token.ADD || !left && !right {
			return "", false
		}
		if !left {
			x = "…"
		}
		if !right {
			y = "…"
		}
		return x + y, true
	}
	return "", false
}
