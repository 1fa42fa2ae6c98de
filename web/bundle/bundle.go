// Package bundle makes of the page's modules and styles the two files that a browser
// loads: one request in place of some two hundred.
package bundle

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

var (
	style  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">\n`)
	script = `<script type="module" src="main.js"></script>`
)

// Files are what the browser gets of the page in a directory: index.html, main.js,
// style.css, and what index.html names besides.
func Files(dir string, app fs.FS) (map[string][]byte, error) {
	index, err := fs.ReadFile(app, "index.html")
	if err != nil {
		return nil, fmt.Errorf("bundle the page: %w", err)
	}
	if !bytes.Contains(index, []byte(script)) {
		return nil, fmt.Errorf("bundle the page: index.html does not hold %s", script)
	}
	var sheets bytes.Buffer
	for _, found := range style.FindAllSubmatch(index, -1) {
		b, err := fs.ReadFile(app, string(found[1]))
		if err != nil {
			return nil, fmt.Errorf("bundle the page: %w", err)
		}
		sheets.Write(b)
	}
	css := api.Transform(sheets.String(), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone, Engines: browsers})
	if err := failed(css.Errors); err != nil {
		return nil, err
	}
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(dir, "main.js")}, Bundle: true, Format: api.FormatESModule, Outfile: "main.js", Write: false, LogLevel: api.LogLevelSilent,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone, Target: api.ES2022,
	})
	if err := failed(built.Errors); err != nil {
		return nil, err
	}
	first := true
	index = style.ReplaceAllFunc(index, func([]byte) []byte {
		if !first {
			return nil
		}
		first = false
		return []byte("<link rel=\"stylesheet\" href=\"style.css\">\n")
	})
	files := map[string][]byte{"index.html": index, "main.js": built.OutputFiles[0].Contents, "style.css": css.Code}
	for _, name := range []string{"icon.svg", "vendor/LICENSES"} {
		if files[name], err = fs.ReadFile(app, name); err != nil {
			return nil, fmt.Errorf("bundle the page: %w", err)
		}
	}
	return files, nil
}

// browsers are those whose styles are kept as they are written: light-dark() and
// nesting came with them.
var browsers = []api.Engine{{Name: api.EngineChrome, Version: "123"}, {Name: api.EngineFirefox, Version: "120"}, {Name: api.EngineSafari, Version: "17.5"}}

func failed(list []api.Message) error {
	if len(list) == 0 {
		return nil
	}
	var lines []string
	for _, m := range list {
		where := ""
		if m.Location != nil {
			where = fmt.Sprintf("%s:%d: ", path.Base(m.Location.File), m.Location.Line)
		}
		lines = append(lines, where+m.Text)
	}
	slices.Sort(lines)
	return fmt.Errorf("bundle the page: %s", strings.Join(lines, "; "))
}
