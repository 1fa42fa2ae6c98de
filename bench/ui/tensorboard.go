//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
)

// theirCards is true when TensorBoard has the charts in sight and their values.
const theirCards = `document.querySelector("line-chart canvas, line-chart svg path") && bench.answered > 0 && bench.pending === 0`

// theirAll also chooses all runs.
const theirAll = `(() => {
	const box = document.querySelector("runs-data-table tb-data-table-header-cell mat-checkbox input, runs-data-table [role=columnheader] input[type=checkbox], runs-data-table input[type=checkbox]");
	if (box && !bench.chosen) { bench.chosen = true; if (!box.checked) box.click(); bench.before = bench.answered; return false; }
	return bench.chosen && bench.answered > bench.before && ` + theirCards + `;
})()`

var theirPython = environment.Interpreter(environment.TensorBoard)

// boardOf is where TensorBoard's copy of some runs lies.
func boardOf(root string) string { return root + "-tensorboard" }

// copyRuns hands a root's series to TensorBoard's writer, once.
func copyRuns(root string) error {
	return once(boardOf(root), func(target string) error {
		dir, err := os.MkdirTemp(made, "copy-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		runs, err := trial.Briefs(root)
		if err != nil {
			return err
		}
		for _, e := range runs {
			if err := export(e.Path, filepath.Join(dir, e.Run.Name)); err != nil {
				return err
			}
		}
		cmd := exec.Command(theirPython, filepath.Join("bench", "ui", "theirs.py"), "copy", dir, target)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	})
}

// export writes the values of a run, a file for each series.
func export(run, to string) error {
	t, err := trial.Open(run)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	for _, info := range t.Announced() {
		_, values, err := t.Series(source.Query{Tensor: info.Name, Mode: record.Train})
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, strings.ReplaceAll(info.Name, "/", "%2F")), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// board is a TensorBoard.
type board struct {
	url  string
	cmd  *exec.Cmd
	read time.Duration // it took to read what there was
}

func (t *board) end() { end(t.cmd) }

// memory is that of its processes: the server, and the one that reads the files.
func (t *board) memory(field string) float64 { return memory(field, tree(t.cmd.Process.Pid)...) }

var theirAddress = regexp.MustCompile(`http://\S+`)

// serveBoard starts TensorBoard as it comes, and waits until it has read some runs, or
// all that there is of them.
func serveBoard(ctx context.Context, logs string, whole bool) (*board, error) {
	began := time.Now()
	t := &board{cmd: exec.CommandContext(ctx, theirPython, "-m", "tensorboard.main", "--logdir", logs, "--port", "0", "--host", "127.0.0.1")}
	t.cmd.Cancel = func() error { return t.cmd.Process.Signal(os.Interrupt) }
	t.cmd.WaitDelay = 10 * time.Second
	out, err := t.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	var said []string
	for lines := bufio.NewScanner(out); t.url == "" && lines.Scan(); {
		said = append(said, lines.Text())
		t.url = theirAddress.FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if t.url == "" {
		t.end()
		return nil, fmt.Errorf("TensorBoard gave no address: %s", strings.Join(said, " "))
	}
	progress("TensorBoard reads its files")
	if err := t.settle(ctx, logs, whole); err != nil {
		t.end()
		return nil, err
	}
	t.read = time.Since(began)
	return t, nil
}

// settle waits until there are as many runs as folders, and each has its last step.
func (t *board) settle(ctx context.Context, logs string, whole bool) error {
	dirs, err := os.ReadDir(logs)
	if err != nil {
		return err
	}
	last := ""
	want := map[string]bool{}
	for _, d := range dirs {
		if d.IsDir() {
			want[d.Name()] = true
			last = d.Name()
		}
	}
	for {
		var tags map[string]map[string]any
		if json.Unmarshal(fetch(ctx, t.url+"data/plugin/scalars/tags"), &tags) == nil && len(tags) >= len(want) {
			if !whole {
				return nil
			}
			first := fetch(ctx, t.url+"data/plugin/scalars/scalars?tag=loss&run="+last)
			if err := pause(ctx, 6*time.Second); err != nil { // it looks for what is new every five seconds
				return err
			}
			if len(first) > 2 && bytes.Equal(first, fetch(ctx, t.url+"data/plugin/scalars/scalars?tag=loss&run="+last)) {
				return nil
			}
		}
		if err := pause(ctx, 500*time.Millisecond); err != nil {
			return fmt.Errorf("TensorBoard has not read its files: %w", err)
		}
	}
}

func fetch(ctx context.Context, url string) []byte {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	b, _ := io.ReadAll(answer.Body)
	return b
}
