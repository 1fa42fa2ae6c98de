// Package monitor samples the machine on which a job runs, from outside the
// training: processors, memory, disks, network, the processes of the job, the
// limits of its cgroup, and GPUs. It reads on Linux; elsewhere jobs do not run,
// and a sampler gives nothing.
//
// What cannot be read is absent from a sample, and Missing says why.
package monitor

import (
	"time"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// Options say what is sampled.
type Options struct {
	Host string // named in every sample
	// Directory is where the run is stored: the use of its file system is sampled.
	Directory string
	// Launcher starts the job: its descendants are the job's processes, without
	// this process and what it started. Zero: the job is the trainers and their
	// descendants.
	Launcher proc.ID
	// Trainers are the training processes known so far; nil: none. It is called
	// for every sample and must not block.
	Trainers func() []Trainer
	// NVML is the command that reads NVIDIA's library for us. Empty: the program
	// of this name next to this one or on the PATH, started where a driver is found.
	NVML []string

	// Proc and Sys are the roots of the kernel's files; empty: /proc and /sys.
	Proc, Sys string
}

// Trainer is a training process.
type Trainer struct {
	proc.ID
	Label string // "0" for rank 0; stands for RANK in process/RANK/rss_bytes
}

// Missing says which of a machine's metrics are absent, and why.
type Missing struct {
	Name   string // of a series or a family of them, such as "gpu"
	Reason string
}

// Sample reads all metrics. Rates are those since the sample before, so the
// first has none. now has a monotonic reading, as time.Now gives it: the time of
// a sample is never before that of the one before, whatever the wall clock does.
func (s *Sampler) Sample(now time.Time) record.Sample {
	at, since := s.clock.at(now)
	out := output{since: since, values: make([]record.Scalar, 0, s.size+8)}
	s.read(&out)
	s.size = len(out.values)
	return record.Sample{Host: s.host, Time: at, Values: out.values}
}

// Shift is how far the wall clock is ahead of the times of samples: what it was
// set forward, or negative back, since the sampler began.
func (s *Sampler) Shift() time.Duration { return s.clock.shift }

// output collects the values of one sample.
type output struct {
	since  float64 // seconds since the sample before; 0 for the first
	values []record.Scalar
}

func (o *output) add(name string, v float64) {
	o.values = append(o.values, record.Scalar{Name: name, Value: v})
}

// rate adds the growth of a counter for each second, times each. A counter that
// went back was set again and tells nothing.
func (o *output) rate(name string, before, now uint64, each float64) {
	if o.since > 0 && now >= before {
		o.add(name, float64(now-before)*each/o.since)
	}
}

// percent adds the share that part had in whole, between 0 and 100.
func (o *output) percent(name string, part, whole float64) {
	if whole > 0 {
		o.add(name, min(max(100*part/whole, 0), 100))
	}
}

// clock gives times that never go back.
type clock struct {
	began, last time.Time // with monotonic readings
	shift       time.Duration
}

// at is the wall time of an instant, counted from the first sample by the
// monotonic clock, and the seconds since the sample before.
func (c *clock) at(now time.Time) (wall time.Time, since float64) {
	if c.began.IsZero() {
		c.began, c.last = now, now
		return now.Round(0).UTC(), 0
	}
	told := now.Round(0)
	if now.Before(c.last) { // it has no monotonic reading
		now = c.last
	}
	since = now.Sub(c.last).Seconds()
	c.last = now
	wall = c.began.Round(0).Add(now.Sub(c.began)).UTC()
	c.shift = told.Sub(wall)
	return wall, since
}
