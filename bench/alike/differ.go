package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Report says what was compared, and where the run under Vigil differs by more than two bare runs differ.
type Report struct {
	Code, Lines, Files, Checkpoints, Tensors, Processes int
	Unsteady                                            []string // what differs between the bare runs, and was compared less closely
	Numbered                                            []string // checkpoints that differ from the bare ones in the numbers of the script's own hooks alone
	Differences                                         []string
}

func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "compared: exit code %d, %d lines of output, %d files (%d checkpoints with %d tensors), weights of %d processes", r.Code, r.Lines, r.Files, r.Checkpoints, r.Tensors, r.Processes)
	if len(r.Unsteady) > 0 {
		fmt.Fprintf(&b, "\ndiffers between bare runs: %s", strings.Join(r.Unsteady, ", "))
	}
	if len(r.Numbered) > 0 {
		fmt.Fprintf(&b, "\nequal but for the numbers of hooks: %s", strings.Join(r.Numbered, ", "))
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "\nDIFFERS under Vigil: %s", d)
	}
	if len(r.Differences) == 0 {
		b.WriteString("\nalike")
	}
	return b.String()
}

func (r *Report) differs(format string, args ...any) {
	r.Differences = append(r.Differences, fmt.Sprintf(format, args...))
}

// differ compares the run under Vigil with two bare ones.
func differ(one, two, vigil *outcome) *Report {
	r := &Report{Code: one.code, Lines: len(lines(one.stdout)) + len(lines(one.stderr)), Files: len(one.files), Processes: len(one.weights)}
	if vigil.code != one.code && vigil.code != two.code {
		r.differs("exit code %d, bare %d\n%s", vigil.code, one.code, vigil.stderr)
	}
	r.text("standard output", one.stdout, two.stdout, vigil.stdout)
	r.text("standard error", one.stderr, two.stderr, vigil.stderr)
	r.values("weights at the end", one.weights, two.weights, vigil.weights)
	r.names(one, two, vigil)
	for _, path := range slices.Sorted(maps.Keys(one.files)) {
		if _, there := two.files[path]; there && vigil.files[path] != "" {
			r.file(path, one, two, vigil)
		}
	}
	return r
}

// names compares the paths of files.
func (r *Report) names(one, two, vigil *outcome) {
	a, b, v := keys(one.files), keys(two.files), keys(vigil.files)
	if !slices.Equal(a, b) {
		r.Unsteady = append(r.Unsteady, "names of files")
		a, b, v = shapes(a), shapes(b), shapes(v)
	}
	if slices.Equal(a, b) && !slices.Equal(a, v) {
		r.differs("files %q, bare %q", without(v, a), without(a, v))
	}
}

// file compares one file as closely as it is the same in two bare runs: by its bytes, by its parts, or as text.
func (r *Report) file(path string, one, two, vigil *outcome) {
	parts := one.contents[path]
	if parts != nil {
		r.Checkpoints++
		for part := range parts {
			if strings.Contains(part, "data/") {
				r.Tensors++
			}
		}
	}
	if one.files[path] == two.files[path] {
		if vigil.files[path] == one.files[path] {
			return
		}
		if parts == nil {
			r.differs("%s: other bytes", path)
			return
		}
		// PyTorch numbers the hooks that a script hangs on a module, and Vigil's with them: the same after loading.
		before := len(r.Differences)
		r.values(path, parts, two.contents[path], vigil.contents[path])
		if len(r.Differences) == before {
			r.Numbered = append(r.Numbered, path)
		}
		return
	}
	r.Unsteady = append(r.Unsteady, path)
	if parts != nil {
		r.values(path, parts, two.contents[path], vigil.contents[path])
		return
	}
	var texts [3]string
	for i, o := range []*outcome{one, two, vigil} {
		data, err := os.ReadFile(filepath.Join(o.dir, path))
		if err != nil || !utf8.Valid(data) {
			return
		}
		texts[i] = string(data)
	}
	r.text(path, texts[0], texts[1], texts[2])
}

// values compares what the bare runs agree on.
func (r *Report) values(what string, one, two, vigil map[string]string) {
	steady := slices.Equal(keys(one), keys(two))
	if steady && !slices.Equal(keys(one), keys(vigil)) {
		r.differs("%s: has %q, bare %q", what, without(keys(vigil), keys(one)), without(keys(one), keys(vigil)))
	}
	for _, key := range keys(one) {
		if two[key] != one[key] {
			steady = false
		} else if got, there := vigil[key]; there && got != one[key] {
			r.differs("%s: %s is %q, bare %q", what, key, got, one[key])
		}
	}
	if !steady && !slices.Contains(r.Unsteady, what) {
		r.Unsteady = append(r.Unsteady, what)
	}
}

// digests gives the SHA-256 of every file below dir; what Python compiles is left out.
func digests(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "__pycache__" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		name, err := filepath.Rel(dir, path)
		out[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	return out, nil
}

func keys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// without gives what a has and b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
