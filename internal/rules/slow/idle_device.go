package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	halfBusy  = 0.5 // share of the time that a GPU computes, at most
	someBusy  = 0.05
	inNetwork = 0.6 // share of the time in forward, backward and optimiser, at least
	busyHost  = 0.7 // cores that the job uses, at least
)

// idleDevice: the GPU waits until Python has handed over the next operation.
var idleDevice = check{
	Check: rule.Check{
		ID: "slow_training/idle_device", Status: rule.Experimental, Files: []string{"slow/idle_device.go"}, Severity: rule.Info, CauseClass: "python-loop", Scope: rule.ScopeGeneral,
		When:     "The GPU computes for half of the time or less, although most of it is spent in forward, backward and the optimiser, and a core is busy.",
		Evidence: "waiting of the GPU for the script: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:    "many small operations are handed to the GPU one by one, which takes longer than to compute them",
		Remedy:   "use larger batches, torch.compile or CUDA graphs, fused optimisers, and operations on whole batches",
	},
	claim: func(c *Case, s *Span) *Claim {
		busy := s.Busiest()
		network := s.Parts[rule.Forward] + s.Parts[rule.Backward] + s.Parts[rule.Optimizer]
		used, known := s.CoresUsed()
		if busy < someBusy || busy > halfBusy || network < inNetwork*s.Seconds || !known || used < busyHost {
			return nil
		}
		return &Claim{
			Seconds: network - busy*s.Seconds, Takes: rule.Forward, Subject: "GPU", Unbound: true, Hint: true,
			Message: fmt.Sprintf("The GPU waits for the script %%s of the time, within forward, backward and the optimiser; it computes for %.0f %%%% of it", 100*busy),
			Context: map[string]any{"busy": busy, "network": network / s.Seconds},
		}
	},
}
