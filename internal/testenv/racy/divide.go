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

// divided are the packages with tests of a module.
type divided struct {
	racy, others []string // those that share memory, and those that do not

	// Of racy: packages with tests that do less under the race detector, or nothing,
	// and these tests: all of each file that asks for the detector.
	less, tests []string
}

// divide lists the packages with tests of the module that a directory is in.
func divide(dir string) (*divided, error) {
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./...")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	d := &divided{}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                              string
			GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return d, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		shares, tests := false, []string(nil)
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			shares = shares || sharesMemory(file)
			tests = append(tests, lessUnderTheDetector(file)...)
		}
		if !shares {
			d.others = append(d.others, p.ImportPath)
			continue
		}
		d.racy = append(d.racy, p.ImportPath)
		if len(tests) > 0 {
			d.less = append(d.less, p.ImportPath)
			d.tests = append(d.tests, tests...)
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

// lessUnderTheDetector are the tests of a file that asks whether the race detector watches.
func lessUnderTheDetector(file *ast.File) []string {
	asks := false
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			p, ok := s.X.(*ast.Ident)
			asks = asks || ok && p.Name == "testenv" && (s.Sel.Name == "Raced" || s.Sel.Name == "Unraced")
		}
		return !asks
	})
	var tests []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && asks && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests
}
