package proc

import (
	"fmt"
	"os"
	"time"
)

// tick is what the kernel counts a process's start in, as it tells it.
const tick = 10 * time.Millisecond

// Born is when a process was started, by the clock of the machine as it is now.
func Born(id ID) (time.Time, error) {
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}, fmt.Errorf("read when process %d was started: %w", id.PID, err)
	}
	var up float64
	if _, err := fmt.Sscanf(string(b), "%g", &up); err != nil || id.Start == 0 {
		return time.Time{}, fmt.Errorf("read when process %d was started: %q says nothing", id.PID, b)
	}
	age := time.Duration(up*float64(time.Second)) - time.Duration(id.Start)*tick
	return time.Now().Add(-age).UTC().Round(0), nil
}
