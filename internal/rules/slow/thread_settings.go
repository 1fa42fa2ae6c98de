package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// longOperation is the mean time of an operation, in seconds, from which on its
	// arithmetic dominates, so that several cores can share it.
	longOperation = 300e-6
	crowded       = 2   // threads for each core from which on they are too many
	pressed       = 0.2 // share of the time in which threads waited for a core
	othersUse     = 0.2 // share of the cores that other jobs may use where this job itself is to blame
	sentAway      = 50  // times a second that the main thread had to leave its core
)

// threads is how many threads the processes that train may use for arithmetic
// together; 0 where that is not known.
func (c *Case) threads() float64 {
	if c.Facts == nil || c.Facts.Threads == nil {
		return 0
	}
	return float64(c.Facts.Threads.Operation) * float64(1+len(c.Ranks))
}

// arithmetic is the time of updates that goes to the network, in seconds.
func arithmetic(s *Span) (seconds float64) {
	for _, m := range []rule.Mode{rule.Train, rule.Global} {
		if x := s.Modes[m]; x != nil {
			seconds += x.Parts[rule.Forward] + x.Parts[rule.Backward] + x.Parts[rule.Optimizer]
		}
	}
	return seconds
}

// idleCores: the arithmetic of large tensors runs in one thread while cores have
// nothing to do.
var idleCores = check{
	Check: rule.Check{
		ID: "slow_training/idle_cores", Files: []string{"slow/thread_settings.go"}, Severity: rule.Warning, CauseClass: "idle-cores", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The network computes with at most half as many threads as there are cores, its operations are long, and cores are idle.",
		Evidence:        "computing that more threads could spare: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the number of threads is limited: torch.set_num_threads or OMP_NUM_THREADS",
		Remedy:          "remove the limit, or set it to the number of cores divided by the processes that train",
	},
	claim: func(c *Case, s *Span) *Claim {
		threads := c.threads()
		if threads == 0 || c.Cores < 2 || threads > c.Cores/2 || c.IdleCores(s) < 0.75*(c.Cores-threads) {
			return nil
		}
		if c.Facts.Graph == nil || c.Facts.Graph.Nodes == 0 || s.Steps == 0 {
			return nil
		}
		compute := arithmetic(s)
		if compute/float64(s.Steps)/float64(c.Facts.Graph.Nodes) < longOperation {
			return nil
		}
		return &Claim{
			Seconds: compute * (1 - threads/c.Cores), Takes: rule.Forward, Subject: "threads",
			Message: fmt.Sprintf("The network computes with %s on %.0f cores; spread over all of them it would save %%s of the time", count(int64(threads), "thread"), c.Cores),
			Context: map[string]any{"threads": threads, "cores": c.Cores, "idle_cores": c.IdleCores(s)},
		}
	},
}

// oversubscription: the job's threads wait for cores that its other threads hold.
var oversubscription = check{
	Check: rule.Check{
		ID: "slow_training/oversubscription", Files: []string{"slow/thread_settings.go"}, Severity: rule.Warning, CauseClass: "oversubscription", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The processes of the job have at least twice as many threads for arithmetic as there are cores, its threads wait for cores, and no other job uses them.",
		Evidence:        "waiting of threads for a core: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "each process uses as many threads as if it had the machine for itself",
		Remedy:          "set torch.set_num_threads or OMP_NUM_THREADS to the number of cores divided by the processes that compute",
	},
	claim: func(c *Case, s *Span) *Claim {
		threads := c.threads()
		if threads == 0 || c.Cores == 0 || threads < crowded*c.Cores || s.Others() > othersUse*c.Cores {
			return nil
		}
		waits, away := s.Series["psi/cpu"].Mean()/100, s.Series["process/0/preempted_per_s"].Mean()
		if waits < pressed || away < sentAway {
			return nil
		}
		return &Claim{
			Seconds: arithmetic(s) * min(1, waits), Takes: rule.Forward, Subject: "threads", Unbound: true,
			Message: fmt.Sprintf("The job's %.0f threads wait for one of %.0f cores %%s of the time", threads, c.Cores),
			Context: map[string]any{"threads": threads, "cores": c.Cores, "psi_cpu": 100 * waits, "preempted_per_s": away},
		}
	},
}
