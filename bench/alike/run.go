package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed start.py
var startPy []byte

//go:embed contents.py
var contentsPy []byte

// runner runs one command three times.
type runner struct {
	folder, python, vigil string
	seed                  bool
}

// outcome is what one run left.
type outcome struct {
	code           int
	stdout, stderr string
	files          map[string]string            // path in the folder -> SHA-256, of those that it wrote
	contents       map[string]map[string]string // path -> member or property -> its value, of checkpoints
	weights        map[string]string            // process -> digest of the weights that lived at its end
	dir            string                       // where the files are kept
}

// compare runs the command bare twice and once under Vigil, each time at the same path.
func (r runner) compare(command []string) (*Report, error) {
	base, err := os.MkdirTemp("", "vigil-alike-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(base)
	for name, text := range map[string][]byte{"start/sitecustomize.py": startPy, "contents.py": contentsPy} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, fmt.Errorf("write %q: %w", name, err)
		}
	}
	given, err := digests(r.folder)
	if err != nil {
		return nil, err
	}
	var outcomes []*outcome
	for _, name := range []string{"bare", "bare again", "vigil"} {
		argv := command
		if name == "vigil" {
			argv = append([]string{r.vigil, "run", "--quiet", "--no-status", "--dir", filepath.Join(base, "runs"), "--"}, command...)
		}
		o, err := r.one(base, name, argv)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
		maps.DeleteFunc(o.files, func(path, sum string) bool { return given[path] == sum })
		outcomes = append(outcomes, o)
	}
	return differ(outcomes[0], outcomes[1], outcomes[2]), nil
}

// one runs argv in a fresh copy of the folder, which is kept under the run's name afterwards.
func (r runner) one(base, name string, argv []string) (*outcome, error) {
	work := filepath.Join(base, "work")
	if err := os.CopyFS(work, os.DirFS(r.folder)); err != nil {
		return nil, fmt.Errorf("copy %q: %w", r.folder, err)
	}
	weights := filepath.Join(base, "weights "+name)
	if err := os.Mkdir(weights, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	o := &outcome{dir: filepath.Join(base, name), weights: map[string]string{}}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = work, &stdout, &stderr
	cmd.Env = r.environment(base, weights)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("start %q: %w", argv[0], err)
	}
	o.code = cmd.ProcessState.ExitCode()
	o.stdout, o.stderr = stdout.String(), withoutVigil(stderr.String())
	if o.files, err = digests(work); err != nil {
		return nil, err
	}
	if o.contents, err = r.contents(base, work, o.files); err != nil {
		return nil, err
	}
	if err := os.Rename(work, o.dir); err != nil {
		return nil, fmt.Errorf("keep the folder: %w", err)
	}
	left, err := os.ReadDir(weights)
	if err != nil {
		return nil, fmt.Errorf("read the weights: %w", err)
	}
	for _, file := range left {
		text, err := os.ReadFile(filepath.Join(weights, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the weights: %w", err)
		}
		lines := strings.Fields(string(text))
		slices.Sort(lines)
		o.weights[file.Name()] = strings.Join(lines, " ")
	}
	return o, nil
}

// environment is the caller's without anything of Vigil, and start.py before the script. Sets of names keep their order.
func (r runner) environment(base, weights string) []string {
	env := []string{"ALIKE_WEIGHTS=" + weights}
	path, hash := filepath.Join(base, "start"), "PYTHONHASHSEED=0"
	for _, pair := range os.Environ() {
		key, value, _ := strings.Cut(pair, "=")
		switch {
		case key == "PYTHONPATH":
			path += string(os.PathListSeparator) + value
		case key == "PYTHONHASHSEED":
			hash = pair
		case !strings.HasPrefix(key, "VIGIL"):
			env = append(env, pair)
		}
	}
	if r.seed {
		env = append(env, "ALIKE_SEED=1")
	}
	return append(env, "PYTHONPATH="+path, hash)
}

// contents reads what is in checkpoints: names of what they would load, a digest of each tensor.
func (r runner) contents(base, work string, files map[string]string) (map[string]map[string]string, error) {
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
	}
	asked, err := json.Marshal(paths)
	if err != nil {
		return nil, fmt.Errorf("name the files: %w", err)
	}
	cmd := exec.Command(r.python, "-S", filepath.Join(base, "contents.py"))
	cmd.Dir, cmd.Stdin = work, bytes.NewReader(asked)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("read checkpoints with %q: %w", r.python, err)
	}
	var read map[string]map[string]string
	if err := json.Unmarshal(out, &read); err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return read, nil
}
