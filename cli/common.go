package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
)

// rootFlag is embedded by commands that read runs: where runs are looked up by
// name.
type rootFlag struct {
	Dir string `name:"dir" placeholder:"DIR" help:"Root of the runs (default: VIGIL_DIR, what vigil.yaml says, or vigil-runs)."`
}

// root is the directory runs lie in, found as run finds it: the flag,
// VIGIL_DIR, what vigil.yaml says, or vigil-runs. A configuration file that is
// wrong keeps nobody from reading runs: then the default holds.
func (r rootFlag) root() string {
	if r.Dir != "" {
		return r.Dir
	}
	if dir := os.Getenv("VIGIL_DIR"); dir != "" {
		return dir
	}
	if run, err := config.Resolve(config.Flags{}, os.Environ(), "", agent.Known()); err == nil && run.Dir != "" {
		return run.Dir
	}
	return config.Defaults().Dir
}

// runArg is embedded by commands about one run.
type runArg struct {
	rootFlag
	Name string `arg:"" name:"run" placeholder:"RUN" help:"The run: its name below the root, or a path."`
}

// path is the run's directory. A name that is not there is answered with the
// nearest one that is.
func (r runArg) path() (string, error) { return findRun(r.root(), r.Name) }

// open opens the run for reading.
func (r runArg) open() (source.Run, error) {
	path, err := r.path()
	if err != nil {
		return nil, err
	}
	return openRun(r.Name, path)
}

// openRun opens the run in a directory for reading; the error names it as the user
// did.
func openRun(name, path string) (source.Run, error) {
	t, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("read run %q: %w", name, err)
	}
	return t, nil
}

// openSource opens the run in a directory, in the one format that there is.
func openSource(path string) (source.Run, error) {
	t, err := trial.Open(path)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// findRun resolves RUN, a name below root or a path, to the run's directory.
func findRun(root, name string) (string, error) {
	if name == "" {
		return "", &usage{Message: "the run's name is empty", What: "RUN", Hint: "`vigil ls` lists the runs"}
	}
	candidates := []string{filepath.Join(root, name), name}
	if strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".." {
		candidates = []string{name, filepath.Join(root, name)}
	}
	for _, p := range candidates {
		// run.json itself is also taken for the run it is in.
		p = strings.TrimSuffix(p, string(filepath.Separator)+"run.json")
		_, err := os.Stat(filepath.Join(p, "run.json"))
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return "", &usage{Message: fmt.Sprintf("read run %q: %v", name, err), What: name}
		}
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return "", &usage{Message: fmt.Sprintf("%q is a directory but no run: it has no run.json", name), What: name,
			Hint: "`vigil ls " + name + "` lists the runs in it"}
	}
	names := runNames(root)
	hint := fmt.Sprintf("there are no runs in %q; --dir or VIGIL_DIR names another root", root)
	if len(names) > 0 {
		hint = fmt.Sprintf("`vigil ls %s` lists the %d runs there; --dir or VIGIL_DIR names another root", root, len(names))
	}
	return "", &usage{Message: fmt.Sprintf("there is no run %q in %q", name, root), What: name, Hint: nearest(name, names, hint)}
}

// runNames are the names of the runs below root.
func runNames(root string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(root, e.Name(), "run.json")); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}
