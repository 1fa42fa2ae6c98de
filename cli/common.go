package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

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

// directory is the root as an absolute path. It need not exist yet.
func (r rootFlag) directory() (string, error) {
	root, err := filepath.Abs(r.root())
	if err != nil {
		return "", fmt.Errorf("find the root of the runs: %w", err)
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		return "", &usage{Message: fmt.Sprintf("%q is not a directory", root), What: root, Hint: "give the directory that the runs lie in"}
	}
	return root, nil
}

// rootArg is embedded by commands about all runs, whose root may also be their argument.
type rootArg struct {
	rootFlag
	Root string `arg:"" optional:"" name:"root" placeholder:"DIR" help:"Root of the runs, as --dir."`
}

// chosen is the root that was named in one of the two ways.
func (r rootArg) chosen() (rootFlag, error) {
	if r.Root != "" && r.Dir != "" && filepath.Clean(r.Root) != filepath.Clean(r.Dir) {
		return rootFlag{}, &usage{Message: fmt.Sprintf("two roots are named: %q and --dir %q", r.Root, r.Dir), What: r.Root, Hint: "name one"}
	}
	return rootFlag{cmp.Or(r.Dir, r.Root)}, nil
}

// runArg is embedded by commands about one run.
type runArg struct {
	rootFlag
	Name string `arg:"" optional:"" name:"run" placeholder:"RUN" help:"The run: its name below the root, the beginning of one, latest, latest~1 (the one before), or a path (default: the newest)."`
}

// path is the run's directory. From then on Name is what the run is called in
// messages: the user's word for it, or its name where the word only points to it.
func (r *runArg) path() (string, error) {
	path, name, err := findRun(r.root(), r.Name)
	if err == nil {
		r.Name = name
	}
	return path, err
}

// sayWhich names the run on standard error when it was left out, for a command
// whose output does not.
func (r *runArg) sayWhich(a *app, word string) {
	if word == "" && !a.json {
		fmt.Fprintf(a.stderr, "vigil: the newest run, %s\n", printable(r.Name))
	}
}

// open opens the run for reading.
func (r *runArg) open() (source.Run, error) {
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
