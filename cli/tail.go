package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/source"
)

// tailCmd follows a run.
type tailCmd struct {
	runArg
	Findings bool `name:"findings" help:"No steps: only findings, and the end."`
	JSON     bool `name:"json" help:"One JSON object per line: steps with their scalars, findings, and the end."`
}

// Help teaches the command.
func (tailCmd) Help() string {
	return "Examples:\n\n    vigil tail\n    vigil tail latest --json | jq .scalars.loss\n    vigil tail --findings\n\n" +
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
	tailPace
}

// Run prints steps and findings as they come.
func (c tailCmd) Run(a *app) error {
	word := c.Name
	t, err := c.open()
	if err != nil {
		return err
	}
	c.sayWhich(a, word)
	defer t.Close()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()

	page, run := a.page(), t.Run()
	page.Clock = run.Clock()
	p := printer{w: a.stdout, page: page, json: c.JSON, only: c.Findings, trial: t, found: map[string]bool{}}
	if err := p.follow(ctx); err != nil {
		return fmt.Errorf("follow run %q: %w", c.Name, err)
	}
	return p.end(ctx.Err() != nil)
}

// tailEvery is how often is looked for more.
const tailEvery = 200 * time.Millisecond

// printer prints steps and findings, each finding after its step.
type printer struct {
	w     io.Writer
	page  live.Page
	json  bool
	only  bool // findings
	trial source.Run
	due   []record.Finding // by step, not printed yet
	turns live.Turns       // of the findings printed
	found map[string]bool  // findings that were printed or are due, by key
	pace  pace
}

// follow prints what there is, then what comes, until the run has ended or ctx
// is done.
func (p *printer) follow(ctx context.Context) error {
	tail, completer := p.trial.Tail(), rules.NewCompleter(0)
	defer tail.Close()
	tick := time.NewTicker(tailEvery)
	defer tick.Stop()
	for {
		// What was stored before the run ended is there when it says so.
		run := p.trial.Run()
		p.page.Clock = run.Clock()
		p.pace.each = run.Time.SamplesPerStep()
		looked, last := false, int64(-1)
		step := func(c *record.Complete) error {
			if !looked { // what was found at the steps before this one is stored by now
				p.look()
				looked = true
			}
			last = c.Step
			if err := p.findings(c.Step - 1); err != nil {
				return err
			}
			return p.print(c)
		}
		err := tail.Next(func(c *record.Complete) error {
			completer.Resume(c)
			return step(c)
		})
		if err == nil && run.Status == record.Lost && !run.Over() {
			err = judge.Undecided(p.trial, completer, step)
		}
		if err != nil {
			return err
		}
		p.look()
		if run.Status != record.Running {
			return p.findings(math.MaxInt64)
		}
		if err := p.findings(last); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return p.findings(math.MaxInt64)
		case <-tick.C:
		}
	}
}

func (p *printer) print(s *record.Complete) error {
	if p.only {
		return nil
	}
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
	now := p.pace.step(s)
	if p.json {
		return p.line(tailStep{record.RunFormat, s.Step, s.Mode, s.ModeStep, s.Time, scalars, now})
	}
	var parts []string
	if text := now.text(); text != "" {
		parts = append(parts, text)
	}
	for _, name := range order {
		if len(parts) == 6 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", printable(name), record.Digits(float64(scalars[name]))))
	}
	head := s.Time.Local().Format("15:04:05") + "  " + p.place(s)
	_, err := fmt.Fprintln(p.w, p.page.One(head+"  "+strings.Join(parts, "  ")))
	return err
}

// place names a step, and the epoch where one begins with it.
func (p *printer) place(s *record.Complete) string {
	text := record.StepText(s.Mode, s.Step, s.ModeStep)
	if p.page.Clock == nil || s.Mode != record.Train {
		return text
	}
	if e, ok := p.page.Clock.Epoch(s.ModeStep); ok && e.Begins == s.ModeStep {
		text += fmt.Sprintf(" (epoch %d)", e.Number)
	}
	return text
}

// facts are what is known of the training; what cannot be read says nothing.
func (p *printer) facts() *record.Facts {
	run := p.trial.Run()
	f, _ := run.KnownFacts()
	return f
}

// look takes in the findings that came since it was called last.
func (p *printer) look() {
	for _, f := range p.trial.Findings() {
		if !p.found[rules.Key(f)] {
			p.found[rules.Key(f)] = true
			p.due = append(p.due, f)
		}
	}
	slices.SortStableFunc(p.due, func(a, b record.Finding) int { return cmp.Compare(a.Step, b.Step) })
}

// findings prints those that are due up to a step.
func (p *printer) findings(upTo int64) error {
	var groups []record.Group
	for len(p.due) > 0 && p.due[0].Step <= upTo {
		f := p.due[0]
		p.due = p.due[1:]
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
			groups = rules.Group(p.trial.Findings(), p.facts())
		}
		var text string
		root, follows := rules.Cause(groups, f)
		switch turn := p.turns.Next(&f); {
		case f.Muted:
			continue
		case follows:
			text = p.page.Symptom(&f, root.Rule)
		case turn == live.Again:
			text = p.page.Repeat(&f)
		case turn == live.Further:
			text = p.page.Head(&f) + "\n" + p.page.Message(&f)
		default:
			text = p.page.Finding(&f)
		}
		if _, err := fmt.Fprintln(p.w, text); err != nil {
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
		_, err := fmt.Fprintf(p.w, "the run is still going on (%s)\n", run.Status)
		return err
	}
	status := plain(run.Ending())
	if run.Status == record.Completed && len(p.found) == 0 {
		status = p.page.Good(status)
	}
	_, err := fmt.Fprintf(p.w, "the run has ended: %s\n", status)
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
