package cli

import (
	"os"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/rules"
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
			run.Warnings = append(run.Warnings, control.WrongRule(rc, err).Error()+"; it does not run, its status is Error")
			continue
		}
		if err != nil {
			return run, control.WrongRule(rc, err)
		}
	}
	return run, nil
}
