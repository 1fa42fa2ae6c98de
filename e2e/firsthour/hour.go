package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// hour is the first hour of somebody who has Python, PyTorch and git.
type hour struct {
	repository string // that is cloned
	packages   string // a folder of Python packages with PyTorch
	python     string // that makes the environment
	work       string // the empty folder where it begins
	log        io.Writer

	environ []string
	began   time.Time // the clone
	steps   []step
}

// step is one thing that was done.
type step struct {
	what    string
	seconds float64
}

func (h *hour) clone() string   { return filepath.Join(h.work, "checkout") }
func (h *hour) project() string { return filepath.Join(h.work, "project") }
func (h *hour) bin() string     { return filepath.Join(h.work, "env", "bin") }

// play goes through the hour and gives the time from the clone to the first right
// diagnosis of an own script. It ends with the first thing that is not as it
// should be.
func (h *hour) play() (diagnosed time.Duration, err error) {
	if h.environ, err = newcomer(h.bin(), filepath.Join(h.work, "go-cache")); err != nil {
		return 0, err
	}
	if err := os.Mkdir(h.project(), 0o755); err != nil {
		return 0, fmt.Errorf("make the project's folder: %w", err)
	}
	h.began = time.Now()
	var first time.Time
	for _, s := range []struct {
		what string
		do   func() error
	}{
		{"clone", h.cloned},
		{"environment that sees PyTorch", h.environment},
		{"pip install .", h.install},
		{"vigil demo", h.demo},
		{"own script, with a mistake", func() (err error) { first, err = h.mistake(); return err }},
		{"vigil findings", h.findings},
		{"vigil report", h.report},
		{"own rules", h.ownRules},
		{"the script mended", h.mended},
		{"vigil compare", h.compare},
		{"vigil rm", h.remove},
	} {
		begin := time.Now()
		err := s.do()
		h.steps = append(h.steps, step{s.what, time.Since(begin).Seconds()})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.what, err)
		}
		fmt.Fprintf(h.log, "%7.1f s  %s\n", time.Since(begin).Seconds(), s.what)
	}
	return first.Sub(h.began), nil
}

func (h *hour) cloned() error {
	_, err := h.expect(h.work, 0, nil, "git", "clone", "--quiet", h.repository, h.clone())
	return err
}

// environment is a virtual environment of its own, in which the packages of
// another one can be imported: PyTorch was there before.
func (h *hour) environment() error {
	if _, err := h.expect(h.work, 0, nil, h.python, "-m", "venv", filepath.Dir(h.bin())); err != nil {
		return err
	}
	python := filepath.Join(h.bin(), "python")
	own, err := h.expect(h.work, 0, nil, python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(strings.TrimSpace(own), "pytorch.pth"), []byte(h.packages+"\n"), 0o644); err != nil {
		return fmt.Errorf("name the packages: %w", err)
	}
	_, err = h.expect(h.work, 0, nil, python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None or u.find_spec('vigil') is not None)")
	return err
}

// install builds the package in the clone, where no Go is.
func (h *hour) install() error {
	if _, err := h.expect(h.clone(), 1, nil, "sh", "-c", "command -v go >/dev/null && exit 0; exit 1"); err != nil {
		return fmt.Errorf("a Go is on the PATH: %w", err)
	}
	if _, err := h.expect(h.clone(), 0, nil, "pip", "install", "--quiet", "--disable-pip-version-check", "."); err != nil {
		return err
	}
	_, err := h.expect(h.project(), 0, []string{"vigil 0."}, "vigil", "version")
	return err
}

func (h *hour) demo() error {
	if _, err := h.expect(h.project(), 0, []string{"Training a small PyTorch network", "vanishing_gradient", "The report is in", "Try next:"}, "vigil", "demo"); err != nil {
		return err
	}
	return oneIn(h.project(), "vigil-runs/demo-*/reports/report.html")
}

// mistake starts the script with the mistake, and gives the time when the right
// cause was on the screen.
func (h *hour) mistake() (time.Time, error) {
	if strings.Count(faulty, faultyLine) != 1 {
		return time.Time{}, errors.New("the script has not one place for the mistake")
	}
	if err := h.write("train.py", faulty); err != nil {
		return time.Time{}, err
	}
	const named = "error zero_grad"
	seen := &watched{text: []byte(named)}
	out, err := h.run(h.project(), 0, seen, "vigil", "run", "--name", "faulty", "--", "python", "train.py")
	if err == nil {
		err = has(out, named, "train.py:18  loss.backward()", "epoch 2: loss")
	}
	return seen.at, err
}

func (h *hour) findings() error {
	if _, err := h.expect(h.project(), 0, []string{"error zero_grad", "train.py:18  loss.backward()", "vigil rules describe zero_grad/kept"}, "vigil", "findings"); err != nil {
		return err
	}
	out, err := h.expect(h.project(), 0, nil, "vigil", "findings", "faulty", "--json")
	if err != nil {
		return err
	}
	var found struct {
		Groups []struct{ Root record.Finding }
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return fmt.Errorf("read the findings: %w", err)
	}
	if len(found.Groups) == 0 {
		return errors.New("there is no finding in the JSON")
	}
	if f := found.Groups[0].Root; f.Rule != "zero_grad" || f.Check != "kept" || f.Remedy == "" {
		return fmt.Errorf("the cause does not come first, but %s/%s (%s)", f.Rule, f.Check, f.Message)
	}
	_, err = h.expect(h.project(), 0, []string{"zero_grad/kept"}, "vigil", "rules", "describe", "zero_grad/kept")
	return err
}

func (h *hour) report() error {
	if _, err := h.expect(h.project(), 0, []string{"report.html"}, "vigil", "report", "faulty", "-o", "report.html"); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(h.project(), "report.html"))
	if err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	if len(text) < 50_000 || !bytes.HasPrefix(bytes.ToLower(text), []byte("<!doctype html>")) {
		return fmt.Errorf("the report has %d bytes and begins %.60q", len(text), text)
	}
	if err := has(string(text), "zero_grad", "train.py", "</html>"); err != nil {
		return err
	}
	for _, other := range []string{`src="http`, `href="http://`, "@import"} {
		if bytes.Contains(text, []byte(other)) {
			return fmt.Errorf("the report is not one file: it has %s", other)
		}
	}
	return nil
}

// ownRules judges the run that is there by rules of one's own, and keeps them for
// the next.
func (h *hour) ownRules() error {
	if _, err := h.expect(h.project(), 2, []string{"warning high"}, "vigil", "check", "faulty", "--rule", `high:expression=series("loss").max() > 0.1`); err != nil {
		return err
	}
	if err := h.write("vigil.yaml", ownRules); err != nil {
		return err
	}
	if err := h.write("my_rules.py", ownClass); err != nil {
		return err
	}
	_, err := h.expect(h.project(), 0, []string{"halved", "below_one"}, "vigil", "rules", "list")
	return err
}

func (h *hour) mended() error {
	if err := h.write("train.py", strings.Replace(faulty, faultyLine, mendedLines, 1)); err != nil {
		return err
	}
	out, err := h.expect(h.project(), 0, []string{"info halved", "The loss has halved by step", "info below_one", "The loss is below 1."}, "vigil", "run", "--name", "mended", "--", "python", "train.py")
	if err == nil && (strings.Contains(out, "error ") || strings.Contains(out, "warning ")) {
		err = fmt.Errorf("the mended script has an alarm:\n%s", out)
	}
	return err
}

func (h *hour) compare() error {
	_, err := h.expect(h.project(), 0, []string{"faulty", "mended", "Final values", "loss (TRAIN)", "1 error"}, "vigil", "compare", "faulty", "mended")
	return err
}

func (h *hour) remove() error {
	if _, err := h.expect(h.project(), 0, []string{"removed 1 run"}, "vigil", "rm", "faulty", "--yes"); err != nil {
		return err
	}
	out, err := h.expect(h.project(), 0, []string{"mended", "demo-vanishing"}, "vigil", "ls")
	if err == nil && strings.Contains(out, "faulty") {
		err = fmt.Errorf("the removed run is still listed:\n%s", out)
	}
	return err
}

func (h *hour) write(name, text string) error {
	if err := os.WriteFile(filepath.Join(h.project(), name), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// expect runs a command that must end with a code and print all of these texts;
// it gives what the command printed.
func (h *hour) expect(dir string, code int, texts []string, argv ...string) (string, error) {
	out, err := h.run(dir, code, nil, argv...)
	if err == nil {
		if err = has(out, texts...); err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
		}
	}
	return out, err
}

// run runs a command that must end with a code, and gives what it printed on both
// its outputs. Somebody may watch them.
func (h *hour) run(dir string, code int, seen *watched, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	path, err := h.lookPath(argv[0])
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	if seen == nil {
		seen = &watched{}
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, h.environ, seen, seen
	err = cmd.Run()
	out := seen.out.String()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return out, fmt.Errorf("start %s: %w", strings.Join(argv, " "), err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		return out, fmt.Errorf("%s ended with exit code %d, want %d:\n%s", strings.Join(argv, " "), got, code, out)
	}
	return out, nil
}

// lookPath finds a command on the newcomer's PATH.
func (h *hour) lookPath(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, kv := range h.environ {
		list, is := strings.CutPrefix(kv, "PATH=")
		if !is {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if p := filepath.Join(dir, name); executable(p) {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("there is no %s on the PATH", name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// watched keeps what is written to it, and the time when a text was in it first.
type watched struct {
	text []byte

	mu  sync.Mutex
	out bytes.Buffer
	at  time.Time
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Write(p)
	if w.at.IsZero() && len(w.text) > 0 && bytes.Contains(w.out.Bytes(), w.text) {
		w.at = time.Now()
	}
	return len(p), nil
}

// has says which of the texts is missing.
func has(out string, texts ...string) error {
	for _, t := range texts {
		if !strings.Contains(out, t) {
			return fmt.Errorf("%q is not in\n%s", t, out)
		}
	}
	return nil
}

// oneIn says when not one file matches a pattern below a folder.
func oneIn(dir, pattern string) error {
	found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d files match %s, want 1", len(found), pattern)
	}
	return err
}

// newcomer is this environment without a Go on the PATH, without settings of
// Go's, Python's and Vigil's, and with an environment's commands first. What was
// downloaded before stays in reach; what Go compiled does not.
func newcomer(bin, compiled string) ([]string, error) {
	path := []string{bin}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !executable(filepath.Join(dir, "go")) && !executable(filepath.Join(dir, "vigil")) {
			path = append(path, dir)
		}
	}
	var kept []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PATH", "GOROOT", "GOFLAGS", "GOTOOLCHAIN", "GOCACHE", "GOBIN", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NO_COLOR", "OMP_NUM_THREADS":
		default:
			if !strings.HasPrefix(name, "VIGIL") {
				kept = append(kept, kv)
			}
		}
	}
	return append(kept, "PATH="+strings.Join(path, string(os.PathListSeparator)), "GOCACHE="+compiled, "NO_COLOR=1", "COLUMNS=100"), nil
}
