package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// divide lists the packages with tests of the module that a directory is in: those
// that share memory, and the others.
func divide(dir string) (racy, others []string, err error) {
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./...")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list the packages: %w", err)
	}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                              string
			GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return racy, others, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		shares := false
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, nil, err
			}
			shares = shares || sharesMemory(file)
		}
		if shares {
			racy = append(racy, p.ImportPath)
		} else {
			others = append(others, p.ImportPath)
		}
	}
}

// concurrent are the packages that are imported where memory is shared; net/http calls each handler in a goroutine of its own.
var concurrent = []string{"sync", "net/http", "golang.org/x/sync", "testing/synctest"}

// calls are the names of functions, of whatever package, that start a goroutine or share memory with another process.
var calls = []string{"Go", "AfterFunc", "Mmap", "MmapPtr", "Parallel", "RunParallel"}

// sharesMemory says whether a file starts goroutines, speaks with some, or shares memory with another process.
func sharesMemory(file *ast.File) bool {
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if slices.ContainsFunc(concurrent, func(c string) bool { return path == c || strings.HasPrefix(path, c+"/") }) {
			return true
		}
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				found = found || slices.Contains(calls, s.Sel.Name)
			}
		}
		return !found
	})
	return found
}
