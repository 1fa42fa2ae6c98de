package main

// doctorCmd tells what works here and why nothing was captured.
type doctorCmd struct {
	rootFlag
	Target string `arg:"" optional:"" name:"run" help:"A run, to be told what it did not capture and why."`
	JSON   bool   `name:"json" help:"As JSON."`
}

// Run checks the machine.
func (c doctorCmd) Run(a *app) error { return nil }
