package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Read reads one line of the table. The error wraps fs.ErrNotExist when there
// is no such process.
func Read(pid int) (Process, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return parse(pid, b)
}

// parse reads /proc/PID/stat.
func parse(pid int, b []byte) (Process, error) {
	// The name in parentheses may hold anything, parentheses too: fields are
	// counted from its end.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return Process{}, fmt.Errorf("read process %d: %q has no name", pid, b)
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 {
		return Process{}, fmt.Errorf("read process %d: %d fields are too few", pid, len(f))
	}
	p := Process{ID: ID{PID: pid}, Zombie: f[0][0] == 'Z' || f[0][0] == 'X'}
	var err error
	if p.Parent, err = strconv.Atoi(string(f[1])); err != nil {
		return Process{}, fmt.Errorf("read process %d: parent: %w", pid, err)
	}
	if p.Start, err = strconv.ParseUint(string(f[19]), 10, 64); err != nil {
		return Process{}, fmt.Errorf("read process %d: start: %w", pid, err)
	}
	return p, nil
}

// Table reads the whole table. Processes that vanish while it is read are left
// out.
func Table() map[int]Process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := make(map[int]Process, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, err := Read(pid); err == nil {
			all[pid] = p
		}
	}
	return all
}

// Alive reports whether a process runs; a zombie does not. What cannot be told
// counts as alive.
func Alive(id ID) bool {
	p, err := Read(id.PID)
	if err != nil {
		_, err = os.Stat(fmt.Sprintf("/proc/%d", id.PID))
		return !os.IsNotExist(err)
	}
	return !p.Zombie && (id.Start == 0 || p.Start == id.Start)
}

// StartedByAgent reports whether a process carries the agent's mark.
func StartedByAgent(pid int) bool {
	return carries(pid, func(kv []byte) bool { return bytes.HasPrefix(kv, []byte(Agent+"=")) })
}

// Carrying are the living processes that were started with a variable, given
// as NAME=VALUE, in their environment, without an agent and what it started.
// Other users' processes cannot be seen.
func Carrying(variable string) []ID {
	var out []ID
	for pid, p := range Table() {
		if p.Zombie || StartedByAgent(pid) {
			continue
		}
		if carries(pid, func(kv []byte) bool { return string(kv) == variable }) {
			out = append(out, p.ID)
		}
	}
	return out
}

// carries reports whether a variable of a process's environment, as it was when
// it started, is what is looked for.
func carries(pid int, wanted func(kv []byte) bool) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(b, []byte{0}) {
		if wanted(kv) {
			return true
		}
	}
	return false
}
