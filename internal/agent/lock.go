package agent

import "sync"

// lockOrder is the order in which the locks of the agent are taken. Who holds one
// takes only such as come after it; so no two goroutines wait for each other. A
// build with the race detector ends the process where this is broken.
//
// The turn of a session (job.turn) is taken before all of them. Three packages have
// locks of their own: that of the runner of actions comes before lockJob, since it
// asks for the job to be stopped; that of the engine before lockValues, since rules
// read the run; that of the store after all, and what changes run.json takes none.
type lockOrder uint8

// The locks, each with what it is for.
const (
	lockNone     lockOrder = iota // stands outside the order
	lockPlacing                   // deciding where a resumed job goes on
	lockStarting                  // starting the rules, and ending them
	lockAsking                    // changing the plan: one change after another
	// lockRules is no lock: the goroutine of the evaluator holds it all the time.
	// Who waits for that goroutine holds none from here on; who only gives it work
	// may hold any.
	lockRules
	lockJob       // what the workers share: plan, sessions, workers
	lockNoting    // noting a checkpoint
	lockWriting   // writing run.json
	lockCounts    // counts and progress
	lockValues    // opening the run for rules that read it
	lockMarking   // a ring's mark of what is safe, against its unmapping
	lockRows      // storing samples and giving them to the rules
	lockQueue     // the evaluator's work
	lockEvents    // what waits for the launcher
	lockOrderSize // how many there are
)

// mutex is a sync.Mutex with its place in the order.
type mutex struct {
	sync.Mutex
	order lockOrder
}

// Lock locks it.
func (m *mutex) Lock() {
	m.order.taking()
	m.Mutex.Lock()
}

// Unlock unlocks it.
func (m *mutex) Unlock() {
	m.Mutex.Unlock()
	m.order.released()
}
