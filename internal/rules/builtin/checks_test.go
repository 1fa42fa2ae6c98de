package builtin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// findNothing are the rules that write a document and object to nothing.
var findNothing = []string{"create_xgboost_report"}

// Each check of the index says in one sentence when it fires, in words that the
// rest of Vigil knows.
func TestIndexOfChecks(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	quoted := regexp.MustCompile("`([^`]*)`")
	seen := map[string]bool{}
	for _, d := range All() {
		if (len(d.Checks) == 0) != slices.Contains(findNothing, d.Name) {
			t.Errorf("%s has %d checks", d.Name, len(d.Checks))
		}
		for _, c := range d.Checks {
			if of, check, _ := strings.Cut(c.ID, "/"); of != d.Name || !name.MatchString(check) || seen[c.ID] {
				t.Errorf("a check of %s has the ID %q", d.Name, c.ID)
			}
			seen[c.ID] = true
			if n := len(strings.Fields(c.When)); n < 5 || n > 40 || !strings.HasSuffix(c.When, ".") || strings.Contains(c.When, ". ") {
				t.Errorf("%s: %q is no sentence of 5 to 40 words", c.ID, c.When)
			}
			for _, m := range quoted.FindAllStringSubmatch(c.When, -1) {
				if !slices.ContainsFunc(d.Parameters, func(p rule.Parameter) bool { return p.Name == m[1] }) {
					t.Errorf("%s: %q names %q, which is no parameter of the rule", c.ID, c.When, m[1])
				}
			}
			for _, s := range append(c.OtherSeverities, c.Severity) {
				if s != rule.Error && s != rule.Warning && s != rule.Info {
					t.Errorf("%s has severity %q", c.ID, s)
				}
			}
			for _, class := range append(c.OtherCauses, c.CauseClass) {
				if !slices.Contains(rule.CauseClasses, class) {
					t.Errorf("%s has cause class %q", c.ID, class)
				}
			}
			if !slices.Contains(rule.Scopes, c.Scope) {
				t.Errorf("%s has scope %q", c.ID, c.Scope)
			}
			if c.Status != "" && c.Status != rule.Settled && c.Status != rule.Experimental {
				t.Errorf("%s has status %q", c.ID, c.Status)
			}
			if (c.Cause == "") != (c.Remedy == "") {
				t.Errorf("%s names one of cause and remedy only", c.ID)
			}
			for _, p := range c.Parameters {
				if !slices.ContainsFunc(d.Parameters, func(q rule.Parameter) bool { return q.Name == p.Name }) {
					t.Errorf("%s has a parameter %q that its rule has not", c.ID, p.Name)
				}
			}
		}
	}
}

// The names of checks that the source holds are those of the index, file by file.
func TestIndexHoldsWhatTheSourceNames(t *testing.T) {
	index := map[string]map[string]bool{} // file -> names
	for _, d := range All() {
		for _, c := range d.Checks {
			if strings.Contains(c.Files[0], "/") { // data and judgement are one value there
				inItsFile(t, &c)
				continue
			}
			for _, file := range c.Files {
				if index[file] == nil {
					index[file] = map[string]bool{}
				}
				index[file][c.Name()] = true
			}
		}
	}
	source := namesInSource(t)
	for file, names := range source {
		for name := range names {
			if !index[file][name] {
				t.Errorf("%s names the check %q, which the index does not have of this file", file, name)
			}
		}
	}
	for file, names := range index {
		for name := range names {
			if !source[file][name] {
				t.Errorf("the index says that %s judges %q, and that file does not name it", file, name)
			}
		}
	}
}

// inItsFile looks for a check of another folder in the first of its files, and for the
// others.
func inItsFile(t *testing.T, c *rule.Check) {
	t.Helper()
	for i, file := range c.Files {
		b, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Error(err)
		} else if i == 0 && !strings.Contains(string(b), `"`+c.ID+`"`) {
			t.Errorf("the index says that %s has the check %s, and that file does not name it", file, c.ID)
		}
	}
}

// namesInSource collects the names of checks by file: texts that become the
// Check of a violation, directly or as a parameter, variable, result or field
// that is called check; and those of checks in the form of values. It fails the
// test for a name that it cannot follow.
func namesInSource(t *testing.T) map[string]map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset, files := token.NewFileSet(), map[string]*ast.File{}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			if files[name], err = parser.ParseFile(fset, name, nil, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	takes, fields := map[string]int{}, map[string]int{} // place of check among parameters, and fields
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncDecl:
				if i := placeOf("check", x.Type.Params); i >= 0 {
					takes[x.Name.Name] = i
				}
			case *ast.AssignStmt:
				for i, r := range x.Rhs {
					if fn, ok := r.(*ast.FuncLit); ok && placeOf("check", fn.Type.Params) >= 0 {
						takes[lastName(x.Lhs[i])] = placeOf("check", fn.Type.Params)
					}
				}
			case *ast.TypeSpec:
				if s, ok := x.Type.(*ast.StructType); ok && placeOf("check", s.Fields) >= 0 {
					fields[x.Name.Name] = placeOf("check", s.Fields)
				}
			}
			return true
		})
	}
	out := map[string]map[string]bool{}
	for file, f := range files {
		out[file] = map[string]bool{}
		literal := func(e ast.Expr) bool {
			b, ok := e.(*ast.BasicLit)
			if ok && b.Kind == token.STRING {
				if name, err := strconv.Unquote(b.Value); err == nil && name != "" {
					out[file][name] = true
				}
			}
			return ok
		}
		named := func(e ast.Expr) { // where nothing but a name of a check can stand
			if name := lastName(e); !literal(e) && name != "check" && name != "Check" {
				t.Errorf("%s: a violation's Check is neither a text nor what is called check: write one of them, so the index can be compared", fset.Position(e.Pos()))
			}
		}
		ast.PreorderStack(f, nil, func(n ast.Node, around []ast.Node) bool {
			switch x := n.(type) {
			case *ast.KeyValueExpr:
				switch key := lastName(x.Key); {
				case key == "Check" && isForm(x.Value): // of a check in the form of a value
				case key == "Check" || key == "check":
					named(x.Value)
				case key == "ID":
					if b, ok := x.Value.(*ast.BasicLit); ok && inForm(around) {
						id, _ := strconv.Unquote(b.Value)
						_, name, _ := strings.Cut(id, "/")
						out[file][name] = true
					}
				}
			case *ast.AssignStmt:
				for i, l := range x.Lhs {
					if name := lastName(l); (name == "Check" || name == "check") && len(x.Lhs) == len(x.Rhs) && x.Tok != token.ADD_ASSIGN {
						named(x.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if i, ok := takes[lastName(x.Fun)]; ok && i < len(x.Args) {
					literal(x.Args[i]) // functions of other types may bear the name
				}
			case *ast.CompositeLit:
				if i, ok := fields[lastName(x.Type)]; ok && i < len(x.Elts) {
					literal(x.Elts[i])
				}
			case *ast.ReturnStmt:
				for _, a := range slices.Backward(around) {
					if fn, ok := a.(*ast.FuncDecl); ok {
						if i := placeOf("check", fn.Type.Results); i >= 0 && i < len(x.Results) {
							literal(x.Results[i])
						}
						break
					}
				}
			}
			return true
		})
	}
	return out
}

// placeOf is the place of a name in a list of parameters, results or fields; -1
// where it is not there.
func placeOf(name string, list *ast.FieldList) int {
	i := 0
	if list == nil {
		return -1
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			if n.Name == name {
				return i
			}
			i++
		}
		if len(f.Names) == 0 {
			i++
		}
	}
	return -1
}

// lastName is the identifier that an expression ends in, or "".
func lastName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return lastName(x.X)
	}
	return ""
}

// isForm tells whether a value is rule.Check{…}.
func isForm(e ast.Expr) bool {
	c, ok := e.(*ast.CompositeLit)
	return ok && lastName(c.Type) == "Check"
}

// inForm tells whether a value stands in the rule.Check of a rule.Judged.
func inForm(around []ast.Node) bool {
	return slices.ContainsFunc(around, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		return ok && lastName(c.Type) == "Judged"
	})
}

// What a rule explains are rules and checks that there are, by checks of its own.
func TestExplainedChecks(t *testing.T) {
	for _, d := range All() {
		lists := map[string][]string{"": slices.Concat(d.Explains, d.ExplainsAlways)}
		for _, by := range []map[string][]string{d.ExplainsBy, d.ExplainsAlwaysBy} {
			for check, list := range by {
				lists[check] = append(lists[check], list...)
				if _, ok := d.Check(check); !ok {
					t.Errorf("%s explains by a check %q that it has not", d.Name, check)
				}
			}
		}
		for _, list := range lists {
			for _, name := range list {
				of, check, one := strings.Cut(name, "/")
				other, ok := rule.Find(All(), of)
				if ok && one {
					_, ok = other.Check(check)
				}
				if !ok {
					t.Errorf("%s explains %q, which is neither a rule nor a check", d.Name, name)
				}
			}
		}
	}
}
