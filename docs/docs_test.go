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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/forks"
	"github.com/vigil-ml/vigil/internal/trial"
)

// fence is a block of commands: every line that begins with "$ " is run. A
// line "# exit code N" before a command says that it is to end with N.
var fence = regexp.MustCompile("(?ms)^```console\n(.*?)^```")

var exitCode = regexp.MustCompile(`^# exit code (\d+)`)

// undisturbed are pages whose scripts train to their end by themselves, and
// which are about what a training computes: their scripts run in forks of a
// Python that has PyTorch already. On the other pages each is a Python of its
// own: it is stopped, killed, sampled, looked at as a process, or the first one
// of a newcomer.
var undisturbed = []string{"durability.md", "logs.md", "performance.md", "python-rules.md", "pytorch.md", "runs.md", "tensors.md"}

// left are pages whose runs are looked at when all commands have run.
var left = map[string]func(t *testing.T, dir string){"slow.md": slowIsFound}

// TestCommands runs all commands of each page, in their order, in a directory
// of the page's own that holds the examples. `vigil` and `python` are on the
// PATH there. What the tutorial shows below a command is a part of what the
// command prints, line by line.
func TestCommands(t *testing.T) {
	root := testenv.Root()
	bin := filepath.Dir(program(t))
	server, err := forks.Watched(testenv.Python(t), filepath.Dir(bin))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	recorded := newRecordings(t)
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
			python := "exec '" + testenv.Python(t) + "' \"$@\"\n"
			if slices.Contains(undisturbed, filepath.Base(page)) {
				python = "case \"$1\" in *.py) exec " + server.Shell() + " \"$@\" ;; esac\n" + python
			}
			if err := os.WriteFile(filepath.Join(bin, "python"), []byte("#!/bin/sh\n"+python), 0o755); err != nil {
				t.Fatal(err)
			}
			used := map[string]bool{} // of what is recorded
			for _, b := range blocks {
				want := 0
				out := ""
				for line := range strings.Lines(b[1]) {
					if m := exitCode.FindStringSubmatch(line); m != nil {
						want, _ = strconv.Atoi(m[1])
					}
					if command, ok := strings.CutPrefix(line, "$ "); ok {
						command = strings.TrimSpace(command)
						was, ok := recorded.has(t, dir, command, used)
						if out = was; !ok {
							out = runCommand(t, dir, bin, command, want)
							recorded.keep(t, dir, command, out, used)
						}
						want = 0
					} else if filepath.Base(page) == "tutorial.md" && !strings.Contains(out, strings.TrimRight(line, "\n")) {
						t.Errorf("the page shows %q; the command prints\n%s", line, out)
					}
				}
			}
			if look := left[filepath.Base(page)]; look != nil {
				look(t, dir)
			}
		})
	}
}

// slowIsFound looks for what the page on slow trainings shows of one that blurs
// each image pixel by pixel: that the code that makes items is what takes the
// time.
func slowIsFound(t *testing.T, dir string) {
	tr, err := trial.Open(filepath.Join(dir, "vigil-runs", "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	found := tr.Findings()
	// On a busy machine other things may be slow, too.
	i := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == "slow_training" && f.Check == "transforms" })
	if i < 0 {
		t.Fatalf("found %v", found)
	}
	f := found[i]
	if f.Where == nil || f.Share <= 0 || f.Gain <= 1 {
		t.Fatalf("found %+v", f)
	}
	// Which line of the items it is depends on where Python next gives the thread that
	// samples a turn.
	text, err := os.ReadFile(filepath.Join(testenv.Root(), "examples", "slow.py"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "def __getitem__")
	items, _, _ := strings.Cut(string(text), "def blur_rows")
	if line := f.Where.Line; line <= strings.Count(before, "\n") || line > strings.Count(items, "\n") {
		t.Errorf("line %d is none of those that make items", line)
	}
}

// program is the path of the program, built once, in a directory with nothing but `python` besides.
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
	path := filepath.Join(directory, "bin", "vigil")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
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
	cmd.Env = append(testenv.Environ(nil), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "OMP_NUM_THREADS=1", "PYTHONPATH="+filepath.Join(testenv.Root(), "python"))
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
