package main

// stopCmd stops a running job.
type stopCmd struct {
	runArg
	JSON bool `name:"json" help:"As JSON."`
}

// Run stops the job.
func (c stopCmd) Run(a *app) error {
	_, err := c.path()
	return err
}
