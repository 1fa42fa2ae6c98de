package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// lockThread keeps the goroutine on one thread, whose time is then its own.
func lockThread() { runtime.LockOSThread() }

// threadTime is the CPU time of this thread, which other programs on the machine do
// not lengthen as they do the time on the clock.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
