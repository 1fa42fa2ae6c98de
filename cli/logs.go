package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// logsCmd prints what is kept as text with a run.
type logsCmd struct {
	runArg
	Agent     bool   `name:"agent" xor:"which" help:"The log of the agent."`
	Rule      string `name:"rule" xor:"which" placeholder:"NAME" help:"What a Python rule printed: the rule's name, or that of its configuration."`
	Traceback bool   `name:"traceback" xor:"which" help:"The exceptions that ended processes of the job."`
	Follow    bool   `name:"follow" short:"f" help:"Follow the log until the run ends."`
}

// Help teaches the command.
func (logsCmd) Help() string {
	return `Examples:

    vigil logs --agent
    vigil logs latest --rule my_rule -f
    vigil logs

Without a flag: the output of the job; of a run without it the exception that ended the script. The output is
copied into the run where it does not go to a terminal or to /dev/null, and with "vigil run --keep-output". Of each
log the first 64 KB and the last 1 MB are kept.

What that changes for the job: nothing where its output goes to a file, which is read while it grows. Elsewhere the
output goes through a pipe, or on a terminal through another terminal of the same size, to where it would have gone;
when vigil run is killed with SIGKILL the job can write no more. "vigil run --no-keep-output" leaves the output alone.

Exit codes: 0, or 1 when there is no such log.`
}

// Run prints one log.
func (c logsCmd) Run(a *app) error {
	t, err := c.open()
	if err != nil {
		return err
	}
	defer t.Close()
	rel, err := c.log(t)
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	l := reader{path: filepath.Join(t.Path(), filepath.FromSlash(rel)), to: a.stdout}
	for {
		running := c.Follow && t.Run().Status == record.Running
		if err := l.more(); err != nil {
			return fmt.Errorf("read the log %q: %w", rel, err)
		}
		if !running {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tailEvery):
		}
	}
}

// log is the file that was asked for.
func (c logsCmd) log(t source.Run) (string, error) {
	running := t.Run().Status == record.Running
	there := func(rel string) bool {
		st, err := os.Stat(filepath.Join(t.Path(), filepath.FromSlash(rel)))
		return err == nil && (st.Size() > 0 || c.Follow && running)
	}
	missing := func(what, hint string) error {
		return &usage{Message: fmt.Sprintf("run %q has no %s", printable(c.Name), what), What: c.Name, Hint: hint}
	}
	switch {
	case c.Agent:
		if there(layout.AgentLog) {
			return layout.AgentLog, nil
		}
		return "", missing("log of its agent", "runs of older versions have none")
	case c.Traceback:
		if there(layout.TracebackLog) {
			return layout.TracebackLog, nil
		}
		return "", missing("traceback", "no Python exception ended a process of it")
	case c.Rule != "":
		if rel := layout.RuleLog(c.Rule); there(rel) {
			return rel, nil
		}
		names := rulesThatPrinted(t.Path())
		hint := "no rule has printed anything; only Python rules can"
		if len(names) > 0 {
			hint = nearest(c.Rule, names, "there are logs of "+strings.Join(names, ", "))
		}
		return "", missing(fmt.Sprintf("log of a rule %q", printable(c.Rule)), hint)
	case there(layout.OutputLog):
		return layout.OutputLog, nil
	case there(layout.TracebackLog):
		return layout.TracebackLog, nil
	}
	return "", missing("output of its job", "`vigil run --keep-output` stores also what goes to a terminal; --agent and --rule NAME show other logs")
}

// rulesThatPrinted are the configurations of rules that have a log.
func rulesThatPrinted(run string) []string {
	entries, err := os.ReadDir(filepath.Join(run, filepath.FromSlash(filepath.Dir(layout.RuleLog("x")))))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), ".log"); ok {
			name, _ := layout.Unescape(base)
			names = append(names, name)
		}
	}
	return names
}

// ruleFolder gives the folder of a rule in a run.
func ruleFolder(run string) func(configuration string) string {
	return func(configuration string) string {
		return filepath.Join(run, filepath.FromSlash(layout.RuleFiles(configuration)))
	}
}

// reader prints a log that grows, and whose middle may be taken out meanwhile.
type reader struct {
	path string
	to   io.Writer
	off  int64
	last []byte // that was printed, to find the place again
}

// lastKept is how much of what was printed is remembered.
const lastKept = 4 << 10

// more prints what came since the last call.
func (r *reader) more() error {
	f, err := os.Open(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() < r.off {
		b, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		r.off = 0
		if i := bytes.LastIndex(b, r.last); i >= 0 {
			r.off = int64(i + len(r.last))
		}
	}
	if _, err := f.Seek(r.off, io.SeekStart); err != nil {
		return err
	}
	b, err := io.ReadAll(f)
	if err != nil || len(b) == 0 {
		return err
	}
	r.off += int64(len(b))
	r.last = slices.Clone(append(r.last, b...)[max(0, len(r.last)+len(b)-lastKept):])
	_, err = r.to.Write(b)
	return err
}

// kept is a file that is stored with a run, besides its values.
type kept struct {
	Path  string `json:"path"` // in the run
	Bytes int64  `json:"bytes"`
}

// keptFiles are the logs of a run and what its rules wrote.
func keptFiles(run string) []kept {
	list := []kept{}
	for _, dir := range []string{layout.LogsDir, layout.FilesDir} {
		_ = filepath.WalkDir(filepath.Join(run, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || len(list) >= maxKeptFiles {
				return fs.SkipAll
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				if rel, err := filepath.Rel(run, path); err == nil {
					list = append(list, kept{filepath.ToSlash(rel), info.Size()})
				}
			}
			return nil
		})
	}
	return list
}

// maxKeptFiles bounds how many are listed.
const maxKeptFiles = 1000

// printKept lists them.
func printKept(w io.Writer, p live.Page, run string) {
	list := keptFiles(run)
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\n"+p.Bold("Files:"))
	for _, k := range list {
		fmt.Fprintf(w, "  %9s  %s\n", live.Bytes(k.Bytes), plain(k.Path))
	}
}
