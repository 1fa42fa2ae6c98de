// Package web holds the page of vigil ui: plain ES modules and styles that the server gives out as they are.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed app
var files embed.FS

// App is the page's files: index.html, main.js, core/ ...
func App() fs.FS {
	app, err := fs.Sub(files, "app")
	if err != nil {
		panic(err) // the name is a constant
	}
	return app
}

// Version is a hash over all files of the page. A page that was loaded with another one is old.
var Version = sync.OnceValue(func() string {
	sum := sha256.New()
	each(func(name string, content []byte) {
		sum.Write([]byte(name))
		sum.Write([]byte{0})
		size := sha256.Sum256(content)
		sum.Write(size[:])
	})
	return hex.EncodeToString(sum.Sum(nil))[:16]
})

// Index is index.html for a server below base ("/", "/vigil/"). The page's modules are named in it, so that the browser asks for all at once.
func Index(base string) []byte {
	text, err := files.ReadFile("app/index.html")
	if err != nil {
		panic(err) // it is embedded
	}
	var preload bytes.Buffer
	each(func(name string, _ []byte) {
		if path.Ext(name) == ".js" && !strings.HasPrefix(name, "pages/") {
			preload.WriteString(`<link rel="modulepreload" href="` + name + "\">\n")
		}
	})
	return []byte(strings.NewReplacer(
		`<base href="/">`, `<base href="`+html.EscapeString(base)+`">`,
		`<meta name="vigil-app" content="">`, `<meta name="vigil-app" content="`+Version()+`">`,
		"<!-- preload -->\n", preload.String(),
	).Replace(string(text)))
}

// each visits the files of the page by name.
func each(visit func(name string, content []byte)) {
	err := fs.WalkDir(App(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(App(), name)
		visit(name, content)
		return err
	})
	if err != nil {
		panic(err) // they are embedded
	}
}
