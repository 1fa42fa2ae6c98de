// Package platforms type-checks the programs for each platform that is released,
// from their sources and in this process. Nothing is compiled, which would take a
// minute for each.
package platforms

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Programs are the packages that are released.
var Programs = []string{"./cmd/vigil", "./cmd/vigil-nvml"}

// Released are the platforms of a release, as OS/ARCHITECTURE.
func Released(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, "scripts", "platforms.txt"))
	if err != nil {
		return nil, fmt.Errorf("read the platforms of a release: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// Seen is what a check of a platform looked at.
type Seen struct {
	Files  []string // of the module, with their paths
	Errors []string // with file and line
}

// Check type-checks the programs below root as they are built for a platform, without cgo.
// Overlay has the texts of files, by path, that count instead of what is on disk.
func Check(root, platform string, overlay map[string][]byte) (Seen, error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:     root,
		Env:     append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Overlay: overlay,
		ParseFile: func(set *token.FileSet, path string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(path, root+string(filepath.Separator)) {
				withoutBodies(file)
			}
			return file, err
		},
	}
	loaded, err := packages.Load(config, Programs...)
	if err != nil {
		return Seen{}, fmt.Errorf("load the programs for %s: %w", platform, err)
	}
	var seen Seen
	packages.Visit(loaded, nil, func(p *packages.Package) {
		own := p.Module != nil && p.Module.Main
		for _, e := range p.Errors {
			if own || e.Kind == packages.ListError {
				seen.Errors = append(seen.Errors, e.Error())
			}
		}
		if own {
			seen.Files = append(append(seen.Files, p.GoFiles...), p.OtherFiles...)
			seen.Errors = append(seen.Errors, unwritten(p)...)
		}
	})
	return seen, nil
}

// withoutBodies drops what functions of other modules do: only what they are called with matters.
func withoutBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}

// inAssembly finds the functions of an assembly file.
var inAssembly = regexp.MustCompile(`(?m)^TEXT ·(\w+)`)

// unwritten are functions that a package declares without a body, and that its assembly does not have.
func unwritten(p *packages.Package) []string {
	written := map[string]bool{}
	for _, path := range p.OtherFiles {
		text, _ := os.ReadFile(path)
		for _, m := range inAssembly.FindAllStringSubmatch(string(text), -1) {
			written[m[1]] = true
		}
	}
	var missing []string
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && !written[f.Name.Name] && !linked(f) {
				missing = append(missing, fmt.Sprintf("%s: %s has no body, and no assembly for this platform", p.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return missing
}

// linked says whether a function is another package's.
func linked(f *ast.FuncDecl) bool {
	if f.Doc == nil {
		return false
	}
	for _, c := range f.Doc.List {
		if strings.HasPrefix(c.Text, "//go:linkname ") {
			return true
		}
	}
	return false
}
