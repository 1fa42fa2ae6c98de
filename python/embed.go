// Package python carries the Python side of Vigil inside the Go program and
// unpacks it, so that a training needs nothing installed.
package python

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Patterns name files, not directories, because a directory would leave out
// what begins with an underscore or take __pycache__ along.
//
//go:embed vigil/*.py vigil/*/*.py boot/sitecustomize.py
var files embed.FS

// Files returns the path of every carried file below the directory that
// Extract makes, with its content.
func Files() (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "vigil/") {
			name = path.Join("lib", name)
		}
		out[name] = b
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the embedded Python package: %w", err)
	}
	return out, nil
}

// Hash identifies the content of files: 16 hex digits of the SHA-256 of every
// name, length and content in order of the names.
func Hash(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s\x00%d\x00", name, len(files[name]))
		h.Write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Extract unpacks the Python files below dir, in a directory named after their
// content, and returns what belongs on the PYTHONPATH: boot, which holds the
// sitecustomize alone, and lib, which holds the package.
//
// A directory that is there already is compared file by file and made again
// when anything differs or was added, bytecode caches excepted. Several
// programs may do this at the same time: what they see is whole.
func Extract(dir string) (boot, lib string, err error) {
	want, err := Files()
	if err != nil {
		return "", "", err
	}
	root := filepath.Join(dir, Hash(want))
	if err := extract(dir, root, want); err != nil {
		return "", "", fmt.Errorf("unpack the Python package to %q: %w", root, err)
	}
	return filepath.Join(root, "boot"), filepath.Join(root, "lib"), nil
}

func extract(dir, root string, want map[string][]byte) error {
	if verify(root, want) == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh) // nothing is left there once it has been renamed
	for name, content := range want {
		if err := write(filepath.Join(fresh, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	// Another program may put its own in place at any moment; then that one is
	// as good as ours. A few rounds are enough even when many start at once.
	for range 100 {
		err = os.Rename(fresh, root)
		if err == nil {
			return nil
		}
		bad := verify(root, want)
		if bad == nil {
			return nil
		}
		if errors.Is(bad, fs.ErrNotExist) {
			if _, e := os.Lstat(root); errors.Is(e, fs.ErrNotExist) {
				continue
			}
		}
		aside, e := os.MkdirTemp(dir, ".old-")
		if e != nil {
			return e
		}
		e = os.Rename(root, filepath.Join(aside, "damaged"))
		if r := os.RemoveAll(aside); e == nil {
			e = r
		}
		if e != nil && !errors.Is(e, fs.ErrNotExist) {
			return e
		}
	}
	return err
}

func write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// verify reports how the directory differs from want, or nil.
func verify(root string, want map[string][]byte) error {
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, content) {
			return fmt.Errorf("%s differs from what was unpacked", name)
		}
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if _, ok := want[filepath.ToSlash(rel)]; !ok {
			return fmt.Errorf("%s does not belong there", rel)
		}
		return nil
	})
}
