package monitor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Sampler samples. It is used by one goroutine at a time; Missing by any.
type Sampler struct {
	host  string
	clock clock
	size  int

	stat, meminfo, vmstat, diskstats, netdev *file
	pressure                                 []pressure
	cpu                                      cpu
	swap                                     swapping
	hasSwap                                  bool
	disks                                    disks
	network                                  network
	fs                                       fileSystem
	processes                                *processes
	cgroup                                   cgroup
	nvidia                                   nvidia
	gpuWait                                  time.Duration // the longest that a sample waits for GPUs
	amd                                      amd

	mu      sync.Mutex
	missing []Missing
}

// pressure is one file of /proc/pressure.
type pressure struct {
	name, full string // of the series; empty: none
	file       *file
	before     stalls
	known      bool
}

// New makes a sampler. It must be closed.
func New(o Options) *Sampler {
	root, sys := cmp.Or(o.Proc, "/proc"), cmp.Or(o.Sys, "/sys")
	s := &Sampler{
		host: o.Host, gpuWait: 50 * time.Millisecond,
		stat: newFile(root+"/stat", true), meminfo: newFile(root+"/meminfo", true), vmstat: newFile(root+"/vmstat", false),
		diskstats: newFile(root+"/diskstats", false), netdev: newFile(root+"/net/dev", false),
	}
	s.pressure = []pressure{
		{name: "psi/cpu", file: newFile(root+"/pressure/cpu", true)},
		{name: "psi/memory", full: "psi/memory_full", file: newFile(root+"/pressure/memory", true)},
		{name: "psi/io", full: "psi/io_full", file: newFile(root+"/pressure/io", true)},
	}
	s.disks.whole = func(name string) bool {
		_, err := os.Stat(filepath.Join(sys, "block", name))
		return err == nil
	}
	s.fs = fileSystem{directory: o.Directory, lacks: s.lacks}
	s.processes = newProcesses(o, root, os.Getpid(), s.lacks)
	s.cgroup = cgroup{root: root, lacks: s.lacks}
	s.nvidia = nvidia{command: nvidiaHelper(o, s.lacks), lacks: s.lacks}
	s.amd = amd{cards: amdCards(sys), lacks: s.lacks}
	if len(s.nvidia.command) == 0 && len(s.amd.cards) == 0 && len(s.missing) == 0 {
		s.lacks("gpu", "no driver of an NVIDIA or AMD GPU is on this machine")
	}
	return s
}

// lacks notes once that metrics are absent.
func (s *Sampler) lacks(name, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.missing {
		if m.Name == name && m.Reason == reason {
			return
		}
	}
	if len(s.missing) < 50 {
		s.missing = append(s.missing, Missing{name, reason})
	}
}

// Missing are the metrics that are absent, and why, as far as known by now.
func (s *Sampler) Missing() []Missing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Missing(nil), s.missing...)
}

// content reads a file of the machine's; nil, with one line of why, where that
// fails.
func (s *Sampler) content(f *file, family string) []byte {
	b, err := f.read()
	if err == nil {
		return b
	}
	if errors.Is(err, fs.ErrNotExist) {
		s.lacks(family, fmt.Sprintf("%s is not there", f.path))
	} else {
		s.lacks(family, fmt.Sprintf("%s cannot be read: %v", f.path, err))
	}
	return nil
}

func (s *Sampler) read(o *output) {
	now := s.clock.last
	s.nvidia.ask(now)
	s.amd.ask(now)
	if b := s.content(s.stat, "cpu"); b != nil && !s.cpu.read(b, o) {
		s.lacks("cpu", s.stat.path+" has no times of processors")
	}
	s.readMemory(o)
	s.readPressure(o)
	if b := s.content(s.diskstats, "disk"); b != nil {
		s.disks.parse(b, o)
	}
	if b := s.content(s.netdev, "net"); b != nil {
		s.network.parse(b, o)
	}
	s.fs.sample(now, o)
	s.processes.sample(now, s.cpu.now.forks, o)
	if m := s.processes.first(); m != nil {
		s.cgroup.sample(m.PID, now, o)
	}
	s.nvidia.sample(s.gpuWait, s.processes, o)
	s.amd.sample(now, s.nvidia.gpus, o)
}

func (s *Sampler) readMemory(o *output) {
	if b := s.content(s.meminfo, "memory"); b != nil {
		m, ok := parseMeminfo(b)
		if !ok {
			s.lacks("memory", s.meminfo.path+" does not say how much is there")
			return
		}
		m.write(o)
		if m.swapTotal == 0 {
			s.hasSwap = false
			return
		}
	}
	if b := s.content(s.vmstat, "swap"); b != nil {
		now, ok := parseVmstat(b)
		if ok && s.hasSwap {
			o.rate("swap/in_per_s", s.swap.in, now.in, s.processes.page)
			o.rate("swap/out_per_s", s.swap.out, now.out, s.processes.page)
		}
		s.swap, s.hasSwap = now, ok
	}
}

// readPressure adds the share of the time in which some, or all, waited.
func (s *Sampler) readPressure(o *output) {
	for i := range s.pressure {
		p := &s.pressure[i]
		b := s.content(p.file, "psi")
		if b == nil {
			return // the kernel counts none of them, or all
		}
		now, ok := parsePressure(b)
		if ok && p.known && o.since > 0 && now.some >= p.before.some && now.full >= p.before.full {
			o.percent(p.name, float64(now.some-p.before.some)/1e6, o.since)
			if p.full != "" {
				o.percent(p.full, float64(now.full-p.before.full)/1e6, o.since)
			}
		}
		p.before, p.known = now, ok
	}
}

// Close gives back what the sampler holds.
func (s *Sampler) Close() {
	for _, f := range []*file{s.stat, s.meminfo, s.vmstat, s.diskstats, s.netdev} {
		f.close()
	}
	for _, p := range s.pressure {
		p.file.close()
	}
	s.processes.close()
	s.cgroup.close()
	s.nvidia.close()
}
