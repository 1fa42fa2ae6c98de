// Firsthour plays the first hour of somebody who has Python, PyTorch and git, and
// no Go: they clone the repository, install it, watch the demo, run a script of
// their own that has a mistake, read what was found, write rules, fix the script,
// compare the two runs and remove one.
//
//	go run ./e2e/firsthour [-repository DIR|URL] [-packages DIR] [-python PY] [-limit 3m] [-keep]
//
// Each step must print and leave behind what it should. The time of each is
// printed, and that from the clone to the first right diagnosis of their script;
// the command fails when that is longer than the limit. It needs access to the
// package index, or what was downloaded from it before. Nothing that was compiled
// before is used.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

func main() {
	if err := play(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "firsthour:", err)
		os.Exit(1)
	}
}

func play(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("firsthour", flag.ExitOnError)
	pytorch := filepath.Join(testenv.Root(), "build", "env", "torch", "bin", "python")
	repository := flags.String("repository", testenv.Root(), "what is cloned: its last commit")
	packages := flags.String("packages", "", "folder of Python packages with PyTorch (default: those of the test environment)")
	python := flags.String("python", pytorch, "interpreter that the environment is made with")
	limit := flags.Duration("limit", 3*time.Minute, "longest time from the clone to the first right diagnosis; 0: any")
	keep := flags.Bool("keep", false, "leave the folder where everything was done")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *packages == "" {
		where, err := exec.Command(pytorch, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").Output()
		if err != nil {
			return fmt.Errorf("find PyTorch with %s: %w; ./test.sh --env makes that environment", pytorch, err)
		}
		*packages = strings.TrimSpace(string(where))
	}
	work, err := os.MkdirTemp("", "vigil-first-hour-")
	if err != nil {
		return fmt.Errorf("make an empty folder: %w", err)
	}
	if *keep {
		fmt.Fprintln(out, "everything is in", work)
	} else {
		defer os.RemoveAll(work)
	}
	if left, err := exec.Command("git", "-C", *repository, "status", "--porcelain").Output(); err == nil && len(left) > 0 {
		fmt.Fprintln(out, "note: the last commit is cloned, without what was changed since")
	}
	h := &hour{repository: *repository, packages: *packages, python: *python, work: work, log: out}
	diagnosed, err := h.play()
	if err != nil {
		return err
	}
	var all float64
	for _, s := range h.steps {
		all += s.seconds
	}
	fmt.Fprintf(out, "%7.1f s  in all\n%7.1f s  from the clone to the first right diagnosis of their own script\n", all, diagnosed.Seconds())
	if *limit > 0 && diagnosed > *limit {
		return fmt.Errorf("the first right diagnosis took %s, longer than %s", diagnosed.Round(100*time.Millisecond), *limit)
	}
	return nil
}
