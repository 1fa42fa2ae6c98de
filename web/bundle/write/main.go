// Command write writes what the browser gets of the page to dist: go generate ./web.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vigil-ml/vigil/web/bundle"
)

func main() {
	if err := write("app", "dist"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(app, dist string) error {
	files, err := bundle.Files(app, os.DirFS(app))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for name, b := range files {
		to := filepath.Join(dist, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
