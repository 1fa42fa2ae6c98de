package launch

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// process is one line of the process table.
type process struct {
	pid, parent int
	start       uint64 // clock ticks since boot; tells a reused pid
	zombie      bool
}

// identity names a process so that a reused pid is not mistaken for it.
type identity struct {
	pid   int
	start uint64
}

// processes reads the process table. Processes that vanish while it is read
// are left out.
func processes() map[int]process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := make(map[int]process, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			all[pid] = p
		}
	}
	return all
}

// readProcess reads /proc/PID/stat.
func readProcess(pid int) (process, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	// The name in parentheses may hold anything, parentheses too: fields are
	// counted from its end.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return process{}, fmt.Errorf("read process %d: %q has no name", pid, b)
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 20 {
		return process{}, fmt.Errorf("read process %d: %d fields are too few", pid, len(f))
	}
	p := process{pid: pid, zombie: f[0] == "Z" || f[0] == "X"}
	if p.parent, err = strconv.Atoi(f[1]); err != nil {
		return process{}, fmt.Errorf("read process %d: parent: %w", pid, err)
	}
	if p.start, err = strconv.ParseUint(f[19], 10, 64); err != nil {
		return process{}, fmt.Errorf("read process %d: start: %w", pid, err)
	}
	return p, nil
}

// job are the living processes that belong to the command child of launcher:
// its descendants, whatever process group or session they have, and orphans
// that came back to the launcher. What the agent started is marked in its
// environment and does not belong to the job.
func job(all map[int]process, launcher, child, agent int, marked func(pid int) bool) []identity {
	children := map[int][]int{}
	for pid, p := range all {
		children[p.parent] = append(children[p.parent], pid)
	}
	var out []identity
	var add func(pid int)
	add = func(pid int) {
		if p := all[pid]; !p.zombie {
			out = append(out, identity{pid, p.start})
		}
		for _, c := range children[pid] {
			add(c)
		}
	}
	for _, pid := range children[launcher] {
		if pid == agent || pid != child && marked(pid) {
			continue
		}
		add(pid)
	}
	return out
}

// agentMark is in the environment of the agent and of what it starts.
const agentMark = "VIGIL_AGENT"

// startedByAgent tells whether a process carries the agent's mark.
func startedByAgent(pid int) bool {
	return carries(pid, func(kv []byte) bool { return bytes.HasPrefix(kv, []byte(agentMark+"=")) })
}

// carrying are the living processes with a variable in their environment,
// without the agent and what it started: the job of a launcher that is gone.
func carrying(all map[int]process, agent int, variable string) []identity {
	var out []identity
	for pid, p := range all {
		if pid == agent || p.zombie || startedByAgent(pid) {
			continue
		}
		if carries(pid, func(kv []byte) bool { return string(kv) == variable }) {
			out = append(out, identity{pid, p.start})
		}
	}
	return out
}

// carries tells whether a variable of a process's environment, as it was when
// it started, is what is looked for. Other users' cannot be read.
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

// Self names this process.
func Self() *record.Process {
	p, err := readProcess(os.Getpid())
	if err != nil {
		return nil
	}
	return &record.Process{PID: p.pid, Start: p.start}
}
