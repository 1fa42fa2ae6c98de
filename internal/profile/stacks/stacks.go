// Package stacks says where the processes of a job stand: the Python stacks of
// their threads, in a group where they are equal, the odd one first.
package stacks

import (
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Frame is a call: file, line and function. Nothing else of it is known.
type Frame struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// Thread is where one thread stands, the innermost call first.
type Thread struct {
	Name   string  `json:"name"`
	Main   bool    `json:"main"`
	Frames []Frame `json:"frames"`
}

// What a process is to its job.
const (
	Rank         = "rank"          // it trains
	LoaderWorker = "loader worker" // it prepares batches
	Other        = "process"       // a launcher, a child of the script, a process that does not train yet
)

// How the stacks of a process were read.
const (
	Asked     = "asked"     // its interpreter answered
	Signalled = "signalled" // by a signal, without the interpreter's lock
	Unread    = "unread"    // there are none: it runs no Python, or does not answer
)

// Process is one process of a job.
type Process struct {
	PID     int      `json:"pid"`
	Parent  int      `json:"parent"`
	Kind    string   `json:"kind"`
	Worker  string   `json:"worker,omitempty"` // what the run calls it, where it trains
	Rank    int      `json:"rank"`             // its own, or that of the process it loads for; -1: none
	Name    string   `json:"name"`             // the command, or what multiprocessing calls it
	Read    string   `json:"read"`
	State   string   `json:"state"` // what it does, as the kernel tells
	Threads []Thread `json:"threads"`
}

// Main is the thread that stands for a process; nil when none was read.
func (p *Process) Main() *Thread {
	for i := range p.Threads {
		if p.Threads[i].Main {
			return &p.Threads[i]
		}
	}
	if len(p.Threads) > 0 {
		return &p.Threads[0]
	}
	return nil
}

// loaderFile is the file of PyTorch in which a loader worker runs.
const loaderFile = "torch/utils/data/_utils/worker.py"

// LoadsData tells by its stack whether a process is a worker of a DataLoader.
func (p *Process) LoadsData() bool {
	t := p.Main()
	if t == nil {
		return false
	}
	for _, f := range t.Frames {
		if strings.HasSuffix(f.File, loaderFile) {
			return true
		}
	}
	return false
}

// Below are the frames of a process without those that it had from the one that it
// was forked from, which goes on elsewhere.
func Below(frames []Frame) []Frame {
	for i, f := range frames {
		if strings.HasSuffix(f.File, "/multiprocessing/popen_fork.py") && strings.HasSuffix(f.Function, "_launch") {
			return frames[:i+1]
		}
	}
	return frames
}

// Own is the innermost call of the user's own code; nil when there is none.
func Own(frames []Frame) *Frame {
	for i := range frames {
		if !record.Library(frames[i].File) {
			return &frames[i]
		}
	}
	return nil
}

// known is the call by which a place without code of the user's is known: what a
// loader worker has called last by itself, else the innermost one.
func known(frames []Frame) Frame {
	for i, f := range frames {
		if i > 0 && strings.HasSuffix(f.File, loaderFile) {
			return frames[i-1]
		}
	}
	return frames[0]
}

// ours are calls of Vigil's own threads.
func ours(frames []Frame) bool {
	for _, f := range frames {
		if strings.HasSuffix(f.File, "/vigil/_connection.py") && strings.HasSuffix(f.Function, "_listen") ||
			strings.HasSuffix(f.File, "/vigil/_sampling.py") && strings.HasSuffix(f.Function, "_run") ||
			strings.HasSuffix(f.File, "/vigil/_ring.py") && strings.HasSuffix(f.Function, "_run") {
			return true
		}
	}
	return false
}
