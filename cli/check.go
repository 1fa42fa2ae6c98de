package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/report/boosting"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/expression"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/internal/view"
	"github.com/vigil-ml/vigil/rule"
)

// checkCmd judges stored runs again.
type checkCmd struct {
	rootFlag
	Name      string   `arg:"" optional:"" name:"run" placeholder:"RUN" help:"The run: its name below the root, the beginning of one, latest, latest~1, or a path; a directory of runs: all of them (default: the newest run)."`
	Rules     string   `name:"rules" placeholder:"SET" help:"Sets of rules, joined by commas: default, experimental, all, none (default: the rules that judged it live; none when --rule is given)."`
	Rule      []string `name:"rule" sep:"none" placeholder:"NAME[:k=v,...]" help:"Add a rule, or set its parameters; repeatable."`
	Config    string   `name:"config" placeholder:"FILE" help:"Configuration file: judge with its rules, like a run that is started with it."`
	FailOn    string   `name:"fail-on" default:"warning" placeholder:"SEVERITY" help:"Exit with 2 on findings of this severity or worse: error, warning, info, or never."`
	Baseline  string   `name:"baseline" placeholder:"FILE" help:"Known findings: the --json output of an earlier check, or a run. They are muted; only new ones fail."`
	MaxSlower string   `name:"max-slower" placeholder:"PERCENT" help:"Exit with 2 when a step took longer than in each of the last runs of the script on this machine by more than this, such as 5%."`
	Statuses  bool     `name:"statuses" help:"List the status of every rule, not only of those asked for by name."`
	JSON      bool     `name:"json" help:"As JSON: findings, groups by root cause, the status of each rule, and what is damaged; of a directory, a list of such objects under \"runs\"."`
}

// Help teaches the command.
func (checkCmd) Help() string {
	return "Examples:\n\n    vigil check\n    vigil check latest --rule vanishing_gradient:threshold=1e-6 --fail-on error\n    vigil check latest --json > known.json\n    vigil check vigil-runs --baseline known.json\n    vigil check latest --max-slower 5%\n\n" +
		"The rules see the stored steps exactly as they came while the run was live. What a rule needs and was not\ncaptured is reported with the rule. Findings that vigil.yaml muted when the run started do not count, nor those that --config mutes.\n\n" +
		"Rules that are Python classes run only when they are asked for: by --config, by --rule, or by a vigil.yaml here that names\nthe same class. A run alone does not make its reader run code.\n\n" +
		"A finding is known from the baseline when rule, check, tensor and mode are the same; its step and numbers may differ.\n\n" +
		"A rule that ends with an error is named on standard error, and fails the check: its silence would prove nothing.\n\n" +
		"With --max-slower a run fails that was slower than the last runs of the same script on the same machine, whatever\n--fail-on says. The first such run has nothing to be compared with, and passes.\n\n" +
		"Exit codes: 0 nothing at or above --fail-on, 2 findings, 1 usage, a run that cannot be read or is too damaged\nto be judged, or a rule that ended with an error."
}

// Run replays the run, or each run of a directory, through the rules.
func (c checkCmd) Run(a *app) error {
	limit, err := c.limit()
	if err != nil {
		return err
	}
	if c.MaxSlower != "" {
		if _, err := maxSlower(c.MaxSlower); err != nil {
			return err
		}
	}
	var known *baseline
	if c.Baseline != "" {
		if known, err = readBaseline(c.root(), c.Baseline); err != nil {
			return err
		}
	}
	if c.Name != "" && !namesRun(c.root(), c.Name) {
		if runs := runNames(c.Name); len(runs) > 0 {
			return c.all(a, runs, known, limit)
		}
	}
	word := runArg{c.rootFlag, c.Name}
	path, err := word.path()
	if err != nil {
		return err
	}
	word.sayWhich(a, c.Name)
	c.Name = word.Name
	j, err := c.judge(a, c.Name, path, known)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(a.stdout, j.Findings)
	} else {
		c.print(a, j)
	}
	j.sayFailed(a, c.Name)
	switch {
	case err != nil:
		return err
	case j.fails(limit), j.slower(c.MaxSlower):
		return exit(2, nil)
	case j.broken() != "":
		return exit(1, nil)
	}
	return nil
}

// all judges every run of a directory. One that cannot be judged does not keep
// the others from it.
func (c checkCmd) all(a *app, names []string, known *baseline, limit int) error {
	documents := []any{}
	found, failed := false, []string(nil)
	for _, name := range names {
		j, err := c.judge(a, name, filepath.Join(c.Name, name), known)
		var wrong *rule.ParamError
		if u := (*usage)(nil); errors.As(err, &wrong) || errors.As(err, &u) && u.What != name {
			return err // what was asked for is wrong, not the run
		}
		switch {
		case err != nil:
			failed = append(failed, err.Error())
			documents = append(documents, map[string]string{"run": name, "error": err.Error()})
		case c.JSON:
			j.Run = name
			documents = append(documents, j.Findings)
		default:
			fmt.Fprintln(a.stdout, a.page().Bold("== "+printable(name)))
			c.print(a, j)
			fmt.Fprintln(a.stdout)
		}
		if err == nil {
			j.sayFailed(a, name)
			found = found || j.fails(limit) || j.slower(c.MaxSlower)
			if b := j.broken(); b != "" {
				failed = append(failed, fmt.Sprintf("judge run %q: the rule %s failed", name, b))
			}
		}
	}
	if c.JSON {
		if err := writeJSON(a.stdout, map[string]any{"runs": documents}); err != nil {
			return err
		}
	}
	for _, f := range failed {
		aside(a.stderr, "%s", f)
	}
	switch {
	case found:
		return exit(2, nil)
	case len(failed) > 0:
		return exit(1, nil)
	}
	return nil
}

// judged is what the rules say of one run.
type judged struct {
	view.Findings
	facts   json.RawMessage     // of the run
	tensors []record.TensorInfo // of the run
	named   []string            // the rules that were asked for by name
}

// judge replays one run through the rules.
func (c checkCmd) judge(a *app, name, path string, known *baseline) (*judged, error) {
	t, err := openRun(name, path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	configs, mutes, left, err := c.configs(t)
	if err != nil {
		return nil, err
	}
	if c.MaxSlower != "" {
		percent, err := maxSlower(c.MaxSlower)
		if err != nil {
			return nil, err
		}
		configs = noSlower(configs, percent)
		if why := notCompared(t); why != "" {
			aside(a.stderr, "--max-slower has nothing to compare run %s with: %s", printable(name), why)
		}
	}
	for _, l := range left {
		aside(a.stderr, "the rule %s is a Python class and was not run; name the configuration that holds it with --config", printable(l))
	}
	j, have := &judged{facts: t.Run().Facts, tensors: source.OfTraining(t.Tensors()), named: c.named(configs)}, captured{}
	done, err := replay(context.Background(), t, configs, replaying{
		root: c.root(), mutes: mutes, accepted: known.accepted, found: func(f record.Finding) { j.All = append(j.All, f) }, prints: a.stderr,
		saw: have.add, warn: func(text string) { aside(a.stderr, "%s", printable(text)) },
	})
	if err != nil {
		return nil, fmt.Errorf("judge run %q: %w", name, err)
	}
	record.Cover(j.All)
	j.Groups, j.Rules, j.Damage = done.Engine.Groups(), done.Engine.Statuses(), t.Damage()
	have.explain(j.Rules, t.Statuses(), done.Engine.Needs())
	if done.Steps() == 0 && len(j.Damage) > 0 {
		return nil, notJudged(name, j.Damage)
	}
	return j, nil
}

// named are the configurations that --rule or --config asks for.
func (c checkCmd) named(configs []rules.Config) []string {
	var names []string
	if c.Config == "" && len(c.Rule) == 0 {
		return nil
	}
	for _, x := range configs {
		d, ok := rules.Lookup(x.Rule)
		if preset := ok && d.Default != nil && x.Configuration == d.Name && maps.Equal(x.Params, d.Default.Params); !preset {
			names = append(names, x.Configuration)
		}
	}
	return names
}

// fails reports whether there is a finding at or above a place in severities.
func (j *judged) fails(limit int) bool {
	return slices.ContainsFunc(j.All, func(f record.Finding) bool { return !f.Muted && slices.Index(severities, f.Severity) <= limit })
}

// broken names a rule that ended with an error: then nothing found says nothing.
func (j *judged) broken() string {
	for _, s := range j.Rules {
		if s.Status == rules.StatusError {
			return s.Configuration
		}
	}
	return ""
}

// print shows what was found, and where the rules stand: those that were asked
// for by name, and those that ended with an error, are always listed.
func (c checkCmd) print(a *app, j *judged) {
	p := a.page()
	p.Called = called(j.tensors)
	printGroups(a.stdout, p, j.Findings, record.Run{Status: record.Completed, Facts: j.facts}) // it was judged to its end
	printMuted(a.stdout, p, j.Muted())
	all := view.Standings(j.Rules, view.LacksOf(j.facts))
	listed := all
	if !c.Statuses {
		listed = slices.DeleteFunc(slices.Clone(all), func(s view.Standing) bool {
			return s.Stand != view.CouldNot && !slices.Contains(j.named, s.Rule)
		})
	}
	printStandings(a.stdout, p, listed)
	if len(listed) < len(all) {
		printStanding(a.stdout, p, all, "--statuses")
	}
	printDamage(a.stderr, j.Damage)
}

// sayFailed names rules that did not judge the run, or not to its end: that they found
// nothing says nothing.
func (j *judged) sayFailed(a *app, name string) {
	for _, s := range j.Rules {
		if s.Status == rules.StatusError {
			reason, _, _ := strings.Cut(s.Details, "\n")
			aside(a.stderr, "run %s was not judged by %s: %s", printable(name), printable(s.Configuration), plain(reason))
		}
	}
}

// notJudged is the error for a run of which no step is left: that nothing was
// found says nothing then.
func notJudged(name string, damage []source.Damage) error {
	var lines []string
	for _, d := range damage[:min(len(damage), 5)] {
		lines = append(lines, fmt.Sprintf("%s: %s", d.File, d.Reason))
	}
	if more := len(damage) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: `vigil show %s` lists them", more, name))
	}
	return &usage{Message: fmt.Sprintf("run %q could not be judged: it is damaged and none of its steps can be read", name), What: name, Hint: strings.Join(lines, "\n")}
}

var severities = []record.Severity{record.Error, record.Warning, record.Info}

// limit is the place of --fail-on in severities; -1 is never.
func (c checkCmd) limit() (int, error) {
	if c.FailOn == "never" {
		return -1, nil
	}
	i := slices.Index(severities, record.Severity(c.FailOn))
	if i < 0 {
		known := []string{"error", "warning", "info", "never"}
		return 0, &usage{Message: fmt.Sprintf("unknown severity %q", c.FailOn), What: "--fail-on", Hint: nearest(c.FailOn, known, "known: "+strings.Join(known, ", "))}
	}
	return i, nil
}

// configs are the rules to run: those of a configuration file that is named,
// those asked for by name and of the set, or else those that judged the run
// live, under the same parameters. Of the latter those are left out that are
// Python classes which nobody here vouches for.
func (c checkCmd) configs(t source.Run) (list []rules.Config, mutes []rules.Mute, left []string, err error) {
	framework := t.Run().Framework.Name
	if c.Config != "" {
		flags := config.Flags{Config: &c.Config, Rule: c.Rule}
		if c.Rules != "" {
			flags.Rules = &c.Rules
		}
		settings, err := loadSettings(flags)
		if err != nil {
			return nil, nil, nil, err
		}
		set, err := rules.Set(settings.Rules, framework)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, m := range settings.Mutes {
			mutes = append(mutes, rules.Mute{Rule: m.Rule, Subject: m.Tensor, Reason: m.Reason})
		}
		return rules.Merge(set, configsOf(settings.Rule)), mutes, nil, nil
	}
	name := c.Rules
	if name == "" && len(c.Rule) > 0 {
		name = "none"
	}
	if name == "" {
		live, left := liveConfigs(t.Statuses())
		if len(live)+len(left) > 0 {
			return live, mutes, left, nil
		}
		name = "default"
	}
	set, err := rules.Set(name, framework)
	if err != nil {
		return nil, nil, nil, &usage{Message: fmt.Sprintf("unknown set of rules %q", name), What: "--rules", Hint: nearest(name, rules.Sets, "known: "+strings.Join(rules.Sets, ", "))}
	}
	if n := len(c.Rule); n > config.MaxRules {
		return nil, nil, nil, &usage{Message: fmt.Sprintf("%d rules are too many; the limit is %d", n, config.MaxRules), What: "--rule", Hint: "leave some out, or run two checks"}
	}
	var user []rules.Config
	for _, spec := range c.Rule {
		rc, err := parseRule(spec)
		if err != nil {
			return nil, nil, nil, err
		}
		user = append(user, rc)
	}
	return rules.Merge(set, user), mutes, nil, nil
}

// liveConfigs are the configurations whose statuses a run carries; left are the
// Python classes among them that the configuration file here does not name. A
// run may come from anywhere: what it names is not run because it names it.
func liveConfigs(statuses []record.RuleStatus) (list []rules.Config, left []string) {
	own, _ := ownRules()
	for _, s := range statuses {
		c := rules.Config{Rule: s.Rule, Configuration: s.Configuration, Params: s.Parameters, Checks: s.Checks}
		if rules.IsPython(c) {
			mine, ok := findOwn(own, s.Configuration)
			if !ok || mine.config.Params["source"] != c.Params["source"] || mine.config.Params["python"] != c.Params["python"] && c.Params["python"] != "None" {
				left = append(left, s.Configuration)
				continue
			}
		}
		list = append(list, ofToday(c)) // one that is not known here gets the status Error
	}
	return list, left
}

// ofToday leaves out parameters that a run of an older version has on record and the
// rule has no longer: what they asked for is judged no more.
func ofToday(c rules.Config) rules.Config {
	known, err := rules.Parameters(c.Rule)
	if err != nil || rules.IsPython(c) {
		return c
	}
	c.Params = maps.Clone(c.Params)
	maps.DeleteFunc(c.Params, func(name, _ string) bool { return !slices.Contains(known, name) })
	return c
}

// parseRule reads one --rule and checks its name and parameters. The rule may
// be an expression or a Python class, or one of the configuration file.
func parseRule(spec string) (rules.Config, error) {
	if rc, is, err := parsePython(spec); is {
		return rc, err
	}
	rc := rules.Config{Params: map[string]string{}}
	name, kvs, err := config.ParseSpec(spec, func(name string) ([]string, error) {
		known, err := rules.Parameters(name)
		if err == nil {
			return known, nil
		}
		own, fileErr := ownRules()
		if mine, ok := findOwn(own, name); ok {
			rc = mine.config
			rc.Params = maps.Clone(rc.Params)
			return rules.ExpressionParameters(), nil
		}
		if strings.Contains(spec, expression.Key+"=") {
			return rules.ExpressionParameters(), nil
		}
		if fileErr != nil {
			return nil, fileErr
		}
		return nil, err
	})
	if err != nil {
		return rules.Config{}, ruleError(spec, err)
	}
	if rc.Rule == "" {
		rc.Rule = name
	}
	for _, kv := range kvs {
		rc.Params[kv.Key] = kv.Value
	}
	if err := rules.Check(rc); err != nil {
		return rules.Config{}, ruleError(spec, err)
	}
	return rc, nil
}

func ruleError(spec string, err error) error {
	var u *usage
	if errors.As(err, &u) {
		return u
	}
	return &usage{Message: err.Error(), What: spec, Hint: "`vigil rules list` lists the rules, `vigil rules describe NAME` their parameters"}
}

// replaying says how a run is judged again.
type replaying struct {
	root     string       // where other runs are looked up
	mutes    []rules.Mute // besides those that the run carries
	accepted func(*record.Finding) string
	found    func(record.Finding)
	prints   io.Writer // for what rules in Python print; may be nil
	saw      func(*record.Complete)
	warn     func(text string) // of what no status tells
}

// replay judges a stored run.
func replay(ctx context.Context, t source.Run, configs []rules.Config, o replaying) (*judge.Judge, error) {
	others := trial.NewOthers(vfs.OS, filepath.Dir(t.Path()))
	defer others.Close()
	other := func(name string) (*trial.Other, error) {
		// A run next to the one that is judged is found, too.
		if t, err := others.Open(name); err == nil {
			return t, nil
		}
		path, err := exactRun(o.root, name)
		if err == nil && path == "" {
			err = noRun(o.root, name, runNames(o.root))
		}
		if err != nil {
			return nil, err
		}
		return others.Open(path)
	}
	python, err := pythonFor(configs, t.Run(), ruleFolder(t.Path()))
	if err != nil {
		return nil, err
	}
	if python != nil {
		python.Path = t.Path()
		python.Other = func(name string) (string, error) {
			o, err := other(name)
			if err != nil {
				return "", err
			}
			return o.Path(), nil
		}
	}
	return judge.Stored(ctx, t, judge.Options{OnStep: o.saw, Rules: rules.Options{
		Configs: configs, Mutes: o.mutes, Accepted: o.accepted, OnFinding: o.found, Python: python, OnPrint: printsTo(o.prints),
		Document: func(string) error {
			return boosting.WriteIn(t.Path(), t, boosting.Options{Now: time.Now()})
		},
		Trial: func(name string) (rule.Trial, error) {
			o, err := other(name)
			if err != nil {
				return nil, err
			}
			return o, nil
		},
		OnWarning: func(configuration, text string) {
			if configuration == rules.MuteWarning && o.warn != nil {
				o.warn(text)
			}
		},
	}})
}
