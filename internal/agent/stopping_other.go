//go:build !linux

package agent

// stopProcesses asks the launcher: without capture there are no workers here.
func (j *job) stopProcesses(rule, configuration, message string) {
	j.sendStop(rule, configuration, message)
}

func processCommand(int) (command []string, directory string) { return nil, "" }
