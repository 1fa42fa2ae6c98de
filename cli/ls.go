package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

// lsCmd lists runs.
type lsCmd struct {
	rootArg
	Status  []string `name:"status" placeholder:"S" help:"Only runs of this status: running, completed, failed, stopped, ended, lost; several with commas."`
	Since   string   `name:"since" placeholder:"T" help:"Only runs that started since: an age (12h, 7d), a date (2026-11-20), or a time."`
	Name    string   `name:"name" placeholder:"PART" help:"Only runs whose name contains this."`
	Finding []string `name:"finding" placeholder:"RULE" help:"Only runs with a finding of this rule, rule/check or severity; repeatable: any of them."`
	Tag     []string `name:"tag" sep:"none" placeholder:"K=V" help:"Only runs with this tag; K alone: with any value; repeatable: all of them."`
	Sort    string   `name:"sort" default:"started" placeholder:"FIELD" help:"started, name, status, duration, steps or findings (default started)."`
	Reverse bool     `name:"reverse" help:"Reverse the order."`
	JSON    bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (lsCmd) Help() string {
	return `Examples:

    vigil ls
    vigil ls --status running,failed --since 7d
    vigil ls --finding error --sort findings
    vigil ls --tag experiment=lr-sweep --tag lr --json

Filters narrow each other. Sorted by started it is newest first, by duration, steps and findings the longest, most
and worst first, by status what is running first, by name alphabetically.

The columns fit the terminal, 80 where there is none: of what does not fit, the least important is left out, and
on a terminal long names are cut; --json has all.

Exit codes: 0, or 1 when the root cannot be read.`
}

// listed is one run as scripts know it.
type listed struct {
	Name      string            `json:"name"`
	Path      string            `json:"path"`
	Framework record.Framework  `json:"framework"`
	Status    string            `json:"status"`
	Started   time.Time         `json:"started"`
	Ended     *time.Time        `json:"ended"`
	Steps     map[string]int64  `json:"steps"`
	Findings  map[string]int    `json:"findings"`
	Verdict   view.Verdict      `json:"verdict"`
	Tags      map[string]string `json:"tags"`
	Note      string            `json:"note"`

	word  string         // the status, for people
	found map[string]int // by rule, configuration and rule/check
	tally record.Tally   // by root cause
}

// Run prints the runs that the filters leave, in the order asked for.
func (c lsCmd) Run(a *app) error {
	where, err := c.chosen()
	if err != nil {
		return err
	}
	root := where.root()
	keep, err := c.filter(time.Now())
	if err != nil {
		return err
	}
	order, err := c.order()
	if err != nil {
		return err
	}
	entries, err := trial.List(root)
	if errors.Is(err, fs.ErrNotExist) {
		return &usage{Message: fmt.Sprintf("there is no directory %q", root), What: root,
			Hint: "`vigil run -- python train.py` creates it; `vigil ls DIR` or VIGIL_DIR selects another root"}
	}
	if err != nil {
		return err
	}
	runs := make([]listed, 0, len(entries))
	for _, e := range entries {
		if l := listing(e); keep(&l) {
			runs = append(runs, l)
		}
	}
	order(runs)
	if err := c.known(entries); err != nil && len(runs) == 0 {
		return err
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"runs": runs})
	}
	if len(runs) == 0 {
		text := fmt.Sprintf("no runs in %s; `vigil run -- python train.py` creates one\n", root)
		if len(entries) > 0 {
			text = fmt.Sprintf("none of the %s in %s matches\n", record.Several(int64(len(entries)), "run"), root)
		}
		_, err := io.WriteString(a.stdout, text)
		return err
	}
	width, terminal, style := a.output()
	_, err = io.WriteString(a.stdout, runTable(runs, time.Now(), width, !terminal, style))
	return err
}

// listing is a run as scripts know it.
func listing(e trial.Entry) listed {
	l := listed{
		Name: e.Run.Name, Path: e.Path, Framework: e.Run.Framework, Status: e.Run.Status,
		Started: e.Run.Started, Ended: e.Run.Ended, Steps: e.Run.Steps,
		Findings: map[string]int{"error": 0, "warning": 0, "info": 0},
		Tags:     e.Run.Tags, Note: e.Run.Note, word: e.Run.Word(), found: e.Found, tally: e.Tally,
	}
	l.Verdict = view.VerdictOf(e.Run, view.Judged{Tally: e.Tally, Muted: e.Muted, Rules: e.Rules})
	for s, n := range e.Findings {
		l.Findings[string(s)] = n
	}
	if l.Steps == nil {
		l.Steps = map[string]int64{}
	}
	if l.Tags == nil {
		l.Tags = map[string]string{}
	}
	return l
}

func frameworkText(f record.Framework) string {
	if f.Name == "" {
		return "-"
	}
	return strings.TrimSpace(f.Name + " " + f.Version)
}
