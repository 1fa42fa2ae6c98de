package cli

import (
	"context"
	"fmt"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/ruletest"
)

// rulesTestCmd runs unit tests of rules.
type rulesTestCmd struct {
	rootFlag
	Files []string `arg:"" name:"file" placeholder:"FILE" help:"Files of tests."`
	JSON  bool     `name:"json" help:"As JSON: each test with its differences, findings and statuses."`
}

// Help teaches the command.
func (rulesTestCmd) Help() string {
	return "Examples:\n\n    vigil rules test loss.yaml\n    vigil rules test tests/*.yaml --json\n\n" +
		"A file contains rules, series of numbers (written by hand, or recorded runs) and the expected findings.\n\n" +
		"Exit codes: 0 all as expected, 2 differences, 1 a file cannot be read or names what is not there."
}

// Run runs all tests of all files; a file that is wrong is told before any runs.
func (c rulesTestCmd) Run(a *app) error {
	var files []*ruletest.File
	for _, path := range c.Files {
		f, err := ruletest.Load(path, agent.Known())
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	results := []ruletest.Result{}
	for _, f := range files {
		python, err := pythonFor(f.Configs(), record.Run{Name: "test"}, nil)
		if err != nil {
			return err
		}
		more, err := f.Run(context.Background(), ruletest.Options{Replay: c.recorded(a), Python: python, OnPrint: printsTo(a.stderr)})
		if err != nil {
			return &usage{Message: err.Error(), What: f.Name}
		}
		results = append(results, more...)
	}
	failed := 0
	for _, r := range results {
		if !r.OK {
			failed++
		}
	}
	if c.JSON {
		if err := writeJSON(a.stdout, map[string]any{"tests": results, "passed": len(results) - failed, "failed": failed}); err != nil {
			return err
		}
	} else {
		printTests(a, results, failed)
	}
	if failed > 0 {
		return exit(2, nil)
	}
	return nil
}

// recorded judges a run that a test names.
func (c rulesTestCmd) recorded(a *app) ruletest.Replay {
	return func(path string, configs []rules.Config) ([]record.Finding, []record.RuleStatus, error) {
		return c.replay(a, path, configs)
	}
}

func (c rulesTestCmd) replay(a *app, path string, configs []rules.Config) ([]record.Finding, []record.RuleStatus, error) {
	t, err := openRun(path, path)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	findings := []record.Finding{}
	j, err := replay(context.Background(), t, configs, replaying{root: c.root(), prints: a.stderr, found: func(f record.Finding) {
		if !f.Muted {
			findings = append(findings, f)
		}
	}})
	if err != nil {
		return nil, nil, fmt.Errorf("judge run %q: %w", path, err)
	}
	return findings, j.Engine.Statuses(), nil
}

// maxDifferences is the most that is printed of one test.
const maxDifferences = 20

func printTests(a *app, results []ruletest.Result, failed int) {
	p := a.page()
	for _, r := range results {
		word := p.Good("ok   ")
		if !r.OK {
			word = p.Severity(record.Error, "FAIL ")
		}
		fmt.Fprintln(a.stdout, p.Hang(word+" ", fmt.Sprintf("%s: %s", r.File, printable(r.Name))))
		for i, d := range r.Differences {
			if i == maxDifferences {
				fmt.Fprintf(a.stdout, "      … and %d more\n", len(r.Differences)-i)
				break
			}
			fmt.Fprintln(a.stdout, p.Hang("      ", d))
		}
	}
	if failed > 0 {
		fmt.Fprintln(a.stdout, "\n"+p.Hang("", fmt.Sprintf("%d of %d tests differ (- expected and not found, + found and not expected)", failed, len(results))))
		return
	}
	fmt.Fprintf(a.stdout, "\n%d tests, all as expected\n", len(results))
}
