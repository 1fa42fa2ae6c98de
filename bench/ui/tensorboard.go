//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
)

// theirsDrawn is true when TensorBoard has drawn a chart of a scalar.
const theirsDrawn = `[...document.querySelectorAll("line-chart")].some(c => c.querySelector("canvas, svg path"))`

// measureTensorBoard opens the same numbers in TensorBoard, after it has read them:
// its own reading is not counted.
func measureTensorBoard(root string, s scenario, turns int) ([]time.Duration, error) {
	if err := environment.Make(environment.TensorBoard); err != nil {
		return nil, err
	}
	python := environment.Interpreter(environment.TensorBoard)
	logs, err := once(root+"-tensorboard", func(target string) error { return copySeries(python, root, target) })
	if err != nil {
		return nil, err
	}
	runs, err := trial.Briefs(root)
	if err != nil {
		return nil, err
	}
	url, end, err := serveTensorBoard(python, logs, len(runs))
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel, err := openBrowser()
	if err != nil {
		return nil, err
	}
	defer cancel()
	var list []time.Duration
	for range turns {
		tab, shut := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
		took, err := timeOpen(tab, "", url+"#timeseries", theirsDrawn)
		shut()
		if err != nil {
			return nil, err
		}
		list = append(list, took)
	}
	return list, nil
}

// copySeries hands a root's series to TensorBoard's writer.
func copySeries(python, root, target string) error {
	dir, err := os.MkdirTemp("", "vigil-bench-ui-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runs, err := trial.Briefs(root)
	if err != nil {
		return err
	}
	for _, e := range runs {
		t, err := trial.Open(e.Path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, e.Run.Name)
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
		t.Close()
	}
	cmd := exec.Command(python, filepath.Join("bench", "ui", "tensorboard.py"), dir, target)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

var theirAddress = regexp.MustCompile(`http://\S+`)

// serveTensorBoard starts it, and waits until it has read all runs.
func serveTensorBoard(python, logs string, runs int) (string, func(), error) {
	cmd := exec.Command(python, "-m", "tensorboard.main", "--logdir", logs, "--port", "0", "--host", "127.0.0.1")
	out, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end := func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() }
	url := ""
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		url = theirAddress.FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if url == "" {
		end()
		return "", nil, fmt.Errorf("TensorBoard gave no address")
	}
	for deadline := time.Now().Add(15 * time.Minute); ; time.Sleep(time.Second) {
		b := fetch(url + "data/plugin/scalars/tags")
		if strings.Count(string(b), "}}")+strings.Count(string(b), "},") >= runs && len(b) > 10 {
			time.Sleep(5 * time.Second) // the last of them may still be read
			return url, end, nil
		}
		if time.Now().After(deadline) {
			end()
			return "", nil, fmt.Errorf("TensorBoard has not read the runs in 15 minutes: %.200s", b)
		}
	}
}

func fetch(url string) []byte {
	r, err := http.Get(url)
	if err != nil {
		return nil
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return b
}
