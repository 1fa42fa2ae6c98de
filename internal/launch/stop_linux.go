package launch

import (
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/proc"
)

// stopper ends every process of a job.
type stopper struct {
	members func() []proc.ID
	kill    func(pid int, sig syscall.Signal)
	grace   time.Duration
	poll    time.Duration
}

// run sends SIGTERM to every process once, waits for the grace period, then
// sends SIGKILL until none is left. Processes that appear meanwhile get the
// same. It reports whether all are gone; those in an uninterruptible wait can
// outlive it.
func (s *stopper) run() bool {
	asked := map[proc.ID]bool{}
	for deadline := time.Now().Add(s.grace); time.Now().Before(deadline); time.Sleep(s.poll) {
		members := s.members()
		if len(members) == 0 {
			return true
		}
		for _, p := range members {
			if !asked[p] {
				asked[p] = true
				s.kill(p.PID, syscall.SIGTERM)
				s.kill(p.PID, syscall.SIGCONT) // a stopped process takes no SIGTERM
			}
		}
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(s.poll) {
		members := s.members()
		if len(members) == 0 {
			return true
		}
		for _, p := range members {
			s.kill(p.PID, syscall.SIGKILL)
		}
	}
	return len(s.members()) == 0
}
