package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
)

// tailCmd follows a run.
type tailCmd struct {
	runArg
	JSON bool `name:"json" help:"One JSON object per line: steps with their scalars, findings, and the end."`
}

// Help teaches the command.
func (tailCmd) Help() string {
	return "Examples:\n\n    vigil tail 2026-11-21-train\n    vigil tail 2026-11-21-train --json | jq .loss\n\n" +
		"Prints what is stored already, then goes on until the run ends; Ctrl-C ends it before. A run that has\nended is printed whole. Exit codes: 0, or 1 when the run cannot be read."
}

// tailStep is one step as `tail --json` prints it.
type tailStep struct {
	Format   int                      `json:"format"`
	Step     int64                    `json:"step"`
	Mode     record.Mode              `json:"mode"`
	ModeStep int64                    `json:"mode_step"`
	Time     time.Time                `json:"time"`
	Scalars  map[string]record.Number `json:"scalars"`
}

// Run prints steps and findings as they come.
func (c tailCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	t, err := trial.Open(path)
	if err != nil {
		return fmt.Errorf("read run %q: %w", c.Name, err)
	}
	defer t.Close()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()

	p := printer{w: a.stdout, json: c.JSON, trial: t, found: map[string]bool{}}
	err = t.Follow(ctx, p.step)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("follow run %q: %w", c.Name, err)
	}
	if err := p.last(); err != nil {
		return err
	}
	if err := p.findings(); err != nil {
		return err
	}
	return p.end(ctx.Err() != nil)
}

// printer prints steps as text, or all of them as JSON. While the run goes on,
// text is at most ten steps a second, so that a person can read; the last step
// is always printed.
type printer struct {
	w       io.Writer
	json    bool
	trial   *trial.Trial
	ended   bool // the run has; nobody waits for its steps
	printed time.Time
	looked  time.Time
	held    *record.Complete // the last step, when it was passed over
	found   map[string]bool  // findings printed, by key: later ones may be listed before them
}

func (p *printer) step(s *record.Complete) error {
	if time.Since(p.looked) > 500*time.Millisecond {
		p.looked = time.Now()
		p.ended = p.trial.Run().Status != record.Running
		if err := p.findings(); err != nil {
			return err
		}
	}
	if !p.json && !p.ended && time.Since(p.printed) < 100*time.Millisecond {
		p.held = s
		return nil
	}
	return p.print(s)
}

// last prints the last step, unless it was.
func (p *printer) last() error {
	if p.held == nil {
		return nil
	}
	return p.print(p.held)
}

func (p *printer) print(s *record.Complete) error {
	p.held, p.printed = nil, time.Now()
	scalars := map[string]record.Number{}
	var order []string
	for _, part := range s.Parts {
		for _, v := range part.Scalars {
			if _, there := scalars[v.Name]; !there {
				scalars[v.Name] = record.Number(v.Value)
				order = append(order, v.Name)
			}
		}
	}
	if p.json {
		return p.line(tailStep{record.RunFormat, s.Step, s.Mode, s.ModeStep, s.Time, scalars})
	}
	var parts []string
	for _, name := range order {
		if len(parts) == 6 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", printable(name), compact(float64(scalars[name]))))
	}
	_, err := fmt.Fprintf(p.w, "%s  %s step %d  %s\n", s.Time.Local().Format("15:04:05"), s.Mode, s.ModeStep, strings.Join(parts, "  "))
	return err
}

// findings prints those that came since it was called last.
func (p *printer) findings() error {
	all := p.trial.Findings()
	var groups []record.Group
	for _, f := range all {
		if p.found[rules.Key(f)] {
			continue
		}
		p.found[rules.Key(f)] = true
		if p.json {
			if err := p.line(struct {
				Format  int            `json:"format"`
				Finding record.Finding `json:"finding"`
			}{record.RunFormat, f}); err != nil {
				return err
			}
			continue
		}
		if groups == nil {
			groups = rules.Group(all)
		}
		why := causeText(f)
		if root, follows := rules.Cause(groups, f); follows {
			why = fmt.Sprintf("  follows %s at step %d\n", root.Rule, root.Step)
		}
		if _, err := fmt.Fprintf(p.w, "%s: %s\n%s", strings.ToUpper(string(f.Severity)), plain(f.Message), why); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) end(interrupted bool) error {
	run := p.trial.Run()
	if p.json {
		return p.line(struct {
			Format int    `json:"format"`
			Status string `json:"status"`
		}{record.RunFormat, run.Status})
	}
	if interrupted {
		_, err := fmt.Fprintf(p.w, "the run goes on (%s)\n", run.Status)
		return err
	}
	_, err := fmt.Fprintf(p.w, "the run has ended: %s\n", run.Status)
	return err
}

func (p *printer) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = p.w.Write(append(b, '\n'))
	return err
}
