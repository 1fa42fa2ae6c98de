package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

const (
	swapsBack     = 50e3 // bytes a second that come back from swap: a dozen pages
	pressedMemory = 0.01 // of the time at least, that processes wait for memory
	ownReads      = 0.5  // of what comes back, at least, that processes of the job read from storage
	ownMemory     = 0.5  // of the memory in use, at least, that is the job's
	fullGroup     = 90   // % of the memory limit of the job's cgroup from which on that is what is full
)

// swapping: pages of the job's memory go to swap, and it waits until they are back. That
// swap is in use says nothing: what is never touched again may lie there.
var swapping = check{
	Check: rule.Check{
		ID: "slow_training/swapping", Status: rule.Experimental, Files: []string{"slow/swapping.go"}, Severity: rule.Warning, CauseClass: "swapping", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The job holds most of the memory, its processes read pages back from swap during its steps, and processes wait for memory a large share of the time.",
		Evidence:        "waiting for swapped memory: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the job needs more memory than there is, and the system moves parts of it to swap and back",
		Remedy:          "use less memory (fewer loader workers, smaller batches, less that is cached), or a machine or a limit with more",
	},
	claim: func(_ *Case, s *Span) *Claim {
		back, out, read, pressure := s.Series["swap/in_per_s"].Mean(), s.Series["swap/out_per_s"].Mean(), s.reads("process/"), s.Series["psi/memory"].Mean()/100
		if back < swapsBack || read < ownReads*back || pressure < pressedMemory || !s.fillsMemory() {
			return nil
		}
		// Waiting for files that did not stay in memory is pressure, too. And who waits for a
		// page from swap waits for a disk: often the kernel counts it there only.
		waits := max(pressure*min(1, back/read), s.Series["psi/io"].Mean()/100*(back+out)/max(s.reads("disk/")+s.writes(), back+out))
		// The pressure is a mean over cores, so that it bounds nothing.
		return &Claim{
			Seconds: s.Seconds * min(1, waits), Takes: takesMachine, Subject: "memory", Unbound: true,
			Message: fmt.Sprintf("The job's memory is moved to swap and back, %s a second: processes wait for it %%s of the time", size(back)),
			Context: map[string]any{"swap_in_per_s": back, "swap_out_per_s": out, "read_per_s": read, "psi_io": s.Series["psi/io"].Mean(), "psi_memory": s.Series["psi/memory"].Mean()},
		}
	},
}

// reads is what the processes of the job, or the disks, read from storage in bytes a
// second. What comes back from swap counts.
func (s *Span) reads(of string) (sum float64) {
	for name, i := range s.Series {
		if strings.HasPrefix(name, of) && strings.HasSuffix(name, "read_per_s") && !strings.Contains(name, "/child/") {
			sum += i.Mean()
		}
	}
	return sum
}

// fillsMemory reports whether it is the job that fills the memory of the machine, or that
// of its cgroup.
func (s *Span) fillsMemory() bool {
	used := s.Series["memory/used_bytes"].Mean()
	return used > 0 && s.Series["job/rss_bytes"].Mean() >= ownMemory*used || s.Series["cgroup/memory_used_percent"].Mean() >= fullGroup
}

// writes is what the disks write.
func (s *Span) writes() (sum float64) {
	for name, i := range s.Series {
		if strings.HasPrefix(name, "disk/") && strings.HasSuffix(name, "/write_per_s") {
			sum += i.Mean()
		}
	}
	return sum
}
