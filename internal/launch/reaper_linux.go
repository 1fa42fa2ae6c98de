package launch

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reaper is the only one in the process that waits for children. The launcher
// is the reaper of its job (PR_SET_CHILD_SUBREAPER), so orphans of the job
// come to it too, and a wait for single processes would miss them.
type reaper struct {
	mu    sync.Mutex
	kids  map[int]chan syscall.WaitStatus
	begun chan struct{} // a child was started
}

// newReaper makes this process the reaper of all its descendants and starts
// to wait for them.
func newReaper() *reaper {
	// It cannot fail on a kernel since 3.4; without it orphans go to init and a
	// stop misses those that also hide their environment.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	r := &reaper{kids: map[int]chan syscall.WaitStatus{}, begun: make(chan struct{}, 1)}
	go r.loop()
	return r
}

// start forks with fork and returns the child's changes of state: stopped,
// continued, and at last exited or killed, after which the channel is closed.
func (r *reaper) start(fork func() (int, error)) (int, <-chan syscall.WaitStatus, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := fork()
	if err != nil {
		return 0, nil, err
	}
	states := make(chan syscall.WaitStatus, 16)
	r.kids[pid] = states
	select {
	case r.begun <- struct{}{}:
	default:
	}
	return pid, states, nil
}

func (r *reaper) loop() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WUNTRACED|syscall.WCONTINUED, nil)
		switch err {
		case nil:
			r.tell(pid, status)
		case syscall.EINTR:
		case syscall.ECHILD:
			<-r.begun
		default:
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func (r *reaper) tell(pid int, status syscall.WaitStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	states, ok := r.kids[pid]
	if !ok {
		return // an orphan of the job
	}
	if status.Exited() || status.Signaled() {
		states <- status
		close(states)
		delete(r.kids, pid)
		return
	}
	select {
	case states <- status:
	default: // nobody looks at stops and continues of the agent
	}
}

// exitCode is a wait status as a shell tells it: 128+N after signal N.
func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
