//go:build !linux

package proc

import (
	"fmt"
	"runtime"
	"time"
)

// Read cannot tell here: jobs run on Linux only.
func Read(pid int) (Process, error) {
	return Process{}, fmt.Errorf("read process %d: not known how on %s", pid, runtime.GOOS)
}

// Born cannot tell here.
func Born(id ID) (time.Time, error) {
	return time.Time{}, fmt.Errorf("read when process %d was started: not known how on %s", id.PID, runtime.GOOS)
}

// Alive cannot tell here.
func Alive(ID) bool { return true }

// Carrying knows of none here.
func Carrying(string) []ID { return nil }
