// Package web holds the page of vigil ui: plain ES modules and styles that the server gives out as they are.
package web

import (
	"embed"
	"io/fs"
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

// Tokens is the style sheet with the sizes, letters and colours of the design
// system, for pages that are files of their own.
func Tokens() string {
	text, err := files.ReadFile("app/style/tokens.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
