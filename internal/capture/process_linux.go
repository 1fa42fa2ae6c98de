package capture

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// ProcessStart is the time a process started, in clock ticks since boot. It
// tells a process from a later one with the same pid.
func ProcessStart(pid int) (uint64, error) {
	_, start, err := processState(pid)
	return start, err
}

// Alive reports whether the peer still runs; a zombie does not.
func (p Peer) Alive() bool {
	state, start, err := processState(p.PID)
	if err != nil {
		return !os.IsNotExist(err)
	}
	return state != 'Z' && state != 'X' && (p.Start == 0 || start == p.Start)
}

func processState(pid int) (state byte, start uint64, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	// The command's name is in parentheses and may hold anything.
	i := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[i+1:])
	if i < 0 || len(f) < 20 {
		return 0, 0, fmt.Errorf("read state of process %d: unexpected form", pid)
	}
	start, err = strconv.ParseUint(string(f[19]), 10, 64)
	return f[0][0], start, err
}
