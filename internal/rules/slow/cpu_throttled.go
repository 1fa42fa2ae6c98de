package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// cpuThrottled: the job's cgroup has used up its processor time, and all its threads
// pause until the next period begins.
var cpuThrottled = check{
	Check: rule.Check{
		ID: "slow_training/cpu_throttled", Status: rule.Experimental, Files: []string{"slow/cpu_throttled.go"}, Severity: rule.Warning, CauseClass: "throttling", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The cgroup of the job has a limit of processor time, and the job's threads had to pause for a large share of the time because it was used up.",
		Evidence:        "pauses because of the cgroup's limit: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the job wants more cores than its container, service or batch job may use",
		Remedy:          "ask for more cores (docker run --cpus, limits.cpu, --cpus-per-task), or use as many threads and workers as the limit has cores",
	},
	claim: func(c *Case, s *Span) *Claim {
		used, known := s.CoresUsed()
		periods, waiting := s.Series["cgroup/throttled_percent"].Mean()/100, s.Series["cgroup/throttled_cores"].Mean()
		if !known || periods <= 0 || waiting <= 0 {
			return nil
		}
		// Of k threads that want to run, all pause from when the time is used up. That
		// share is 1 - limit/k; it is concave in k, so that the mean of k gives a bound. What
		// ran and what waited together is that mean.
		held := min(1, periods, waiting/(waiting+used))
		limit, cores := s.Series["cgroup/cpu_limit_cores"].Mean(), c.coresBeside(s)
		return &Claim{
			Seconds: s.Seconds * held, Cores: cores, Takes: takesMachine, Subject: "processor time",
			Message: fmt.Sprintf("The job has to pause %%s of the time, because its cgroup may use no more than %.3g cores", limit),
			Context: map[string]any{"limit_cores": limit, "cores": cores, "throttled_percent": 100 * periods, "throttled_cores": waiting, "used_cores": used},
		}
	},
}

// coresBeside is how many cores the job may use when no limit of processor time holds:
// those of the machine and of its processes' affinity.
func (c *Case) coresBeside(s *Span) float64 {
	var n, each float64
	for name, i := range s.Series {
		switch of, cpu := strings.CutPrefix(name, "cpu/"); {
		case cpu && strings.Trim(of, "0123456789") == "":
			n++
		case strings.HasPrefix(name, "process/") && strings.HasSuffix(name, "/cores"):
			each = max(each, i.Mean())
		}
	}
	if each > 0 {
		n = min(n, each*float64(1+len(c.Ranks)))
	}
	return n
}
