// Command vendoring bundles the libraries of the dashboard into one ES module each, from packages in a directory, as
// `npm pack preact@11.2.0` leaves them there. It is run by hand when a version changes: go run ./web/vendoring DIR.
// What it writes is part of the repository.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A library is one package, at one version.
type library struct{ name, version, sha256 string }

var libraries = []library{
	{"preact", "11.2.0", "3c4456766bd32b6b534d52bf4e9c2a29b33e7eedf6e96ed479300ba1a7888ebf"},
	{"htm", "3.1.1", "2425b9bee11409177bcabc7f32e319926fc6690c1701c0b257c88bdff2d5ba90"},
	{"@preact/signals", "2.11.4", "66ea8221dd8aaa0da2365d49c3f116b071d56cfb63b2e16c072c6b4e08a928b7"},
	{"@preact/signals-core", "1.14.5", "94c421ac996214c94f532fb4c43d8ede048a16df0cd9538ffb965174dbe8daba"},
	{"uplot", "1.6.32", "4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d"},
}

// What each module of ours exports.
const (
	preact = `
import { h, options } from "preact";
import htm from "htm";
// Children that a component was given are copied when it draws itself anew. Those that were given would still point into the tree in which they were shown first, and hold it
// with all its data. So they point to where their copies are: __ is what a node lies in, and the 2 in __u says that another took its place.
const before = options.diffed;
options.diffed = (node) => {
  before?.(node);
  const inside = node.props?.children;
  for (const one of Array.isArray(inside) ? inside : [inside]) if (one?.__ && one.__u & 2) one.__ = node;
};
// A subtree without values is made each time: kept by htm, it would hold the tree that it was last shown in, with all its data.
export const html = htm.bind(function (...all) { this[0] = 3; return h(...all); });
export { h, render, Fragment, Component, createContext, createRef, cloneElement, toChildArray, options } from "preact";
export { useState, useReducer, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext, useId, useErrorBoundary } from "preact/hooks";
export { signal, computed, effect, batch, untracked, useSignal, useComputed, useSignalEffect, Signal } from "@preact/signals";
`
	uplot = `export { default } from "uplot";`
)

const target = "web/app/vendor"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "vendoring: give the directory of the packages")
		os.Exit(1)
	}
	if err := vendor(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "vendoring:", err)
		os.Exit(1)
	}
}

func vendor(packages string) error {
	work, err := os.MkdirTemp("", "vendoring")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := map[string][]byte{}
	var licences bytes.Buffer
	licences.WriteString("The dashboard contains these libraries, bundled and minified.\n")
	for _, l := range libraries {
		if err := l.unpack(packages, filepath.Join(work, "node_modules")); err != nil {
			return fmt.Errorf("%s %s: %w", l.name, l.version, err)
		}
		text, err := os.ReadFile(filepath.Join(work, "node_modules", l.name, "LICENSE"))
		if err != nil {
			return err
		}
		fmt.Fprintf(&licences, "\n%s %s\n\n%s\n", l.name, l.version, bytes.TrimSpace(text))
	}
	made["LICENSES"] = licences.Bytes()
	for name, source := range map[string]string{"preact.js": preact, "uplot.js": uplot} {
		if made[name], err = bundle(work, source); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if made["uplot.css"], err = os.ReadFile(filepath.Join(work, "node_modules/uplot/dist/uPlot.min.css")); err != nil {
		return err
	}
	return write(made)
}

// write puts the files into the repository, and their checksums next to them.
func write(made map[string][]byte) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	var sums []string
	for name, content := range made {
		sum := sha256.Sum256(content)
		sums = append(sums, hex.EncodeToString(sum[:])+"  "+name)
		if err := os.WriteFile(filepath.Join(target, name), content, 0o644); err != nil {
			return err
		}
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(target, "SHA256SUMS"), []byte(strings.Join(sums, "\n")+"\n"), 0o644)
}

// unpack unpacks the library below dir, after its checksum was compared.
func (l library) unpack(packages, dir string) error {
	file := strings.ReplaceAll(strings.TrimPrefix(l.name, "@"), "/", "-") + "-" + l.version + ".tgz"
	packed, err := os.ReadFile(filepath.Join(packages, file))
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != l.sha256 {
		return fmt.Errorf("its checksum is %x", sum)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	root := filepath.Join(dir, l.name)
	for entries := tar.NewReader(plain); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, inside := strings.CutPrefix(header.Name, "package/")
		if !inside || header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			continue
		}
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
}

// bundle makes one minified ES module of source and all that it imports.
func bundle(dir, source string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: source, ResolveDir: dir}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022, LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LogLevel: api.LogLevelSilent, Platform: api.PlatformBrowser,
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(result.Errors[0].Text)
	}
	return result.OutputFiles[0].Contents, nil
}
