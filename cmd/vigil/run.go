package main

import (
	"github.com/vigil-ml/vigil/internal/config"
)

// runCmd starts a training command, captures it and judges it live.
type runCmd struct {
	config.Flags
	Command []string `arg:"" optional:"" passthrough:"" name:"command" help:"The training command, after --."`
}

// Run starts the job.
func (c runCmd) Run(a *app) error {
	return exit(125, &usage{Message: "nothing to run", What: "COMMAND", Hint: "vigil run -- python train.py"})
}
