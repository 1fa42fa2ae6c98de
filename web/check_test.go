package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/vigil-ml/vigil/web/bundle"
)

// all is every file of the page by its name.
func all(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	each(func(name string, content []byte) { found[name] = string(content) })
	if found["index.html"] == "" || found["main.js"] == "" {
		t.Fatal("the page is not embedded")
	}
	return found
}

// esbuild parses each module and links it with those it imports: each import is a relative path to a file of the page, and what is imported is exported there.
func TestModulesParseAndLink(t *testing.T) {
	files := all(t)
	relative := api.Plugin{Name: "relative", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind != api.ResolveEntryPoint && !strings.HasPrefix(args.Path, "./") && !strings.HasPrefix(args.Path, "../") {
				return api.OnResolveResult{}, fmt.Errorf("%q is imported: only relative imports work without a build", args.Path)
			}
			if args.Kind != api.ResolveEntryPoint && path.Ext(args.Path) != ".js" {
				return api.OnResolveResult{}, fmt.Errorf("%q is imported: a browser needs the whole name of the file", args.Path)
			}
			return api.OnResolveResult{}, nil
		})
	}}
	var entries []string
	for name := range files {
		if path.Ext(name) == ".js" {
			entries = append(entries, "app/"+name)
		}
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: entries, Bundle: true, Format: api.FormatESModule, Splitting: true, Outdir: "out", Write: false, LogLevel: api.LogLevelSilent, Target: api.ES2024, Plugins: []api.Plugin{relative},
	})
	for _, problem := range append(result.Errors, result.Warnings...) {
		where := ""
		if problem.Location != nil {
			where = fmt.Sprintf("%s:%d: ", problem.Location.File, problem.Location.Line)
		}
		t.Errorf("%s%s", where, problem.Text)
	}
}

func TestIndexNamesFilesThatExist(t *testing.T) {
	files := all(t)
	page := files["index.html"]
	for _, mark := range []string{`<base href="/">`, `<meta name="vigil-app" content="">`, "<!-- preload -->\n"} { // what the server fills in
		if !strings.Contains(page, mark) {
			t.Errorf("index.html does not hold %q", mark)
		}
	}
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?:href|src)="([^"/][^"]*)"`).FindAllStringSubmatch(page, -1) {
		named[found[1]] = true
		if _, there := files[found[1]]; !there {
			t.Errorf("index.html names %s, which does not exist", found[1])
		}
	}
	for name := range files {
		if path.Ext(name) == ".css" && !named[name] {
			t.Errorf("index.html does not name the style %s", name)
		}
	}
	if inline := regexp.MustCompile(`<style|<script[^>]*>[^<]|\sstyle=|\son\w+=`).FindString(page); inline != "" {
		t.Errorf("index.html holds %q, which the content security policy forbids", inline)
	}
}

func TestFilesAreShort(t *testing.T) {
	for name, content := range all(t) {
		if lines := strings.Count(content, "\n"); lines > 300 && !strings.HasPrefix(name, "vendor/") {
			t.Errorf("%s has %d lines; at most 300, one idea each", name, lines)
		}
	}
}

// Text of a run is never markup, and the content security policy forbids what is asked for here.
func TestModulesStayInThePolicy(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|setAttribute\(\s*["']style|\sstyle="`)
	for name, content := range all(t) {
		if found := forbidden.FindString(content); found != "" && !strings.HasPrefix(name, "vendor/") {
			t.Errorf("%s has %q", name, found)
		}
	}
}

func TestColoursAreTokens(t *testing.T) {
	literal := regexp.MustCompile(`["'\s:,(]#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(\s*[\d.]`)
	for name, content := range all(t) {
		if strings.HasPrefix(name, "vendor/") || name == "style/tokens.css" || path.Ext(name) == ".svg" {
			continue
		}
		if found := literal.FindString(content); found != "" {
			t.Errorf("%s has the colour %q; colours are in style/tokens.css", name, found)
		}
	}
	set := map[string]bool{} // as tokens, by a style for its own parts, by a script
	for name, content := range all(t) {
		if !strings.HasPrefix(name, "vendor/") {
			for _, found := range regexp.MustCompile(`(--[\w-]+):|setProperty\("(--[\w-]+)"`).FindAllStringSubmatch(content, -1) {
				set[found[1]+found[2]] = true
			}
		}
	}
	for name, content := range all(t) {
		for _, used := range regexp.MustCompile(`var\((--[\w-]+)\)`).FindAllStringSubmatch(content, -1) {
			if !set[used[1]] && !strings.HasPrefix(name, "vendor/") && !strings.Contains(content, "--ramp-") {
				t.Errorf("%s uses %s, which nothing sets", name, used[1])
			}
		}
	}
}

func TestVendoredFilesAreThoseOfTheirSums(t *testing.T) {
	files := all(t)
	listed := map[string]bool{"vendor/SHA256SUMS": true}
	for line := range strings.Lines(files["vendor/SHA256SUMS"]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed["vendor/"+name] = true
		if is := sha256.Sum256([]byte(files["vendor/"+name])); hex.EncodeToString(is[:]) != sum {
			t.Errorf("vendor/%s is not what `go run ./web/vendoring` wrote", name)
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "vendor/") && !listed[name] {
			t.Errorf("%s is not in SHA256SUMS", name)
		}
	}
	for _, library := range []string{"preact 11.2.0", "htm 3.1.1", "@preact/signals 2.11.4", "@preact/signals-core 1.14.5", "uplot 1.6.32"} {
		if !strings.Contains(files["vendor/LICENSES"], "\n"+library+"\n") {
			t.Errorf("vendor/LICENSES does not have %s", library)
		}
	}
}

// What the browser gets is what the modules and styles make.
func TestThePageIsOfItsModules(t *testing.T) {
	want, err := bundle.Files("app", os.DirFS("app"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range want {
		got, err := fs.ReadFile(App(), name)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("page/%s is not what the modules make (%v): run go generate ./web", name, err)
		}
	}
}

// A page that is loaded over a slow tunnel stays small: scripts and styles, as they are sent.
func TestThePageIsSmall(t *testing.T) {
	const most = 200 << 10
	total := 0
	for _, name := range []string{"main.js", "style.css"} {
		content, err := fs.ReadFile(App(), name)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		total += packed.Len()
	}
	t.Logf("scripts and styles: %d bytes minified and compressed, of %d", total, most)
	if total > most {
		t.Errorf("scripts and styles take %d bytes, more than %d", total, most)
	}
}

// modules are the page as it is written.
var modules = os.DirFS("app")

// each visits the files of the page by name.
func each(visit func(name string, content []byte)) {
	err := fs.WalkDir(modules, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(modules, name)
		visit(name, content)
		return err
	})
	if err != nil {
		panic(err) // they lie next to this file
	}
}
