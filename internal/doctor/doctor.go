// Package doctor reports what works on a machine, whether a command can be
// captured, and why a run holds nothing.
package doctor

import "fmt"

// State is the outcome of one check.
type State string

// States of a check.
const (
	OK      State = "ok"
	Warning State = "warning" // works, but not as well as it could
	Failure State = "failure" // capture does not work until it is put right
)

// Check is one thing that was looked at.
type Check struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Text  string `json:"text"`           // one sentence: what was found
	Hint  string `json:"hint,omitempty"` // what to do
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, State: OK, Text: fmt.Sprintf(format, args...)}
}

func warn(name, hint, format string, args ...any) Check {
	return Check{Name: name, State: Warning, Text: fmt.Sprintf(format, args...), Hint: hint}
}

func fail(name, hint, format string, args ...any) Check {
	return Check{Name: name, State: Failure, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// Failed reports whether any check found something that keeps capture from
// working.
func Failed(checks []Check) bool {
	for _, c := range checks {
		if c.State == Failure {
			return true
		}
	}
	return false
}

// size spells a number of bytes.
func size(n uint64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d bytes", n)
}
