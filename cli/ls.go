package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// lsCmd lists runs.
type lsCmd struct {
	Dir  string `arg:"" optional:"" name:"dir" env:"VIGIL_DIR" placeholder:"DIR" help:"Root of the runs (default vigil-runs)."`
	JSON bool   `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (lsCmd) Help() string {
	return "Examples:\n\n    vigil ls\n    vigil ls vigil-runs --json\n\nNewest first. Exit codes: 0, or 1 when the root cannot be read."
}

// listed is one run as scripts know it.
type listed struct {
	Name      string           `json:"name"`
	Path      string           `json:"path"`
	Framework record.Framework `json:"framework"`
	Status    string           `json:"status"`
	Started   time.Time        `json:"started"`
	Ended     *time.Time       `json:"ended"`
	Steps     map[string]int64 `json:"steps"`
	Findings  map[string]int   `json:"findings"`
}

// Run prints the runs, newest first.
func (c lsCmd) Run(a *app) error {
	root := rootFlag{c.Dir}.root()
	entries, err := trial.List(root)
	if errors.Is(err, fs.ErrNotExist) {
		return &usage{Message: fmt.Sprintf("there is no directory %q", root), What: root,
			Hint: "`vigil run -- python train.py` makes it; `vigil ls DIR` or VIGIL_DIR names another root"}
	}
	if err != nil {
		return err
	}
	runs := make([]listed, 0, len(entries))
	for _, e := range entries {
		l := listed{
			Name: e.Run.Name, Path: e.Path, Framework: e.Run.Framework, Status: e.Run.Status,
			Started: e.Run.Started, Ended: e.Run.Ended, Steps: e.Run.Steps,
			Findings: map[string]int{"error": 0, "warning": 0, "info": 0},
		}
		for s, n := range e.Findings {
			l.Findings[string(s)] = n
		}
		if l.Steps == nil {
			l.Steps = map[string]int64{}
		}
		runs = append(runs, l)
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"runs": runs})
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintf(a.stdout, "no runs in %s; `vigil run -- python train.py` makes one\n", root)
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tFRAMEWORK\tSTATUS\tSTARTED\tDURATION\tTRAIN\tEVAL\tFINDINGS")
	for _, l := range runs {
		duration := "-"
		if l.Ended != nil {
			duration = l.Ended.Sub(l.Started).Round(100 * time.Millisecond).String()
		}
		train := l.Steps[record.Train.String()] + l.Steps[record.Global.String()]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", printable(l.Name), frameworkText(l.Framework), l.Status,
			l.Started.Local().Format("2006-01-02 15:04:05"), duration, train, l.Steps[record.Eval.String()], countText(l.Findings))
	}
	return w.Flush()
}

func frameworkText(f record.Framework) string {
	if f.Name == "" {
		return "-"
	}
	return f.Name + " " + f.Version
}

// countText says how many findings of each severity there are.
func countText(n map[string]int) string {
	text := ""
	for _, s := range []string{"error", "warning", "info"} {
		if n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", n[s], s)
	}
	if text == "" {
		return "none"
	}
	return text
}
