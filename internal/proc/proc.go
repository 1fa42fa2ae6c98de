// Package proc reads the system's table of processes: who runs, whose child it
// is, and what it was started with.
package proc

// Agent is in the environment of an agent and of what it starts: these belong
// to no job.
const Agent = "VIGIL_AGENT"

// ID names a process so that a later one with the same pid is not mistaken for
// it.
type ID struct {
	PID   int
	Start uint64 // clock ticks since boot; 0: not known, any will do
}

// Process is one line of the table.
type Process struct {
	ID
	Parent int
	Zombie bool // it has ended, and nobody has asked how
}
