package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
	testforks "github.com/vigil-ml/vigil/internal/testenv/forks"
)

// forks is the process that runs scripts without Vigil: it has PyTorch in its
// memory, and forks for each of them (scripts/fork_server.py).
var forks struct {
	sync.Mutex
	process *exec.Cmd
	ask     io.WriteCloser
	answers chan string // a line for each script that has ended
}

// runBare runs a script with its arguments in a fork, without Vigil, one at a
// time and at most a quarter of an hour each.
func runBare(t *testing.T, dir string, env []string, argv ...string) outcome {
	t.Helper()
	forks.Lock()
	defer forks.Unlock()
	if forks.process == nil {
		startForks(t)
	}
	streams := t.TempDir()
	request := map[string]any{"argv": argv, "dir": dir, "env": map[string]string{}}
	for _, e := range command(context.Background(), dir, env, "none").Env {
		name, value, _ := strings.Cut(e, "=")
		request["env"].(map[string]string)[name] = value
	}
	for _, name := range []string{"stdin", "stdout", "stderr"} {
		path := filepath.Join(streams, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		request[name] = path
	}
	if err := json.NewEncoder(forks.ask).Encode(request); err != nil {
		t.Fatalf("ask for %q: %v", argv, err)
	}
	o := outcome{}
	select {
	case line, open := <-forks.answers:
		if _, err := fmt.Sscan(line, &o.code); err != nil || !open {
			t.Fatalf("the process that forks for scripts said %q about %q", line, argv)
		}
	case <-time.After(15 * time.Minute):
		_ = forks.process.Process.Kill()
		t.Fatalf("%q did not end in a quarter of an hour: %s%s", argv, read(t, filepath.Join(streams, "stdout")), read(t, filepath.Join(streams, "stderr")))
	}
	o.stdout, o.stderr = read(t, filepath.Join(streams, "stdout")), read(t, filepath.Join(streams, "stderr"))
	return o
}

func startForks(t *testing.T) {
	t.Helper()
	cmd := command(context.Background(), testenv.Root(), nil, testenv.Python(t), script("fork_server"))
	cmd.Stderr = os.Stderr
	ask, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the process that forks for scripts: %v", err)
	}
	answers := make(chan string)
	go func() {
		defer close(answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			answers <- lines.Text()
		}
	}()
	forks.process, forks.ask, forks.answers = cmd, ask, answers
}

// watchedForks is such a process for scripts under vigil run.
var watchedForks struct {
	sync.Mutex
	*testforks.Server
}

// forked is the command that runs a script in a fork of a process that has
// PyTorch, under vigil run; its arguments follow. It ends as the script ends,
// which is not its child.
func forked(t *testing.T, name string) []string {
	t.Helper()
	return forkedFile(t, script(name))
}

// forkedFile is the same for a script that lies anywhere.
func forkedFile(t *testing.T, path string) []string {
	t.Helper()
	w := &watchedForks
	w.Lock()
	defer w.Unlock()
	if w.Server == nil {
		var err error
		if w.Server, err = testforks.Watched(testenv.Python(t), filepath.Dir(binary)); err != nil {
			t.Fatal(err)
		}
	}
	return w.Command(path)
}

// endForks ends those processes when there are any.
func endForks() {
	if forks.process != nil {
		forks.ask.Close()
		_ = forks.process.Wait()
	}
	if watchedForks.Server != nil {
		watchedForks.Close()
	}
}
