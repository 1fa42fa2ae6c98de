// Package docs runs the commands that the documentation shows.
package docs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// fence is a block of commands: every line that begins with "$ " is run. A
// line "# exit code N" before a command says that it is to end with N.
var fence = regexp.MustCompile("(?ms)^```console\n(.*?)^```")

var exitCode = regexp.MustCompile(`^# exit code (\d+)`)

// TestCommands runs all commands of each page, in their order, in a directory
// of the page's own that holds the examples. `vigil` and `python` are on the
// PATH there. What the tutorial shows below a command is a part of what the
// command prints, line by line.
func TestCommands(t *testing.T) {
	root := testenv.Root()
	bin := filepath.Dir(program(t))
	if err := os.WriteFile(filepath.Join(bin, "python"), []byte("#!/bin/sh\nexec '"+testenv.Python(t)+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := fence.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := t.TempDir()
			copyExamples(t, filepath.Join(root, "examples"), dir)
			for _, b := range blocks {
				want := 0
				out := ""
				for line := range strings.Lines(b[1]) {
					if m := exitCode.FindStringSubmatch(line); m != nil {
						want, _ = strconv.Atoi(m[1])
					}
					if command, ok := strings.CutPrefix(line, "$ "); ok {
						out = runCommand(t, dir, bin, strings.TrimSpace(command), want)
						want = 0
					} else if filepath.Base(page) == "tutorial.md" && !strings.Contains(out, strings.TrimRight(line, "\n")) {
						t.Errorf("the page shows %q; the command prints\n%s", line, out)
					}
				}
			}
		})
	}
}

// program is the path of the program, built once, alone in a directory.
func program(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var directory string // of the program

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(directory, "vigil")
	return path, testenv.Build(path)
})

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if directory, err = os.MkdirTemp("", "vigil-docs-"); err != nil {
			fmt.Fprintln(os.Stderr, "make directory for the program:", err)
			return 1
		}
		defer os.RemoveAll(directory)
		return m.Run()
	}())
}

func runCommand(t *testing.T, dir, bin, command string, want int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = dir
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "VIGIL") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "OMP_NUM_THREADS=1", "PYTHONPATH="+filepath.Join(testenv.Root(), "python"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%q did not end in time\n%s", command, &out)
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("%q ended with exit code %d (%v), want %d\n%s", command, code, err, want, &out)
	}
	return out.String()
}

func copyExamples(t *testing.T, from, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("find examples in %q: %d files, %v", from, len(files), err)
	}
	settings, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, settings...)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
