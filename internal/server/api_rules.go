package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/view"
)

// RunRules are the rules of the catalogue as a run stands to them.
type RunRules struct {
	Format
	Rules []RunRule `json:"rules" doc:"Those that judge the run first, and among them those that found something."`
	Text  string    `json:"text" doc:"Where the rules of the run stand, in a line."`
}

// RunRule is a rule as a run stands to it.
type RunRule struct {
	Rule          string            `json:"rule"`
	RuleClass     string            `json:"rule_class"`
	Configuration string            `json:"configuration"`
	Active        bool              `json:"active" doc:"It judges the run, or did."`
	Severity      string            `json:"severity"`
	Family        string            `json:"family"`
	Summary       string            `json:"summary"`
	Why           string            `json:"why"`
	Checks        int               `json:"checks" doc:"How many checks it has."`
	Status        string            `json:"status" doc:"InProgress, NoIssuesFound, IssuesFound, Error, Stopped; \"\" of one that is not active."`
	Stand         string            `json:"stand" doc:"found, quiet, not judged, error; \"\" of one that is not active."`
	StandText     string            `json:"stand_text" doc:"What it found, or judged, or why it did not."`
	Notes         []string          `json:"notes"`
	Parameters    map[string]string `json:"parameters"`
	Counters      Counters          `json:"counters"`
	First         *FindingPlace     `json:"first" doc:"Its first finding that counts; null of none."`
	Last          *FindingPlace     `json:"last"`
	Needs         []string          `json:"needs" doc:"What it asks of capture under its default parameters."`
	Log           bool              `json:"log" doc:"There is a log of what it printed."`
	Files         []KeptFile        `json:"files" doc:"What it wrote."`
	Add           []ShellCommand    `json:"add" doc:"What lets it judge the run, of one that is not active."`
}

// Counters are what a rule counted.
type Counters struct {
	RuleTriggered int64            `json:"rule_triggered"`
	Violations    int64            `json:"violations"`
	Datapoints    int64            `json:"datapoints"`
	Findings      int64            `json:"findings"`
	Skipped       map[string]int64 `json:"skipped"`
}

// FindingPlace is where a finding is.
type FindingPlace struct {
	_     struct{}  `nullable:"true"`
	ID    string    `json:"id"`
	Step  int64     `json:"step" doc:"Of its mode."`
	Mode  string    `json:"mode"`
	Clock string    `json:"clock"`
	Time  time.Time `json:"time"`
}

func toPlace(n *view.Named) *FindingPlace {
	if n == nil {
		return nil
	}
	return &FindingPlace{ID: n.ID, Step: n.ModeStep, Mode: n.Mode.String(), Clock: n.Clock, Time: n.Time}
}

// ShellCommand is what a person types, and what that does.
type ShellCommand struct {
	Text string `json:"text"`
	Does string `json:"does"`
}

func toRunRule(r *view.RunRule, kept []KeptFile) RunRule {
	out := RunRule{Rule: r.Rule, RuleClass: r.Class, Configuration: r.Configuration, Active: r.Active, Severity: r.Severity, Family: r.Family, Summary: r.Summary,
		Why: r.Why, Checks: r.Checks, Status: r.Status.Status, Stand: string(r.Standing.Stand), StandText: r.Standing.Text, Notes: nonNil(r.Standing.Notes),
		Parameters: toStatus(r.Status).Parameters, First: toPlace(r.First), Last: toPlace(r.Last), Needs: []string{}, Files: []KeptFile{}, Add: []ShellCommand{}}
	s := toStatus(r.Status)
	out.Counters = Counters{s.RuleTriggered, s.Violations, s.Datapoints, s.Findings, s.Skipped}
	for _, n := range r.Needs {
		out.Needs = append(out.Needs, n.Text())
	}
	for _, c := range r.Add {
		out.Add = append(out.Add, ShellCommand(c))
	}
	if r.Active {
		out.Files, out.Log = keptBy(kept, r.Configuration)
	}
	return out
}

// RuleCatalogue is the catalogue of rules.
type RuleCatalogue struct {
	Format
	Rules []view.ListedRule `json:"rules"`
}

// RuleText is all that a rule says of itself, as `vigil rules describe --json`.
type RuleText struct {
	Format
	view.RulePage
	Explanations map[string]rules.Explanation `json:"explanations" doc:"What a finding of each check means, by the check's name."`
}

func registerRules(api huma.API, s *Server) {
	get(api, "/runs/{run}/rules", "list-run-rules", "The whole catalogue of rules as a run stands to it", func(_ context.Context, in *struct{ RunPath }) (RunRules, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return RunRules{}, err
		}
		out := RunRules{format1, []RunRule{}, view.StandingText(view.Standings(t.Statuses(), view.LacksOf(t.Run().Facts)))}
		kept := keptFiles(t)
		list := view.RulesOf(t)
		for i := range list {
			out.Rules = append(out.Rules, toRunRule(&list[i], kept))
		}
		return out, nil
	})
	get(api, "/rules", "list-rules", "The catalogue of rules, as `vigil rules list --json`", func(context.Context, *struct{}) (RuleCatalogue, error) {
		return RuleCatalogue{format1, view.Catalogue()}, nil
	})
	get(api, "/rules/{rule}", "get-rule", "A rule, as `vigil rules describe --json`", func(_ context.Context, in *struct {
		Rule string `path:"rule" maxLength:"255" doc:"Any spelling of its name."`
	},
	) (RuleText, error) {
		d, ok := rules.Lookup(in.Rule)
		if !ok {
			return RuleText{}, &missing{fmt.Sprintf("There is no rule %.200q in the catalogue. A custom rule is described by `vigil rules describe` where it is written.", in.Rule)}
		}
		page, err := view.DescribeRule(d, "")
		if err != nil {
			return RuleText{}, err
		}
		page.Causes, page.Remedies, page.Frameworks = nonNil(page.Causes), nonNil(page.Remedies), nonNil(page.Frameworks)
		out := RuleText{format1, page, map[string]rules.Explanation{}}
		for i := range d.Checks {
			_, name, _ := strings.Cut(d.Checks[i].ID, "/")
			out.Explanations[name] = rules.Explain(d, &d.Checks[i])
		}
		return out, nil
	})
}
