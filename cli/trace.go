package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/timeline"
	"github.com/vigil-ml/vigil/internal/trial"
)

// traceCmd writes a run as trace events.
type traceCmd struct {
	runArg
	Out  string `name:"out" short:"o" placeholder:"FILE" help:"Where to write it: compressed if the name ends with .gz (default: reports/trace.json.gz in the run)."`
	JSON bool   `name:"json" help:"Print the file's path, its size and what was left out as JSON."`
}

// Help teaches the command.
func (traceCmd) Help() string {
	return `Examples:

    vigil trace -o trace.json.gz
    vigil trace latest~1 -o trace.json.gz

One axis of time for the whole job: its phases and findings, the steps of every worker with their parts, evaluations,
checkpoints and loaders, and the machine metrics of every host. https://ui.perfetto.dev opens the file (nothing is sent
anywhere); so do chrome://tracing and other programs that read Chrome's trace events.

The parts of single steps are there where their detail was kept: of long steps, and of some short ones. Elsewhere a step
shows how much time each part took, one behind another. The file stays below 50 MB: of long runs steps are shown in groups, and the command says so.

Exit codes: 0, or 1 when the run cannot be read, has no times, or the file not be written.`
}

// Run writes the file and says where it is.
func (c traceCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	t, err := openRun(c.Name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	out := c.Out
	if out == "" {
		out = filepath.Join(path, "reports", "trace.json.gz")
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return fmt.Errorf("make report directory: %w", err)
		}
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return &usage{Message: fmt.Sprintf("cannot write the trace to %q: it is a directory", out), What: "-o", Hint: "name a file: -o " + filepath.Join(out, "trace.json.gz")}
	}
	run, err := axis(t)
	if err != nil {
		return err
	}
	result, size, err := writeTrace(out, run)
	switch {
	case errors.Is(err, timeline.ErrNothing):
		return noTimes(c.Name, t.Run())
	case errors.Is(err, fs.ErrNotExist):
		return &usage{Message: fmt.Sprintf("cannot write the trace to %q: there is no directory %q", out, filepath.Dir(out)), What: "-o", Hint: "make it first, or name another file"}
	case err != nil:
		return fmt.Errorf("write trace %q: %w", out, err)
	}
	notes := result.Notes
	for _, d := range t.Damage() {
		notes = append(notes, fmt.Sprintf("%s is damaged: %s.", d.File, d.Reason))
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"trace": out, "bytes": size, "events": result.Events, "steps": result.Steps, "notes": append([]string{}, notes...)})
	}
	page := a.page()
	if _, err = fmt.Fprintf(a.stdout, "wrote %s (%s, %s)\n", out, live.Bytes(size), record.Several(result.Events, "event")); err != nil {
		return err
	}
	for _, n := range notes {
		if _, err := fmt.Fprintln(a.stdout, page.Hang("  ", printable(n))); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(a.stdout, "open it at https://ui.perfetto.dev")
	return err
}

// noTimes says that nothing is known of where the time of a run went, and why.
func noTimes(name string, run record.Run) error {
	hint := "it was written by a version that stored none, or its hook does not tell them"
	switch {
	case len(run.Workers) == 0:
		hint = "no training was seen in it; `vigil doctor " + name + "` tells why"
	case run.Status == record.Running:
		hint = "it has just begun: try again after its first steps"
	}
	return &usage{Message: fmt.Sprintf("run %q has no step times and no machine metrics", name), What: name, Hint: hint}
}

// detailed is a source that holds single steps in detail.
type detailed interface {
	Traces(worker string) []trial.TraceFile
	Trace(f trial.TraceFile) ([]byte, error)
}

// axis is what the axis of time of a run is made of.
func axis(t source.Run) (timeline.Run, error) {
	m, ok := t.(source.Metrics)
	if !ok {
		return timeline.Run{}, noTimes(t.Run().Name, t.Run())
	}
	run := timeline.Run{Run: t.Run(), Workers: t.Workers(), Metrics: m, Findings: t.Findings(), Details: map[string][]timeline.Detail{}, Stacks: stacksOf(t)}
	if d, ok := t.(detailed); ok {
		for _, f := range d.Traces("") {
			run.Details[f.Worker] = append(run.Details[f.Worker], timeline.Detail{Bytes: f.Bytes, Read: func() ([]record.Interval, error) {
				b, err := d.Trace(f)
				if err != nil {
					return nil, err
				}
				return timeline.ParseDetail(b)
			}})
		}
	}
	return run, nil
}

// writeTrace writes the file, which is replaced only when the new one is whole.
func writeTrace(path string, run timeline.Run) (result timeline.Result, size int64, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe, a device
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return result, 0, err
		}
		result, size, err = fillTrace(f, path, run)
		return result, size, errors.Join(err, f.Close())
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".trace-*")
	if err != nil {
		return result, 0, err
	}
	defer os.Remove(tmp.Name())
	result, size, err = fillTrace(tmp, path, run)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return result, 0, err
	}
	return result, size, os.Rename(tmp.Name(), path)
}

// counting counts what is written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func fillTrace(w io.Writer, path string, run timeline.Run) (timeline.Result, int64, error) {
	count := &counting{w: w}
	if !strings.HasSuffix(path, ".gz") {
		result, err := timeline.Write(count, run, timeline.Options{})
		return result, count.n, err
	}
	zip := gzip.NewWriter(count)
	result, err := timeline.Write(zip, run, timeline.Options{})
	return result, count.n, errors.Join(err, zip.Close())
}
