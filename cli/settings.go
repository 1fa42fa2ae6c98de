package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// loadSettings joins flags, environment and configuration file, and checks
// every name and value in them, so that a mistake is told before anything
// starts.
func loadSettings(f config.Flags) (config.Run, error) {
	run, err := config.Resolve(f, os.Environ(), "", agent.Known())
	if err != nil {
		return run, err
	}
	for _, rc := range run.Rule {
		err := rules.Check(rules.Config{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params})
		if err != nil && rc.Lenient {
			run.Warnings = append(run.Warnings, wrongRule(rc, err).Error()+"; it does not run, its status is Error")
			continue
		}
		if err != nil {
			return run, wrongRule(rc, err)
		}
	}
	return run, nil
}

// wrongRule says where a configuration of a rule is wrong.
func wrongRule(rc config.RuleConfig, err error) error {
	u := &usage{Message: fmt.Sprintf("%s: %v", rc.From, err), What: rc.Rule}
	var p *rule.ParamError
	if errors.As(err, &p) {
		u.Message = fmt.Sprintf("%s: rule %s: %s", rc.From, p.Rule, p.Message)
		u.What, u.Hint = p.What, p.Hint
	}
	return u
}
