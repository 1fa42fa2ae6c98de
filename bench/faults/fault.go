package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// victim is the watched training to which something happens.
type victim struct {
	agent      int    // pid
	file       string // says what is wrong with its disk
	root, path string // of its runs, and of its run
}

// disk lets its disk have a fault; "" is none.
func (v *victim) disk(fault string) error {
	if err := os.WriteFile(v.file, []byte(fault), 0o644); err != nil {
		return fmt.Errorf("ask for a fault of the disk: %w", err)
	}
	return nil
}

func (v *victim) signal(s syscall.Signal) error {
	if err := syscall.Kill(v.agent, s); err != nil {
		return fmt.Errorf("send %v to the agent %d: %w", s, v.agent, err)
	}
	return nil
}

// fault happens to a training after its first turns and lasts up to its end.
type fault struct {
	name   string
	begin  func(*victim) error
	finish func(*victim) error // nil: nothing
}

var faults = []fault{
	{name: "none", begin: func(*victim) error { return nil }},
	{
		// Nobody reads the ring: it fills, and the hook drops.
		name:   "agent stopped",
		begin:  func(v *victim) error { return v.signal(syscall.SIGSTOP) },
		finish: func(v *victim) error { return v.signal(syscall.SIGCONT) },
	},
	{name: "agent killed", begin: func(v *victim) error { return v.signal(syscall.SIGKILL) }},
	{name: "store removed", begin: func(v *victim) error { return os.Rename(v.path, filepath.Join(v.root, "..", "gone")) }},
	{name: "disk full", begin: func(v *victim) error { return v.disk("full") }, finish: func(v *victim) error { return v.disk("") }},
	{name: "disk read-only", begin: func(v *victim) error { return v.disk("read-only") }, finish: func(v *victim) error { return v.disk("") }},
	{name: "disk slow, 100 ms a write", begin: func(v *victim) error { return v.disk("slow") }, finish: func(v *victim) error { return v.disk("") }},
}

// faultFile is the variable in the environment that makes this program vigil, on
// a disk whose fault is in the file that the variable names.
const faultFile = "VIGIL_BENCH_FAULT"

// failingDisk puts the file system with faults below the store.
func failingDisk(path string) {
	var now atomic.Pointer[string]
	read := func() {
		b, _ := os.ReadFile(path) // without the file nothing is wrong
		s := strings.TrimSpace(string(b))
		now.Store(&s)
	}
	read()
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			read()
		}
	}()
	agent.OnDisk(vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		switch *now.Load() {
		case "full":
			if op.Kind == vfs.OpWrite || op.Kind == vfs.OpCreate {
				return syscall.ENOSPC
			}
		case "read-only":
			if op.Kind != vfs.OpOpen {
				return syscall.EROFS
			}
		case "slow":
			if op.Kind == vfs.OpWrite {
				time.Sleep(100 * time.Millisecond)
			}
		}
		return nil
	}))
}
