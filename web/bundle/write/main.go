// Command write writes what the browser gets of the page to web/page: go generate ./web.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vigil-ml/vigil/web/bundle"
)

func main() {
	if err := write("app", "page"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(app, to string) error {
	files, err := bundle.Files(app, os.DirFS(app))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for name, b := range files {
		file := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
