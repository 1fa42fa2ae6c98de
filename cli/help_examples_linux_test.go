package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// TestHelpExamples runs every example of the help as it stands, in a directory with
// a train.py and two runs. A job is running for the commands that are about one.
func TestHelpExamples(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "train.py"), "import time, vigil\nfor i in range(3):\n    vigil.log({'loss': 1.0 / (i + 1)}, step=i)\n", 0o644)
	write(filepath.Join(dir, "job.py"), "import time, vigil\nfor i in range(10**6):\n    vigil.log({'loss': 1.0 / (i + 1)}, step=i)\n    time.sleep(0.01)\n", 0o644)
	python := testenv.Python(t)
	write(filepath.Join(bin, "python"), fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -m ]; then set -- train.py; fi\nexec '%s' \"$@\"\n", python), 0o755)
	write(filepath.Join(bin, "torchrun"), "#!/bin/sh\nexec python train.py\n", 0o755)
	env := append(cleanEnv(t), "HOME="+t.TempDir(), "PATH="+bin+":"+filepath.Dir(vigil(t))+":"+os.Getenv("PATH"))
	shell := func(command string) *exec.Cmd {
		cmd := exec.Command("bash", "-o", "pipefail", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
	run := func(command string, allowed ...int) {
		t.Helper()
		var out bytes.Buffer
		cmd := shell(command)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatalf("%s: %v", command, err)
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 && !slices.Contains(allowed, code) {
			t.Errorf("%s: exit code %d\n%s", command, code, out.String())
		}
	}
	run("vigil demo --go")
	run("cp -r vigil-runs/demo-* vigil-runs/earlier")

	examples := helpExamples()
	// These change or end what the others look at.
	last := []string{"run", "plan", "profile", "stacks", "stop", "rm"}
	for _, name := range append(slices.DeleteFunc(names(examples), func(n string) bool { return slices.Contains(last, n) }), last...) {
		if name == "plan" {
			job := shell("vigil run --quiet --name job -- python job.py")
			if err := job.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = job.Wait() }()
			run("until vigil values job loss >/dev/null 2>&1; do sleep 0.05; done")
		}
		for _, example := range examples[name] {
			switch {
			case strings.HasPrefix(example, "vigil rules test"), strings.HasPrefix(example, "vigil demo"):
				continue // of files that the user writes; run above
			case name == "stop" && example != examples[name][0]:
				continue // the only job has been stopped
			case name == "ui":
				continue // it serves until it is ended: TestUI
			case name == "completion":
				continue // each in its own shell: TestCompletionInShells
			case name == "logs", strings.HasSuffix(example, "--diff"):
				run(example, 1) // of runs that keep them
			case name == "check":
				run(example, 2)
			case name == "completion": // what follows is for other shells, and for their files
				command, _, _ := strings.Cut(example, "|")
				command, _, _ = strings.Cut(command, ">")
				run(command)
			default:
				run(example)
			}
		}
	}
}

// helpExamples are the examples that stand in the help, by command.
func helpExamples() map[string][]string {
	examples := map[string][]string{}
	c := reflect.TypeFor[commands]()
	for i := range c.NumField() {
		f := c.Field(i)
		h, ok := reflect.New(f.Type).Elem().Interface().(interface{ Help() string })
		if _, command := f.Tag.Lookup("cmd"); !ok || !command {
			continue
		}
		for line := range strings.Lines(h.Help()) {
			if example, ok := strings.CutPrefix(line, "    vigil "); ok {
				example, _, _ = strings.Cut(example, "   ") // what it does stands beside it
				examples[f.Tag.Get("name")] = append(examples[f.Tag.Get("name")], "vigil "+strings.TrimSpace(example))
			}
		}
	}
	return examples
}

func names(m map[string][]string) []string {
	var list []string
	for n := range m {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
