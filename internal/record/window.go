package record

import "time"

// WindowSeconds is the length of a window of time.
const WindowSeconds = 10

// Window is a closed span of a job's time, with all that was stored of it when
// it closed. What came later is in the window that was open then.
type Window struct {
	Index    int64 // from 0 at the start of the run
	From, To time.Time

	Samples []Sample   // of all hosts, by host, then time
	Times   []StepTime // of all workers, by worker, then time
	Events  []Event    // by their end
	// Late names the hosts and workers that were still to come when it closed.
	Late []string
}
