// Package web holds the page of vigil ui. It is plain ES modules and styles in app;
// page has them as the browser gets them, bundled and made small by `go generate`.
// Both lie in the repository, so that a build of Vigil is `go build` and nothing else;
// a test compares them.
package web

import (
	"embed"
	"io/fs"
)

//go:generate go run ./bundle/write

//go:embed page app/style/tokens.css
var files embed.FS

// App is the page as the browser gets it: index.html, main.js, style.css ...
func App() fs.FS {
	app, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the name is a constant
	}
	return app
}

// Tokens is the style sheet with the sizes, letters and colours of the design
// system, for pages that are files of their own.
func Tokens() string {
	text, err := files.ReadFile("app/style/tokens.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
