package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestSample is the time that a sample may stand for. What is longer was not
// watched: the agent had died, or the machine slept.
const longestSample = 2 * time.Minute

// Count takes a sample in; one that was counted before is left out. A figure
// stands for the time since the sample before.
func (u *MachineUse) Count(s *Sample) {
	if !s.Time.After(u.Until) {
		return
	}
	took := s.Time.Sub(u.Until)
	if u.Until.IsZero() || took > longestSample {
		took = 0
	}
	u.Host, u.Until = s.Host, s.Time
	var job, all, allowed, limit float64
	cores := 0
	for _, v := range s.Values {
		switch name := v.Name; {
		case name == "cpu/total":
			u.cpu(v.Value, Span(took))
		case strings.HasPrefix(name, "cpu/"):
			cores++
		case name == "memory/used_bytes":
			u.PeakMemory = max(u.PeakMemory, int64(v.Value))
		case name == "memory/total_bytes":
			u.Memory = int64(v.Value)
		case name == "job/rss_bytes":
			job = v.Value
		case name == "cgroup/cpu_limit_cores":
			limit = v.Value
		case strings.HasPrefix(name, "process/"):
			switch {
			case strings.HasSuffix(name, "/rss_bytes"):
				all += v.Value
			case strings.HasSuffix(name, "/cores"):
				allowed = max(allowed, v.Value)
			}
		case strings.HasPrefix(name, "gpu/"):
			u.gpu(name, v.Value, Span(took))
		}
	}
	u.Cores = max(u.Cores, cores)
	if job == 0 {
		job = all
	}
	u.PeakJobMemory = max(u.PeakJobMemory, int64(job))
	// The latest sample counts: libraries bind a process to one core for a moment while
	// they look which cores there are.
	if allowed > 0 && limit > 0 {
		allowed = min(allowed, limit)
	}
	if allowed > 0 {
		u.JobCores = allowed
	} else if limit > 0 && (u.JobCores == 0 || limit < u.JobCores) {
		u.JobCores = limit
	}
}

// cpu takes in how busy all cores were over a time.
func (u *MachineUse) cpu(percent float64, took Span) {
	if u.CPU == nil {
		u.CPU = &percent
	}
	*u.CPU = mean(*u.CPU, u.Seconds, percent, took)
	u.Seconds += took
}

// mean is that of a value over a time and another one over the time after it.
func mean(before float64, long Span, after float64, took Span) float64 {
	if long+took == 0 {
		return after
	}
	return before + (after-before)*(float64(took)/float64(long+took))
}

// gpu takes in a figure of a GPU.
func (u *MachineUse) gpu(name string, value float64, took Span) {
	number, figure, ok := strings.Cut(strings.TrimPrefix(name, "gpu/"), "/")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return
	}
	i, there := slices.BinarySearchFunc(u.GPUs, n, func(g GPUUse, n int) int { return cmp.Compare(g.Number, n) })
	if !there {
		u.GPUs = slices.Insert(u.GPUs, i, GPUUse{Number: n})
	}
	switch g := &u.GPUs[i]; figure {
	case "utilization":
		g.Percent = mean(g.Percent, g.Seconds, value, took)
		g.Seconds += took
	case "memory_bytes":
		g.PeakMemory = max(g.PeakMemory, int64(value))
	}
}
