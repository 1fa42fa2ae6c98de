package agent

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// own keeps other agents from writing a run, by a lock on its directory that
// ends with this process. Where it cannot be had, only who insists is refused:
// the agent before may be dying yet.
func own(run string, insist bool) (release func(), err error) {
	none := func() {}
	d, err := os.Open(run)
	if errors.Is(err, os.ErrNotExist) {
		return none, nil // it is about to be made
	}
	if err != nil {
		return none, fmt.Errorf("open run %q: %w", run, err)
	}
	err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return func() { d.Close() }, nil
	case insist && errors.Is(err, syscall.EWOULDBLOCK):
		d.Close()
		return none, fmt.Errorf("resume run %q: another agent writes it", run)
	}
	d.Close()
	return none, nil
}
