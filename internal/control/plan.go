package control

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/launch"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// Change is what a person asks of a plan, as they wrote it.
type Change struct {
	Every   *int64   // interval for collections that name none; 0 leaves it to the budget
	Collect []string // SPECs of collections
	AddRule []string // SPECs of rules
	For     *int64   // so many steps; nil: no end
	Monitor *string  // interval of machine metrics in milliseconds, or off

	// By is the command line or page that asks, for the plan's history, and Flag
	// spells a setting as it is written there.
	By   string
	Flag func(setting string) string
}

// Empty tells that nothing is asked for.
func (c Change) Empty() bool {
	return c.Every == nil && c.Monitor == nil && len(c.Collect)+len(c.AddRule) == 0
}

// Request is what the agent is asked.
func (c Change) Request() (*capture.PlanRequest, error) {
	if c.For != nil && len(c.Collect) == 0 {
		return nil, &usage{Message: c.Flag("for") + " needs " + c.Flag("collect"), What: c.Flag("for"), Hint: "for all gradients: " + c.Flag("collect") + " gradients:raw,every=1 " + c.Flag("for") + " 20"}
	}
	if c.Every != nil && *c.Every < 0 {
		return nil, &usage{Message: fmt.Sprintf("%s %d is below 0", c.Flag("every"), *c.Every), What: c.Flag("every")}
	}
	r := &capture.PlanRequest{Every: c.Every}
	if c.For != nil {
		if *c.For < 1 {
			return nil, &usage{Message: fmt.Sprintf("%s %d is below 1", c.Flag("for"), *c.For), What: c.Flag("for")}
		}
		r.For = *c.For
	}
	var why []string
	say := func(setting string, value any) { why = append(why, fmt.Sprintf("%s %v", c.Flag(setting), value)) }
	if c.Every != nil {
		say("every", *c.Every)
	}
	if c.Monitor != nil {
		ms, err := config.ParseMonitor(*c.Monitor)
		if err != nil {
			return nil, &usage{Message: c.Flag("monitor") + ": " + err.Error(), What: c.Flag("monitor")}
		}
		r.Monitor = &ms
		say("monitor", *c.Monitor)
	}
	for _, spec := range c.Collect {
		col, err := config.ParseCollect(spec, c.By)
		if err != nil {
			return nil, err
		}
		r.Collect = append(r.Collect, col)
		say("collect", spec)
	}
	if err := c.addRules(r); err != nil {
		return nil, err
	}
	for _, spec := range c.AddRule {
		say("add-rule", spec)
	}
	if c.For != nil {
		say("for", *c.For)
	}
	r.Why = c.By + " " + strings.Join(why, " ")
	return r, nil
}

// addRules reads the rules that are to be added, as `vigil run` would here.
func (c Change) addRules(r *capture.PlanRequest) error {
	if len(c.AddRule) == 0 {
		return nil
	}
	known, err := FileRules()
	if err != nil {
		return err
	}
	for _, spec := range c.AddRule {
		rc, err := config.ParseRule(spec, c.Flag("add-rule"), agent.Known(), known)
		if err != nil {
			return err
		}
		rc.From = c.Flag("add-rule")
		if err := rules.Check(rules.Config{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params}); err != nil {
			return WrongRule(rc, err)
		}
		r.Rules = append(r.Rules, capture.RuleRequest{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params})
	}
	return nil
}

// FileRules are the rules asked for by name that a run would be started with here.
func FileRules() ([]config.RuleConfig, error) {
	run, err := config.Resolve(config.Flags{}, os.Environ(), "", agent.Known())
	return run.Rule, err
}

// WrongRule says what is wrong with a rule that was asked for.
func WrongRule(rc config.RuleConfig, err error) error {
	u := &usage{Message: fmt.Sprintf("%s: %v", rc.From, err), What: rc.Rule}
	var p *rule.ParamError
	if errors.As(err, &p) {
		u.Message = fmt.Sprintf("%s: rule %s: %s", rc.From, p.Rule, p.Message)
		u.What, u.Hint = p.What, p.Hint
	}
	return u
}

// Window is the steps of one mode that a bounded capture takes.
type Window struct {
	Collection string `json:"collection"`
	Mode       string `json:"mode"`
	Start      int64  `json:"start"`
	End        int64  `json:"end" doc:"Exclusive."`
}

// Changed is what the agent says to a change.
type Changed struct {
	Name    string                `json:"-"` // of the run
	Windows []Window              `json:"windows"`
	Rules   []capture.RuleRequest `json:"rules"`
}

// Plan has the agent change the run's plan.
func (r Run) Plan(request *capture.PlanRequest) (Changed, error) {
	var changed Changed
	run, err := r.Running("the plan can be changed only while the job runs")
	if err != nil {
		return changed, err
	}
	changed.Name = run.Name
	if err := launch.Ask(run.Control, capture.Control{Cmd: "plan", Plan: request}, &changed); err != nil {
		return changed, conflict(r.Name, "", "change the plan of run %q: %v", r.Name, err)
	}
	return changed, nil
}
